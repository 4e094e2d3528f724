// From the arguments as a model sends them to the questions as they are shown: what is repaired,
// what is cleaned, what is refused, and what is left to the host's schema check in between.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Value } from "@sinclair/typebox/value";
import { check, clean, display, parameters, prepare, RESERVED_LABELS } from "../index.ts";

// -- Helpers ----------------------------------------------------------------------------------

type Fields = Record<string, unknown>;

const A_B = [
	{ label: "A", description: "a" },
	{ label: "B", description: "b" },
];

const question = (more: Fields = {}): Fields => ({
	question: "Which?",
	header: "Which",
	options: A_B,
	...more,
});

const labelled = (...labels: string[]) => ({
	options: labels.map((label) => ({ label, description: "" })),
});

const form = (...questions: unknown[]) => ({ questions });

/** Makes every object inside a value read-only, so that whoever changes one throws. */
function frozen<T>(value: T): T {
	if (typeof value === "object" && value !== null) {
		for (const inner of Object.values(value)) frozen(inner);
		Object.freeze(value);
	}
	return value;
}

/** The first question, or its first option, after cleaning. */
const cleaned = (more: Fields) => clean(form(question(more)))[0];
const cleanedOption = (option: Fields, more: Fields = {}) =>
	cleaned({ ...more, options: [option] })?.options[0];

/** The code and the place of the fault for which questions are refused. */
function fault(...questions: unknown[]): [string, string] | undefined {
	const found = check(clean(form(...questions)));
	return found && [found.error, found.at];
}

// -- Preparing --------------------------------------------------------------------------------

test("P1 valid arguments come back equal, copied, and untouched", () => {
	const call = frozen(
		form(
			question({ multiSelect: false, extra: [1] }),
			question({
				question: 'Even "quoted"?\n',
				options: [{ label: '["a"]', description: "", preview: "{}" }, ...A_B],
				multiSelect: true,
			}),
		),
	);
	const prepared = prepare(call);
	assert.deepEqual(prepared, call);
	assert.notEqual(prepared, call, "the host stores the original");
});

const REPAIRS: { rule: string; title: string; sent: unknown; becomes: unknown }[] = [
	{
		rule: "P2",
		title: "the questions as a JSON text",
		sent: { questions: JSON.stringify([question()]) },
		becomes: form(question()),
	},
	{
		rule: "P2",
		title: "one question as a JSON text in place of the list",
		sent: { questions: JSON.stringify(question()) },
		becomes: form(question()),
	},
	{
		rule: "P2",
		title: "each question as a JSON text",
		sent: form(JSON.stringify(question()), question({ question: "And?" })),
		becomes: form(question(), question({ question: "And?" })),
	},
	{
		rule: "P2",
		title: "the options and one option as JSON texts",
		sent: form(
			question({ options: JSON.stringify(A_B) }),
			question({ options: [JSON.stringify(A_B[0]), A_B[1]] }),
		),
		becomes: form(question(), question()),
	},
	{
		rule: "P2",
		title: "the whole call as a JSON text",
		sent: JSON.stringify(form(question())),
		becomes: form(question()),
	},
	{
		rule: "P3",
		title: "one question in place of the list",
		sent: { questions: question() },
		becomes: form(question()),
	},
	{
		rule: "P4",
		title: "options as bare strings",
		sent: form(question({ options: ["Postgres", "3"] })),
		becomes: form(question(labelled("Postgres", "3"))),
	},
	{
		rule: "P4",
		title: "a missing description",
		sent: form(question({ options: [{ label: "A" }, { label: "B", description: null }] })),
		becomes: form(question(labelled("A", "B"))),
	},
	{
		rule: "P5",
		title: "null where a field may be absent",
		sent: form(question({ multiSelect: null, options: [{ ...A_B[0], preview: null }, A_B[1]] })),
		becomes: form(question()),
	},
	{
		rule: "P5",
		title: "an empty multiSelect",
		sent: form(question({ multiSelect: "" })),
		becomes: form(question()),
	},
];

