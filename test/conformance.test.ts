// The conformance kit: its cases are what this package does, they hold to the schemas, and its
// runner tells a module that keeps to them from one that does not.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { Value } from "@sinclair/typebox/value";
import extension, { MESSAGES } from "../index.ts";
import { TOPICS } from "./support/cases.ts";
import type { HostOptions } from "./support/fake-host.ts";
import { golden, sealed } from "./support/golden.ts";
import { type Case, type Given, HOSTS, type Host, play, topics } from "./support/kit.ts";
import { json } from "./support/print.ts";
import { PAYLOADS, SCHEMAS } from "./support/schemas.ts";
import { run, type Verdict, verdicts } from "./tools/conformance.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

// -- The files --------------------------------------------------------------------------------

/** What a case asks for that only the maker of a module can do to it. */
const FAULTS: Partial<Record<Host, HostOptions>> = {
	"broken dialog file": { load: () => Promise.reject(new Error("broken")) },
	"stale dialog module": { load: async () => ({ DIALOG_READY: undefined }) as never },
};

for (const [name, schema] of Object.entries(SCHEMAS)) {
	test(`CK1 the schema of ${name}`, () => {
		golden(`protocol/schema-${name}.json`, `${json(JSON.parse(JSON.stringify(schema)))}\n`);
	});
}

for (const [name, { topic, cases }] of Object.entries(TOPICS)) {
	test(`CK1 the cases of ${name}`, async () => {
		const played: Case[] = [];
		for (const given of cases) {
			const seen = await play(given, FAULTS[given.host ?? "rpc"] ?? {});
			assert.equal(seen.trouble, undefined, given.name);
			played.push({ ...given, ...seen });
		}
		golden(`protocol/${name}.json`, `${json({ topic, cases: played })}\n`);
	});
}

/** Every case as the files have it, with its full name. */
const accepted = () =>
	topics().flatMap(([topic, { cases }]) =>
		cases.map((shown) => ({ ...shown, name: `${topic}: ${shown.name}` })),
	);

// -- The schemas ------------------------------------------------------------------------------

test("CK2 every case holds to the schemas", () => {
	for (const { name, call, raw, prepared = call, refusedByHost, details, events } of accepted()) {
		assert.ok((call === undefined) !== (raw === undefined), `${name}: one of call and raw`);
		assert.equal(Value.Check(SCHEMAS.call, prepared), refusedByHost !== true, `${name}: call`);
		if (details !== undefined) assert.ok(Value.Check(SCHEMAS.details, details), `${name}: details`);
		for (const event of (events ?? []) as Record<string, unknown>[]) {
			const [channel = "", ...more] = Object.keys(event);
			const schema = PAYLOADS[channel];
			assert.deepEqual(more, [], name);
			assert.ok(schema && Value.Check(schema, event[channel]), `${name}: ${channel}`);
		}
	}
});

test("CK2 the schemas refuse what is none of it, and let unknown fields pass", () => {
	const answer = { questionIndex: 0, question: "Which?", kind: "multi", answer: null };
	const details = { answers: [{ ...answer, selected: ["A"], later: 1 }], cancelled: false, x: 1 };
	assert.ok(Value.Check(SCHEMAS.details, details));
	const wrong: unknown[] = [
		{},
		{ answers: [] },
		{ answers: [], cancelled: true, error: "unheard of" },
		{ answers: [], cancelled: true, globalNote: "" },
		...[
			answer,
			{ ...answer, selected: [] },
			{ ...answer, selected: ["A"], answer: "A" },
			{ ...answer, kind: "option" },
			{ ...answer, kind: "custom" },
			{ ...answer, kind: "custom", answer: "" },
			{ ...answer, selected: ["A"], questionIndex: -1 },
		].map((one) => ({ answers: [one], cancelled: false })),
	];
	for (const one of wrong) assert.ok(!Value.Check(SCHEMAS.details, one), JSON.stringify(one));
	assert.ok(Value.Check(SCHEMAS.blocked, { active: false, later: 1 }));
	assert.ok(!Value.Check(SCHEMAS.blocked, {}));
	assert.ok(!Value.Check(SCHEMAS.aborted, { aborted: false }));
	assert.ok(!Value.Check(SCHEMAS.prompt, { questions: [] }));
});

