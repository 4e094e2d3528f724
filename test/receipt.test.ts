// What stays in the transcript: the line above a call, and its result, folded and unfolded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box, visibleWidth } from "@mariozechner/pi-tui";
import { check, clean, DECLINED, failure, MESSAGES, type Result } from "../index.ts";
import { DATABASE, ERRORS, FEATURES, RELEASE } from "./support/asking.ts";
import { call as callTool, fakeHost } from "./support/fake-host.ts";
import { decode, frame, plain, testTheme } from "./support/frame.ts";
import { golden, sealed } from "./support/golden.ts";
import { pictured } from "./tools/picture.ts";

const WIDTH = 60;
const tool = fakeHost().tool();

const question = (header: string, text: string) => ({
	question: text,
	header,
	options: ["A", "B"].map((label) => ({ label, description: "" })),
});

const ARGS = {
	questions: [
		question("Database", "Which database should hold the events of the last year?"),
		question("Features", "Which features?"),
		question("", "When?"),
		question("Owner", "Who?"),
	],
};

const ANSWERED: Result = {
	answers: [
		{
			questionIndex: 0,
			question: "Which database should hold the events of the last year?",
			kind: "option",
			answer: "Postgres (Recommended)",
			preview: "```sql\nselect 1;\n```",
			notes: "in the cluster that we already have, not in a new one",
		},
		{
			questionIndex: 1,
			question: "Which features?",
			kind: "multi",
			answer: null,
			selected: ["Search", "Export"],
			custom: "an API",
		},
		{
			questionIndex: 2,
			question: "When?",
			kind: "custom",
			answer: "Not before the audit:\n\x1b[1m1. plan\u202e\n\t2. review",
		},
		{ questionIndex: 3, question: "Who?", kind: "custom", answer: null, notes: "ask Kim" },
	],
	cancelled: false,
	globalNote: "no hurry with any of this",
};

type Rendered = Parameters<NonNullable<typeof tool.renderResult>>;

/** A result as Pi shows it. `text` is what the model read, `details` what was stored. */
function result(details: unknown, text: string, expanded = false, args: unknown = ARGS) {
	const stored = { content: [{ type: "text", text }], details } as Rendered[0];
	const context = { args } as Rendered[3];
	const component = tool.renderResult?.(stored, { expanded, isPartial: false }, testTheme, context);
	assert.ok(component);
	return component;
}

function call(args: unknown) {
	const component = tool.renderCall?.(args as never, testTheme, {} as never);
	assert.ok(component);
	return component;
}

function record(name: string, title: string, component: ReturnType<typeof call>): void {
	golden(`receipt/${name}.txt`, frame({ title, width: WIDTH }, component.render(WIDTH)));
}

/** A receipt as text. */
const textOf = (component: ReturnType<typeof call>, width = WIDTH): string[] =>
	component.render(width).map((line) => plain(line).trimEnd());

/** A call and its result in the box that Pi puts around them. */
function transcript(name: string, title: string, expanded: boolean): void {
	const args = { questions: [DATABASE, FEATURES, ERRORS, RELEASE] };
	const [errors] = ERRORS.options;
	const choice = (questionIndex: number, answer: string | null) => {
		const { question } = args.questions[questionIndex] ?? ERRORS;
		return { questionIndex, question, kind: "option" as const, answer };
	};
	const details: Result = {
		answers: [
			choice(0, "SQLite"),
			{
				...choice(1, null),
				kind: "multi",
				selected: ["Search", "Sharing"],
				custom: "Offline mode",
				notes: "Sharing can slip.",
			},
			{ ...choice(2, errors?.label ?? ""), preview: errors?.preview ?? "" },
			{ ...choice(3, "When the migration is through"), kind: "custom" },
		],
		cancelled: false,
		globalNote: "Keep the first release small.",
	};
	const box = new Box(1, 1, (text) => testTheme.bg("toolSuccessBg", text));
	box.addChild(call(args));
	box.addChild(result(details, "…", expanded, args));
	const lines = box.render(80);
	golden(`receipt/${name}.txt`, frame({ title, width: 80 }, lines));
	pictured(`receipt/${name}`, title, 80, lines);
}

/** A text of a number of lines. */
const lines = (count: number) =>
	Array.from({ length: count }, (_, i) => `${i + 1}. step`).join("\n");

test("T1 the call", () => {
	record("call", "a call", call(ARGS));
});

