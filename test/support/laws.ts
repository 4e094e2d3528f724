// The promises as properties for fast-check: for a bounded number of cases in properties.test.ts,
// for as many as there is time for in fuzz.ts.
import assert from "node:assert/strict";
import { type Component, setCapabilities, visibleWidth } from "@mariozechner/pi-tui";
import fc from "fast-check";
import { check, clean, envelope, prepare, type Question, type Result } from "../../index.ts";
import * as arbitrary from "./arbitraries.ts";
import { call, type FakeHost, fakeHost } from "./fake-host.ts";
import { testTheme } from "./frame.ts";
import { ALLOWED, answer, assertOutcome, assertSafe, leave, Walk } from "./walk.ts";

// -- The dialog -------------------------------------------------------------------------------

/** The law that stands for all others: any way through any dialog keeps every promise. */
const dialog = (most: number, count: (keys: number) => void) =>
	fc.asyncProperty(
		arbitrary.way(most),
		async ({ asked, size, keybindings, links, steps, finale }) => {
			const questions = clean(asked);
			assert.equal(check(questions), undefined);
			setCapabilities({ images: null, trueColor: true, hyperlinks: links });
			const walk = new Walk({ questions, ...size, keybindings });
			try {
				let late = 0;
				for (const step of steps) {
					await walk.step(step);
					// A few keys too late, as a held key sends them, must do nothing.
					if (walk.outcome && ++late === 3) break;
				}
				if (finale === "leave") await leave(walk);
				if (finale === "answer" && !walk.outcome) await answer(walk);
				walk.dialog.abort();
				if (!walk.outcome) assert.fail("an abort did not end it");
				assertOutcome(questions, walk.outcome);
			} finally {
				count(walk.keys);
				walk.close();
			}
		},
	);

// -- The protocol -----------------------------------------------------------------------------

const textsOf = (questions: readonly Question[]) =>
	questions.flatMap(({ question, header, options }) => [
		question,
		header,
		...options.flatMap(({ label, description, preview = "" }) => [label, description, preview]),
	]);

/** Whatever the model or another extension makes of the arguments: nothing throws. */
const shapes = () =>
	fc.property(arbitrary.anything, (raw) => {
		const before = fc.stringify(raw);
		const prepared = prepare(raw);
		assert.equal(fc.stringify(raw), before);
		const questions = clean(prepared);
		assert.deepEqual(clean({ questions }), questions);
		for (const text of textsOf(questions)) assertSafe(text, "a cleaned text");
		check(questions);
		envelope({ answers: [], cancelled: false });
		const tool = fakeHost().tool();
		for (const width of [1, 7, 80]) {
			const context = {} as never;
			assertReceipt(tool.renderCall?.(raw as never, testTheme, context), width);
			for (const details of [raw, { answers: raw, cancelled: false }, { cancelled: raw }])
				assertReceipt(
					tool.renderResult?.({ content: [], details }, OPTIONS, testTheme, context),
					width,
				);
		}
	});

const OPTIONS = { expanded: true, isPartial: false };

