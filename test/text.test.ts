// The texts that are fixed before anybody is asked: what the model is told, how a call is refused,
// what a failure says, what listeners get, and what each key does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { KEYS, keySign, MOVES, type Place } from "../dialog.ts";
import * as channels from "../events.ts";
import {
	type Answer,
	check,
	clean,
	failure,
	GUIDANCE,
	MESSAGES,
	parameters,
	type QuestionnaireError,
	RESERVED_LABELS,
	TOOL_NAME,
} from "../index.ts";
import { call, fakeHost } from "./support/fake-host.ts";
import { golden, sealed } from "./support/golden.ts";

// -- Schema -----------------------------------------------------------------------------------

interface Schema {
	type: string;
	description?: string;
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
}

/** The schema as the model gets it: typebox marks its own parts with symbols, which JSON drops. */
const schema: Schema = JSON.parse(JSON.stringify(parameters));

/** Every schema inside a schema, with its path. */
function nodes(node: Schema, path = ""): [string, Schema][] {
	const fields = Object.entries(node.properties ?? {});
	return [
		[path, node],
		...fields.flatMap(([name, inner]) => nodes(inner, path === "" ? name : `${path}.${name}`)),
		...(node.items ? nodes(node.items, `${path}[]`) : []),
	];
}

test("S1 the schema of the call", () => {
	golden("text/schema.json", `${JSON.stringify(schema, null, 2)}\n`);
});

test("S2 the schema uses only plain keywords", () => {
	const plain = ["type", "description", "properties", "required", "items"];
	const limits = ["minItems", "maxItems", "maxLength"];
	const used = new Set(nodes(schema).flatMap(([, node]) => Object.keys(node)));
	assert.deepEqual([...used].sort(), [...plain, ...limits].sort());
	for (const [path, { type }] of nodes(schema)) assert.equal(typeof type, "string", path);
});

test("S3 what must be sent and what may be left out", () => {
	const required = nodes(schema).flatMap(([path, node]) =>
		node.required ? [[path, node.required]] : [],
	);
	assert.deepEqual(Object.fromEntries(required), {
		"": ["questions"],
		"questions[]": ["question", "header", "options"],
		"questions[].options[]": ["label", "description"],
	});
});

test("S4 each field says in the schema what it is for", () => {
	const silent = nodes(schema).filter(
		([, { type, description }]) => !description && type !== "object",
	);
	assert.deepEqual(silent, []);
	assert.match(description("questions[].options[].preview"), /Single-select only/);
});

function description(path: string): string {
	const found = nodes(schema).find(([name]) => name === path);
	return found?.[1].description ?? "";
}

// -- Guidance ---------------------------------------------------------------------------------

const BUDGET = 2400;

test("G1 G2 what the model is told, within its budget", () => {
	const { label, description, promptSnippet, promptGuidelines } = GUIDANCE;
	const fields = nodes(schema).flatMap(([path, node]) =>
		node.description === undefined ? [] : [{ path, text: node.description }],
	);
	const told = [
		label,
		description,
		promptSnippet,
		...promptGuidelines,
		...fields.map((f) => f.text),
	];
	const characters = told.join("").length;
	const lines = [
		`label: ${label}`,
		`description: ${description}`,
		`snippet: ${promptSnippet}`,
		"",
		"guidelines:",
		...promptGuidelines.map((line) => `- ${line}`),
		"",
		"fields:",
		...fields.map(({ path, text }) => `- ${path}: ${text}`),
		"",
		`${characters} of ${BUDGET} characters`,
	];
	golden("text/guidance.txt", `${lines.join("\n")}\n`);
	assert.ok(characters <= BUDGET, `${characters} characters`);
});

test("G3 each guideline names the tool and stands on one line", () => {
	for (const line of GUIDANCE.promptGuidelines) assert.ok(line.includes(TOOL_NAME), line);
	for (const line of [GUIDANCE.promptSnippet, ...GUIDANCE.promptGuidelines]) {
		assert.doesNotMatch(line, /\n/);
	}
	const { length } = GUIDANCE.promptGuidelines;
	assert.equal(new Set(GUIDANCE.promptGuidelines).size, length, "hosts drop repeated guidelines");
});

