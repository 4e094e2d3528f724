// The recorder: what it writes of a dialog, and that playing it shows the same again.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import extension, { type Edges } from "../index.ts";
import { type Asked, CALM, DATABASE, FEATURES } from "./support/asking.ts";
import { call, fakeHost, type HostOptions } from "./support/fake-host.ts";
import { plain } from "./support/frame.ts";
import { golden, sealed } from "./support/golden.ts";
import { parseHead, sizeOf, strokes, waitOf } from "./support/head.ts";
import { bytes } from "./support/keys.ts";

const folder = mkdtempSync(join(tmpdir(), "pi-ask-record-"));
const kept = join(folder, "kept");
after(() => rmSync(folder, { recursive: true }));

/** Records into a folder from here on, as the user's environment would have it. */
function recordInto(path: string, keepsText: boolean): Edges["load"] {
	process.env.ASK_USER_RECORD = path;
	if (keepsText) process.env.ASK_USER_RECORD_TEXT = "1";
	else delete process.env.ASK_USER_RECORD_TEXT;
	return () => import("../record.ts");
}

interface Step {
	wait?: number;
	size?: [columns: number, rows: number];
	data?: string;
}

/** Takes steps in a dialog, and tells every screen that was seen, and how the call ended. */
async function taken(questions: readonly Asked[], steps: readonly Step[], options: HostOptions) {
	const host = fakeHost(options);
	const settled = call(host, { questions });
	await host.opened();
	let [columns, rows] = [options.columns ?? 80, options.rows ?? 24];
	const screens: string[] = [];
	for (const { wait = CALM, size, data } of steps) {
		host.advance(wait);
		if (size) [columns, rows] = size;
		host.resize(columns, rows);
		if (data !== undefined) host.component().handleInput?.(data);
		if (!host.isOpen()) break;
		screens.push(host.screen().map(plain).join("\n"));
	}
	if (host.isOpen()) await host.fire("session_shutdown");
	return { screens, result: await settled };
}

/** The only record of a folder. Once it is done it is removed, so that the next is the only one. */
function record(path: string, done = true): string {
	const [name = "", ...others] = readdirSync(path);
	assert.match(name, /^ask-\d{4}(-\d\d){2}T(\d\d-){3}\d{3}-\d+\.txt$/);
	assert.deepEqual(others, []);
	const file = join(path, name);
	assert.equal(statSync(file).mode & 0o777, 0o600, "it is for the user alone");
	const text = readFileSync(file, "utf8");
	if (done) rmSync(file);
	return text;
}

const key = (name: string, wait = CALM): Step => ({ wait, data: bytes(name) });
const typed = (text: string): Step[] => [...text].map((data) => ({ wait: 80, data }));

const STEPS: Step[] = [
	// What was still meant for the editor: too soon, and of no use to a list.
	...typed("zzqf"),
	key("down"),
	key("2"),
	key("kitty:down"),
	key("repeat:down"),
	key("up"),
	key("space"),
	{ size: [50, 20] },
	key("down", 120),
	...typed("Quagga 漢字\\"),
	key("enter", 80),
	key("alt+b"),
	key("ctrl+j"),
	key("raw:\x1bOP"),
	key("raw:\x1b[27;2;83~"),
	key("paste:Zebra herd\nof two"),
	key("shift+enter"),
	key("kitty:a"),
	key("esc"),
	key("enter", 100),
	{ size: [90, 30], ...key("c") },
	key("c"),
	key("n", 299),
	key("n"),
	...typed("gnu"),
	key("enter"),
	key("tab"),
	key("raw:\x1b[I"),
	key("enter"),
];

/** The steps that a head's keys line stands for. */
function stepsOf(keys: readonly string[]): Step[] {
	let wait = CALM;
	return keys.flatMap((name): Step[] => {
		wait = waitOf(name) ?? wait;
		if (waitOf(name) !== undefined) return [];
		const [columns, rows] = sizeOf(name) ?? [];
		if (columns !== undefined && rows !== undefined) return [{ wait: 0, size: [columns, rows] }];
		const steps = strokes(name).map((data, i): Step => ({ wait: i === 0 ? wait : 80, data }));
		wait = CALM;
		return steps;
	});
}

test("Y1 Y3 a record is a head of what was asked and pressed, without what was typed", async () => {
	const load = recordInto(join(folder, "new", "masked"), false);
	const keybindings = { "tui.select.up": "ctrl+p" } as const;
	await taken([DATABASE, FEATURES], STEPS, { keybindings, load });
	const text = record(join(folder, "new", "masked"));
	assert.doesNotMatch(text, /zzq|Quag|漢|Zebra|herd|gnu/);
	golden("record/masked.txt", text.replace(/\d{4}-\d\d-\d\dT[\d:]{8}/, "2026-01-31T12:00:00"));
});

test("Y1 the record of a dialog that never ends is there as well", async () => {
	const host = fakeHost({ load: recordInto(kept, true) });
	const settled = call(host, { questions: [DATABASE] });
	await host.opened();
	assert.match(record(kept, false), /^recorded .*, 80x24\ncall: .*\nkeybindings: {}\nkeys: \n$/);
	host.advance(CALM);
	host.press("down");
	assert.match(record(kept, false), /\nkeys: down\n$/);
	await host.fire("session_shutdown");
	await settled;
	assert.match(record(kept), /\nkeys: down\nended: aborted\n$/);
});

