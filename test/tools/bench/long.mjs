/**
 * One process that asks 10,000 times and is resized 1,000 times: nothing may grow. Prints lines
 * for the reader as JSON.
 *
 *   node --expose-gc test/tools/bench/long.mjs CLI EXTENSION
 */
import { getEventListeners } from "node:events";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { BYTES, callOf, calm, hostOf, screenOf, toolOf } from "./stage.mjs";

const [cli, path] = process.argv.slice(2);
const CALLS = 10_000;
const RESIZES = 1000;

const host = await hostOf(cli);
const extension = await host.load(path);
const call = toolOf(extension);
const screen = screenOf(host, 120, 40);
const asked = callOf(40);
/** As long as a session has one signal, listeners would pile up on it. */
const session = new AbortController();

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** The ways a call ends: answered, declined, and closed from outside. */
const ENDS = [
	(component) => {
		for (const key of ["enter", "down", "enter", "tab", "enter", "enter"]) press(component, key);
		for (let i = 0; screen.component && i < 20; i++) press(component, "enter");
	},
	(component) => press(component, "esc"),
	(_, own) => own.abort(),
];

function press(component, key) {
	calm();
	component.handleInput(BYTES[key] ?? key);
	if (screen.component) component.render(screen.terminal.columns);
}

async function once(i) {
	const aborts = i % ENDS.length === 2;
	const own = new AbortController();
	const shown = screen.shown();
	const ended = call(asked, aborts ? own.signal : session.signal, screen.ctx);
	await shown;
	const { component } = screen;
	component.render(screen.terminal.columns);
	press(component, "down");
	press(component, "up");
	ENDS[i % ENDS.length](component, own);
	const { details } = await ended;
	// Weak references hold on to what they name until the event loop turns, as it does between calls.
	await turn();
	return details.cancelled;
}

function counted() {
	globalThis.gc();
	globalThis.gc();
	const listeners = process
		.eventNames()
		.reduce((sum, name) => sum + process.listenerCount(name), 0);
	return {
		heap: process.memoryUsage().heapUsed / 2 ** 20,
		signal: getEventListeners(session.signal, "abort").length,
		process: listeners,
		bus: extension.handlers.size,
		timers: process.getActiveResourcesInfo().filter((name) => name === "Timeout").length,
		files: readdirSync(tmpdir()).filter((name) => name.startsWith("pi-ask-")).length,
		requests: screen.requests,
	};
}

const lines = [];
const say = (title, counts) => {
	const parts = Object.entries(counts).map(
		([key, value]) => `${key} ${Number.isInteger(value) ? value : value.toFixed(2)}`,
	);
	lines.push(`${title.padEnd(14)} ${parts.join(", ")}`);
};

let cancelled = 0;
for (let i = 0; i < CALLS; i++) {
	if (await once(i)) cancelled++;
	// The first hundred make what is made once.
	if (i === 99 || (i + 1) % 2000 === 0) say(`call ${i + 1}`, counted());
}
lines.push(`${CALLS - cancelled} were answered, ${cancelled} declined or aborted`);

const shown = screen.shown();
const ended = call(callOf(4000), session.signal, screen.ctx);
await shown;
for (let i = 0; i < RESIZES; i++) {
	screen.terminal.columns = 40 + (i % 161);
	screen.terminal.rows = 10 + (i % 41);
	screen.component.render(screen.terminal.columns);
	await turn();
	if (i === 99 || i === RESIZES - 1) say(`resize ${i + 1}`, counted());
}
session.abort();
await ended;
say("at the end", counted());
console.log(JSON.stringify(lines));
process.exit();
