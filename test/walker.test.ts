// Questions without a terminal: the host's `select` and `input` dialogs, as an RPC client shows
// them. The client is a list of replies, one for each dialog it is shown.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import type { ExtensionUIDialogOptions } from "@mariozechner/pi-coding-agent";
import { ASK_USER_BLOCKED_EVENT } from "../events.ts";
import { DECLINED, failure, MESSAGES, type Result } from "../index.ts";
import { type Asked, ask, DATABASE, FEATURES, plainQuestions, RELEASE } from "./support/asking.ts";
import { call, type FakeHost, fakeHost, type HostOptions, turn } from "./support/fake-host.ts";
import { golden, sealed } from "./support/golden.ts";

// -- The client -------------------------------------------------------------------------------

/** A host without a terminal, which says so only where it is of the newer kind. */
const SILENT: HostOptions = { custom: "undefined" };
const RPC: HostOptions = { ...SILENT, mode: "rpc" };

interface Shown {
	kind: "select" | "input";
	title: string;
	rows: string[];
	more: ExtensionUIDialogOptions | undefined;
}

/** What a client sends, right or wrong, or how it finds it among the rows. */
type Reply = unknown | ((rows: string[]) => unknown);

/** The row with a number, as a well-behaved client sends it. */
const pick = (number: number) => (rows: string[]) => rows[number - 1];
const next = (rows: string[]) => rows.at(-1);
const [submit, cancel] = ["Submit", "Cancel"];
const dismiss = undefined;
/** The dialog stays open, whatever the signal does. */
const silence = () => new Promise<never>(() => {});
const throws = () => Promise.reject(new Error("the client is gone"));

/** Calls the tool in a host whose client gives these replies, in their order. */
function walking(
	questions: readonly Asked[],
	replies: readonly Reply[],
	options: HostOptions = RPC,
	signal?: AbortSignal,
) {
	const dialogs: Shown[] = [];
	const left = [...replies];
	const reply = (shown: Shown) => {
		dialogs.push(shown);
		assert.ok(left.length > 0, `no reply is left for ${JSON.stringify(shown)}`);
		const given = left.shift();
		return (typeof given === "function" ? given(shown.rows) : given) as string | undefined;
	};
	const host = fakeHost({
		select: (title, rows, more) => reply({ kind: "select", title, rows, more }),
		input: (title, _placeholder, more) => reply({ kind: "input", title, rows: [], more }),
		...options,
	});
	return { host, dialogs, left, result: call(host, { questions }, signal) };
}

/** Runs such a call to its end, which has used every reply. */
async function walked(
	questions: readonly Asked[],
	replies: readonly Reply[],
	options: HostOptions = RPC,
) {
	const { host, dialogs, left, result } = walking(questions, replies, options);
	const settled = await result;
	assert.deepEqual(left, [], `replies were left over, after:\n${host.transcript()}`);
	const details = settled?.details as Result | undefined;
	const texts = (settled?.content ?? []).map((part) => (part.type === "text" ? part.text : ""));
	return { host, dialogs, details, text: texts.join(), answers: answersOf(details) };
}

/** Answers in short: the label or text, the labels and the text of a multi-select, or a dash. */
function answersOf(details: Result | undefined): string[] {
	return (details?.answers ?? []).map(({ questionIndex, answer, selected = [], custom }) => {
		const values = [answer, ...selected, custom].filter((value) => typeof value === "string");
		return `${questionIndex + 1}: ${values.join(" + ")}`;
	});
}

const emitted = (host: FakeHost): string[] =>
	host.emitted.map(({ channel, payload }) => {
		const { active } = payload as { active?: boolean };
		return `${channel.split(":").at(-1)}${active === undefined ? "" : ` ${active}`}`;
	});

const ANSWERED = ["prompt", "blocked true", "blocked false"];
const REJECTED = ["prompt", "blocked true", "aborted", "blocked false"];