test("G4 the policy that a reader of the answer must know is among the guidelines", () => {
	const policy = [/\bone ask_user_question call/, /first.*"\(Recommended\)"/, /previews/];
	const answers = [/multiSelect.*"all of the above"/, /not consent/, /may be a question or a stop/];
	for (const pattern of [...policy, ...answers]) {
		const found = GUIDANCE.promptGuidelines.filter((line) => pattern.test(line));
		assert.equal(found.length, 1, `${pattern}: each fact is told once`);
	}
});

// -- Messages ---------------------------------------------------------------------------------

const options = (...labels: string[]) => labels.map((label) => ({ label, description: "" }));
const ask = (question: string, ...labels: string[]) => ({
	question,
	header: "Header",
	options: options(...labels),
});

/** For each code, the calls that earn it. A code without a call comes from the host. */
const REFUSALS: Record<QuestionnaireError, Record<string, unknown[]>> = {
	no_questions: {
		"no question": [],
		"a blank question": [ask("One?", "A", "B"), ask(" \u200b\n", "A", "B")],
	},
	too_many_questions: {
		"five questions": ["1?", "2?", "3?", "4?", "5?"].map((text) => ask(text, "A", "B")),
	},
	duplicate_question: {
		"the first and the third are equal": [
			ask("One?", "A", "B"),
			ask("Two?", "A", "B"),
			ask(" One?", "C", "D"),
		],
	},
	empty_options: {
		"no option": [ask("One?")],
		"one option": [ask("One?", "A", "B"), ask("Two?", "A")],
		"a blank label": [ask("One?", "A", "\u3164", "C")],
	},
	reserved_label: {
		"a word models reach for": [ask("One?", "A", "B", "Other")],
		"a row of the dialog": [ask("One?", "Type something.", "B")],
		"a row this question would not have": [ask("One?", "A", "Next")],
	},
	duplicate_option_label: {
		"the first and the third are equal": [ask("One?", "Yes", "No", "Yes ")],
	},
	no_ui: {},
	no_custom_ui: {},
	session_load_failed: {},
	stale_module_cache: {},
};

/** What a call is told, after the code was checked. */
function told(code: QuestionnaireError, questions: unknown[]): string {
	const fault = check(clean({ questions }));
	assert.ok(fault, "refused");
	assert.equal(fault.error, code);
	const text = MESSAGES[code](fault.at, fault.found);
	assert.ok(text.startsWith(fault.at), `${code} begins with the path of the fault`);
	return text;
}

test("M1 M3 each code has its message", () => {
	const codes = Object.entries(REFUSALS) as [QuestionnaireError, Record<string, unknown[]>][];
	const texts = codes.flatMap(([code, calls]) => {
		const cases = Object.entries(calls);
		if (cases.length === 0) return [`${code}\n${MESSAGES[code]("", "")}`];
		return cases.map(([title, questions]) => `${code}: ${title}\n${told(code, questions)}`);
	});
	golden("text/refusals.txt", `${texts.join("\n\n")}\n`);
});

test("M2 a refusal says where the fault is and that the call may be sent again", () => {
	for (const [code, calls] of Object.entries(REFUSALS)) {
		for (const questions of Object.values(calls)) {
			const text = told(code as QuestionnaireError, questions);
			assert.match(text, /^questions/);
			assert.match(text, /Nothing was shown to the user; correct the call and send it again\.$/);
		}
	}
	const reserved = told("reserved_label", [ask("One?", "Other", "B")]);
	for (const label of RESERVED_LABELS) assert.ok(reserved.includes(`"${label}"`), label);
});

test("M3 where nobody was asked, the message says so and asks for plain chat", () => {
	for (const [code, calls] of Object.entries(REFUSALS)) {
		if (Object.keys(calls).length > 0) continue;
		const text = MESSAGES[code as QuestionnaireError]("", "");
		assert.match(text, /Nobody saw the questions, so this is not a decline\./);
		assert.match(text, code === "no_ui" ? /into your final reply/ : /plain chat/);
		assert.equal(/\/reload/.test(text), /load|cache/.test(code), `${code} and its repair`);
	}
});

test("M4 a failure says what is known, and keeps what was answered", () => {
	const base = { questionIndex: 0, question: "One?", kind: "option" } as const;
	const answers: Answer[] = [
		{ ...base, answer: "A" },
		{ ...base, questionIndex: 1, question: "Two?", kind: "custom", answer: "both" },
	];
	golden("text/failure.txt", `${failure([])}\n\n${failure(answers)}\n`);
	assert.match(failure([]), /may not have been seen or answered; this is not a decline/);
});

