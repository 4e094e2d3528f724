/**
 * An offline model for the real host: it replays a script instead of thinking.
 *
 * `SCRIPTED_MODEL` names a JSON file, a list of assistant turns. A turn is a plain string, or
 * `{ "text"?: string, "calls"?: [{ "name": string, "arguments": object }] }`. Where the script
 * has ended, a tool result is answered with the sentence the tool returned, and a new prompt
 * starts the script again, so a visitor can have the form as often as they like. `{result}` in
 * a text stands for the last tool result.
 *
 * `SCRIPTED_MODEL_LOG` names a file that gets one JSON line per request: what the model was
 * offered and what it received. Host tests read there what a screen cannot show.
 *
 * The two generations of Pi hand over tools differently; both are read here, and nothing else
 * in this file knows which one runs it.
 */
import { appendFileSync, readFileSync } from "node:fs";
import type {
	Api,
	AssistantMessage,
	Context,
	Model,
	SimpleStreamOptions,
} from "@mariozechner/pi-ai";
import { createAssistantMessageEventStream } from "@mariozechner/pi-ai";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

type Call = { name: string; arguments: Record<string, unknown> };
type Turn = { text?: string | undefined; calls?: Call[] | undefined };

/** The newest host announces tools in system messages, a role its predecessor does not know. */
type Seen = {
	role: string;
	stopReason?: string;
	toolName?: string;
	isError?: boolean;
	content?: string | { type: string; text?: string }[];
	toolsAdded?: { name: string }[];
	toolsRemoved?: { name: string }[];
};

const seen = (context: Context) => context.messages as unknown as Seen[];

function textOf(message: Seen): string {
	if (typeof message.content === "string") return message.content;
	return (message.content ?? []).map((part) => part.text ?? "").join("");
}

function offeredTools(context: Context): string[] {
	const names = new Set((context.tools ?? []).map((tool) => tool.name));
	for (const message of seen(context)) {
		for (const tool of message.toolsRemoved ?? []) names.delete(tool.name);
		for (const tool of message.toolsAdded ?? []) names.add(tool.name);
	}
	return [...names];
}

/**
 * The position in the script is read off the transcript, so a reload or a new session cannot
 * get it wrong. An aborted turn counts for nothing: the model never got to say it.
 */
function nextTurn(script: (string | Turn)[], context: Context): Turn {
	let position = 0;
	for (const message of seen(context)) {
		if (message.role === "user" && position >= script.length) position = 0;
		if (message.role === "assistant" && message.stopReason !== "aborted") position++;
	}
	const last = seen(context).at(-1);
	const afterTool = last?.role === "toolResult";
	const turn = script[position] ?? (afterTool ? "The tool said: {result}" : "Done.");
	const { text, calls }: Turn = typeof turn === "string" ? { text: turn } : turn;
	const result = afterTool ? textOf(last) : "";
	return { text: text?.replace("{result}", () => result), calls };
}

function emptyMessage(model: Model<Api>): AssistantMessage {
	const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
	return {
		role: "assistant",
		content: [],
		api: model.api,
		provider: model.provider,
		model: model.id,
		usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost },
		stopReason: "stop",
		timestamp: Date.now(),
	};
}

let calls = 0;

/** Streams a turn the way a provider does: a call has no arguments yet when it first appears. */
function speak(model: Model<Api>, turn: Turn, signal: AbortSignal | undefined) {
	const stream = createAssistantMessageEventStream();
	const message = emptyMessage(model);
	queueMicrotask(() => {
		if (signal?.aborted) {
			message.stopReason = "aborted";
			stream.push({ type: "error", reason: "aborted", error: message });
			return stream.end();
		}
		stream.push({ type: "start", partial: message });
		if (turn.text !== undefined) {
			const contentIndex = message.content.push({ type: "text", text: "" }) - 1;
			stream.push({ type: "text_start", contentIndex, partial: message });
			message.content[contentIndex] = { type: "text", text: turn.text };
			stream.push({ type: "text_delta", contentIndex, delta: turn.text, partial: message });
			stream.push({ type: "text_end", contentIndex, content: turn.text, partial: message });
		}
		for (const call of turn.calls ?? []) {
			const started = { type: "toolCall" as const, id: `call-${++calls}`, name: call.name };
			const contentIndex = message.content.push({ ...started, arguments: {} }) - 1;
			stream.push({ type: "toolcall_start", contentIndex, partial: message });
			const toolCall = { ...started, arguments: structuredClone(call.arguments) };
			message.content[contentIndex] = toolCall;
			const delta = JSON.stringify(call.arguments);
			stream.push({ type: "toolcall_delta", contentIndex, delta, partial: message });
			stream.push({ type: "toolcall_end", contentIndex, toolCall, partial: message });
			message.stopReason = "toolUse";
		}
		const reason = message.stopReason === "toolUse" ? "toolUse" : "stop";
		stream.push({ type: "done", reason, message });
		stream.end();
	});
	return stream;
}

export default function scriptedModel(pi: ExtensionAPI): void {
	const log = process.env.SCRIPTED_MODEL_LOG;

	function note(context: Context): void {
		if (log === undefined) return;
		const results = seen(context).filter((message) => message.role === "toolResult");
		const request = {
			tools: offeredTools(context),
			// Known but not offered is the state of a tool that was taken out of the active set.
			known: pi.getAllTools().map((tool) => ({ name: tool.name, path: tool.sourceInfo.path })),
			results: results.map((message) => ({
				tool: message.toolName,
				isError: message.isError,
				text: textOf(message),
			})),
		};
		appendFileSync(log, `${JSON.stringify(request)}\n`);
	}

	pi.registerProvider("scripted", {
		api: "scripted",
		baseUrl: "http://localhost",
		apiKey: "none",
		models: [
			{
				id: "scripted-1",
				name: "Scripted",
				reasoning: false,
				input: ["text"],
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
				contextWindow: 100_000,
				maxTokens: 10_000,
			},
		],
		streamSimple(model: Model<Api>, context: Context, options?: SimpleStreamOptions) {
			note(context);
			const script = JSON.parse(readFileSync(process.env.SCRIPTED_MODEL ?? "", "utf8"));
			return speak(model, nextTurn(script, context), options?.signal);
		},
	});
}