/** Compares everything that happened with a golden, which begins with what it shows. */
function record(name: string, title: string, host: FakeHost): void {
	golden(`rpc/${name}.txt`, `${title}\n\n${host.transcript()}`);
}

/** The user declined: the sentence, the event, and what stood at that moment. */
async function declined(questions: readonly Asked[], replies: readonly Reply[]): Promise<string[]> {
	const { host, details, text, answers } = await walked(questions, replies);
	assert.equal(text, DECLINED);
	assert.equal(details?.cancelled, true);
	assert.deepEqual(emitted(host), REJECTED);
	return answers;
}

/** The client broke down: an error, with no word or event of a decline. */
async function broken(questions: readonly Asked[], replies: readonly Reply[]): Promise<FakeHost> {
	const { host, details } = await walked(questions, replies);
	assert.equal(details, undefined);
	assert.match(host.log.at(-1) ?? "", /^throw The questionnaire broke down/);
	assert.deepEqual(emitted(host), ANSWERED);
	return host;
}

const THREE = [DATABASE, FEATURES, RELEASE];

// -- Single-select ----------------------------------------------------------------------------

test("H20 H22 H23 a single-select is one select", async () => {
	const { host, dialogs, text, answers } = await walked([DATABASE], [pick(2)]);
	assert.deepEqual(answers, ["1: SQLite"]);
	assert.match(text, /"Which database should the service use\?"="SQLite"/);
	assert.deepEqual(dialogs[0]?.rows, [
		"1. PostgreSQL (Recommended) — Two other services already run on it",
		"2. SQLite — One file and no server, fine for a single writer",
		"3. DynamoDB — Managed and scales, but ties us to one cloud",
		"4. Type something.",
	]);
	assert.deepEqual(emitted(host), ANSWERED);
	record("answered", "one single-select, answered with the second option", host);
});

test("H20 a host that does not name its mode is asked the same way", async () => {
	const { host, answers } = await walked([DATABASE], [pick(2)], SILENT);
	assert.deepEqual(answers, ["1: SQLite"]);
	const told = await walked([DATABASE], [pick(2)]);
	const attempt = /^(open custom|custom undefined)/;
	assert.ok(host.log.some((line) => attempt.test(line)));
	assert.deepEqual(
		host.log.filter((line) => !attempt.test(line)),
		told.host.log,
		"nothing else is different, and where the host names its mode the dialog is not tried",
	);
});

test("H20 every dialog can be ended by the call, and none by a clock", async () => {
	const replies = [pick(4), "DuckDB", pick(1), pick(4), "  ", "an API", next, pick(1), submit];
	const { host, dialogs } = await walked(THREE, replies);
	assert.equal(dialogs.length, replies.length);
	for (const { more } of dialogs) {
		assert.deepEqual(Object.keys(more ?? {}), ["signal"]);
		assert.equal(more?.signal, dialogs[0]?.more?.signal);
		assert.ok(more?.signal instanceof AbortSignal);
	}
	assert.doesNotMatch(host.transcript(), /^write/m, "no bell, nor any other byte");
});

test("H20 a long questionnaire leaves no heap of listeners", async () => {
	const replies = Array.from({ length: 40 }, () => pick(1));
	const { dialogs } = await walked([FEATURES, RELEASE], [...replies, next, pick(1), submit]);
	// The host takes its own away. From the eleventh on, Node would print a warning.
	assert.equal(getEventListeners(dialogs[0]?.more?.signal as AbortSignal, "abort").length, 1);
});

test("H22 no description, no dash; a line break in one is a space", async () => {
	const questions = [
		{ ...RELEASE, options: [...RELEASE.options, { label: "Later", description: "one\n\ntwo" }] },
	];
	const { dialogs } = await walked(questions, [pick(1)]);
	assert.deepEqual(dialogs[0]?.rows, [
		"1. This week",
		"2. Next month",
		"3. Later — one  two",
		"4. Type something.",
	]);
});

