/**
 * One fresh process of the bench: an extension is loaded by a host, a dialog is opened and used,
 * and what each step took is printed as JSON. Milliseconds and megabytes.
 *
 *   node --expose-gc test/tools/bench/child.mjs CLI EXTENSION LINES
 */
import { BYTES, callOf, clock, hostOf, screenOf, toolOf } from "./stage.mjs";

const [cli, path, lines] = process.argv.slice(2);
const COLUMNS = 120;
const ROWS = 40;

/**
 * Over the rows of the first question, scrolling and typing on the way, through the other tabs,
 * and back to where it began. Nothing answers, and nothing stays that was typed.
 */
const ROUND = [
	...["down", "down", "down", "up", "d", "d", "u", "u", "down", "down"],
	...["x", "y", "erase", "erase", "down"],
	...["tab", "down", "down", "up", "up", "tab", "down", "up", "back", "back"],
].map((key) => BYTES[key] ?? key);
const ROUNDS = 40;
const IDLE_FRAMES = 2000;
const RESIZES = 41;

const sorted = (times) => [...times].sort((a, b) => a - b);
const quantile = (times, q) => sorted(times)[Math.floor(q * (times.length - 1))];

async function settledMemory() {
	for (let i = 0; i < 3; i++) {
		globalThis.gc();
		await new Promise((resolve) => setImmediate(resolve));
	}
	const { heapUsed, rss } = process.memoryUsage();
	return { heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 };
}

function timed(act) {
	const from = clock();
	act();
	return clock() - from;
}

/** Opens the dialog and uses it. */
async function use(host, call) {
	const screen = screenOf(host, COLUMNS, ROWS);
	const asked = callOf(Number(lines));
	const shown = screen.shown();
	const from = clock();
	const ended = call(asked, new AbortController().signal, screen.ctx);
	await Promise.race([shown, ended]);
	const open = clock() - from;
	const { component, terminal } = screen;
	if (!component) throw new Error("no dialog was shown");
	const first = timed(() => component.render(COLUMNS));
	const press = (data) =>
		timed(() => {
			component.handleInput(data);
			component.render(terminal.columns);
		});
	// The second option's preview is laid out by the first key, the others' by the round after.
	const preview = press(BYTES.down);
	press(BYTES.up);
	for (const data of ROUND) press(data);
	const keys = Array.from({ length: ROUNDS }, () => ROUND.map(press)).flat();
	const idle = timed(() => {
		for (let i = 0; i < IDLE_FRAMES; i++) component.render(COLUMNS);
	});
	const resizes = Array.from({ length: RESIZES }, (_, i) => {
		terminal.columns = COLUMNS + 1 + (i % 40);
		return timed(() => component.render(terminal.columns));
	});
	return {
		open,
		first,
		preview,
		key50: quantile(keys, 0.5),
		key99: quantile(keys, 0.99),
		idle: idle / IDLE_FRAMES,
		resize: quantile(resizes, 0.5),
	};
}

const host = await hostOf(cli);
globalThis.gc();
const from = clock();
const extension = await host.load(path);
const register = clock() - from;
const call = toolOf(extension);
const used = call ? await use(host, call) : {};
console.log(JSON.stringify({ register, ...used, ...(await settledMemory()) }));
process.exit();