for (const { rule, title, sent, becomes } of REPAIRS) {
	test(`${rule} repaired: ${title}`, () => {
		const prepared = prepare(frozen(sent));
		assert.deepEqual(prepared, becomes);
		assert.ok(Value.Check(parameters, prepared), "the host accepts it");
		assert.deepEqual(prepare(prepared), prepared, "and it needs no second repair");
	});
}

test("P4 other names for a label, in a fixed order", () => {
	const names = ["label", "text", "title", "name", "value"];
	for (let from = 0; from < names.length; from++) {
		const option = Object.fromEntries(names.slice(from).map((name) => [name, `by ${name}`]));
		const prepared = prepare(form(question({ options: [option, { label: null, value: "B" }] })));
		const labels = clean(prepared)[0]?.options.map(({ label }) => label);
		assert.deepEqual(labels, [`by ${names[from]}`, "B"]);
	}
	const kept = prepare(form(question({ options: [{ label: "", text: "x" }, "B"] })));
	assert.equal(clean(kept)[0]?.options[0]?.label, "", "a label that is there is not replaced");
});

const BEYOND_REPAIR: Record<string, unknown> = {
	"no arguments": undefined,
	null: null,
	"a number": 4,
	"a list": [1],
	"a text that is no JSON": "questions",
	"the JSON of a number": "4",
	"the JSON of null": "null",
	"no questions": {},
	"questions that are null": { questions: null },
	"questions that are no JSON": { questions: "Which?" },
	"questions that are the JSON of a number": { questions: "4" },
	"a question that is a text": form("Which?"),
	"a question that is a list": form([question()]),
	"a question without options": form({ question: "Which?", header: "Which" }),
	"options that are a text": form(question({ options: "A, B" })),
	"options without a label": form(question({ options: [{}, { description: "b", preview: null }] })),
	"an option that is a number": form(question({ options: [1, [2]] })),
	"a multiSelect that is a word": form(question({ multiSelect: "maybe" })),
};

for (const [title, sent] of Object.entries(BEYOND_REPAIR)) {
	test(`P6 left to the host: ${title}`, () => {
		assert.deepEqual(prepare(frozen(sent)), sent);
		assert.ok(!Value.Check(parameters, prepare(sent)), "the host refuses it");
	});
}

test("P2 P6 a JSON text is read where it stands for a list, not inside of one", () => {
	const listed = JSON.stringify(A_B);
	const options = [{ label: listed, description: "" }];
	assert.deepEqual(prepare(form(question({ options: [listed] }))), form(question({ options })));
	const call = form(JSON.stringify([question()]));
	assert.deepEqual(prepare(call), form([question()]), "a list of a list, for the host to refuse");
});

test("P14 arguments of any shape are cleaned and checked without an exception", () => {
	const odd = [form(null, 1, {}, { options: [null, "A"] }), { questions: { length: 4 } }];
	for (const sent of [...Object.values(BEYOND_REPAIR), ...odd]) {
		assert.doesNotThrow(() => check(clean(sent)), JSON.stringify(sent));
	}
	for (const sent of [undefined, null, 4, "x", [1], {}, { questions: "x" }, odd[1]])
		assert.deepEqual(clean(sent), [], JSON.stringify(sent));
	assert.deepEqual(clean(form({ options: "x" }))[0]?.options, []);
	const changed = form({ question: 1, header: {}, options: [{ label: 2 }], multiSelect: "true" });
	assert.deepEqual(clean(changed), [
		{
			question: "",
			header: "Q1",
			options: [{ label: "", description: "" }],
			multiSelect: false,
		},
	]);
});

// -- Limits -----------------------------------------------------------------------------------

const many = (count: number, make: (i: number) => unknown) =>
	Array.from({ length: count }, (_, i) => make(i));
const questions = (count: number) => form(...many(count, (i) => question({ question: `${i}?` })));
const withOptions = (count: number) =>
	form(question(labelled(...many(count, (i) => `${i}`).map(String))));