// -- Events -----------------------------------------------------------------------------------

test("B1 the channels and their names", () => {
	assert.deepEqual(
		{ ...channels },
		{
			ASK_USER_PROMPT_EVENT: "rpiv:ask-user:prompt",
			ASK_USER_ABORTED_EVENT: "rpiv:ask-user:aborted",
			ASK_USER_BLOCKED_EVENT: "rpiv:ask-user:blocked",
		},
	);
});

test("B7 listeners import the events by a path of their own", async () => {
	const own = await import("@schovest/pi-ask-user-question/events");
	assert.deepEqual({ ...own }, { ...channels });
});

test("B2 B3 B4 B6 what is sent on each channel", async () => {
	const host = fakeHost();
	const questions = [
		{
			question: "Which layout?",
			header: "Layout",
			options: [
				{ label: "Wide", description: "Two columns", preview: "a | b" },
				{ label: "Narrow", description: "One column", preview: " \n" },
			],
		},
		{ ...ask("Which pages?", "Start", "Help"), multiSelect: true },
	];
	const result = call(host, { questions });
	await host.opened();
	host.advance(300);
	host.press("esc");
	await result;
	const sent = host.emitted.map(
		({ channel, payload }) => `${channel}\n${JSON.stringify(payload, null, 2)}`,
	);
	golden("text/events.txt", `${sent.join("\n\n")}\n`);
	for (const { payload } of host.emitted) {
		assert.deepEqual(JSON.parse(JSON.stringify(payload)), payload, "the payload survives JSON");
	}
	assert.doesNotMatch(JSON.stringify(host.emitted), /a \| b/, "previews stay here");
});

// -- Keys -------------------------------------------------------------------------------------

/** Keys that only the newer pi-tui binds. */
const LATER: Record<string, string[]> = { "tui.input.newLine": ["ctrl+j"] };

const PLACES: Record<Place, string> = {
	single: "single-select",
	multi: "multi-select",
	next: "`Next`",
	text: "typed answer",
	note: "note",
	review: "Submit tab",
	asking: "asked again",
	folded: "folded",
};

function table(rows: readonly string[][]): string {
	const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
	const [head = "", ...body] = rows.map(
		(row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`,
	);
	return [head, head.replace(/[^|]/g, "-"), ...body, ""].join("\n");
}

test("K1 the keys, and the move of each in each place", () => {
	const { keybindings } = fakeHost();
	const places = Object.keys(PLACES) as Place[];
	// A key may have several lines in the source, and has one in the table.
	const rows = new Map<string, string[]>();
	for (const { keys, moves } of KEYS) {
		const ids = keys.filter((key) => key.includes("."));
		const bound = keys.flatMap((key): string[] => {
			if (!ids.includes(key)) return [key];
			return keybindings.getKeys(key as never).filter((name) => !LATER[key]?.includes(name));
		});
		assert.notEqual(bound.length, 0, `${keys} are keys`);
		const name = bound.length > 3 ? `${bound[0]}-${bound.at(-1)}` : bound.map(keySign).join(" ");
		const cells = places.map((place): string => moves[place] ?? "");
		const before = rows.get(keys.join()) ?? [name, ids.join(" "), ...places.map(() => "")];
		const both = cells.map((cell, i) => [before[i + 2], cell].filter(Boolean));
		assert.deepEqual(
			both.filter((names) => names.length > 1),
			[],
			`${name} has one move a place`,
		);
		rows.set(keys.join(), [name, ids.join(" "), ...both.map((names) => names[0] ?? "")]);
	}
	const reached = new Set(KEYS.flatMap((row): string[] => Object.values(row.moves)));
	const fresh = Object.entries(MOVES).filter(([name, move]) => move.decides && reached.has(name));
	golden(
		"text/keys.txt",
		`${table([["key", "keybinding", ...Object.values(PLACES)], ...rows.values()])}
Of two lines for one key the first with a move in that place counts.
Only a fresh press outside the quiet time: ${fresh.map(([name]) => name).join(", ")}.
`,
	);
});

sealed("text");
