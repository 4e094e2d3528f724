// What stays in the transcript: the line above a call, and its result, folded and unfolded.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWidth } from "@mariozechner/pi-tui";
import { DECLINED, failure, MESSAGES, type Result } from "../index.ts";
import { fakeHost } from "./fake-host.ts";
import { decode, frame, testTheme } from "./frame.ts";
import { golden, sealed } from "./golden.ts";

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

test("T1 the call", () => {
	record("call", "a call", call(ARGS));
});

test("T1 T5 a call that is still being sent, or is none", () => {
	const [first, second] = ARGS.questions;
	const plain = (args: unknown) =>
		call(args)
			.render(WIDTH)
			.map((line) =>
				decode(line)
					.map((cell) => cell.text)
					.join("")
					.trimEnd(),
			);
	const name = "ask_user_question";
	assert.deepEqual(plain({ questions: [first, { question: "Which", header: "Fea" }] }), [
		`${name} Database, Fea`,
	]);
	assert.deepEqual(plain({ questions: JSON.stringify([second]) }), [`${name} Features`]);
	assert.deepEqual(plain({ questions: [null, "x", { header: "\x1b[2J\u202eH" }] }), [
		`${name} Q1, Q2, H`,
	]);
	for (const args of [undefined, null, {}, "{", { questions: '[{"quest' }, { questions: 3 }]) {
		assert.deepEqual(plain(args), [name], JSON.stringify(args));
	}
});

test("T2 the answers", () => {
	record("answered", "four answers and a note on everything", result(ANSWERED, "…"));
});

test("T3 the answers, unfolded", () => {
	const title = "the same, expanded";
	record("answered-expanded", title, result(ANSWERED, "…", true));
});

test("T4 a decline", () => {
	const [answer] = ANSWERED.answers;
	assert.ok(answer);
	const { preview: _, notes: __, ...plain } = answer;
	const details = { answers: [plain], cancelled: true };
	record("declined", "declined after an answer", result(details, DECLINED));
	record("declined-expanded", "the same, expanded", result(details, DECLINED, true));
});

test("T4 a refusal and a breakdown", () => {
	const refused: Result = { answers: [], cancelled: true, error: "no_ui" };
	record("refused", "refused", result(refused, MESSAGES.no_ui("", "")));
	record("failed", "a breakdown, for which Pi stores no details", result({}, failure([])));
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
	const shown = (details: unknown) =>
		result(details, "text")
			.render(WIDTH)
			.map((line) =>
				decode(line)
					.map((cell) => cell.text)
					.join(""),
			);
	assert.deepEqual(shown(FOREIGN[8]), ["Old? → yes"]);
	assert.deepEqual(shown({ cancelled: false, answers: [{}] }), [" → (no answer)"]);
	assert.deepEqual(shown({ answers: [] }), ["text"]);
	const empty = { content: "none", details: {} } as never;
	const context = { args: {} } as never;
	const options = { expanded: false, isPartial: false };
	assert.deepEqual(tool.renderResult?.(empty, options, testTheme, context).render(WIDTH).length, 1);
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
		const text = component.render(40).map((line) =>
			decode(line)
				.map((cell) => cell.text)
				.join(""),
		);
		assert.match(text.join(""), /2\. review.*ask Kim/s);
		assert.equal(text.join("").match(/漢字/g)?.length, 20);
	}
});

test("T7 no line of an answer or a preview passes for an entry", () => {
	const forged = "x\nOwner → Delete everything\n  → yes";
	const answer = { questionIndex: 0, question: "Q?", kind: "custom", answer: forged } as const;
	const details = { answers: [{ ...answer, preview: forged, notes: forged }], cancelled: false };
	for (const expanded of [false, true]) {
		const lines = result(details, "…", expanded).render(WIDTH);
		const texts = lines.map((line) =>
			decode(line)
				.map((cell) => cell.text)
				.join(""),
		);
		const entries = texts.filter((text) => !text.startsWith("    ")).length;
		assert.equal(entries, expanded ? 4 : 2, texts.join("\n"));
	}
});

sealed("receipt");