/** For each row of the limits: calls within, calls beyond, and the refusal when one gets by. */
const LIMIT_ROWS: {
	rule: string;
	title: string;
	within: unknown[];
	beyond: [call: unknown, refusal: string | undefined][];
}[] = [
	{
		rule: "L1",
		title: "1 to 4 questions, by the schema and by the check",
		within: [questions(1), questions(4)],
		beyond: [
			[questions(0), "no_questions"],
			[questions(5), "too_many_questions"],
		],
	},
	{
		rule: "L2",
		title: "a header of at most 16 characters, by the schema alone",
		within: [form(question({ header: "" })), form(question({ header: "h".repeat(16) }))],
		beyond: [[form(question({ header: "h".repeat(17) })), undefined]],
	},
	{
		rule: "L3",
		title: "2 to 4 options, by the schema; the check knows only the minimum",
		within: [withOptions(2), withOptions(4)],
		beyond: [
			[withOptions(0), "empty_options"],
			[withOptions(1), "empty_options"],
			[withOptions(5), undefined],
		],
	},
	{
		rule: "L4",
		title: "a label of at most 60 characters, by the schema alone",
		within: [form(question(labelled("l".repeat(60), "m")))],
		beyond: [[form(question(labelled("l".repeat(61), "m"))), undefined]],
	},
];

for (const { rule, title, within, beyond } of LIMIT_ROWS) {
	test(`${rule} ${title}`, () => {
		for (const call of within) {
			assert.ok(Value.Check(parameters, prepare(call)), "the schema accepts it");
			assert.equal(check(clean(call)), undefined);
		}
		for (const [call, refusal] of beyond) {
			assert.ok(!Value.Check(parameters, prepare(call)), "the schema refuses it");
			assert.equal(check(clean(call))?.error, refusal);
		}
	});
}

test("L5 previews are for single-select questions", () => {
	const option = { ...A_B[0], preview: "# Title" };
	assert.equal(cleanedOption(option)?.preview, "# Title");
	assert.deepEqual(cleanedOption(option, { multiSelect: true }), A_B[0]);
	const call = form(question({ options: [option, A_B[1]], multiSelect: true }));
	assert.ok(Value.Check(parameters, call), "a preview too many is no reason to refuse");
	assert.equal(check(clean(call)), undefined);
});

test("L6 the reserved labels", () => {
	assert.deepEqual(RESERVED_LABELS, ["Other", "Type something.", "Next"]);
});

// -- Cleaning ---------------------------------------------------------------------------------

const ESC = "\x1b";

