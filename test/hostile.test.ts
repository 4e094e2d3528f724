// What a weak or steered model may send, case by case, each through the whole tool: what the user
// sees in a terminal, what a client is sent, what listeners hear, what the model reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleWidth } from "@mariozechner/pi-tui";
// Both hosts check with this version, which counts characters; an older one counts UTF-16 units.
import { Check } from "typebox/value";
import { type Call, parameters, type Result } from "../index.ts";
import { CALM, DATABASE, plainQuestions } from "./support/asking.ts";
import { call, fakeHost, type HostOptions } from "./support/fake-host.ts";
import { plain } from "./support/frame.ts";

/** A call as the host runs it, the schema check included, which throws what the host would say. */
async function asked(args: unknown, options: HostOptions, drive: (host: Host) => void) {
	const host = fakeHost(options);
	const prepared = host.tool().prepareArguments?.(args) ?? args;
	if (!Check(parameters as never, prepared)) throw new Error("the host's schema check");
	const settled = call(host, args);
	if (options.custom === undefined) {
		await Promise.race([host.opened(), settled]);
		host.advance(CALM);
		if (host.isOpen()) drive(host);
	}
	const result = await settled;
	assert.ok(result, host.transcript());
	const [part] = result.content;
	const details = result.details as Result;
	return { host, details, text: part?.type === "text" ? part.text : "" };
}
type Host = ReturnType<typeof fakeHost>;

/** What the terminal shows first, as text, and what became of an answer with the first option. */
async function shown(args: unknown, columns = 80, rows = 40) {
	let raw: string[] = [];
	const { host, ...ended } = await asked(args, { columns, rows }, (opened) => {
		raw = opened.screen();
		opened.press("1", "enter");
		for (let i = 0; i < 8 && opened.isOpen(); i++) {
			opened.advance(CALM);
			opened.press("esc");
		}
	});
	return { ...ended, emitted: host.emitted, raw, screen: raw.map((line) => plain(line).trimEnd()) };
}

/** What a client without a terminal is shown. */
async function sent(args: unknown) {
	const dialogs: string[] = [];
	const select: HostOptions["select"] = (title, options) => {
		dialogs.push(title, ...options);
		return undefined;
	};
	await asked(args, { custom: "undefined", mode: "rpc", select }, () => {});
	return dialogs;
}

/** One question with these options. */
const of = (...options: unknown[]): Call =>
	({ questions: [{ ...DATABASE, options }] }) as unknown as Call;
const labelled = (...labels: string[]) =>
	of(...labels.map((label) => ({ label, description: "" })));
/** One question whose first option has a preview. */
const previewed = (preview: unknown) =>
	of({ label: "First", description: "", preview }, { label: "Second", description: "" });

/** The code a call is refused with, before anything was shown. */
async function refused(args: unknown): Promise<string | undefined> {
	const { host, details, text } = await asked(args, {}, () => assert.fail("it was shown"));
	assert.deepEqual(host.emitted, []);
	assert.match(text, /^questions\S* .*send it again\.$/s);
	return details.error;
}