test("T1 T5 a call that is still being sent, or is none", () => {
	const [first, second] = ARGS.questions;
	const partial = { questions: [first, { question: "Which", header: "Fea" }] };
	record("call-streaming", "a call whose second question is still being sent", call(partial));
	const shown = (args: unknown) => textOf(call(args));
	const name = "ask_user_question";
	assert.deepEqual(shown(partial), [`${name} Database, Fea`]);
	assert.deepEqual(shown({ questions: JSON.stringify([second]) }), [`${name} Features`]);
	assert.deepEqual(shown({ questions: [null, "x", { header: "\x1b[2J\u202eH" }] }), [
		`${name} Q1, Q2, H`,
	]);
	for (const args of [undefined, null, {}, "{", { questions: '[{"quest' }, { questions: 3 }]) {
		assert.deepEqual(shown(args), [name], JSON.stringify(args));
	}
});

test("T1 T6 all headers of a call are shown, however narrow the terminal", () => {
	const headers = ["One", "Two", "Three", "Four"].map((name) => `${name} of the headers`);
	const args = { questions: headers.map((header) => question(header, `${header}?`)) };
	const lines = textOf(call(args), 24).map((line) => line.trim());
	assert.equal(lines.join(" "), `ask_user_question ${headers.join(", ")}`);
});

test("T2 the answers", () => {
	record("answered", "four answers and a note on everything", result(ANSWERED, "…"));
});

test("T3 the answers, unfolded", () => {
	const title = "the same, expanded";
	record("answered-expanded", title, result(ANSWERED, "…", true));
});

test("T1 T2 T3 a call and its answers in Pi's transcript", () => {
	transcript("transcript", "a call and its answers in Pi's transcript", false);
	transcript("transcript-expanded", "a call and its answers in Pi's transcript, expanded", true);
});

test("T4 a decline", () => {
	const [answer] = ANSWERED.answers;
	assert.ok(answer);
	const { preview: _, notes: __, ...plain } = answer;
	const details = { answers: [plain], cancelled: true };
	record("declined", "declined after an answer", result(details, DECLINED));
	record("declined-expanded", "the same, expanded", result(details, DECLINED, true));
});

test("T4 a call that was aborted", async () => {
	const host = fakeHost();
	const controller = new AbortController();
	const settled = callTool(host, ARGS, controller.signal);
	await host.opened();
	host.advance(1000);
	host.press("1");
	controller.abort();
	const { content, details } = (await settled) ?? {};
	const [part] = content ?? [];
	const text = part?.type === "text" ? part.text : "";
	// The details of a call do not tell an abort from a decline; Pi itself notes the abort below.
	record("aborted", "aborted after an answer", result(details, text));
	record("aborted-expanded", "the same, expanded", result(details, text, true));
});

test("T4 a refusal of every kind, and a breakdown", () => {
	const [asked] = ARGS.questions;
	assert.ok(asked);
	const { options } = asked;
	const other = { ...options[0], label: "Other" };
	const faulty: unknown[][] = [
		[],
		Array.from({ length: 5 }, (_, i) => question("Q", `${i}?`)),
		[asked, asked],
		[{ ...asked, options: [] }],
		[{ ...asked, options: [other, other] }],
		[{ ...asked, options: [options[0], options[0]] }],
	];
	const faults = faulty.flatMap((questions) => check(clean({ questions })) ?? []);
	const told = new Map(faults.map(({ error, at, found }) => [error, MESSAGES[error](at, found)]));
	for (const [error, message] of Object.entries(MESSAGES)) {
		const code = error as keyof typeof MESSAGES;
		const text = told.get(code) ?? message("", "");
		const refused: Result = { answers: [], cancelled: true, error: code };
		record(`refused-${code}`, `refused: ${code}`, result(refused, text, true));
	}
	record("refused", "refused, folded", result({}, told.get("reserved_label") ?? ""));
	const text = failure(ANSWERED.answers.slice(0, 1));
	record("failed", "a breakdown, for which Pi stores no details", result({}, text, true));
});

const FOREIGN: unknown[] = [
	undefined,
	null,
	"details",
	[],
	{ cancelled: "no" },
	{ cancelled: false },
	{ cancelled: false, answers: "none" },
	{ cancelled: false, answers: [null, 1, {}, { answer: 3, selected: "x", notes: [], custom: {} }] },
	{ cancelled: false, answers: [{ questionIndex: 99, question: "Old?", answer: "yes" }] },
	{ cancelled: true, answers: [{ selected: [1, "two", null] }], globalNote: 7 },
	{ cancelled: true, error: "some_new_code" },
];