test("CK3 every code, kind, field, event, host and act has its case", () => {
	const cases = accepted();
	const text = JSON.stringify(cases);
	const answers = cases.flatMap(
		({ details }) => (details as { answers?: object[] } | undefined)?.answers ?? [],
	);
	const fields = new Set(answers.flatMap(Object.keys));
	const base = ["questionIndex", "question", "kind", "answer"];
	assert.deepEqual(fields, new Set([...base, "preview", "selected", "notes", "custom"]));
	for (const kind of ["option", "custom", "multi"]) assert.ok(text.includes(`"kind":"${kind}"`));
	for (const code of Object.keys(MESSAGES)) assert.ok(text.includes(`"error":"${code}"`), code);
	for (const channel of Object.keys(PAYLOADS)) assert.ok(text.includes(`"${channel}":`), channel);
	assert.deepEqual(
		new Set(cases.map(({ host = "rpc" }) => host)),
		new Set(Object.keys(HOSTS) as Host[]),
	);
	const acts = new Set(cases.flatMap(({ user = [] }) => user.flatMap(Object.keys)));
	const all = ["note", "choose", "check", "type", "skip", "dismiss", "abort", "fail"];
	assert.deepEqual(acts, new Set(all));
	const names = cases.map(({ name }) => name);
	assert.equal(new Set(names).size, names.length, "each name once");
	for (const { name, why } of cases) assert.match(why, /^[A-Z`a-z].*\.$/, name);
});

// -- The runner -------------------------------------------------------------------------------

const scratch = mkdtempSync(join(tmpdir(), "conformance-"));
symlinkSync(join(root, "node_modules"), join(scratch, "node_modules"));
after(() => rmSync(scratch, { recursive: true }));

let copies = 0;

/** A copy of this package in which one thing is different. */
function altered(from: string, to: string): string {
	const folder = join(scratch, `${++copies}`);
	const ours = readFileSync(join(root, "index.ts"), "utf8");
	assert.equal(ours.split(from).length, 2, `"${from}" is there once`);
	mkdirSync(folder);
	for (const name of ["events.ts", "dialog.ts"])
		writeFileSync(join(folder, name), `export * from ${JSON.stringify(join(root, name))};\n`);
	writeFileSync(
		join(folder, "index.ts"),
		ours.replace(from, () => to),
	);
	return join(folder, "index.ts");
}

const differing = (list: readonly Verdict[]) =>
	list.filter(({ difference }) => difference !== "").map(({ name }) => name);

test("CK4 this package holds to every case", async () => {
	const list = await verdicts(extension, false);
	assert.deepEqual(differing(list), []);
	assert.equal(list.length, accepted().length + 1, "each case and the schema of the call");
	const left = list.flatMap(({ name, needs }) => (needs ? `${name}, ${needs}` : []));
	const terminal = TOPICS.terminal?.cases.map(({ name }) => `terminal: ${name}`) ?? [];
	assert.deepEqual(left, [
		"endings: a dialog that cannot be loaded, needs a broken dialog file",
		"endings: a dialog that stays broken, needs a stale dialog module",
		...terminal.map((name) => `${name}, needs --terminal`),
	]);
});

/** One alteration each, and the cases in which it shows: their names, or what they have. */
const ALTERATIONS: {
	what: string;
	from: string;
	to: string;
	shows: readonly string[] | ((shown: Case) => unknown);
}[] = [
	{
		what: "another sentence for a decline",
		from: '"User declined to answer questions"',
		to: '"The user declined."',
		shows: ({ text }) => text === "User declined to answer questions",
	},
	{
		what: "no aborted event",
		from: 'if (outcome.end === "declined") emit(ASK_USER_ABORTED_EVENT, { aborted: true });',
		to: "",
		shows: ({ events }) => JSON.stringify(events)?.includes("rpiv:ask-user:aborted"),
	},
	{
		what: "blocked never ends",
		from: "emit(ASK_USER_BLOCKED_EVENT, { active: false });",
		to: "",
		shows: ({ events }) => JSON.stringify(events)?.includes('"active":false'),
	},
	{
		what: "an abort that does not end the run",
		from: "terminate: true",
		to: "",
		shows: ({ terminate }) => terminate,
	},
	{
		what: "options in the order in which they were checked",
		from: ".sort((a, b) => a - b)",
		to: "",
		shows: ["answers: several options"],
	},
	{
		what: "one reserved label less",
		from: '["Other", SENTINELS.custom, SENTINELS.next]',
		to: "[SENTINELS.custom, SENTINELS.next]",
		// The message lists the reserved labels.
		shows: ({ details }) => (details as { error?: string })?.error === "reserved_label",
	},
	{
		what: "the content of previews in the event",
		from: "hasPreview: preview !== undefined,",
		to: "hasPreview: preview !== undefined, ...(preview && { preview }),",
		shows: ({ events }) => JSON.stringify(events)?.includes('"hasPreview":true'),
	},
	{
		what: "a field that is undefined",
		from: 'kind: "custom", answer: typed, ...notes };',
		to: 'kind: "custom", answer: typed, notes: undefined };',
		shows: ({ details }) => JSON.stringify(details)?.includes('"kind":"custom"'),
	},
	{
		what: "invisible characters",
		from: '.replace(INVISIBLE(), "$1")',
		to: "",
		shows: [
			"cleaning: bidi controls",
			"cleaning: invisible characters",
			"cleaning: labels that are equal after cleaning",
			"cleaning: questions that are equal after cleaning",
			"cleaning: a label that is reserved after cleaning",
		],
	},
	{
		what: "one name for a label less",
		from: " ?? option.value;",
		to: ";",
		shows: ["preparing: other names for a label"],
	},
	{
		what: "arguments that are changed in place",
		from: "const questions = parsed(call.questions);\n\tif (isRecord(questions))",
		to: "const questions = (call.questions = parsed(call.questions));\n\tif (isRecord(questions))",
		shows: [
			"preparing: the questions as a JSON text",
			"preparing: a single question as a JSON text",
		],
	},
	{
		what: "another type of a field",
		from: 'description: Type.String({ description: "What',
		to: 'description: Type.Integer({ description: "What',
		shows: ["schema-call"],
	},
	{
		what: "another limit",
		from: "header: 16,",
		to: "header: 20,",
		shows: ["schema-call"],
	},
];

for (const { what, from, to, shows } of ALTERATIONS) {
	test(`CK5 the runner notices ${what}`, async () => {
		const { default: factory } = await import(altered(from, to));
		const list = await verdicts(factory, false);
		const played = list.flatMap(({ name, needs }) => (needs ? [] : name));
		const shown = accepted().filter(({ name }) => played.includes(name));
		const expected =
			typeof shows === "function" ? shown.filter(shows).map(({ name }) => name) : shows;
		assert.ok(expected.length > 0);
		assert.deepEqual(differing(list), expected);
	});
}

/** An extension that shares nothing with ours, and refuses everything. */
const STRANGER = `export default async function (...given) {
	const [pi] = given;
	if (given.length !== 1) throw new Error("a host gives its API and nothing else");
	pi.registerCommand("ask", {});
	const details = { cancelled: true, error: "no_ui", answers: [] };
	const text = ${JSON.stringify(MESSAGES.no_ui("", ""))};
	const execute = async () => ({ content: [{ type: "text", text }], details });
	pi.on("session_start", () => pi.registerTool({ name: "ask_user_question", execute }));
}
`;

function written(name: string, text: string): string {
	writeFileSync(join(scratch, name), text);
	return join(scratch, name);
}

test("CK6 the runner needs no more of a module than a host does", async () => {
	const { code, text } = await run(["--module", written("stranger.mjs", STRANGER)]);
	assert.equal(code, 1);
	const held = text.split("\n").filter((line) => line.startsWith("✔"));
	assert.deepEqual(held, [
		"✔ endings: no user",
		"✔ endings: no user for a faulty call",
		"✔ preparing: valid arguments",
		"✔ preparing: no list of questions",
		"✔ preparing: a question that is a text",
	]);
});

test("CK6 a call that never settles is a difference", async () => {
	const silent = (pi: ExtensionAPI) =>
		pi.registerTool({ name: "ask_user_question", execute: () => new Promise(() => {}) } as never);
	const seen = await play({ name: "silence", why: "", call: {} }, {}, silent, 20);
	assert.deepEqual(seen, { throws: "(no result after 20 ms)", events: [] });
});

test("CK6 what the user cannot do is a difference", async () => {
	const { cases } = TOPICS.answers ?? { cases: [] };
	const { trouble } = await play({ ...cases[0], user: [{ choose: "Oracle" }] } as Given, {});
	const rows = ["1. Postgres", "2. SQLite", "3. Type something."];
	assert.deepEqual(trouble, [`no row is "Oracle" in ${JSON.stringify(rows)}`]);
	const more = await play({ ...cases[0], user: [] } as Given, {});
	assert.deepEqual(more.trouble, [`nothing is left to answer ${JSON.stringify(rows)}`]);
});

test("CK7 wrong use is a sentence and exit code 2", async () => {
	const wrong: [args: string[], sentence: RegExp][] = [
		[[], /^--module PATH is missing\n/],
		[["--module"], /^Option '--module <value>' argument missing/],
		[["--modul", "x"], /^Unknown option '--modul'/],
		[["x"], /^Unexpected argument 'x'/],
		[["--module", "no-such-file.ts"], /^no-such-file\.ts cannot be loaded: Cannot find module/],
		[["--module", written("text.mjs", "export default 1")], /no Pi extension: its default export/],
		[["--module", written("empty.mjs", "export default () => {}")], /is not registered/],
	];
	for (const [args, sentence] of wrong) {
		const { code, text } = await run(args);
		assert.equal(code, 2, args.join(" "));
		assert.match(text, sentence);
		assert.match(text, /\n\nUsage: node test\/tools\/conformance\.ts --module PATH/);
	}
});

/** Runs the command in a process of its own. */
function command(...args: string[]) {
	// Where Node strips types itself, the command needs nothing else.
	const native = "typescript" in process.features && process.features.typescript !== false;
	const hooks = native ? [] : ["--import", "ts-blank-space/register"];
	const node = [...hooks, "test/tools/conformance.ts", ...args];
	return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
		execFile(process.execPath, node, { cwd: root }, (error, stdout, stderr) =>
			resolve({ code: error?.code ?? 0, stdout, stderr }),
		);
	});
}

test("CK7 a module that holds to every case", async () => {
	const { code, text } = await run(["--module", join(root, "index.ts"), "--terminal"]);
	assert.equal(code, 0);
	assert.match(text, /^✔ terminal: notes$/m);
	assert.match(text, /^– endings: a dialog that stays broken \(needs a stale dialog module\)$/m);
	assert.match(text, /\n\n\d+ cases: \d+ hold, 0 differ, 1 not run \(.+\), 1 not run \(.+\)\n$/);
});

const SAID = 'User has answered your questions: \\"Which features?\\"=';
const MORE = "You can now continue with the user's answers in mind.";

const SORTED = `\
✘ answers: several options
    - expected, + seen
      …
              "question": "Which features?",
              "questionIndex": 0,
    -         "selected": ["Search", "Sync"]
    +         "selected": ["Sync", "Search"]
            }
          ],
      …
          }
        ],
    -   "text": "${SAID}\\"Search, Sync\\". ${MORE}"
    +   "text": "${SAID}\\"Sync, Search\\". ${MORE}"
      }
`;

test("CK7 the command, what it writes and how it exits", async () => {
	const module = altered(".sort((a, b) => a - b)", "");
	const [other, none] = await Promise.all([command("--module", module), command()]);
	assert.equal(other.code, 1);
	assert.equal(other.stdout.match(/^✘.*\n(?: .*\n)+/gm)?.join(""), SORTED);
	assert.match(other.stdout, /^– terminal: notes \(needs --terminal\)$/m);
	assert.match(other.stdout, / hold, 1 differ, .* 8 not run \(needs --terminal\)\n$/);
	assert.equal(other.stderr, "");
	assert.equal(none.code, 2);
	assert.match(none.stderr, /^--module PATH is missing\n/);
	assert.equal(none.stdout, "");
});

sealed("protocol");
