/**
 * The `ask_user_question` tool for the Pi coding agent.
 *
 * This file is the protocol, top to bottom: what the model may send, how it is repaired and
 * refused, what comes back, which events fire, and how one call runs. The terminal dialog lives in
 * `dialog.ts` and is imported only when the first question is asked. `DESIGN.md` states the rules
 * under the same numbers and names as the banners here.
 */

import type {
	AgentToolResult,
	ExtensionAPI,
	ExtensionContext,
	Theme,
	ToolDefinition,
} from "@mariozechner/pi-coding-agent";
import { type Component, truncateToWidth, wrapTextWithAnsi } from "@mariozechner/pi-tui";
import { type Static, Type } from "@sinclair/typebox";
import {
	ASK_USER_ABORTED_EVENT,
	ASK_USER_BLOCKED_EVENT,
	ASK_USER_PROMPT_EVENT,
	type AskUserAbortedEventPayload,
	type AskUserBlockedEventPayload,
	type AskUserPromptEventPayload,
} from "./events.ts";

// -- 1. Limits --------------------------------------------------------------------------------
//
// Every number and every reserved word stands here once. The schema, the checks, the messages and
// the guidance are built from them, so that no text can contradict what is enforced.

/** The name the model calls. Pi refuses to start with two tools of one name. */
export const TOOL_NAME = "ask_user_question";

/**
 * How much one call may hold. `header` and `label` are lengths in Unicode code points, as the
 * host's schema check counts them; how many columns they take is the dialog's business.
 */
export const LIMITS = {
	questions: { min: 1, max: 4 },
	options: { min: 2, max: 4 },
	header: 16,
	label: 60,
} as const;

/** The rows the dialog appends itself: a typed answer, and the end of a multi-select. */
export const SENTINELS = { custom: "Type something.", next: "Next" } as const;

/** Labels no option may carry, whatever its kind of question; compared exactly, after cleaning. */
export const RESERVED_LABELS: readonly string[] = ["Other", SENTINELS.custom, SENTINELS.next];

const span = (limit: { min: number; max: number }) => `${limit.min}-${limit.max}`;
const quoted = (labels: readonly string[]) => labels.map((label) => `"${label}"`).join(", ");

// -- 2. Schema --------------------------------------------------------------------------------
//
// What the model is shown and what the host checks before the tool runs. It uses only keywords
// that every provider understands, and says the mechanics of each field in as few words as will
// do: the policy is the guidance's part. Lengths are checked here alone.

const optionSchema = Type.Object({
	label: Type.String({
		maxLength: LIMITS.label,
		description: `1-5 words, unique in its question. Reserved: ${quoted(RESERVED_LABELS)}.`,
	}),
	description: Type.String({ description: "What the choice means, or its trade-off." }),
	preview: Type.Optional(
		Type.String({
			description: "Markdown shown with the option while it is focused. Single-select only.",
		}),
	),
});

const questionSchema = Type.Object({
	question: Type.String({ description: 'The full question, ending with "?".' }),
	header: Type.String({ maxLength: LIMITS.header, description: "Short chip label: a noun." }),
	options: Type.Array(optionSchema, {
		minItems: LIMITS.options.min,
		maxItems: LIMITS.options.max,
		description: "The choices. A row for a typed answer is added to them.",
	}),
	multiSelect: Type.Optional(
		Type.Boolean({ description: "Several options may be chosen. Default: false." }),
	),
});

/** The parameters of the tool as a JSON schema. */
export const parameters = Type.Object({
	questions: Type.Array(questionSchema, {
		minItems: LIMITS.questions.min,
		maxItems: LIMITS.questions.max,
		description: "Everything to ask now, each question once.",
	}),
});

/** The arguments of a call that passed the host's schema check. */
export type Call = Static<typeof parameters>;

// -- 3. Results -------------------------------------------------------------------------------
//
// The data of a call, from the questions as they are shown to the details that come back. A field
// that would be empty is absent, never `undefined`, so that what is stored is what was meant.

/** An option as it is shown: cleaned, and with a preview only where the layout has a place. */
export interface Option {
	label: string;
	description: string;
	preview?: string;
}

/** A question as it is shown: cleaned, with a header in any case. */
export interface Question {
	question: string;
	header: string;
	options: Option[];
	multiSelect: boolean;
}

/** What stands as the user's reply to one question: indexes of options, typed text, a note. */
export interface Reply {
	choices: readonly number[];
	text: string;
	note: string;
}

/**
 * How a questionnaire that was shown ended, with what stood at that moment: the user answered, or
 * rejected it; the call was taken back; or something of ours or the host's broke.
 */
export interface Outcome {
	end: "answered" | "declined" | "aborted" | "failed";
	replies: readonly Reply[];
	/** The note on the whole questionnaire. */
	note: string;
}

/**
 * Why nobody was asked. The first six are faults of the call, found by {@link check}; the others
 * are faults of the place it was made in. Each has its text in {@link MESSAGES}.
 */
export type QuestionnaireError =
	| "no_questions"
	| "too_many_questions"
	| "duplicate_question"
	| "empty_options"
	| "reserved_label"
	| "duplicate_option_label"
	| "no_ui"
	| "no_custom_ui"
	| "session_load_failed"
	| "stale_module_cache";

/** One answered question, as it stands in the details. */
export interface Answer {
	/** Index in the call; unanswered questions leave gaps. */
	questionIndex: number;
	/** The question as it was shown. */
	question: string;
	kind: "option" | "custom" | "multi";
	/** The label or the text as it was typed; null for `multi`, and where only a note was written. */
	answer: string | null;
	/** The chosen labels of a `multi` answer, in the order of the options. */
	selected?: string[];
	/** Text typed beside the chosen labels of a `multi` answer. */
	custom?: string;
	/** The note the user wrote on this question. */
	notes?: string;
	/** The preview of the chosen option, so that the model need not look it up in its call. */
	preview?: string;
}