test("H23 the custom row opens an input", async () => {
	const { dialogs, details } = await walked([DATABASE], [pick(4), "  two\nlines "]);
	assert.deepEqual(
		dialogs.map(({ kind, title }) => [kind, title]),
		[
			["select", "[Database] Which database should the service use?"],
			["input", "[Database] Which database should the service use?"],
		],
	);
	const { question } = DATABASE;
	const answer = { questionIndex: 0, question, kind: "custom", answer: "  two\nlines " };
	assert.deepEqual(details, { answers: [answer], cancelled: false });
});

test("H23 a dismissed input leads back to the rows, twice in a row it declines", async () => {
	const back = await walked([DATABASE], [pick(4), dismiss, pick(1)]);
	assert.deepEqual(back.answers, ["1: PostgreSQL (Recommended)"]);
	assert.deepEqual(await declined([DATABASE], [pick(4), dismiss, pick(4), dismiss]), []);
	// On multi-select something can happen between the two.
	const between = [
		pick(4),
		dismiss,
		pick(1),
		pick(4),
		dismiss,
		pick(4),
		"an API",
		pick(4),
		dismiss,
	];
	const { answers } = await walked([FEATURES], [...between, next]);
	assert.deepEqual(answers, ["1: Search + an API"]);
	const empty = await walked([FEATURES], [pick(4), dismiss, next, pick(4), dismiss, pick(1), next]);
	assert.deepEqual(empty.answers, ["1: Search"]);
	assert.deepEqual(await declined([FEATURES], [pick(1), pick(4), dismiss, pick(4), dismiss]), [
		"1: Search",
	]);
});

// -- Multi-select -----------------------------------------------------------------------------

test("H24 a multi-select is asked until Next", async () => {
	const replies = [pick(3), pick(1), pick(2), pick(2), pick(4), "an API", next];
	const { host, dialogs, details } = await walked([FEATURES], replies);
	assert.deepEqual(details?.answers, [
		{
			questionIndex: 0,
			question: FEATURES.question,
			kind: "multi",
			answer: null,
			selected: ["Search", "Sharing"],
			custom: "an API",
		},
	]);
	assert.deepEqual(dialogs[0]?.rows, [
		"[ ] 1. Search — Full text over titles and bodies",
		"[ ] 2. Export — CSV and JSON, streamed",
		"[ ] 3. Sharing — Read-only links that expire",
		"[ ] 4. Type something.",
		"Next",
	]);
	assert.deepEqual(dialogs.at(-1)?.rows, [
		"[x] 1. Search — Full text over titles and bodies",
		"[ ] 2. Export — CSV and JSON, streamed",
		"[x] 3. Sharing — Read-only links that expire",
		'[x] 4. Type something. "an API"',
		"Next",
	]);
	record("multi", "one multi-select: options 3 and 1, 2 on and off, and a typed answer", host);
});

test("H24 what was typed is shown in one line without its control characters", async () => {
	const replies = [pick(4), "one\n\x1b[31mtwo", next];
	const { dialogs, details } = await walked([FEATURES], replies);
	assert.equal(dialogs.at(-1)?.rows[3], '[x] 4. Type something. "one two"');
	assert.equal(details?.answers[0]?.answer, "one\n\x1b[31mtwo", "it is sent as it was typed");
});

test("H25 an empty Next leaves a form's question open", async () => {
	const { host, answers, dialogs } = await walked([FEATURES, RELEASE], [next, pick(2), submit]);
	assert.deepEqual(answers, ["2: Next month"]);
	assert.deepEqual(dialogs.at(-1)?.rows, [
		"Submit",
		"1. Features: not answered",
		"2. Release: Next month",
		"Cancel",
	]);
	assert.deepEqual(emitted(host), ANSWERED);
});