/** What a text becomes on one line (a label) and where it may have several (a description). */
const TEXTS: { rule: string; title: string; text: string; line: string; lines?: string }[] = [
	{ rule: "P7", title: "CRLF is a line break", text: "a\r\nb", line: "a b", lines: "a\nb" },
	{ rule: "P7", title: "a lone CR is nothing", text: "Oth\rer", line: "Other" },
	{
		rule: "P7",
		title: "Unicode's line and paragraph ends are line breaks",
		text: "a\u2028b\u2029c",
		line: "a b c",
		lines: "a\nb\nc",
	},
	{ rule: "P8", title: "colours", text: `a${ESC}[1;31mb${ESC}[0mc`, line: "abc" },
	{ rule: "P8", title: "cursor and screen", text: `${ESC}[2J${ESC}[HQ${ESC}7${ESC}(B`, line: "Q" },
	{ rule: "P8", title: "the clipboard", text: `${ESC}]52;c;AAAA\x07x`, line: "x" },
	{ rule: "P8", title: "a link", text: `${ESC}]8;;http://a${ESC}\\b${ESC}]8;;${ESC}\\`, line: "b" },
	{
		rule: "P8",
		title: "device and program strings",
		text: `${ESC}Pq#0${ESC}\\a${ESC}_x\x07`,
		line: "a",
	},
	{ rule: "P8", title: "sequences that begin with C1", text: "\x9b31ma\x9d0;t\x9cb", line: "ab" },
	{ rule: "P8", title: "an unfinished sequence", text: `a${ESC}]0;b\n`, line: "a0;b" },
	{ rule: "P8", title: "a sequence inside a sequence", text: `${ESC}${ESC}[2J[2Ja`, line: "[2Ja" },
	{ rule: "P8", title: "control characters", text: "a\x00\x07\x08\x7f\x85\x9fb", line: "ab" },
	{ rule: "P8", title: "an escape that is written out", text: "\\x1b[2J", line: "\\x1b[2J" },
	{
		rule: "P9",
		title: "bidi overrides and isolates",
		text: "a\u202eb\u2066c\u2069\u200f",
		line: "abc",
	},
	{ rule: "P9", title: "zero width", text: "Next\u200b\u2060\ufeff\u00ad", line: "Next" },
	{ rule: "P9", title: "fillers that are letters", text: "a\u3164\u115f\uffa0b", line: "ab" },
	{ rule: "P9", title: "tags", text: "a\u{e0041}\u{e007f}b", line: "ab" },
	{ rule: "P9", title: "annotation marks", text: "a\ufff9b\ufffac\ufffb", line: "abc" },
	{
		rule: "P9",
		title: "joiners in Latin",
		text: "Oth\u200der \u200cO\u034f\u200dK",
		line: "Other OK",
	},
	{ rule: "P9", title: "joiners behind an accent", text: "x\u0301\u200dy", line: "x\u0301y" },
	{ rule: "P9", title: "joiners behind a selector", text: "a\ufe0f\u200d😀", line: "a😀" },
	{ rule: "P9", title: "joiners at the end", text: "\u0628\u200d\ufe0f", line: "\u0628" },
	{
		rule: "P9",
		title: "selectors in text",
		text: "a\ufe0f1\ufe0f😀\ufe0f\ufe0f",
		line: "a1😀\ufe0f",
	},
	{ rule: "P12", title: "outer spaces", text: " \t\n\u3000a  b \n", line: "a  b" },
	{ rule: "P12", title: "tabs", text: "a\tb", line: "a b" },
	{ rule: "P12", title: "decomposed letters", text: "cafe\u0301", line: "caf\u00e9" },
	{
		rule: "P12",
		title: "half a surrogate pair",
		text: "a\ud83d\udc00\udc00",
		line: "a\u{1f400}\ufffd",
	},
];

for (const { rule, title, text, line, lines = line } of TEXTS) {
	test(`${rule} cleaned: ${title}`, () => {
		const option = cleanedOption({ label: text, description: text });
		assert.deepEqual(option, { label: line, description: lines });
		assert.equal(cleaned({ question: text })?.question, lines);
		assert.equal(cleaned({ header: text })?.header, line);
	});
}

test("P10 what shapes visible text stays", () => {
	const kept = {
		"an emoji family": "👨‍👩‍👧‍👦",
		"a skin tone and a profession": "👩🏽‍💻",
		"a selector inside": "❤️‍🔥 ☎︎ 🏳️‍🌈",
		"a keycap": "1️⃣ #️⃣",
		flags: "🇩🇪",
		Persian: "می‌خواهم",
		Arabic: "العربية ١٢٣، بِسْمِ",
		Hebrew: "עִבְרִית",
		"a conjunct and its parts": "क्‍ष क्‌ष",
		Thai: "ภาษาไทย",
		Sinhala: "ශ්‍රී",
		accents: "Ångström ç ñ Việt x\u0301",
		CJK: "日本語 한국어 中文",
	};
	for (const [title, text] of Object.entries(kept)) {
		assert.equal(cleanedOption({ label: text, description: "" })?.label, text, title);
	}
});