function assertReceipt(receipt: Component | undefined, width: number): void {
	for (const line of receipt?.render(width) ?? []) {
		if (visibleWidth(line) > width) assert.fail(`a receipt wider than ${width}: ${line}`);
		assertSafe(line.replace(/\x1b\[[\d;]*m/g, ""), "a receipt");
		if (line.includes("\n")) assert.fail("a line break in a receipt");
	}
}

/** What is valid already stays as it is, in a copy of its own. */
const valid = () =>
	fc.property(arbitrary.asked, (asked) => {
		const prepared = prepare(asked);
		assert.notEqual(prepared, asked);
		assert.deepEqual(prepared, asked);
	});

/** The custom dialog's options as the host got them. */
function optionsOf(host: FakeHost): string {
	const line = host.log.find((entry) => entry.startsWith("open custom ")) ?? "";
	return JSON.stringify(JSON.parse(line.slice("open custom ".length)));
}

/** A call in a terminal. What the screen shows is safe after every key. */
async function inTerminal(asked: unknown, keys: readonly string[], columns: number) {
	const host = fakeHost({ columns });
	const settled = call(host, asked);
	await host.opened();
	for (const key of [...keys, "tab", "1", "esc", "esc", "esc"]) {
		if (!host.isOpen()) break;
		for (const line of host.screen()) assertSafe(line.replace(ALLOWED, ""), "a frame");
		host.advance(400);
		host.press(key);
	}
	return { host, result: await settled, told: optionsOf(host) };
}

/** The same through a client's dialogs: it picks rows until it has no pick left. */
async function throughClient(asked: unknown, picks: readonly number[]) {
	const dialogs: string[] = [];
	const left = [...picks];
	const host = fakeHost({
		custom: "undefined",
		mode: "rpc",
		select: (title, rows) => {
			dialogs.push(title, ...rows);
			const pick = left.shift();
			return pick === undefined ? undefined : rows[pick % rows.length];
		},
		input: (title) => {
			dialogs.push(title);
			return left.shift() === undefined ? undefined : "typed";
		},
	});
	const result = await call(host, asked);
	for (const text of dialogs) assertSafe(text, "a client's dialog");
	return { host, result, told: JSON.stringify(dialogs) };
}

/** A whole call: nothing of the model's that acts on a terminal or deceives comes out of it. */
const calls = (_most: number, count: (keys: number) => void) =>
	fc.asyncProperty(
		arbitrary.asked,
		fc.array(fc.constantFrom("enter", "1", "2", "space", "j", "tab", "up"), { maxLength: 20 }),
		fc.array(fc.nat({ max: 20 }), { maxLength: 12 }),
		fc.integer({ min: 1, max: 200 }),
		async (asked, keys, picks, width) => {
			count(keys.length + picks.length);
			const ways = [await inTerminal(asked, keys, width), await throughClient(asked, picks)];
			for (const { host, result, told } of ways) {
				assert.ok(result, host.transcript());
				const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join();
				assertSafe(text, "the envelope");
				const seen = JSON.stringify([told, host.emitted, result.details]);
				const escapes = /\\u(00[01]|d[89a-f])|\\[bfrt]/.test(seen.replaceAll("\\\\", ""));
				assert.equal(escapes, false, seen);
				assertSafe(seen, "the events and details");
				assert.deepEqual(JSON.parse(JSON.stringify(result.details)), result.details);
				assert.equal((result.details as Result).error, undefined);
				const context = {} as never;
				const tool = host.tool();
				assertReceipt(tool.renderCall?.(asked as never, testTheme, context), width);
				for (const expanded of [false, true]) {
					const shown = tool.renderResult?.(result, { ...OPTIONS, expanded }, testTheme, context);
					assertReceipt(shown, width);
				}
			}
		},
	);

// -- All of them ------------------------------------------------------------------------------

type Property = fc.IAsyncProperty<never> | fc.IProperty<never>;
type Law = (most: number, count: (keys: number) => void) => Property;

/** The laws by what they say. `most` bounds the steps of a walk; `count` is told of keys. */
export const LAWS = {
	"any way through any dialog keeps every promise": dialog as unknown as Law,
	"no arguments break the protocol": shapes as unknown as Law,
	"valid arguments stay as they are": valid as unknown as Law,
	"nothing of the model's acts on a terminal": calls as unknown as Law,
};

/** Checks a law; where it fails, says what was violated and how to see it again. */
export async function holds(law: Property, parameters: fc.Parameters<never>): Promise<void> {
	const found = await fc.check(law, parameters);
	if (!found.failed) return;
	const { errorInstance, seed, counterexamplePath, counterexample } = found;
	const message = errorInstance instanceof Error ? errorInstance.message : `${errorInstance}`;
	// A walk tells its way itself, as keys.
	const how = message.includes("\nkeys: ") ? "" : `\n${fc.stringify(counterexample)}`;
	const again = `seed ${seed}, path ${counterexamplePath}`;
	throw new Error(`${message}${how}\n${again}`, { cause: errorInstance });
}