test("H25 an empty Next alone is asked again, and declined in the end", async () => {
	const { answers } = await walked([FEATURES], [next, next, next, next, pick(2), next]);
	assert.deepEqual(answers, ["1: Export"]);
	assert.deepEqual(await declined([FEATURES], [next, next, next, next, next]), []);
});

// -- Replies ----------------------------------------------------------------------------------

test("H26 a reply is a row, else a label, else a number", async () => {
	const numbers = {
		...RELEASE,
		options: ["10", "20", "2"].map((label) => ({ label, description: "" })),
	};
	const cases: [Asked, string, string][] = [
		[DATABASE, "2. SQLite — One file and no server, fine for a single writer", "SQLite"],
		[DATABASE, " 3. DynamoDB — Managed and scales, but ties us to one cloud\n", "DynamoDB"],
		[DATABASE, "SQLite", "SQLite"],
		[DATABASE, " SQLite ", "SQLite"],
		[DATABASE, "2", "SQLite"],
		[DATABASE, "2.", "SQLite"],
		[numbers, "20", "20"],
		[numbers, "10", "10"],
		[numbers, "2", "2"],
		[numbers, "1", "10"],
		[numbers, "2.", "20"],
	];
	for (const [question, reply, answer] of cases) {
		const { answers } = await walked([question], [reply]);
		assert.deepEqual(answers, [`1: ${answer}`], `the reply was ${JSON.stringify(reply)}`);
	}
	const byLabel = ["Sharing", "Type something.", "an API", "Export", "1", "Export", "Next"];
	const multi = await walked([FEATURES], byLabel);
	assert.deepEqual(multi.answers, ["1: Search + Sharing + an API"]);
	for (const typing of ["4", "Type something."]) {
		const typed = await walked([DATABASE], [typing, "DuckDB"]);
		assert.deepEqual(typed.answers, ["1: DuckDB"], typing);
	}
	// The host's schema check allows four options; the walk can do with more.
	const labels = Array.from({ length: 12 }, (_, i) => `Shard ${String.fromCharCode(65 + i)}`);
	const many = { ...RELEASE, options: labels.map((label) => ({ label, description: "" })) };
	const tenth = await walked([many], ["12."]);
	assert.deepEqual(tenth.answers, ["1: Shard L"]);
});

test("H27 any other reply is asked again, and in the end the client is broken", async () => {
	const wrong = ["maybe", "0", "5", "Next", "2. SQLite — another description"];
	await broken([DATABASE], ["option 2", "2 of 3", "x2", "2..", "-2"]);
	const host = await broken([DATABASE], wrong);
	assert.equal(host.log.filter((line) => line.startsWith("select")).length, 5);
	record("broken-client", "a client whose five replies are none of the rows", host);
	for (const reply of [null, 2, true, {}, ["2"], "", "PostgreSQL", "undefined"]) {
		await broken([DATABASE], [reply, reply, reply, reply, reply]);
		const { answers } = await walked([DATABASE], [reply, reply, reply, reply, pick(2)]);
		assert.deepEqual(answers, ["1: SQLite"]);
	}
	await broken(THREE, [pick(1), next, pick(1), ...["x", "x", "x", "x", "x"]]);
	// Nothing is sent or thrown away by a blank reply to the review.
	await broken(THREE, [pick(1), next, pick(1), ...["", " ", "\n", "", ""]]);
});

test("H27 what was answered before is in the error", async () => {
	const host = await broken(THREE, [pick(2), pick(1), ...["x", "x", "x", "x", "x"]]);
	const answered = [
		{ questionIndex: 0, question: DATABASE.question, kind: "option", answer: "SQLite" },
		{
			questionIndex: 1,
			question: FEATURES.question,
			kind: "multi",
			answer: null,
			selected: ["Search"],
		},
	] as const;
	const expected = failure(answered.map((answer) => ({ ...answer }) as Result["answers"][number]));
	assert.equal(host.log.at(-1), `throw ${expected}`);
});