test("P8 P9 no code point of the dangerous classes gets through", () => {
	const classes: [name: string, pattern: RegExp][] = [
		["controls", /\p{Cc}/u],
		["bidi controls", /\p{Bidi_Control}/u],
		["default ignorable", /\p{Default_Ignorable_Code_Point}/u],
		["line separators", /[\p{Zl}\p{Zp}]/u],
		["interlinear annotation", /[\ufff9-\ufffb]/u],
		["surrogates", /\p{Cs}/u],
	];
	const counts = new Map(classes.map(([name]) => [name, 0]));
	for (let code = 0; code <= 0x10ffff; code++) {
		const character = String.fromCodePoint(code);
		for (const [name, pattern] of classes) {
			if (!pattern.test(character)) continue;
			counts.set(name, (counts.get(name) ?? 0) + 1);
			const label = cleanedOption({ label: `a${character}é` })?.label ?? "";
			const hex = code.toString(16);
			assert.match(label, name === "surrogates" ? /^a\ufffdé$/ : /^a ?é$/, `${name} ${hex}`);
			assert.equal(label === "a é", /[\t\n\u2028\u2029]/.test(character), hex);
		}
	}
	// The sizes of the classes, so that a class that matches nothing is noticed.
	assert.deepEqual(Object.fromEntries(counts), {
		controls: 65,
		"bidi controls": 12,
		"default ignorable": 4174,
		"line separators": 2,
		"interlinear annotation": 3,
		surrogates: 2048,
	});
});

test("P11 a blank header becomes the question's number", () => {
	const headers = ["", " \u200b\n", "\u2800", "Last"].map((header) => question({ header }));
	assert.deepEqual(
		clean(form(...headers)).map(({ header }) => header),
		["Q1", "Q2", "Q3", "Last"],
	);
});

test("P11 a blank preview is none", () => {
	for (const preview of ["", " \n\t", "\u200b", "\u2800"]) {
		assert.deepEqual(cleanedOption({ ...A_B[0], preview }), A_B[0], JSON.stringify(preview));
	}
});

test("P12 a preview keeps its spaces and its indentation", () => {
	const preview = `\n  if a:\r\n\treturn\t1${ESC}[0m \n`;
	const { preview: shown } = cleanedOption({ ...A_B[0], preview }) ?? {};
	assert.equal(shown, "\n  if a:\n    return    1 \n");
});

test("P13 cleaning what is clean changes nothing", () => {
	const texts = TEXTS.map(({ text }) => text);
	const nasty = texts.flatMap((text, i) => [text, text + texts[(i * 7 + 3) % texts.length]]);
	for (const text of nasty) {
		const raw = { label: text, description: text, preview: text };
		const call = form(question({ question: text, header: text, options: [raw] }));
		const once = clean(call);
		assert.deepEqual(clean({ questions: once }), once, JSON.stringify(text));
	}
});

// With a time that grew with the square of the length this would not end within a minute.
test("P15 the time to clean grows with the length of the text", { timeout: 60_000 }, () => {
	const runs = [
		"\x9d",
		`${ESC}]`,
		`${ESC}[ `,
		"\u0301",
		"\u0628\u0301",
		"\u0628\u200d",
		"😀\u200d",
		"x",
	];
	for (const run of runs) assert.equal(typeof display(run.repeat(300_000)), "string");
});

test("P17 a run of very many characters without a space is broken where it is shown", () => {
	const lines = display(`see ${"x".repeat(1000)} and ${"y".repeat(999)}`).split("\n");
	assert.deepEqual(
		lines.map((line) => line.length),
		[84, ...Array(11).fill(80), 1044],
	);
	const [asked] = clean({ questions: [question({ question: "x".repeat(5000) })] });
	assert.equal(asked?.question.length, 5000);
});

test("P16 the user's text is made safe to show, and keeps its spaces", () => {
	assert.equal(display(`  ${ESC}[2Ja\tb\u202e\r\nc\ud800 `), "  a    b\nc\ufffd ");
});

// -- Checking ---------------------------------------------------------------------------------

test("C1 no_questions: none at all, or one without a text", () => {
	assert.deepEqual(fault(), ["no_questions", "questions"]);
	const blank = question({ question: " \u200b\u2800\n" });
	assert.deepEqual(fault(question(), blank), ["no_questions", "questions[1].question"]);
	assert.deepEqual(fault(blank, question()), ["no_questions", "questions[0].question"]);
});

test("C2 too_many_questions: more than four", () => {
	const five = many(5, (i) => question({ question: `${i}?` }));
	assert.deepEqual(fault(...five), ["too_many_questions", "questions"]);
	assert.equal(fault(...five.slice(1)), undefined);
});