/** The `details` of a tool result. */
export interface Result {
	/** What stood at the end, also where it was not sent; empty where nothing was shown. */
	answers: Answer[];
	/** True for everything but an answered questionnaire. */
	cancelled: boolean;
	/** The note on the whole questionnaire. */
	globalNote?: string;
	error?: QuestionnaireError;
}

export type ToolResult = AgentToolResult<Result>;

/**
 * A pattern that is built when it is first needed. Pi loads this file at every start, and classes
 * of characters by their properties would take a good part of that time.
 */
function onceNeeded(source: string, flags: string): () => RegExp {
	let pattern: RegExp | undefined;
	return () => {
		pattern ??= new RegExp(source, flags);
		return pattern;
	};
}

/** Blank text is no text: it never answers and is never shown. What shows nothing is blank. */
const BLANK = onceNeeded("^[\\s\\u2800\\p{Cc}\\p{DI}]*$", "u");
const isBlank = (text: string) => BLANK().test(text);

/** The element at an index that is known to exist. */
export function at<T>(list: readonly T[], index: number): T {
	const item = list[index];
	if (item === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
	return item;
}

/**
 * Turns one reply into an answer, or into nothing where nothing stands. A written note counts as
 * an answer of its own, so that it reaches the model also where no option was chosen.
 */
function answerTo(question: Question, questionIndex: number, reply: Reply): Answer | undefined {
	const text = reply.text.toWellFormed();
	const typed = isBlank(text) ? undefined : text;
	const chosen = reply.choices.map((choice) => at(question.options, choice));
	const base = { questionIndex, question: question.question };
	const notes = isBlank(reply.note) ? {} : { notes: reply.note.toWellFormed() };
	if (question.multiSelect && chosen.length > 0) {
		const selected = chosen.map((option) => option.label);
		const custom = typed === undefined ? {} : { custom: typed };
		return { ...base, kind: "multi", answer: null, selected, ...custom, ...notes };
	}
	if (typed !== undefined) return { ...base, kind: "custom", answer: typed, ...notes };
	const option = chosen[0];
	if (option) {
		const preview = option.preview === undefined ? {} : { preview: option.preview };
		return { ...base, kind: "option", answer: option.label, ...notes, ...preview };
	}
	return "notes" in notes ? { ...base, kind: "custom", answer: null, ...notes } : undefined;
}

/** The answers in the order of the questions; an unanswered question contributes none. */
export function answersFrom(questions: readonly Question[], replies: readonly Reply[]): Answer[] {
	return replies.flatMap((reply, i) => answerTo(at(questions, i), i, reply) ?? []);
}

// -- 4. Preparing and cleaning ----------------------------------------------------------------
//
// Two passes with different aims. `prepare` runs before the host's schema check and repairs the
// shapes weak models send where the meaning is beyond doubt; the rest goes to the host as it is,
// whose error the model already knows. `clean` runs on what passed and removes from every text
// what could act on a terminal or deceive its reader, once, so that the checks, the dialog, the
// events and the envelope all see the same words.

type Fields = Record<string, unknown>;

const isRecord = (value: unknown): value is Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** A JSON text of an object or a list becomes what it describes; anything else stays. */
function parsed(value: unknown): unknown {
	if (typeof value !== "string") return value;
	try {
		const json: unknown = JSON.parse(value);
		return typeof json === "object" && json !== null ? json : value;
	} catch {
		return value;
	}
}

/** Models write null for a field they leave out. */
const withoutNulls = (fields: Fields): Fields =>
	Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** A bare string is a label, and models have several other names for one. */
function prepareOption(raw: unknown): unknown {
	const value = parsed(raw);
	const option = isRecord(value) ? withoutNulls(value) : {};
	const label = option.label ?? option.text ?? option.title ?? option.name ?? option.value;
	if (label !== undefined) return { description: "", ...option, label };
	// Without any label it stays as it came, for the host's schema check to refuse.
	return typeof raw === "string" ? { label: raw, description: "" } : raw;
}

/** Only what is inside the question is repaired: its text and header cannot be guessed. */
function prepareQuestion(raw: unknown): unknown {
	const value = parsed(raw);
	if (!isRecord(value)) return value;
	const question = withoutNulls(value);
	if (question.multiSelect === "") delete question.multiSelect;
	const options = parsed(question.options);
	return Array.isArray(options) ? { ...question, options: options.map(prepareOption) } : question;
}

/**
 * Repairs the arguments of a call. Valid arguments come back deeply equal, and never the same
 * object: the host stores the original in its transcript.
 */
export function prepare(raw: unknown): unknown {
	const call = parsed(raw);
	if (!isRecord(call)) return call;
	const questions = parsed(call.questions);
	if (isRecord(questions)) return { ...call, questions: [prepareQuestion(questions)] };
	if (!Array.isArray(questions)) return { ...call };
	return { ...call, questions: questions.map(prepareQuestion) };
}

/** A terminal's escape sequences: strings with their terminator, CSI, and the two-byte rest. */
const ESCAPES = new RegExp(
	[
		"(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)",
		"(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]",
		"\\x1b[ -/]*[0-~]",
	].join("|"),
	"g",
);

/** C0 without tab and LF, DEL, and C1. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/**
 * Characters that show nothing, and the few of them that shape what is shown: selectors and
 * joiners inside an emoji, a keycap, and joiners between letters of scripts that need them. Latin,
 * Greek and Cyrillic need none, and one there only makes two equal words differ.
 */
const INVISIBLE = onceNeeded(
	[
		"((?<=\\p{ExtPict})[\\ufe0e\\ufe0f]",
		"(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
		"(?<=\\p{ExtPict}\\ufe0f?|\\p{EMod})\\u200d(?=\\p{ExtPict})",
		// The joiner is looked for first: to look behind each mark of a long run takes too long.
		"[\\u200c\\u200d](?<=(?![\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}\\p{DI}])\\p{L}\\p{M}*.)" +
			"(?=(?!\\p{DI})[\\p{L}\\p{M}]))",
		"[\\p{DI}\\p{Bidi_Control}\\ufff9-\\ufffb]",
	].join("|"),
	"gu",
);

/**
 * Text that is safe to show: no escape sequence, no control character but LF, nothing invisible,
 * no lone surrogate. Tabs are left to the caller, since a preview needs them as wide as they were.
 */
function safe(text: string): string {
	return text
		.toWellFormed()
		.replace(/\r\n|[\u2028\u2029]/g, "\n")
		.replace(ESCAPES, "")
		.replace(CONTROLS, "")
		.replace(INVISIBLE(), "$1")
		.normalize("NFC");
}

/** The fields by their kind: text of several lines, one line, and layout that must survive. */
const cleanText = (text: string) => safe(text).replace(/\t/g, " ").trim();
const cleanLine = (text: string) => cleanText(text).replace(/\n/g, " ");
const cleanPreview = (text: string) => safe(text).replace(/\t/g, "    ");

/**
 * Any text as it may be shown; the user's own is sent as it was typed. A run of very many
 * characters without a space is broken, because wrapping takes a time that grows with its square.
 */
export const display = (text: string) =>
	cleanPreview(text).replace(/\S+/g, (run) =>
		run.length < 1000 ? run : run.replace(/.{80}/gu, "$&\n"),
	);

/** A field of a value of unknown shape, as far as it is text. */
function field(of: unknown, name: string): string {
	const value = isRecord(of) ? of[name] : undefined;
	return typeof value === "string" ? value : "";
}

/** The header of a question, or its number where it has none. */
function headerOf(raw: unknown, index: number): string {
	const header = cleanLine(field(raw, "header"));
	return isBlank(header) ? `Q${index + 1}` : header;
}

/** Only a single-select has a place for a preview; elsewhere it would be echoed unseen. */
function cleanOption(raw: unknown, multiSelect: boolean): Option {
	const label = cleanLine(field(raw, "label"));
	const description = cleanText(field(raw, "description"));
	const preview = multiSelect ? "" : cleanPreview(field(raw, "preview"));
	return isBlank(preview) ? { label, description } : { label, description, preview };
}

/**
 * The questions as they are checked, shown and echoed. It reads fields with care, since another
 * extension may have changed the arguments after the host had checked them.
 */
export function clean(call: unknown): Question[] {
	const list = isRecord(call) && Array.isArray(call.questions) ? call.questions : [];
	return list.map((raw: unknown, i) => {
		const multiSelect = isRecord(raw) && raw.multiSelect === true;
		const options = isRecord(raw) && Array.isArray(raw.options) ? raw.options : [];
		return {
			question: cleanText(field(raw, "question")),
			header: headerOf(raw, i),
			options: options.map((option) => cleanOption(option, multiSelect)),
			multiSelect,
		};
	});
}

// -- 5. Checking ------------------------------------------------------------------------------
//
// The first fault found is the one reported, in a fixed order, so that a call has one reason to
// be refused. Blank counts as absent: a question nobody can read is no question. Lengths are not
// checked again, and a list of options that is too long is shown: both are the schema's part.

/** A refusal: the code, the path of the value at fault, and what was found there. */
export interface Fault {
	error: QuestionnaireError;
	at: string;
	found: string;
}

/** The first pair of equal texts, as `[earlier, later]` indexes. */
function firstRepeat(texts: readonly string[]): [number, number] | undefined {
	const later = texts.findIndex((text, i) => texts.indexOf(text) < i);
	return later < 0 ? undefined : [texts.indexOf(at(texts, later)), later];
}

/** The faults of one question's options, at a path like `questions[0].options`. */
function checkOptions(options: readonly Option[], path: string): Fault | undefined {
	if (options.length < LIMITS.options.min)
		return {
			error: "empty_options",
			at: path,
			found: `holds ${options.length}, and needs ${LIMITS.options.min}`,
		};
	const labels = options.map((option) => option.label);
	const blank = labels.findIndex(isBlank);
	if (blank >= 0)
		return { error: "empty_options", at: `${path}[${blank}].label`, found: "is blank" };
	// Every label is tested for reservation first: the duplicate of a reserved label is no news.
	const reserved = labels.findIndex((label) => RESERVED_LABELS.includes(label));
	if (reserved >= 0)
		return {
			error: "reserved_label",
			at: `${path}[${reserved}].label`,
			found: at(labels, reserved),
		};
	const repeat = firstRepeat(labels);
	if (repeat)
		return {
			error: "duplicate_option_label",
			at: `${path}[${repeat[1]}].label`,
			found: `${path}[${repeat[0]}].label`,
		};
	return undefined;
}

/** Finds the fault for which a call is refused, or nothing. Expects cleaned questions. */
export function check(questions: readonly Question[]): Fault | undefined {
	if (questions.length < LIMITS.questions.min)
		return { error: "no_questions", at: "questions", found: "is empty" };
	if (questions.length > LIMITS.questions.max)
		return { error: "too_many_questions", at: "questions", found: `${questions.length}` };
	const texts = questions.map((question) => question.question);
	const blank = texts.findIndex(isBlank);
	if (blank >= 0)
		return { error: "no_questions", at: `questions[${blank}].question`, found: "is blank" };
	const repeat = firstRepeat(texts);
	if (repeat)
		return {
			error: "duplicate_question",
			at: `questions[${repeat[1]}].question`,
			found: `questions[${repeat[0]}].question`,
		};
	for (const [i, question] of questions.entries()) {
		const fault = checkOptions(question.options, `questions[${i}].options`);
		if (fault) return fault;
	}
	return undefined;
}

// -- 6. Envelope ------------------------------------------------------------------------------
//
// The sentence the model reads. It is prose on purpose: models take it as the user's word, and it
// is the form they were trained on. Quotes and line breaks in answers stay as they are, for the
// details are the source of truth and an escaped answer would no longer be what was said.

/** The one sentence for every questionnaire without an answer, whatever the reason. */
export const DECLINED = "User declined to answer questions";

/** What was answered, as one piece of text. */
function answerValue(answer: Answer): string {
	const labels = [
		...(answer.selected ?? []),
		...(answer.custom === undefined ? [] : [answer.custom]),
	];
	return answer.kind === "multi" ? labels.join(", ") : (answer.answer ?? "(no answer)");
}

/** One answer as the model reads it: question, answer, and what came with it. */
function segment(answer: Answer): string {
	const parts = [`"${answer.question}"="${answerValue(answer)}"`];
	if (answer.preview !== undefined) parts.push(`selected preview: ${answer.preview}`);
	if (answer.notes !== undefined) parts.push(`user notes: ${answer.notes}`);
	return `${parts.join(". ")}.`;
}

/** The text of a result that was not refused: the answers, or the one decline sentence. */
export function envelope(result: Result): string {
	const segments = result.answers.map(segment);
	if (result.globalNote !== undefined) segments.push(`global note: ${result.globalNote}.`);
	if (result.cancelled || segments.length === 0) return DECLINED;
	return (
		`User has answered your questions: ${segments.join(" ")} ` +
		"You can now continue with the user's answers in mind."
	);
}

// -- 7. Messages ------------------------------------------------------------------------------
//
// Every other text for the model. A refusal names the path, the rule and what to send instead; a
// failure says that nobody saw the questions, because a model that takes a failure for a decline
// goes on without the answer it needed.

const UNSEEN = "Nobody saw the questions, so this is not a decline.";
const IN_CHAT = "Ask them in plain chat instead and wait for the reply";
const RESEND = "Nothing was shown to the user; correct the call and send it again.";

/** The text of each error, from the path of the value at fault and what was found there. */
export const MESSAGES: Record<QuestionnaireError, (at: string, found: string) => string> = {
	no_questions: (at, found) =>
		`${at} ${found}. Send ${span(LIMITS.questions)} questions, each with its full text and ` +
		`${span(LIMITS.options)} options. ${RESEND}`,
	too_many_questions: (at, found) =>
		`${at} holds ${found} questions, and a call may hold ${LIMITS.questions.max}. Merge or drop ` +
		`some, or ask the rest in a later call. ${RESEND}`,
	duplicate_question: (at, found) =>
		`${at} repeats ${found}. Ask each question once, or word them differently. ${RESEND}`,
	empty_options: (at, found) =>
		`${at} ${found}. Give every question ${span(LIMITS.options)} options with a label each; a ` +
		`row for a typed answer is added to them. ${RESEND}`,
	reserved_label: (at, found) =>
		`${at} is "${found}", a reserved label (reserved are ${quoted(RESERVED_LABELS)}). Name the ` +
		`choice itself or leave it out: the user can always type another answer. ${RESEND}`,
	duplicate_option_label: (at, found) =>
		`${at} repeats ${found}. Options of one question need different labels. ${RESEND}`,
	no_ui: () =>
		`This run has no user interface. ${UNSEEN} Do not call ${TOOL_NAME} again in this run: ` +
		"put the questions into your final reply, or go on and state what you assumed.",
	no_custom_ui: () =>
		`This host can show neither the dialog nor plain select and input dialogs. ${UNSEEN} ` +
		`${IN_CHAT}.`,
	session_load_failed: () =>
		`The dialog could not be loaded, probably because files changed on disk. ${UNSEEN} ` +
		`${IN_CHAT}; tell the user that /reload or a restart of Pi repairs the dialog.`,
	stale_module_cache: () =>
		`Pi holds a broken copy of the dialog from an earlier failed load. ${UNSEEN} ` +
		`${IN_CHAT}; tell the user that /reload or a restart of Pi repairs the dialog.`,
};

/** The error text of a questionnaire that broke down, with the answers that stood by then. */
export function failure(answers: readonly Answer[]): string {
	const until =
		answers.length === 0 ? "" : ` Answered until then: ${answers.map(segment).join(" ")}`;
	return (
		"The questionnaire broke down, so the questions may not have been seen or answered; this is " +
		`not a decline. Ask what is still open in plain chat.${until}`
	);
}

/** The result of a call that nobody saw. */
function refusal(error: QuestionnaireError, at = "", found = ""): ToolResult {
	const text = MESSAGES[error](at, found);
	return { content: [{ type: "text", text }], details: { answers: [], cancelled: true, error } };
}

/**
 * The result of a questionnaire that was shown. An abort also ends the run: the model has nothing
 * to go on, and a replaced session would otherwise make one more call that nobody reads.
 */
function settle(outcome: Outcome, questions: readonly Question[]): ToolResult {
	const answers = answersFrom(questions, outcome.replies);
	if (outcome.end === "failed") throw new Error(failure(answers));
	const note = isBlank(outcome.note) ? {} : { globalNote: outcome.note.toWellFormed() };
	const details: Result = { answers, cancelled: outcome.end !== "answered", ...note };
	const content: ToolResult["content"] = [{ type: "text", text: envelope(details) }];
	return { content, details, ...(outcome.end === "aborted" ? { terminate: true } : {}) };
}

// -- 8. Guidance ------------------------------------------------------------------------------
//
// What the model is told beside the schema: when to ask and what to make of the answer. Every
// model pays for these words on every request, so each fact is said once, and each guideline
// names the tool because hosts mix the guidelines of all tools into one list.

/** The texts Pi puts before the model: the tool's description and lines of the system prompt. */
export const GUIDANCE = {
	label: "Ask user",
	description:
		`Ask the user ${span(LIMITS.questions)} multiple-choice questions in a dialog and wait for ` +
		"the answers. The user may also type an answer, leave a question open, or decline.",
	promptSnippet: "Ask the user structured multiple-choice questions",
	promptGuidelines: [
		`Use ${TOOL_NAME} instead of guessing when a decision is the user's to make and neither the ` +
			"request nor the code settles it.",
		`Batch all open questions into one ${TOOL_NAME} call.`,
		`In ${TOOL_NAME}, put the option you recommend first and end its label with "(Recommended)".`,
		`In ${TOOL_NAME}, add previews when there is something to compare: code, layouts, formats.`,
		`In ${TOOL_NAME}, use multiSelect where choices combine, never an "all of the above" option.`,
		`A declined ${TOOL_NAME} is not consent: do not act as if your recommendation was accepted.`,
		`A typed answer to ${TOOL_NAME} may be a question or a stop: it wins over the sentence that ` +
			"follows it.",
	],
};

// -- 9. Receipts ------------------------------------------------------------------------------
//
// What stays in the transcript. Both renderers are shown arguments and details they did not make:
// half a call while the model streams it, details of an older version, none at all after an
// error. They read what is there, and they never throw, since that would end Pi. A long answer
// wraps, and of a very long one the folded receipt counts the lines it leaves out. Unfolded it
// holds everything, the questions and previews as well.

/** Lines of one entry in a folded receipt. One line more is shown rather than counted. */
const FOLDED_LINES = 3;

/**
 * Entries that wrap to any width. The later lines of an entry are indented, so that no line of a
 * text passes for an entry. The final cut holds where one wide character is too wide.
 */
function receipt(
	entries: readonly string[],
	theme: Theme,
	expanded: boolean,
	indent = "    ",
): Component {
	let shown: { width: number; lines: string[] } | undefined;
	const wrapped = (width: number) => {
		const hang = width < 20 ? "" : indent;
		const lines = entries.flatMap((entry) => {
			const own = wrapTextWithAnsi(entry, Math.max(1, width - hang.length));
			const all = own.map((line, i) => (i === 0 ? line : hang + line));
			const more = expanded ? 0 : all.length - FOLDED_LINES;
			if (more < 2) return all;
			return [...all.slice(0, FOLDED_LINES), theme.fg("dim", `${hang}… ${more} more lines`)];
		});
		return { width, lines: lines.map((line) => truncateToWidth(line, width, "")) };
	};
	return {
		render: (width) => {
			if (shown?.width !== width) shown = wrapped(width);
			return [...shown.lines];
		},
		// Its colours are in the entries, so there is nothing here that a new theme would change.
		invalidate: () => {},
	};
}

/** The headers of a call as far as it has been streamed. Its long texts are not cleaned for it. */
function headersOf(args: unknown): string[] {
	const call = prepare(args);
	const questions = isRecord(call) && Array.isArray(call.questions) ? call.questions : [];
	return questions.map((raw: unknown, i) => headerOf(raw, i));
}

/** The line above a running call: the tool and the headers of what it asks. */
function renderCall(args: unknown, theme: Theme): Component {
	const title = theme.fg("toolTitle", theme.bold(TOOL_NAME));
	const headers = theme.fg("muted", display(headersOf(args).join(", ")));
	return receipt([`${title} ${headers}`], theme, true);
}

/** One stored answer: what it answers, the answer, its note; expanded with question and preview. */
function answerLines(answer: Fields, header: string, expanded: boolean, theme: Theme): string[] {
	const selected = Array.isArray(answer.selected) ? answer.selected : [];
	const values = [answer.answer, ...selected, answer.custom].filter((v) => typeof v === "string");
	const value = theme.fg(
		"success",
		values.length === 0 ? "(no answer)" : display(values.join(", ")),
	);
	const [question, notes, preview] = ["question", "notes", "preview"].map((name) =>
		display(field(answer, name)),
	);
	const note = notes ? [theme.fg("muted", `  note: ${notes}`)] : [];
	// Without a header the question stands for it, and must not push the answer out of sight.
	const name = header || `${question}`.replaceAll("\n", " ").replace(/^(.{40}).+/u, "$1…");
	if (!expanded) return [`${theme.fg("muted", `${name} →`)} ${value}`, ...note];
	const shown = preview ? [theme.fg("muted", `  preview:\n${preview}`)] : [];
	return [
		theme.fg("text", `${question}`),
		`${theme.fg("muted", "  →")} ${value}`,
		...note,
		...shown,
	];
}

/** A result as the session file has it. */
interface Stored {
	content: unknown;
	details: unknown;
}

/** What became of the call. */
function renderResult(stored: Stored, expanded: boolean, args: unknown, theme: Theme): Component {
	const details = isRecord(stored.details) ? stored.details : {};
	const content = Array.isArray(stored.content) ? stored.content : [];
	const text = display(content.map((part) => field(part, "text")).join("\n"));
	// Details without the flag are not ours: a thrown error, or the host's schema check.
	if (typeof details.cancelled !== "boolean" || field(details, "error") !== "")
		return receipt([theme.fg("error", text)], theme, expanded, "");
	const headers = headersOf(args);
	const answers = Array.isArray(details.answers) ? details.answers.filter(isRecord) : [];
	const lines = answers.flatMap((answer) =>
		answerLines(answer, display(headers[Number(answer.questionIndex)] ?? ""), expanded, theme),
	);
	const note = display(field(details, "globalNote"));
	if (note !== "") lines.push(theme.fg("muted", `note on everything: ${note}`));
	// What stood when the user declined was never sent, so it is shown on request only.
	const sentence = theme.fg("warning", text);
	const entries = details.cancelled ? [sentence, ...(expanded ? lines : [])] : lines;
	return receipt(entries, theme, expanded);
}

// -- 10. Hosts --------------------------------------------------------------------------------
//
// Where a questionnaire can be shown. A terminal gives the dialog a place of its own; whether a
// host has one is known only by trying, because older hosts say nothing about it. Hosts without
// a terminal are asked through their select and input dialogs, with the same rows and the same
// rules. Each way ends in an outcome, and nothing after this section knows which way it was.

export type DialogModule = typeof import("./dialog.ts");

/** The outside world as far as tests replace it. */
export interface Edges {
	load(): Promise<DialogModule>;
	bell(): void;
	now(): number;
}

/** The real world. The imports are literals, so that the host's loader sees them. */
const EDGES: Edges = {
	// The recorder is the dialog as well; see its own file.
	load: () => (process.env.ASK_USER_RECORD ? import("./record.ts") : import("./dialog.ts")),
	bell: () => {
		if (process.stdout.isTTY) process.stdout.write("\x07");
	},
	now: () => performance.now(),
};

/** Members that only newer hosts know. Older ones ignore them. */
interface NewerContext {
	mode?: "tui" | "rpc" | "json" | "print";
}
type CustomOptions = Parameters<ExtensionContext["ui"]["custom"]>[1] & {
	blocked: { kind: "question"; message: string };
};
interface NewerTool {
	exposure: "model-only";
}

/** The outcome of a call that ended before anything was shown. */
const NOTHING: Outcome = { end: "aborted", replies: [], note: "" };
const FAILED: Outcome = { ...NOTHING, end: "failed" };

/** What one call carries with it. It is read from the context before the first wait. */
interface Asking {
	questions: readonly Question[];
	ui: ExtensionContext["ui"];
	mode: NewerContext["mode"];
	stop: AbortSignal;
	/** Resolves when `stop` fires. All waits share it: a listener for each would pile up. */
	stopped: Promise<void>;
}

/** Foreign code may throw, and the call must still settle. */
function quietly(act: () => void): void {
	try {
		act();
	} catch {
		// A listener's fault is its own, and a terminal that cannot ring stays silent.
	}
}

/** Resolves when a signal that has not fired yet fires. */
const aborted = (signal: AbortSignal) =>
	new Promise<void>((resolve) => {
		signal.addEventListener("abort", () => resolve());
	});

/**
 * Shows the dialog. Resolves with undefined where the host never built it, and rejects where the
 * host or the dialog's start failed. The outcome does not depend on the host's own promise, which
 * stays pending for ever when a session is replaced.
 */
function inTerminal(
	dialog: DialogModule,
	call: Asking,
	{ bell, now }: Edges,
): Promise<Outcome | undefined> {
	// What cuts the text also paints it, and this text has no place for paint.
	const line = at(call.questions, 0).question.replaceAll("\n", " ");
	const message = display(truncateToWidth(line, 80, "…"));
	const options: CustomOptions = { blocked: { kind: "question", message } };
	return new Promise((resolve) => {
		let opened = false;
		let close = () => resolve(NOTHING);
		let fail = () => resolve(FAILED);
		void call.stopped.then(() => close());
		const shown = call.ui.custom<Outcome>((tui, theme, keybindings, done) => {
			opened = true;
			const ask = { questions: call.questions, display, now };
			const component = dialog.openDialog(ask, { tui, theme, keybindings }, (outcome) => {
				resolve(outcome);
				quietly(() => done(outcome));
			});
			close = () => component.abort();
			fail = () => component.dispose();
			// A host may take its time to build the dialog, and the call may be over by then.
			if (call.stop.aborted) close();
			else quietly(bell);
			return component;
		}, options);
		shown.then(
			(outcome) => {
				if (outcome !== undefined || !opened) resolve(outcome);
				else fail();
			},
			() => fail(),
		);
	});
}

/** The host's own dialogs, which every host but a bare one has. */
const canWalk = (ui: Partial<Asking["ui"]>) =>
	typeof ui.select === "function" && typeof ui.input === "function";

/** How often a dialog is shown again for an answer that is none. */
const TRIES = 5;
/** How much of one preview goes into a title, in UTF-16 units and in lines. */
const TITLE_PREVIEW = { length: 600, lines: 12 };

/** The ends that stop a walk. */
type End = Exclude<Outcome["end"], "answered">;

/** The start of a preview, cut between characters as a reader sees them, and marked where cut. */
function excerpt(preview: string): string {
	let text = "";
	for (const { segment: character } of new Intl.Segmenter().segment(preview)) {
		if (text.length + character.length > TITLE_PREVIEW.length) break;
		text += character;
	}
	const kept = text.split("\n").slice(0, TITLE_PREVIEW.lines).join("\n");
	return kept.length < preview.length ? `${kept} […]` : kept;
}

/** Clients match dialogs by title, so a question has one title however often it is shown. */
function walkTitle({ header, question, options }: Question): string {
	const previews = options.flatMap(({ label, preview }) =>
		preview === undefined ? [] : [`\n\n${label}:\n${excerpt(preview)}`],
	);
	return `[${header}] ${question}${previews.join("")}`;
}

/** The rows of a select, numbered as in the dialog and checked like its boxes. */
function walkRows({ options, multiSelect }: Question, { choices, text }: Reply): string[] {
	const box = (marked: boolean) => (multiSelect ? (marked ? "[x] " : "[ ] ") : "");
	const rows = options.map(({ label, description }, i) => {
		const dash = description === "" ? "" : ` — ${description.replaceAll("\n", " ")}`;
		return `${box(choices.includes(i))}${i + 1}. ${label}${dash}`;
	});
	const typed = text === "" ? "" : ` ${quoted([display(text).replaceAll("\n", " ")])}`;
	rows.push(`${box(text !== "")}${options.length + 1}. ${SENTINELS.custom}${typed}`);
	return multiSelect ? [...rows, SENTINELS.next] : rows;
}

/** The row a reply means: the row itself, else its label, else its number; -1 for none. */
function rowMeant(reply: unknown, rows: readonly string[], labels: readonly string[]): number {
	if (typeof reply !== "string") return -1;
	const text = reply.trim();
	const row = rows.findIndex((known) => known.trim() === text);
	if (row >= 0 || labels.includes(text)) return row >= 0 ? row : labels.indexOf(text);
	const number = /^(\d+)\.?$/.exec(text)?.[1];
	return rows.findIndex((known) => known.replace(/^\[.\] /, "").startsWith(`${number}. `));
}

/** Shows a select until its reply is one of the rows. A client that never manages is broken. */
async function walkSelect(
	{ ui, stop, stopped }: Asking,
	title: string,
	rows: string[],
	labels: readonly string[],
): Promise<number | End> {
	for (let i = 0; i < TRIES; i++) {
		const reply = await Promise.race([ui.select(title, rows, { signal: stop }), stopped]);
		if (stop.aborted) return "aborted";
		if (reply === undefined) return "declined";
		const row = rowMeant(reply, rows, labels);
		if (row >= 0) return row;
	}
	return "failed";
}

/** Shows an input until something is typed; undefined when the user dismisses it. */
async function walkInput(
	{ ui, stop, stopped }: Asking,
	title: string,
): Promise<{ text: string } | End | undefined> {
	let reply: unknown;
	for (let i = 0; i < TRIES; i++) {
		const typed = ui.input(title, SENTINELS.custom, { signal: stop });
		reply = await Promise.race([typed, stopped]);
		if (stop.aborted) return "aborted";
		if (reply === undefined) return undefined;
		if (typeof reply === "string" && !isBlank(reply)) return { text: reply };
	}
	return typeof reply === "string" ? "declined" : "failed";
}

/** The reply after an option was picked: the one answer, or one check more or less. */
function chosen({ multiSelect }: Question, given: Reply, row: number): Reply {
	if (!multiSelect) return { ...given, choices: [row], text: "" };
	const others = given.choices.filter((choice) => choice !== row);
	const checked = others.length < given.choices.length;
	return { ...given, choices: checked ? others : [...others, row].sort((a, b) => a - b) };
}

/** Asks one question until its reply is complete. What stands is kept at every step. */
async function walkQuestion(
	call: Asking,
	replies: Reply[],
	index: number,
): Promise<End | undefined> {
	const question = at(call.questions, index);
	const { options, multiSelect } = question;
	const title = walkTitle(question);
	const added = multiSelect ? [SENTINELS.custom, SENTINELS.next] : [SENTINELS.custom];
	const labels = [...options.map((option) => option.label), ...added];
	let dismissed = 0;
	for (let empty = 0; empty < TRIES; ) {
		const given = at(replies, index);
		const { choices, text } = given;
		const row = await walkSelect(call, title, walkRows(question, given), labels);
		if (typeof row === "string") return row;
		const typed = row === options.length ? await walkInput(call, title) : undefined;
		if (typeof typed === "string") return typed;
		if (typed) replies[index] = { ...given, choices: multiSelect ? choices : [], text: typed.text };
		else if (row < options.length) replies[index] = chosen(question, given, row);
		dismissed = row === options.length && !typed ? dismissed + 1 : 0;
		if (dismissed === 2) return "declined";
		if (row > options.length) {
			// An empty `Next` may leave a question of a form open; alone it would send nothing.
			if (choices.length > 0 || text !== "" || call.questions.length > 1) return undefined;
			empty++;
		} else if (!multiSelect && dismissed === 0) return undefined;
	}
	return "declined";
}

/** The last look at a form. Whoever wants to change an answer is asked that question again. */
async function walkReview(call: Asking, replies: Reply[]): Promise<"answered" | End> {
	for (;;) {
		const answers = answersFrom(call.questions, replies);
		const lines = call.questions.map(({ header }, i) => {
			const answer = answers.find(({ questionIndex }) => questionIndex === i);
			const value = answer ? display(answerValue(answer)).replaceAll("\n", " ") : "not answered";
			return `${i + 1}. ${header}: ${value}`;
		});
		const rows = ["Submit", ...lines, "Cancel"];
		const labels = ["Submit", ...call.questions.map(({ header }) => header), "Cancel"];
		const row = await walkSelect(call, "Review your answers", rows, labels);
		if (typeof row === "string") return row;
		if (row === 0) return answers.length > 0 ? "answered" : "declined";
		if (row > call.questions.length) return "declined";
		const end = await walkQuestion(call, replies, row - 1);
		if (end) return end;
	}
}

/**
 * Asks through the host's own dialogs, one after the other, for clients without a terminal. To
 * dismiss a select rejects the whole questionnaire; a client that fails or answers nonsense is a
 * fault, for the user rejected nothing.
 */
async function walk(call: Asking): Promise<Outcome> {
	const replies: Reply[] = call.questions.map(() => ({ choices: [], text: "", note: "" }));
	const ended = (end: Outcome["end"]): Outcome => ({ end, replies, note: "" });
	try {
		for (const i of replies.keys()) {
			const end = await walkQuestion(call, replies, i);
			if (end) return ended(end);
		}
		return ended(call.questions.length > 1 ? await walkReview(call, replies) : "answered");
	} catch {
		// A client may also reject because of the signal.
		return ended(call.stop.aborted ? "aborted" : "failed");
	}
}

// -- 11. Call ---------------------------------------------------------------------------------
//
// One call from arguments to result, each step in sight. Whatever happens on the way, the call
// settles once, and the agent is reported as no longer blocked.

/** The payload of the first event. Previews may be long, and listeners may send this on. */
const promptPayload = (questions: readonly Question[]): AskUserPromptEventPayload => ({
	questions: questions.map(({ question, header, multiSelect, options }) => ({
		question,
		header,
		multiSelect,
		options: options.map(({ label, description, preview }) => ({
			label,
			description,
			hasPreview: preview !== undefined,
		})),
	})),
});

/**
 * Loads the dialog module. A host caches a module whose first import failed and hands out its
 * empty shell afterwards, so only the constant of its last statement proves that it is whole. One
 * promise is kept, because of two imports at a time the second may get the half-made module.
 */
function dialogLoader(edges: Edges): () => Promise<DialogModule | QuestionnaireError> {
	let loading: Promise<DialogModule> | undefined;
	return async () => {
		let error: QuestionnaireError = "session_load_failed";
		try {
			loading ??= edges.load();
			const dialog = await loading;
			if (dialog.DIALOG_READY) return dialog;
			error = "stale_module_cache";
		} catch {
			// The cause is on the disk, and the message says how it is repaired.
		}
		loading = undefined;
		return error;
	};
}

/** Lets one job run at a time. A job that is stopped while it waits goes on at once. */
function queue(): <T>(stopped: Promise<void>, job: () => Promise<T>) => Promise<T> {
	let last: Promise<unknown> = Promise.resolve();
	return (stopped, job) => {
		const run = Promise.race([last, stopped]).then(job);
		// Without what it settled with, which would keep the results of all calls.
		last = Promise.allSettled([last, run]).then(() => {});
		return run;
	};
}

/** Builds the tool's `execute`, and `stop`, which ends every call that is open. */
function caller(pi: ExtensionAPI, edges: Edges) {
	const running = new Set<AbortController>();
	let over = false;
	const load = dialogLoader(edges);
	const inTurn = queue();

	type Payload =
		| AskUserPromptEventPayload
		| AskUserAbortedEventPayload
		| AskUserBlockedEventPayload;
	const emit = (channel: string, payload: Payload) =>
		quietly(() => pi.events.emit(channel, payload));

	/** Shows accepted questions; only here events fire, and the last of them in any case. */
	async function ask(call: Asking): Promise<ToolResult> {
		const dialog = call.mode === "rpc" || !call.ui.custom ? undefined : await load();
		if (call.stop.aborted) return settle(NOTHING, call.questions);
		if (typeof dialog === "string") return refusal(dialog);
		if (!dialog && !canWalk(call.ui)) return refusal("no_custom_ui");
		emit(ASK_USER_PROMPT_EVENT, promptPayload(call.questions));
		try {
			emit(ASK_USER_BLOCKED_EVENT, { active: true });
			let outcome = dialog && (await inTerminal(dialog, call, edges).catch(() => FAILED));
			if (!outcome && canWalk(call.ui)) outcome = await walk(call);
			if (!outcome) return refusal("no_custom_ui");
			if (outcome.end === "declined") emit(ASK_USER_ABORTED_EVENT, { aborted: true });
			return settle(outcome, call.questions);
		} finally {
			emit(ASK_USER_BLOCKED_EVENT, { active: false });
		}
	}

	/** A call from its arguments on. Its own controller joins the two ways to end it early. */
	async function execute(
		params: unknown,
		signal: AbortSignal | undefined,
		ctx: ExtensionContext & NewerContext,
	): Promise<ToolResult> {
		const controller = new AbortController();
		const forward = () => controller.abort();
		if (over || signal?.aborted) forward();
		signal?.addEventListener("abort", forward);
		running.add(controller);
		try {
			const stop = controller.signal;
			if (stop.aborted) return settle(NOTHING, []);
			const { hasUI, ui, mode } = ctx;
			if (!hasUI) return refusal("no_ui");
			const questions = clean(params);
			const fault = check(questions);
			if (fault) return refusal(fault.error, fault.at, fault.found);
			const stopped = aborted(stop);
			return await inTurn(stopped, () => ask({ questions, ui, mode, stop, stopped }));
		} finally {
			running.delete(controller);
			signal?.removeEventListener("abort", forward);
		}
	}

	const stop = () => {
		over = true;
		for (const controller of running) controller.abort();
	};
	return { execute, stop };
}

// -- 12. Registration -------------------------------------------------------------------------
//
// The entry point. A run without a user gets no tool at all, which is kinder than a tool that
// only refuses; the refusal stays behind it for hosts that change their mind in mid-run.

/** Takes the tool out of turns that have no user, and gives back only what was taken. */
function watchForUser(pi: ExtensionAPI): void {
	let taken = false;
	pi.on("before_agent_start", (_event, ctx) => {
		const active = pi.getActiveTools();
		const offered = active.includes(TOOL_NAME);
		if (!ctx.hasUI && offered) {
			pi.setActiveTools(active.filter((name) => name !== TOOL_NAME));
			taken = true;
		} else if (ctx.hasUI && taken) {
			if (!offered) pi.setActiveTools([...active, TOOL_NAME]);
			taken = false;
		}
	});
}

/** Registers the tool. Hosts call this again for every session, so it keeps nothing between. */
export default function extension(pi: ExtensionAPI, edges: Edges = EDGES): void {
	const { execute, stop } = caller(pi, edges);
	const tool: ToolDefinition<typeof parameters, Result> & NewerTool = {
		name: TOOL_NAME,
		...GUIDANCE,
		parameters,
		executionMode: "sequential",
		exposure: "model-only",
		prepareArguments: (raw) => prepare(raw) as Call,
		execute: (_id, params, signal, _onUpdate, ctx) => execute(params, signal, ctx),
		renderCall: (args, theme) => renderCall(args, theme),
		renderResult: (result, { expanded }, theme, context) =>
			renderResult(result, expanded, context.args, theme),
	};
	pi.registerTool(tool);
	pi.on("session_shutdown", stop);
	watchForUser(pi);
}