test("H28 a blank input is no answer", async () => {
	const blanks = ["", " ", "\n\t", "\u2800", "\u3000"];
	const { answers, dialogs } = await walked([DATABASE], [pick(4), ...blanks.slice(1), "DuckDB"]);
	assert.deepEqual(answers, ["1: DuckDB"]);
	assert.deepEqual(dialogs.map(({ kind }) => kind).slice(1), Array(5).fill("input"));
	assert.deepEqual(await declined([DATABASE], [pick(4), ...blanks]), []);
});

test("H28 an input that returns no text is a broken client's", async () => {
	const { answers } = await walked([DATABASE], [pick(4), null, 1, "DuckDB"]);
	assert.deepEqual(answers, ["1: DuckDB"]);
	await broken([DATABASE], [pick(4), null, 1, {}, [], false]);
});

// -- Forms ------------------------------------------------------------------------------------

test("H29 a form ends in a review, where answers can be changed", async () => {
	const answering = [pick(1), pick(1), pick(3), next, pick(2)];
	const changing = [pick(2), pick(4), "DuckDB", "Features", pick(1), next];
	const { host, dialogs, answers } = await walked(THREE, [...answering, ...changing, submit]);
	assert.deepEqual(answers, ["1: DuckDB", "2: Sharing", "3: Next month"]);
	const reviews = dialogs.filter(({ title }) => title === "Review your answers");
	assert.deepEqual(
		reviews.map(({ rows }) => rows),
		[
			["PostgreSQL (Recommended)", "Search, Sharing"],
			["DuckDB", "Search, Sharing"],
			["DuckDB", "Sharing"],
		].map(([database, features]) => [
			"Submit",
			`1. Database: ${database}`,
			`2. Features: ${features}`,
			"3. Release: Next month",
			"Cancel",
		]),
	);
	record("form", "three questions, two answers changed in the review", host);
});

test("H29 a changed question shows what stands for it", async () => {
	const answering = [pick(4), "DuckDB\nembedded", pick(2), next, pick(1)];
	const changing = [pick(2), pick(2), pick(3), pick(1), next, submit];
	const { dialogs, answers } = await walked(THREE, [...answering, ...changing]);
	assert.equal(dialogs[5]?.rows[1], "1. Database: DuckDB embedded");
	assert.equal(dialogs[6]?.rows[3], '4. Type something. "DuckDB embedded"');
	assert.deepEqual(answers, ["1: SQLite", "2: Search + Export", "3: This week"]);
	assert.equal(dialogs[8]?.rows[1], "[x] 2. Export — CSV and JSON, streamed");
});

test("H26 H29 every question can be asked again, by its row as well", async () => {
	const answering = [pick(4), "DuckDB ", next, pick(1)];
	// The answer ends in a space, and so does its row.
	const changing = [pick(2), pick(1), pick(4), pick(2), submit];
	const { dialogs, answers } = await walked(THREE, [...answering, ...changing]);
	assert.equal(dialogs[4]?.rows[1], "1. Database: DuckDB ");
	assert.deepEqual(answers, ["1: PostgreSQL (Recommended)", "3: Next month"]);
});

test("H29 Cancel declines, and so does to submit nothing", async () => {
	const form = plainQuestions("One", "Two");
	assert.deepEqual(await declined(form, [pick(1), pick(2), cancel]), ["1: Yes", "2: No"]);
	const multi = form.map((question) => ({ ...question, multiSelect: true }));
	assert.deepEqual(await declined(multi, [next, next, submit]), []);
});

test("H29 headers that look like the review's own rows do no harm", async () => {
	const form = plainQuestions("Cancel", "Submit");
	const { answers } = await walked(form, [pick(1), pick(1), "1. Cancel: Yes", pick(2), "Submit"]);
	assert.deepEqual(answers, ["1: No", "2: Yes"]);
	assert.deepEqual(await declined(form, [pick(1), pick(1), "Cancel"]), ["1: Yes", "2: Yes"]);
});