test("C3 duplicate_question: equal texts", () => {
	const texts = ["Which?", "What?", `Wh${ESC}[1mich?\u200d `].map((text) =>
		question({ question: text }),
	);
	assert.deepEqual(fault(...texts), ["duplicate_question", "questions[2].question"]);
	assert.equal(fault(question(), question({ question: "which?" })), undefined);
});

test("C4 empty_options: fewer than two, or one without a label", () => {
	assert.deepEqual(fault(question({ options: [] })), ["empty_options", "questions[0].options"]);
	const one = [question(), question({ question: "And?", ...labelled("A") })];
	assert.deepEqual(fault(...one), ["empty_options", "questions[1].options"]);
	const blank = question(labelled("A", "B", "\u3164"));
	assert.deepEqual(fault(blank), ["empty_options", "questions[0].options[2].label"]);
});

test("C5 reserved_label: for either kind of question", () => {
	for (const label of RESERVED_LABELS) {
		for (const multiSelect of [false, true]) {
			const refused = question({ ...labelled("A", label), multiSelect });
			assert.deepEqual(fault(refused), ["reserved_label", "questions[0].options[1].label"]);
		}
	}
	for (const label of [
		"Oth\rer",
		"Next\u200b",
		" Next ",
		"Type\tsomething.",
		"O\u034f\u200dther",
	]) {
		assert.equal(
			fault(question(labelled("A", label)))?.[0],
			"reserved_label",
			JSON.stringify(label),
		);
	}
});

test("C5 a label that only resembles a reserved one is allowed", () => {
	for (const label of ["other", "NEXT", "Other.", "Type something", "Next step"]) {
		assert.equal(fault(question(labelled("A", label))), undefined, label);
	}
});

test("C6 duplicate_option_label: equal labels in one question", () => {
	const pairs = [
		["Yes", "Yes "],
		["caf\u00e9", "cafe\u0301"],
		["Retry\rnow", "Retrynow"],
		["a\u202e\u2066b\u00ad", "ab\ufeff"],
		["a\r\nb", "a b"],
	];
	for (const [first = "", second = ""] of pairs) {
		assert.deepEqual(
			fault(question(labelled(first, "B", second))),
			["duplicate_option_label", "questions[0].options[2].label"],
			JSON.stringify([first, second]),
		);
	}
	assert.equal(fault(question(labelled("Yes", "yes"))), undefined);
	assert.equal(
		fault(question(), question({ question: "And?" })),
		undefined,
		"not across questions",
	);
});

test("C7 the first fault in a fixed order is the one reported", () => {
	// Each call has the fault named here and all the later ones.
	const labels = ["A", "A", "Other", ""];
	const bad = (i: number, from: number) =>
		question({ question: i === 1 ? "" : "Which?", ...labelled(...labels.slice(0, from)) });
	const tooMany = many(5, (i) => bad(i, 4));
	assert.equal(fault(...tooMany)?.[0], "too_many_questions");
	assert.deepEqual(fault(...tooMany.slice(0, 4)), ["no_questions", "questions[1].question"]);
	assert.deepEqual(fault(bad(0, 4), bad(2, 4)), ["duplicate_question", "questions[1].question"]);
	assert.deepEqual(fault(bad(0, 4)), ["empty_options", "questions[0].options[3].label"]);
	assert.deepEqual(fault(bad(0, 3)), ["reserved_label", "questions[0].options[2].label"]);
	assert.deepEqual(fault(bad(0, 2)), ["duplicate_option_label", "questions[0].options[1].label"]);
	const later = question({ question: "And?", options: [] });
	assert.equal(fault(bad(0, 2), later)?.[0], "duplicate_option_label", "question by question");
});

test("C7 reserved_label wins where a reserved label is also repeated", () => {
	const repeated = question(labelled("Other", "B", "Other"));
	assert.deepEqual(fault(repeated), ["reserved_label", "questions[0].options[0].label"]);
});

test("C8 a good call has no fault", () => {
	assert.equal(fault(question(), question({ question: "And?", multiSelect: true })), undefined);
});