test("Y2 Y3 a record that keeps the text leads to the same screens and the same end", async () => {
	for (const questions of [[DATABASE, FEATURES], [FEATURES, DATABASE], [FEATURES]]) {
		const live = await taken(questions, STEPS, { load: recordInto(kept, true) });
		const head = parseHead(record(kept));
		const asked = (head.call as { questions: Asked[] }).questions;
		const { columns, rows, keybindings } = head;
		const played = await taken(asked, stepsOf(head.keys), { columns, rows, keybindings });
		assert.deepEqual(played.result, live.result);
		const seen = new Set(played.screens);
		// A size of its own is a step when it is played, and the screens between are the same.
		assert.deepEqual(
			live.screens.filter((screen) => !seen.has(screen)),
			[],
		);
		assert.equal(played.screens.at(-1), live.screens.at(-1));
	}
});

test("Y1 H6 the real file is loaded where a folder is named, and only there", async () => {
	for (const recording of [true, false]) {
		if (recording) recordInto(kept, false);
		else delete process.env.ASK_USER_RECORD;
		const host = fakeHost({ load: () => assert.fail("it is not the host's file") });
		extension(host.pi);
		const settled = call(host, { questions: [DATABASE] });
		await host.opened();
		await host.fire("session_shutdown");
		await settled;
		assert.equal(readdirSync(kept).length, recording ? 1 : 0);
		if (recording) record(kept);
	}
});

test("Y2 what is typed right after unfolding is lost in a replay as well", async () => {
	const steps = [key("up"), key("ctrl+]"), key("ctrl+]"), ...typed("cdefgh"), key("enter")];
	const live = await taken([DATABASE], steps, { load: recordInto(kept, true) });
	const { call: asked, keys } = parseHead(record(kept));
	const played = await taken((asked as { questions: Asked[] }).questions, stepsOf(keys), {});
	assert.deepEqual(played.result, live.result);
	assert.match(JSON.stringify(live.result), /"answer":"fgh"/);
});

/** What a record says of keys pressed one after the other. */
async function recorded(...steps: Step[]): Promise<string> {
	await taken([DATABASE], steps, { load: recordInto(kept, false) });
	return /^keys: (.*)$/m.exec(record(kept))?.[1] ?? "";
}

test("Y3 text is masked however the terminal sends it", async () => {
	const text = [
		key("up"),
		key("kitty:s"),
		key("raw:\x1b[27;2;83~"),
		key("raw:漢字"),
		key("repeat:s"),
	];
	assert.equal(await recorded(...text), "up type:xxxxx");
	const pasted = "secret ".repeat(2000);
	const paste = await recorded(key("up"), key(`paste:${pasted}`));
	assert.equal(paste, `up ${JSON.stringify(`paste:${"xxxxxx ".repeat(2000).slice(0, 10_000)}`)}`);
	assert.equal(await recorded(key("paste:secret")), "paste:xxxxxx", "of no use to a list");
	assert.equal(await recorded(key("raw:\x1b[200~sec")), "paste:xxx", "half a paste");
	assert.equal(await recorded(key("raw:\x1b]0;sec\x07")), '"raw:\\u001bxxxxxx\\u0007"');
});

test("Y3 in a text and in a note letters and digits that are keys elsewhere are text", async () => {
	const slowly = (text: string) => [...text].map((data): Step => ({ data, wait: CALM }));
	assert.equal(await recorded(key("up"), ...slowly("duck 12")), 'up "type:xxxx xx"');
	assert.equal(await recorded(key("n"), ...slowly("duck 12")), 'n "type:xxxx xx"');
	assert.equal(await recorded(...slowly("dj")), "d j", "in a list they are keys");
	assert.equal(await recorded(key("raw:\x1b[106u")), '"raw:\\u001b[106u"', "as it was sent");
});

test("Y3 so are the first letters, which were meant for what stood there before", async () => {
	const early = await recorded(...typed("jinxed duck 12"));
	assert.match(early, /^(?:wait:80 type:x )+wait:80 "type:x+ x+ x+"$/);
	assert.equal(await recorded(key("j"), key("j", 80)), "j wait:80 j");
});

test("Y4 an error of the recorder is none of the dialog", async ({ mock }) => {
	const broken = () => {
		throw new Error("not in this host");
	};
	const load = recordInto(kept, false);
	const host = fakeHost({ load });
	mock.method(host.keybindings, "getUserBindings", broken);
	const settled = call(host, { questions: [DATABASE] });
	await host.opened();
	host.advance(CALM);
	host.press("2");
	assert.match(JSON.stringify(await settled), /"answer":"SQLite"/);
	rmSync(kept, { recursive: true });
	const other = fakeHost({ load });
	const ended = call(other, { questions: [DATABASE] });
	await other.opened();
	other.advance(CALM);
	mock.method(other.keybindings, "matches", broken);
	other.press("2");
	assert.equal(await ended, undefined);
	assert.match(other.log.at(-1) ?? "", /^throw The questionnaire broke down/);
	assert.match(record(kept), /\nkeys: \n$/);
});

test("Y4 a folder that cannot be made changes nothing", async () => {
	const file = join(folder, "file");
	writeFileSync(file, "");
	const load = recordInto(join(file, "in a file"), false);
	const { result } = await taken([DATABASE], [key("2")], { load });
	const plainly = await taken([DATABASE], [key("2")], {});
	assert.deepEqual(result, plainly.result);
});

sealed("record");