test("H30 a dismissed select declines the questionnaire", async () => {
	assert.deepEqual(await declined([DATABASE], [dismiss]), []);
	const { host, answers } = await walked(THREE, [pick(1), dismiss]);
	assert.deepEqual(answers, ["1: PostgreSQL (Recommended)"]);
	record("declined", "three questions, the second select dismissed", host);
	assert.deepEqual(await declined(THREE, [pick(1), pick(2), dismiss]), [
		"1: PostgreSQL (Recommended)",
		"2: Export",
	]);
	const form = plainQuestions("One", "Two");
	assert.deepEqual(await declined(form, [pick(1), pick(2), dismiss]), ["1: Yes", "2: No"]);
	assert.deepEqual(await declined(form, [pick(1), pick(2), pick(2), dismiss]), ["1: Yes", "2: No"]);
});

// -- Titles -----------------------------------------------------------------------------------

const previewed = (...previews: (string | undefined)[]): Asked => ({
	question: "Which layout?",
	header: "Layout",
	options: previews.map((preview, i) => ({
		label: `Layout ${i + 1}`,
		description: "",
		...(preview === undefined ? {} : { preview }),
	})),
});

test("H21 every dialog of a question has the same title", async () => {
	const questions = [{ ...FEATURES, question: "Two\nlines?" }];
	const replies = ["what?", pick(1), pick(4), "", "an API", pick(1), next];
	const { dialogs } = await walked(questions, replies);
	assert.deepEqual([...new Set(dialogs.map(({ title }) => title))], ["[Features] Two\nlines?"]);
	const single = await walked([previewed("# A\n\ntext", undefined)], ["?", pick(3), " ", "typed"]);
	assert.deepEqual(
		[...new Set(single.dialogs.map(({ title }) => title))],
		["[Layout] Which layout?\n\nLayout 1:\n# A\n\ntext"],
	);
});

test("H21 a question without a header gets a number", async () => {
	const { dialogs } = await walked([{ ...DATABASE, header: " " }], [pick(1)]);
	assert.equal(dialogs[0]?.title, "[Q1] Which database should the service use?");
});

/** The previews as the title shows them. */
async function excerpts(...previews: string[]): Promise<string[]> {
	const { dialogs } = await walked([previewed(...previews)], [pick(1)]);
	const [, ...parts] = (dialogs[0]?.title ?? "").split(/\n\nLayout \d:\n/);
	return parts;
}

test("H31 a preview is cut between characters, and says so", async () => {
	const family = "👨‍👩‍👧‍👦";
	const a = (count: number) => "a".repeat(count);
	const cases: [string, string][] = [
		[a(600), a(600)],
		[a(601), `${a(600)} […]`],
		[`${a(598)}😀`, `${a(598)}😀`],
		[`${a(599)}😀`, `${a(599)} […]`],
		[`${a(595)}${family}b`, `${a(595)} […]`],
		[`${a(589)}${family}`, `${a(589)}${family}`],
		[`${a(599)}e\u0323\u0302`, `${a(599)}ệ`],
		[`${a(600)}\n`, `${a(600)} […]`],
	];
	for (const [preview, shown] of cases) {
		assert.deepEqual(await excerpts(preview, "short"), [shown, "short"]);
		assert.ok(shown.isWellFormed());
	}
});

test("H31 a preview of too many lines is cut between lines", async () => {
	const lines = (count: number) => Array.from({ length: count }, (_, i) => `${i}`).join("\n");
	assert.deepEqual(await excerpts(lines(12), lines(13)), [lines(12), `${lines(12)} […]`]);
});

test("H31 the preview of the answer is sent whole", async () => {
	const preview = "x".repeat(5000);
	const { details, text } = await walked([previewed(preview, "b")], [pick(1)]);
	assert.equal(details?.answers[0]?.preview, preview);
	assert.ok(text.includes(preview));
});

// -- Endings ----------------------------------------------------------------------------------

