/**
 * The events of `ask_user_question`, for extensions that listen on Pi's event bus.
 *
 * One call emits, in this order:
 *
 * 1. {@link ASK_USER_PROMPT_EVENT}, once the questions are accepted and can be shown;
 * 2. {@link ASK_USER_BLOCKED_EVENT} with `active: true`, right before the dialog opens;
 * 3. {@link ASK_USER_ABORTED_EVENT}, only when the user rejects the questionnaire;
 * 4. {@link ASK_USER_BLOCKED_EVENT} with `active: false`, however the call ends.
 *
 * A refused call, and one that was aborted before it was shown, emits nothing.
 *
 * Listeners outlive releases, so the contract only grows: a channel keeps its name for ever, a
 * payload gains optional fields and loses none, every payload survives JSON, and a change that
 * would break a listener gets a channel of its own (`rpiv:ask-user:prompt.v2`).
 */

/** The questions are about to be shown. Payload: {@link AskUserPromptEventPayload}. */
export const ASK_USER_PROMPT_EVENT = "rpiv:ask-user:prompt";

/** The user rejected the questionnaire. Payload: {@link AskUserAbortedEventPayload}. */
export const ASK_USER_ABORTED_EVENT = "rpiv:ask-user:aborted";

/** The agent starts or stops waiting for the user. Payload: {@link AskUserBlockedEventPayload}. */
export const ASK_USER_BLOCKED_EVENT = "rpiv:ask-user:blocked";

/** What is asked, without the previews: they may be long, and listeners may forward this. */
export interface AskUserPromptEventPayload {
	questions: Array<{
		question: string;
		header: string;
		multiSelect: boolean;
		options: Array<{ label: string; description: string; hasPreview: boolean }>;
	}>;
}

/** Sent once per call, and never when nobody saw the questions. */
export interface AskUserAbortedEventPayload {
	aborted: true;
}

/** `active` is true while the questionnaire waits for input. */
export interface AskUserBlockedEventPayload {
	active: boolean;
}