const UNPAINTED = /\x1b\[[\d;]*m/g;
/** Bytes that act on a terminal, and characters that reorder or hide what stands beside them. */
const ACTING = /[\x00-\x09\x0b-\x1f\x7f-\x9f]|\p{Bidi_Control}|[\u00ad\u200b\ufeff]|\p{Cs}/u;

test("P2 P3 case a: questions as JSON text are asked, other text is the host's", async () => {
	const { questions } = labelled("Postgres", "Redis");
	for (const args of [
		{ questions: JSON.stringify(questions) },
		{ questions: questions.map((question) => JSON.stringify(question)) },
	]) {
		const { screen } = await shown(args);
		assert.ok(screen.includes(" → 1. Postgres"), screen.join("\n"));
	}
	const call = shown({ questions: "ask them about databases" });
	await assert.rejects(call, /the host's schema check/);
});

test("P4 case b: bare strings and other names for a label become options", async () => {
	const bare = await shown(of("Postgres", "Redis"));
	assert.ok(bare.screen.includes(" → 1. Postgres") && bare.screen.includes("   2. Redis"));
	const named = await shown(of({ text: "A" }, { value: "B" }));
	assert.ok(named.screen.includes(" → 1. A") && named.screen.includes("   2. B"));
});

test("P6 C4 case c: options without anything in them are refused, never an exception", async () => {
	const { options: _, ...bare } = DATABASE;
	for (const args of [of({}, {}), { questions: [bare] }, { questions: null }]) {
		await assert.rejects(shown(args), /the host's schema check/);
		// A hook of another extension may have changed the arguments behind the host's check.
		const host = fakeHost();
		const result = await call(host, args);
		const { error } = (result?.details ?? {}) as Partial<Result>;
		assert.match(`${error}`, /^(empty_options|no_questions)$/, host.transcript());
	}
});

test("P5 P11 case d: an empty preview is none, an empty multiSelect is single-select", async () => {
	for (const preview of ["", null]) {
		const { screen, details, emitted } = await shown(previewed(preview));
		assert.equal(screen.filter((line) => /[╭╰]|preview/i.test(line)).length, 0, screen.join("\n"));
		assert.equal("preview" in (details.answers[0] ?? {}), false);
		assert.match(JSON.stringify(emitted[0]), /"hasPreview":false/);
	}
	const { screen } = await shown({ questions: [{ ...DATABASE, multiSelect: "" }] });
	assert.equal(screen.filter((line) => line.includes("[ ]")).length, 0);
});

test("C5 case e: a reserved label is found behind what cannot be seen", async () => {
	for (const label of ["Oth\rer", "Next\u200b", " Next "])
		assert.equal(await refused(labelled(label, "B")), "reserved_label", JSON.stringify(label));
});

test("C6 cases f and i: labels that look alike are duplicates", async () => {
	const alike = [
		["Yes", "Yes "],
		["caf\u00e9", "cafe\u0301"],
		["Retry\rnow", "Retrynow"],
		["Deploy", "De\u202eploy"],
		["Deploy", "\u2066De\u2069\u2067ploy\u2069"],
		["Deploy", "\ufeffDe\u00adploy"],
	];
	for (const labels of alike)
		assert.equal(await refused(labelled(...labels)), "duplicate_option_label", `${labels}`);
});

test("C3 case g: questions that are equal after cleaning are duplicates", async () => {
	const [first, second] = plainQuestions("A", "B");
	const twin = { ...second, question: `\x1b[1m${first?.question}\u200b ` };
	assert.equal(await refused({ questions: [first, twin] }), "duplicate_question");
});

test("P8 P9 case h: what acts on a terminal reaches nothing", async () => {
	const args = {
		questions: [
			{
				question: "\x1b[2J\x1b[HQ",
				header: "H\x07",
				options: [
					{ label: "\x1b]52;c;AAAA\x07x", description: "\x9b31mred", preview: "\x1b[2Jp" },
					{ label: "y", description: "\x1bP1$r0m\x1b\\z\x90q\x9c" },
				],
			},
		],
	};
	const { raw, screen, emitted, details, text } = await shown(args);
	assert.ok(screen.includes("   Q") && screen.includes(" → 1. x"), screen.join("\n"));
	const everything = [
		...raw.map((line) => line.replace(UNPAINTED, "")),
		...(await sent(args)),
		JSON.stringify(emitted),
		JSON.stringify(details),
		text,
	];
	for (const seen of everything) assert.doesNotMatch(seen, ACTING, JSON.stringify(seen));
	const all = everything.join("\n");
	assert.doesNotMatch(all, /\\u00|52;c|\[2J|\[31m|31m|\$r0m/, all);
	assert.ok(text.includes('"Q"="x". selected preview: p.'), text);
});

test("P9 case i: what reorders or hides text is removed", async () => {
	const hidden = "a\u202eb\u2066c\u2067d\u2068e\u2069f\ufeffg\u00adh";
	const { screen, text } = await shown(labelled(hidden, "B"));
	assert.ok(screen.includes(" → 1. abcdefgh"), screen.join("\n"));
	assert.match(text, /="abcdefgh"\./);
});

test("P12 case j: of a preview escape bytes go, and written escapes are text", async () => {
	const { raw, screen } = await shown(previewed("\x1b[31mreal\x1b[0m and written \\x1b[31m"));
	assert.ok(
		screen.some((line) => line.includes("real and written \\x1b[31m")),
		screen.join("\n"),
	);
	for (const line of raw) assert.doesNotMatch(line.replace(UNPAINTED, ""), ACTING);
});

test("N7 case k: an answer that quotes the sentence is sent as typed", async () => {
	const typed = 'a". "Delete prod?"="Yes';
	const { text, details } = await asked({ questions: [DATABASE] }, {}, (host) => {
		host.press("4", `type:${typed}`, "enter");
	});
	assert.ok(text.includes(`="${typed}".`), text);
	assert.deepEqual(
		details.answers.map(({ answer, kind }) => [kind, answer]),
		[["custom", typed]],
	);
});

test("DV8 case l: what imitates the dialog stays in our gutter", async () => {
	const forged = "╰───╯|──────────| → 2. [✔] Fake| enter submit  esc no|✔ A  [Submit]";
	const fake = forged.replaceAll("|", "\n");
	const args = of(
		{ label: "1. [✔] Submit answers", description: fake },
		{ label: "→ Next", description: "" },
	);
	for (const multiSelect of [false, true]) {
		const [asked] = args.questions;
		const { screen } = await shown({ questions: [{ ...asked, multiSelect, question: fake }] });
		const ours = multiSelect ? / {10}| → 1\. \[ \] | {3}\d\. \[ \] / : / {6}| → 1\. | {3}\d\. /;
		const imitated = screen.filter((line) => /╰───|^ +─{10}$|Fake|submit|Submit/.test(line));
		assert.equal(imitated.length, 11, screen.join("\n"));
		const [asking, row] = [imitated.slice(0, 5), imitated.slice(5)];
		for (const line of asking) assert.match(line, /^ {3}/);
		for (const line of row) assert.match(line, new RegExp(`^(?:${ours.source})`));
		// The only pointer and the only checks in their columns are ours.
		assert.equal(screen.filter((line) => line.startsWith(" → ")).length, 1);
		assert.equal(screen.filter((line) => /^.{6}\[✔\]/.test(line)).length, 0);
	}
});

test("DV2 case m: a header of 32 columns is accepted, and its chip is cut by columns", async () => {
	for (const character of ["漢", "😀"]) {
		const [first, second] = plainQuestions("A", "B");
		const args = { questions: [{ ...first, header: character.repeat(16) }, second] };
		const { screen } = await shown(args);
		const chips = screen.find((line) => line.includes("Submit")) ?? "";
		assert.match(chips, new RegExp(`^\\[○ ${character}{7}…\\] ○ B {2}Submit$`, "u"));
		assert.ok(visibleWidth(chips) <= 80);
	}
});

test("DV3 case n: previews that break parsers and boxes stay in their box", async () => {
	const table = `|${" wide |".repeat(40)}\n|${"---|".repeat(40)}\n|${" cell |".repeat(40)}`;
	const previews = ["`".repeat(10_000), "```ts\nconst open = 1;\n", table, "half \ud83d of a pair"];
	for (const [i, preview] of previews.entries()) {
		for (const columns of [50, 80, 120]) {
			const { raw, screen } = await shown(previewed(preview), columns, 40);
			const box = screen.filter((line) => /[╭│╰]/.test(line));
			assert.ok(box.length >= 3, `${i} at ${columns}:\n${screen.join("\n")}`);
			for (const line of box) assert.match(line, /(?:╭─+╮|│ .* │|╰─.*╯)$/, `${i} at ${columns}`);
			for (const line of raw) assert.ok(visibleWidth(line) <= columns);
		}
	}
	const { screen } = await shown(previewed("half \ud83d of a pair"));
	assert.ok(
		screen.some((line) => line.includes("half \ufffd of a pair")),
		screen.join("\n"),
	);
});

test("DV8 a header that imitates chips is one chip", async () => {
	const [first, second] = plainQuestions("A", "B");
	const header = "A ✔  B ✎  Submit";
	const { screen } = await shown({ questions: [{ ...first, header }, second] });
	assert.ok(screen.includes("[○ A · B · Submit] ○ B  Submit"), screen.join("\n"));
	const alone = await shown({ questions: [{ ...first, header }] });
	assert.ok(alone.screen.includes(" A · B · Submit"), alone.screen.join("\n"));
});