test("H32 a dialog that rejects is an error of ours", async () => {
	await broken([DATABASE], [throws]);
	await broken([DATABASE], [pick(4), throws]);
	const host = await broken(THREE, [pick(2), throws]);
	assert.match(host.log.at(-1) ?? "", /Answered until then: .*"="SQLite"\.$/);
	await broken(
		[DATABASE],
		[
			() => {
				throw new Error("at once");
			},
		],
	);
});

test("H32 a reply that comes twice counts once", async () => {
	const twice = (rows: string[]) =>
		new Promise((resolve) => {
			resolve(rows[0]);
			resolve(rows[1]);
		});
	const { answers } = await walked([DATABASE], [twice]);
	assert.deepEqual(answers, ["1: PostgreSQL (Recommended)"]);
});

/** Starts a call whose client falls silent after some replies, and aborts it. */
async function aborted(replies: readonly Reply[]) {
	const controller = new AbortController();
	const all = [...replies, silence];
	const { host, dialogs, result } = walking(THREE, all, RPC, controller.signal);
	while (dialogs.length < all.length) await turn();
	controller.abort();
	const settled = await result;
	const details = settled?.details as Result | undefined;
	assert.equal(settled?.terminate, true);
	assert.deepEqual(settled?.content, [{ type: "text", text: DECLINED }]);
	assert.equal(details?.cancelled, true);
	assert.deepEqual(emitted(host), ANSWERED, "nobody rejected anything");
	return { host, dialogs, answers: answersOf(details) };
}

test("H33 an abort ends the dialog that is open", async () => {
	const { host, answers } = await aborted([pick(2), pick(1)]);
	assert.deepEqual(answers, ["1: SQLite", "2: Search"]);
	record("aborted", "aborted while the second of three questions is open", host);
	const typing = await aborted([pick(2), pick(4)]);
	assert.equal(typing.dialogs.at(-1)?.kind, "input");
	assert.deepEqual(typing.answers, ["1: SQLite"]);
	const review = await aborted([pick(2), next, pick(1)]);
	assert.deepEqual(review.answers, ["1: SQLite", "3: This week"]);
	// A second dismissed input would decline, but the abort is no dismissal.
	await aborted([pick(2), pick(4), dismiss, pick(4)]);
});

/** A host whose dialogs do not heed the signal, and what it does when that fires. */
function deaf(onAbort: "nothing" | "rejects") {
	const controller = new AbortController();
	const { host, result } = walking([DATABASE], [], RPC, controller.signal);
	let answer = (_reply: string) => {};
	const open = (_title: string, _rows: unknown, more: ExtensionUIDialogOptions) =>
		new Promise<string>((resolve, reject) => {
			answer = resolve;
			if (onAbort === "nothing") return;
			const gone = () => reject(new Error("aborted"));
			if (more.signal?.aborted) gone();
			more.signal?.addEventListener("abort", gone);
		});
	Object.assign(host.ctx.ui, { select: open, input: open });
	return { host, controller, result, answer: (reply: string) => answer(reply) };
}

test("H33 an abort ends a deaf dialog, and a late reply has no effect", async () => {
	for (const asked of ["select", "input"]) {
		const { host, controller, result, answer } = deaf("nothing");
		await turn();
		if (asked === "input") answer("4");
		await turn();
		controller.abort();
		const settled = await result;
		assert.deepEqual(settled?.details, { answers: [], cancelled: true });
		const before = host.transcript();
		answer(asked === "input" ? "DuckDB" : "1");
		await turn();
		assert.equal(host.transcript(), before);
		assert.deepEqual(emitted(host), ANSWERED);
	}
});

test("H33 a dialog that rejects because of the abort is no fault", async () => {
	for (const early of [true, false]) {
		const { host, controller, result } = deaf("rejects");
		// A listener may abort the call before its first dialog is shown.
		if (early) host.pi.events.on(ASK_USER_BLOCKED_EVENT, () => controller.abort());
		await turn();
		controller.abort();
		const settled = await result;
		assert.equal(settled?.terminate, true);
		assert.deepEqual(settled?.details, { answers: [], cancelled: true });
		assert.deepEqual(emitted(host), ANSWERED);
	}
});

test("H33 the end of the session ends the dialog", async () => {
	const { host, dialogs, result } = walking(THREE, [pick(2), silence]);
	while (dialogs.length < 2) await turn();
	await host.fire("session_shutdown");
	const settled = await result;
	assert.equal(settled?.terminate, true);
	assert.deepEqual(answersOf(settled?.details as Result), ["1: SQLite"]);
	assert.deepEqual(emitted(host), ANSWERED);
});

test("H33 a call that was aborted before opens nothing", async () => {
	const { host, result } = walking([DATABASE], [], RPC, AbortSignal.abort());
	await result;
	assert.deepEqual(emitted(host), []);
	assert.doesNotMatch(host.transcript(), /^(select|input)/m);
});

test("H35 a host that has only one of the two is not asked", async () => {
	for (const name of ["select", "input"]) {
		const host = fakeHost(RPC);
		Object.assign(host.ctx.ui, { [name]: undefined });
		const result = await call(host, { questions: [DATABASE] });
		const details = result?.details as Result | undefined;
		assert.equal(details?.error, "no_custom_ui", name);
		assert.deepEqual(emitted(host), []);
	}
});

test("H35 without select and input nobody is asked", async () => {
	const { host, details, text } = await walked([DATABASE], [], { ...RPC, noDialogs: true });
	assert.deepEqual(details, { answers: [], cancelled: true, error: "no_custom_ui" });
	assert.equal(text, MESSAGES.no_custom_ui("", ""));
	assert.match(text, /Nobody saw the questions, so this is not a decline/);
	assert.deepEqual(emitted(host), []);
	record("no-custom-ui", "a client that offers neither select nor input", host);
	// Where the mode is not told, this is known only after the dialog was tried.
	const tried = await walked([DATABASE], [], { ...SILENT, noDialogs: true });
	assert.equal(tried.details?.error, "no_custom_ui");
	assert.deepEqual(emitted(tried.host), ANSWERED);
});

// -- Beside the dialog ------------------------------------------------------------------------

const SAME: [name: string, questions: Asked[], keys: string[], replies: Reply[]][] = [
	["an option", [DATABASE], ["down", "enter"], [pick(2)]],
	["a typed answer", [DATABASE], ["4", "type:two words", "enter"], [pick(4), "two words"]],
	["an option with a preview", [previewed("a", "b")], ["down", "enter"], [pick(2)]],
	[
		"checks and a text",
		[FEATURES],
		["3", "1", "4", "type:an API", "enter", "enter"],
		[pick(3), pick(1), pick(4), "an API", next],
	],
	["only a text", [FEATURES], ["4", "type:an API", "enter", "enter"], [pick(4), "an API", next]],
	[
		"a form with an open question",
		THREE,
		["1", "up", "enter", "2", "enter", "enter"],
		[pick(1), next, pick(2), submit],
	],
	["a decline at once", [DATABASE], ["esc"], [dismiss]],
	[
		"a decline with checks that were not confirmed",
		THREE,
		["2", "1", "3", "esc", "esc"],
		[pick(2), pick(1), pick(3), dismiss],
	],
];

for (const [name, questions, keys, replies] of SAME) {
	test(`H34 the same as in the dialog: ${name}`, async () => {
		const dialog = await ask(questions);
		dialog.press(...keys);
		const inTerminal = await dialog.result;
		const overRpc = await walked(questions, replies);
		assert.deepEqual(overRpc.details, inTerminal?.details);
		assert.deepEqual(inTerminal?.content, [{ type: "text", text: overRpc.text }]);
		assert.deepEqual(overRpc.host.emitted, dialog.host.emitted);
	});
}

sealed("rpc");
