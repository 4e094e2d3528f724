// An extension of somebody else's: it notes in a file what is asked, awaited and rejected.
import { appendFileSync } from "node:fs";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import {
	ASK_USER_ABORTED_EVENT,
	ASK_USER_BLOCKED_EVENT,
	ASK_USER_PROMPT_EVENT,
	type AskUserAbortedEventPayload,
	type AskUserBlockedEventPayload,
	type AskUserPromptEventPayload,
} from "@schovest/pi-ask-user-question/events";

const note = (line: string) =>
	appendFileSync(process.env.HELPER_LOG ?? "questions.log", `${JSON.stringify(line)}\n`);

// The event bus of Pi does not know what is sent, so the listener says it.
const onPrompt = ({ questions }: AskUserPromptEventPayload) => {
	for (const { header, options } of questions) note(`${header} ${options.length}`);
};
const onBlocked = ({ active }: AskUserBlockedEventPayload) => note(`blocked ${active}`);
const onAborted = ({ aborted }: AskUserAbortedEventPayload) => note(`aborted ${aborted}`);

export default function listener(pi: ExtensionAPI): void {
	pi.events.on(ASK_USER_PROMPT_EVENT, (payload) => onPrompt(payload as AskUserPromptEventPayload));
	pi.events.on(ASK_USER_BLOCKED_EVENT, (payload) =>
		onBlocked(payload as AskUserBlockedEventPayload),
	);
	pi.events.on(ASK_USER_ABORTED_EVENT, (payload) =>
		onAborted(payload as AskUserAbortedEventPayload),
	);
}