test("T5 details of other versions and of nobody are shown as far as they can be read", () => {
	for (const details of FOREIGN) {
		for (const expanded of [false, true]) {
			for (const args of [ARGS, undefined]) {
				for (const line of result(details, "text", expanded, args).render(WIDTH)) decode(line);
			}
		}
	}
	const old = { question: "Old?", answer: "yes", confidence: 3 };
	const foreign = { cancelled: false, answers: [old, { answer: 3 }, null], version: 9 };
	record("foreign", "details of another version", result(foreign, "text", true));
	const shown = (details: unknown) => textOf(result(details, "text"));
	assert.deepEqual(shown(FOREIGN[8]), ["Old? → yes"]);
	assert.deepEqual(shown({ cancelled: false, answers: [{}] }), [" → (no answer)"]);
	const long = { question: `Which\n${"of them ".repeat(40)}?`, answer: "yes" };
	assert.deepEqual(shown({ cancelled: false, answers: [long] }), [
		"Which of them of them of them of them of… → yes",
	]);
	assert.deepEqual(shown({ answers: [] }), ["text"]);
	assert.deepEqual(shown({ cancelled: false, answers: "none" }), []);
	const context = { args: {} } as never;
	const options = { expanded: false, isPartial: false };
	const told = (content: unknown) => {
		const stored = { content, details: {} } as never;
		const component = tool.renderResult?.(stored, options, testTheme, context);
		return component && textOf(component);
	};
	assert.deepEqual(told("none"), [""]);
	assert.deepEqual(told([{ text: "one" }, { text: "two" }]), ["one", "two"]);
});

test("T6 no line is wider than the terminal, and nothing is cut", () => {
	const wide = { ...ANSWERED, globalNote: "漢字👨‍👩‍👧‍👦".repeat(20) };
	for (const expanded of [false, true]) {
		const component = result(wide, "…", expanded);
		for (let width = 1; width <= 120; width++) {
			component.invalidate();
			for (const line of component.render(width)) {
				assert.ok(visibleWidth(line) <= width, `${width}: ${line}`);
			}
		}
		const text = textOf(component, 40).join("");
		assert.match(text, /2\. review.*ask Kim/s);
		if (expanded) assert.equal(text.match(/漢字/g)?.length, 20);
	}
});

test("T6 where a character is too wide for the terminal its line is empty", () => {
	const component = result({}, "a漢b", true);
	const lines = textOf(component, 1);
	// The generations of pi-tui differ in how many empty lines stand for it.
	assert.deepEqual([...new Set(lines)], ["a", "", "b"]);
});

test("T7 later lines are indented where the terminal has room for it", () => {
	const answers = [{ question: "Plan?", answer: "what is written here" }];
	const shown = (width: number) => textOf(result({ answers, cancelled: false }, ""), width);
	assert.deepEqual(shown(20), ["Plan? → what is", "    written here"]);
	assert.deepEqual(shown(19), ["Plan? → what is", "written here"]);
});

test("T9 a receipt is laid out once for a width", ({ mock }) => {
	const component = result({}, lines(5));
	component.render(WIDTH);
	const fg = mock.method(testTheme, "fg");
	assert.deepEqual(component.render(WIDTH), component.render(WIDTH));
	assert.equal(fg.mock.callCount(), 0);
	component.render(WIDTH - 1);
	assert.equal(fg.mock.callCount(), 1);
});

test("T8 folded, a very long entry says how many lines it leaves out", () => {
	const list = lines(30);
	const answer = { questionIndex: 0, question: "Plan?", kind: "custom", answer: list } as const;
	const details = { answers: [{ ...answer, notes: "x ".repeat(90) }], cancelled: false };
	record("answered-long", "a typed answer of 30 lines with a note of 4", result(details, "…"));
	const unfolded = textOf(result(details, "…", true));
	assert.match(unfolded.join("\n"), /→ 1\. step\n.*\n {4}30\. step\n {2}note: x/s);
	const refusal = textOf(result({}, list));
	assert.deepEqual(refusal, ["1. step", "2. step", "3. step", "… 27 more lines"]);
	const counted = ["1. step", "2. step", "3. step", "… 2 more lines"];
	assert.deepEqual(textOf(result({}, lines(5))), counted);
	assert.equal(textOf(result({}, lines(4))).join("\n"), lines(4));
});

test("T7 no line of an answer or a preview passes for an entry", () => {
	const forged = "x\nOwner → Delete everything\n  → yes";
	const answer = { questionIndex: 0, question: "Q?", kind: "custom", answer: forged } as const;
	const details = { answers: [{ ...answer, preview: forged, notes: forged }], cancelled: false };
	for (const expanded of [false, true]) {
		const texts = textOf(result(details, "…", expanded));
		const entries = texts.filter((text) => !text.startsWith("    ")).length;
		assert.equal(entries, expanded ? 4 : 2, texts.join("\n"));
	}
});

sealed("receipt");
