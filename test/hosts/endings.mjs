/** Calls that end before they are answered: by an abort, another session, or the end of Pi. */
import assert from "node:assert/strict";
import {
	answered,
	asked,
	asks,
	DATABASE,
	DECLINED,
	dialogIn,
	inTerminal,
	overRpc,
	results,
	say,
	withHelper,
} from "./asking.mjs";
import { check, sleep, until } from "./check.mjs";

const script = asks(DATABASE);
const ANSWERED = answered([DATABASE, "SQLite"]);

/** Long enough for a model call that should not happen. */
const LULL = 700;

/** How long a host may take for what it does at once. */
const AT_ONCE = 2000;

/** The pointer, which only a dialog has. */
const DIALOG = /→ 1\. /;

const channels = (run) => run.home.events().flatMap(({ channel }) => channel ?? []);

/** The prompt works: another question comes, and its answer reaches the model. */
async function asksAgain(terminal) {
	const before = terminal.requests().length;
	await say(terminal, "Once more.");
	await dialogIn(terminal);
	terminal.keys("1");
	await asked(terminal, before + 2);
	assert.equal(results(terminal).at(-1), ANSWERED);
}

/** Waits for a note of helper.ts. */
const noted = (run, what) =>
	until(what, () => run.home.events().some((note) => note[what]), {
		describe: () => JSON.stringify(run.home.events()),
	});

async function aborts(host) {
	await check(`${host.name}, rpc: an abort with the dialog open is answered at once`, () =>
		overRpc(host, { script, ...withHelper }, async (rpc) => {
			const dialog = await rpc.dialog();
			await rpc.send({ type: "abort" }, AT_ONCE);
			const isEnd = ({ type }) => type === "tool_execution_end";
			const { result } = await rpc.next("the end of the call", isEnd, AT_ONCE);
			assert.deepEqual(result.content, [{ type: "text", text: DECLINED }]);
			assert.deepEqual(result.details, { answers: [], cancelled: true });
			rpc.answer(dialog, { value: dialog.options[0] });
			await sleep(LULL);
			assert.equal(rpc.messages.filter(isEnd).length, 1, "one result");
			assert.equal(rpc.requests().length, 1, "the model is not asked to go on");
			assert.deepEqual(channels(rpc), ["prompt", "blocked", "blocked"]);
			assert.deepEqual(rpc.noise, []);
			await rpc.send({ type: "prompt", message: "Once more." });
			rpc.answer(await rpc.dialog(), { value: "SQLite" });
			await asked(rpc, 3);
			assert.equal(results(rpc).at(-1), ANSWERED);
		}),
	);
}

/** Another session while the dialog is open. */
async function replacedSessions(host) {
	await check(`${host.name}, rpc: a new session takes the dialog with it`, () =>
		overRpc(host, { script, ...withHelper }, async (rpc) => {
			const dialog = await rpc.dialog();
			const { success } = await rpc.send({ type: "new_session" }, AT_ONCE);
			assert.equal(success, true);
			rpc.answer(dialog, { value: dialog.options[0] });
			await sleep(LULL);
			assert.equal(rpc.requests().length, 1, "the old session is over");
			assert.deepEqual(channels(rpc).slice(0, 3), ["prompt", "blocked", "blocked"]);
			await rpc.send({ type: "prompt", message: "Once more." });
			rpc.answer(await rpc.dialog(), { value: "SQLite" });
			await asked(rpc, 3);
			assert.deepEqual(results(rpc), [ANSWERED]);
			assert.deepEqual(rpc.noise, []);
		}),
	);

	const armed = (what) => ({ script, prompt: `/when-asked ${what}`, ...withHelper });
	await check(`${host.name}, terminal: a new session takes the dialog with it`, () =>
		inTerminal(host, armed("new"), async (terminal) => {
			await noted(terminal, "armed");
			await say(terminal, "Ask me.");
			await noted(terminal, "changed");
			await sleep(LULL);
			assert.doesNotMatch(terminal.screen(), DIALOG);
			assert.equal(terminal.requests().length, 1, "the old session is over");
			await asksAgain(terminal);
			assert.deepEqual(results(terminal), [ANSWERED]);
		}),
	);

	await check(`${host.name}, terminal: a reload is refused while the dialog is open`, () =>
		inTerminal(host, armed("reload"), async (terminal) => {
			await noted(terminal, "armed");
			await say(terminal, "Ask me.");
			await noted(terminal, "changed");
			await dialogIn(terminal);
			terminal.keys("1");
			await asked(terminal, 2);
			assert.deepEqual(results(terminal), [ANSWERED]);
		}),
	);

	await check(`${host.name}, rpc: a reload ends the dialog, or is refused`, () =>
		overRpc(host, armed("reload"), async (rpc) => {
			await noted(rpc, "armed");
			await rpc.send({ type: "prompt", message: "Ask me." });
			const dialog = await rpc.dialog();
			const over = () => rpc.home.events().find((note) => note.changed || note.failed);
			const { failed } = await until("the reload", over);
			rpc.answer(dialog, { value: dialog.options[0] });
			// The newest host refuses while a call runs, and then the answer still counts.
			await (failed ? asked(rpc, 2) : sleep(LULL));
			assert.equal(rpc.requests().length, failed ? 2 : 1);
			assert.deepEqual(channels(rpc).slice(0, 3), ["prompt", "blocked", "blocked"]);
			await rpc.send({ type: "prompt", message: "Once more." });
			rpc.answer(await rpc.dialog(), { value: "SQLite" });
			await asked(rpc, failed ? 4 : 3);
			assert.equal(results(rpc).at(-1), ANSWERED);
			assert.deepEqual(rpc.noise, []);
		}),
	);

	await check(`${host.name}, terminal: /new and /reload between two questions`, () =>
		inTerminal(host, { script }, async (terminal) => {
			await dialogIn(terminal);
			terminal.keys("1");
			await asked(terminal, 2);
			await say(terminal, "/new");
			await until("an empty session", () => !terminal.screen().includes("The tool said"));
			await asksAgain(terminal);
			assert.deepEqual(results(terminal), [ANSWERED], "a session of its own");
			await say(terminal, "/reload");
			await terminal.waitFor(/Reloaded/i);
			await asksAgain(terminal);
			assert.deepEqual(results(terminal), [ANSWERED, ANSWERED]);
		}),
	);
}

async function ends(host) {
	await check(`${host.name}, terminal: SIGTERM with the dialog open ends Pi`, () =>
		inTerminal(host, { script }, async (terminal) => {
			await dialogIn(terminal);
			process.kill(terminal.pid, "SIGTERM");
			await terminal.waitForExit(AT_ONCE);
		}),
	);

	await check(`${host.name}, rpc: SIGTERM with the dialog open ends Pi`, () =>
		overRpc(host, { script }, async (rpc) => {
			await rpc.dialog();
			process.kill(rpc.pid, "SIGTERM");
			const late = sleep(AT_ONCE).then(() => assert.fail("Pi is still there"));
			await Promise.race([rpc.exited, late]);
			assert.equal(rpc.requests().length, 1);
			assert.deepEqual(rpc.noise, []);
		}),
	);
}

export async function endingChecks(host) {
	await aborts(host);
	await replacedSessions(host);
	await ends(host);
}
