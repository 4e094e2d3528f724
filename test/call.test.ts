// One call of the tool from its arguments to its result, through the real dialog: everything a
// host or a listener can observe, in order, one transcript for each way a call can end.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { mock, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Component } from "@mariozechner/pi-tui";
import * as dialog from "../dialog.ts";
import {
	ASK_USER_ABORTED_EVENT,
	ASK_USER_BLOCKED_EVENT,
	ASK_USER_PROMPT_EVENT,
} from "../events.ts";
import extension, { type DialogModule, type Edges } from "../index.ts";
import { call, type FakeHost, fakeHost, type HostOptions, turn } from "./support/fake-host.ts";
import { golden, sealed } from "./support/golden.ts";
import { bytes } from "./support/keys.ts";

// -- Questions --------------------------------------------------------------------------------

const options = (...labels: string[]) => labels.map((label) => ({ label, description: "" }));

const ONE = {
	questions: [
		{ question: "Which database?", header: "Database", options: options("Postgres", "SQLite") },
	],
};

const THREE = {
	questions: [
		...ONE.questions,
		{
			question: "Which features?",
			header: "Features",
			options: options("Search", "Export"),
			multiSelect: true,
		},
		{ question: "When?", header: "Release", options: options("Now", "Later") },
	],
};

const another = (question: string) => ({
	questions: [{ question, header: "Next one", options: options("A", "B") }],
});

// -- Running and recording --------------------------------------------------------------------

/** Starts a call and returns once its dialog takes keys. The result is still to come. */
async function open(host: FakeHost, params: unknown = ONE, signal?: AbortSignal) {
	const result = call(host, params, signal);
	await host.opened();
	host.advance(dialog.QUIET_MS);
	return { result };
}

/** Compares everything that happened with a golden, which begins with what it shows. */
function record(name: string, title: string, host: FakeHost): void {
	golden(`call/${name}.txt`, `${title}\n\n${host.transcript()}`);
}

/** What each event carried, in order, with the channels' last words for names. */
const emitted = (host: FakeHost): string[] =>
	host.emitted.map(({ channel, payload }) => {
		const active = (payload as { active?: boolean }).active;
		return `${channel.split(":").at(-1)}${active === undefined ? "" : ` ${active}`}`;
	});

const WHOLE = ["prompt", "blocked true", "blocked false"];

/** Loads what a list says, one item for each attempt. */
function loads(...modules: (DialogModule | Error | Promise<DialogModule>)[]): Edges["load"] {
	return async () => {
		const next = modules.shift();
		if (next === undefined) throw new Error("loaded too often");
		if (next instanceof Error) throw next;
		return next;
	};
}

const BROKEN = new SyntaxError("/home/user/dialog.ts:3: Unexpected token");
/** What a host hands out after a failed import: all names, no values. */
const SHELL = { DIALOG_READY: undefined, openDialog: undefined } as unknown as DialogModule;

// -- Answered and declined --------------------------------------------------------------------

test("E1 A1 answered", async () => {
	const host = fakeHost();
	const { result } = await open(host);
	host.press("down", "enter");
	await result;
	record("answered", "one question, the second option chosen", host);
	assert.deepEqual(emitted(host), WHOLE);
});

test("E2 answered in part", async () => {
	const host = fakeHost();
	const { result } = await open(host, THREE);
	host.press("enter", "space", "tab", "tab", "enter");
	await result;
	record("form", "three questions, the last left open", host);
});

test("E3 B4 declined", async () => {
	const host = fakeHost();
	const { result } = await open(host);
	host.press("esc");
	await result;
	record("declined", "declined with Esc", host);
	assert.deepEqual(emitted(host), ["prompt", "blocked true", "aborted", "blocked false"]);
});

test("E4 declined after an answer was given", async () => {
	const host = fakeHost();
	const { result } = await open(host, THREE);
	host.press("enter", "esc");
	assert.ok(host.isOpen(), "with something to lose, one Esc only asks");
	host.press("esc");
	await result;
	record("declined-late", "declined with Esc twice, the first question answered", host);
	assert.equal(host.emitted.filter(({ channel }) => channel === ASK_USER_ABORTED_EVENT).length, 1);
});

// -- Refused ----------------------------------------------------------------------------------

const REFUSED = [
	{ code: "no_questions", params: { questions: [] } },
	{ code: "too_many_questions", params: { questions: Array(5).fill(ONE.questions[0]) } },
	{ code: "duplicate_question", params: { questions: [...ONE.questions, ...ONE.questions] } },
	{
		code: "empty_options",
		params: { questions: [{ ...ONE.questions[0], options: options("A") }] },
	},
	{
		code: "reserved_label",
		params: { questions: [{ ...ONE.questions[0], options: options("A", "A", "Other") }] },
	},
	{
		code: "duplicate_option_label",
		params: { questions: [{ ...ONE.questions[0], options: options("A", "A") }] },
	},
];

for (const { code, params } of REFUSED) {
	test(`E5 M5 B5 refused: ${code}`, async () => {
		const host = fakeHost({ load: loads() });
		const result = await call(host, params);
		assert.deepEqual(result?.details, { answers: [], cancelled: true, error: code });
		record(`refused-${code}`, `refused with ${code}`, host);
		assert.deepEqual(host.emitted, []);
	});
}

// -- Aborted ----------------------------------------------------------------------------------

test("E6 aborted before the call", async () => {
	const host = fakeHost({ load: loads() });
	await call(host, ONE, AbortSignal.abort());
	record("aborted-before", "the signal had fired before the call", host);
});

test("E7 aborted while the dialog is loaded", async () => {
	let loaded = (_: DialogModule) => {};
	const loading = new Promise<DialogModule>((resolve) => {
		loaded = resolve;
	});
	const host = fakeHost({ load: loads(loading) });
	const controller = new AbortController();
	const result = call(host, ONE, controller.signal);
	await turn();
	controller.abort();
	loaded(dialog);
	await result;
	record("aborted-loading", "the signal fired while the dialog was loaded", host);
});

test("E8 A4 B5 aborted while the dialog is open", async () => {
	const host = fakeHost();
	const controller = new AbortController();
	const { result } = await open(host, THREE, controller.signal);
	host.press("enter");
	const closed = host.component();
	controller.abort();
	await result;
	closed.handleInput?.("\r");
	closed.handleInput?.("\x1b");
	host.press("enter");
	await turn();
	record("aborted-open", "the signal fired after one of three answers; late keys follow", host);
	assert.deepEqual(emitted(host), WHOLE);
});

test("E9 A2 aborted while it waits for its turn", async () => {
	const host = fakeHost();
	const { result: first } = await open(host);
	const controller = new AbortController();
	const second = call(host, another("And then?"), controller.signal);
	const third = call(host, another("And last?"));
	await turn();
	controller.abort();
	await second;
	host.say("the second call has settled, the first is still open");
	host.press("enter");
	await first;
	await host.opened();
	host.advance(dialog.QUIET_MS);
	host.press("enter");
	await third;
	record("aborted-waiting", "of three calls the second is aborted while it waits", host);
});

test("E10 X4 the session ends", async () => {
	const host = fakeHost();
	const { result } = await open(host, THREE);
	host.press("enter");
	await host.fire("session_shutdown");
	await result;
	record("shutdown", "the session ends after one of three answers", host);
	assert.deepEqual(emitted(host), WHOLE);
});

test("X4 the end of the session ends every call", async () => {
	const host = fakeHost();
	const { result } = await open(host);
	const waiting = [call(host, another("And then?")), call(host, another("And last?"))];
	await host.fire("session_shutdown");
	for (const settled of await Promise.all([result, ...waiting])) {
		assert.equal(settled?.terminate, true);
	}
	assert.deepEqual(emitted(host), WHOLE, "what waited was never shown");
});

test("A1 H5 a listener that aborts the call is heard", async () => {
	const host = fakeHost();
	const controller = new AbortController();
	host.pi.events.on(ASK_USER_PROMPT_EVENT, () => controller.abort());
	const result = await call(host, ONE, controller.signal);
	assert.equal(result?.terminate, true);
	assert.ok(!host.isOpen());
	assert.ok(!host.log.some((line) => line.startsWith("write")), "no bell for a closed dialog");
	assert.deepEqual(emitted(host), WHOLE);
});

test("A6 no listener stays on the signal", async () => {
	const { signal } = new AbortController();
	const count = () => getEventListeners(signal, "abort").length;
	const host = fakeHost();
	const { result } = await open(host, ONE, signal);
	assert.equal(count(), 1);
	host.press("enter");
	await result;
	assert.equal(count(), 0, "answered");
	await call(host, { questions: [] }, signal);
	assert.equal(count(), 0, "refused");
	await call(fakeHost({ custom: "reject" }), ONE, signal);
	assert.equal(count(), 0, "failed");
});

test("A1 a host may call without a signal", async () => {
	const host = fakeHost();
	const run = host.tool().execute("call", ONE as never, undefined, undefined, host.ctx);
	await host.opened();
	host.advance(dialog.QUIET_MS);
	host.press("enter");
	const { details } = await run;
	assert.equal((details as { cancelled: boolean }).cancelled, false);
});

test("A7 nothing of a call is kept when it is over", async () => {
	setFlagsFromString("--expose-gc");
	const collect: unknown = runInNewContext("gc");
	const host = fakeHost();
	const once = async () => {
		const { result } = await open(host);
		host.press("enter");
		const ended = await result;
		assert.ok(ended);
		return new WeakRef(ended);
	};
	const results = [await once(), await once(), await once()];
	for (let i = 0; i < 3; i++) {
		await turn();
		assert.ok(typeof collect === "function");
		collect();
	}
	assert.deepEqual(
		results.map((result) => result.deref()),
		[undefined, undefined, undefined],
	);
});

test("A6 a call that is over is not ended again with the session", async () => {
	let aborts = 0;
	const openDialog: DialogModule["openDialog"] = (...parts) =>
		Object.assign(dialog.openDialog(...parts), { abort: () => aborts++ });
	const host = fakeHost({ load: loads({ ...dialog, openDialog }) });
	const { result } = await open(host);
	host.press("enter");
	await result;
	await host.fire("session_shutdown");
	await turn();
	assert.equal(aborts, 0);
});

// -- Hosts that cannot ask --------------------------------------------------------------------

test("E11 B5 no user interface", async () => {
	const host = fakeHost({ hasUI: false, load: loads() });
	const result = await call(host, ONE);
	assert.deepEqual(result?.details, { answers: [], cancelled: true, error: "no_ui" });
	record("no-ui", "a run without a user", host);
	await call(host, { questions: [] });
	assert.match(host.log.at(-1) ?? "", /no_ui/, "it comes before the arguments are looked at");
});

test("E12 H3 a host that can neither show the dialog nor ask", async () => {
	const host = fakeHost({ custom: "undefined", noDialogs: true });
	const result = await call(host, ONE);
	assert.deepEqual(result?.details, { answers: [], cancelled: true, error: "no_custom_ui" });
	record("no-custom-ui", "the host never builds the dialog, and has no dialogs of its own", host);
});

test("E12 H3 a host that says it can neither", async () => {
	const host = fakeHost({ mode: "rpc", custom: "undefined", noDialogs: true, load: loads() });
	await call(host, ONE);
	record("no-custom-ui-rpc", "the host says that it has no terminal, and has no dialogs", host);
});

// -- Loading ----------------------------------------------------------------------------------

test("E13 B5 the dialog cannot be loaded", async () => {
	const host = fakeHost({ load: loads(BROKEN) });
	await call(host, ONE);
	record("load-failed", "the dialog's file is broken", host);
	assert.doesNotMatch(host.transcript(), /home|Unexpected/, "no path and no cause");
});

test("E14 B5 the host holds a broken copy of the dialog", async () => {
	const host = fakeHost({ load: loads(BROKEN, SHELL, SHELL) });
	for (let i = 0; i < 3; i++) await call(host, ONE);
	record("stale", "after a failed load the host hands out the dialog's empty shell", host);
});

test("A5 a failed load is tried again, a good one is kept", async () => {
	const host = fakeHost({ load: loads(BROKEN, SHELL, dialog) });
	for (let i = 0; i < 2; i++) await call(host, ONE);
	for (let i = 0; i < 2; i++) {
		const { result } = await open(host);
		host.press("enter");
		await result;
	}
	record("healed", "a failed load, a stale copy, and two calls after the repair", host);
});

// -- Breakdowns -------------------------------------------------------------------------------

const broken = () => {
	throw new Error("secret cause in /home/user");
};

/** Each way a questionnaire can break down, done to a dialog whose first answer is given. */
const BREAKDOWNS: {
	rule: string;
	name: string;
	title: string;
	options?: HostOptions;
	harm?: (host: FakeHost) => unknown;
}[] = [
	{
		rule: "E15",
		name: "broken-factory",
		title: "the dialog cannot be built",
		options: { load: loads({ ...dialog, openDialog: broken }) },
	},
	{
		rule: "E16",
		name: "host-rejects",
		title: "the host fails to show the dialog",
		options: { custom: "reject" },
	},
	{
		rule: "E17",
		name: "broken-render",
		title: "painting throws",
		harm: (host) => {
			mock.method(host.ctx.ui.theme, "fg", broken);
			assert.deepEqual(host.screen(), []);
			mock.restoreAll();
		},
	},
	{
		rule: "E18",
		name: "broken-input",
		title: "a key throws",
		harm: (host) => {
			host.keybindings.matches = broken;
			host.press("x");
		},
	},
	{
		rule: "E19",
		name: "disposed",
		title: "the host takes the dialog away",
		harm: (host) => host.drop(true),
	},
];

for (const { rule, name, title, options, harm } of BREAKDOWNS) {
	test(`${rule} ${title}`, async () => {
		const host = fakeHost(options);
		if (harm) {
			const { result } = await open(host, THREE);
			host.press("enter");
			harm(host);
			await result;
		} else await call(host, THREE);
		record(name, title, host);
		assert.match(host.log.at(-1) ?? "", /^throw The questionnaire broke down/);
		assert.doesNotMatch(host.transcript(), /secret/, "the cause is nobody's business");
		assert.deepEqual(emitted(host), WHOLE);
	});
}

test("E16 a host that throws instead of showing the dialog is a breakdown", async () => {
	const host = fakeHost();
	host.ctx.ui.custom = broken;
	await call(host, THREE);
	assert.match(host.log.at(-1) ?? "", /^throw The questionnaire broke down/);
	assert.deepEqual(emitted(host), WHOLE);
});

for (const rejects of [false, true])
	test(`E16 E20 what stood is kept when the host ${rejects ? "fails" : "closes"}`, async () => {
		const host = fakeHost();
		let end = () => {};
		host.ctx.ui.custom = (factory) =>
			new Promise((resolve, reject) => {
				const { tui, keybindings } = host;
				const component = factory(tui, host.ctx.ui.theme, keybindings as never, () => {});
				end = () => {
					host.advance(1000);
					(component as Component).handleInput?.(bytes("enter"));
					if (rejects) reject(new Error("secret"));
					else resolve(undefined as never);
				};
			});
		const result = call(host, THREE);
		while (!host.log.some((line) => line.startsWith("write"))) await turn();
		end();
		await result;
		assert.match(host.log.at(-1) ?? "", /Answered until then: "Which database\?"="Postgres"\.$/);
	});

test("X4 a call that comes after the end of the session is over before it begins", async () => {
	const host = fakeHost();
	await host.fire("session_shutdown");
	Object.defineProperty(host.ctx, "ui", {
		get: () => {
			throw new Error("stale");
		},
	});
	const result = await call(host, ONE);
	assert.equal(result?.terminate, true);
	assert.deepEqual(result.details, { answers: [], cancelled: true });
	assert.deepEqual(emitted(host), []);
});

test("E20 the host closes the dialog without a result", async () => {
	const host = fakeHost();
	host.ctx.ui.custom = async (factory) => {
		const { tui, keybindings } = host;
		await factory(tui, host.ctx.ui.theme, keybindings as never, () => {});
		host.say("open custom and close");
		return undefined as never;
	};
	await call(host, ONE);
	record("closed-by-host", "the host builds the dialog and resolves without a result", host);
});

test("M4 E4 what was answered before a breakdown is in its message", async () => {
	const host = fakeHost();
	const { result } = await open(host, THREE);
	host.press("enter");
	host.drop(true);
	await result;
	assert.match(host.log.at(-1) ?? "", /Answered until then: "Which database\?"="Postgres"\.$/);
});

// -- Other hands in the call ------------------------------------------------------------------

test("A3 a listener that throws changes nothing", async () => {
	const host = fakeHost();
	for (const channel of [ASK_USER_PROMPT_EVENT, ASK_USER_BLOCKED_EVENT, ASK_USER_ABORTED_EVENT]) {
		host.pi.events.on(channel, () => {
			throw new Error("not ours");
		});
	}
	const { result } = await open(host);
	host.press("esc");
	await result;
	record("throwing-listener", "every listener throws", host);
});

test("A3 an event bus that throws changes nothing", async () => {
	const host = fakeHost({ emitThrows: true });
	const { result } = await open(host);
	host.press("esc");
	await result;
	record("throwing-bus", "the event bus itself throws, as that of a replaced session", host);
});

test("A2 two calls at once are shown one after the other", async () => {
	const host = fakeHost();
	const results = [call(host, ONE), call(host, another("And then?"))];
	for (const key of ["enter", "esc"]) {
		await host.opened();
		host.advance(dialog.QUIET_MS);
		host.press(key);
		await results.shift();
	}
	record("two-calls", "two calls at once", host);
});

test("A4 a key that comes with the answer goes to the host", async () => {
	const host = fakeHost();
	const { result } = await open(host);
	const closed = host.component();
	host.press("enter", "enter", "esc");
	closed.handleInput?.("\x1b");
	await result;
	record("late-keys", "three keys at once, the first of which answers", host);
	assert.deepEqual(emitted(host), WHOLE);
});

// -- The host's side of the dialog ------------------------------------------------------------

test("H1 the host is told in one short line what is waited for", async () => {
	const host = fakeHost({ noDialogs: true });
	const question = `Which\nof these ${"very ".repeat(30)}long ones?`;
	let told: unknown;
	host.ctx.ui.custom = async (_factory, options) => {
		told = options;
		return undefined as never;
	};
	await call(host, another(question));
	const message = `${`Which of these ${"very ".repeat(30)}`.slice(0, 79)}…`;
	assert.deepEqual(told, { blocked: { kind: "question", message } });
});

test("H2 a bell that cannot ring is no fault", async () => {
	const host = fakeHost();
	extension(host.pi, { load: async () => dialog, bell: broken, now: () => 0 });
	const result = call(host, ONE);
	await host.opened();
	await host.fire("session_shutdown");
	await result;
	assert.match(host.log.at(-1) ?? "", /^terminate true/);
});

test("H4 a host that forgets its promise cannot hold the call", async () => {
	const host = fakeHost({ load: loads(dialog) });
	host.ctx.ui.custom = async (factory) => {
		await factory(host.tui, host.ctx.ui.theme, host.keybindings as never, () => {});
		return new Promise<never>(() => {});
	};
	const controller = new AbortController();
	const result = call(host, ONE, controller.signal);
	await turn();
	controller.abort();
	assert.equal((await result)?.terminate, true);
});

test("H4 a host that throws on the way out cannot take the answer", async () => {
	const host = fakeHost({ load: loads(dialog) });
	let component: { handleInput?(data: string): void } = {};
	host.ctx.ui.custom = async (factory) => {
		component = await factory(host.tui, host.ctx.ui.theme, host.keybindings as never, broken);
		return new Promise<never>(() => {});
	};
	const result = call(host, ONE);
	await turn();
	host.advance(dialog.QUIET_MS);
	component.handleInput?.("\r");
	const { details } = (await result) ?? {};
	assert.equal((details as { cancelled?: boolean }).cancelled, false);
});

test("H5 a host that builds the dialog after the call is over gets a closed one", async () => {
	const host = fakeHost({ load: loads(dialog) });
	let build = () => {};
	const acts: unknown[] = [];
	host.ctx.ui.custom = (factory) =>
		new Promise((resolve) => {
			build = () => {
				const { tui, keybindings } = host;
				void factory(tui, host.ctx.ui.theme, keybindings as never, (outcome) => {
					acts.push(outcome);
					resolve(outcome);
				});
			};
		});
	const controller = new AbortController();
	const result = call(host, ONE, controller.signal);
	await turn();
	controller.abort();
	await result;
	const { length } = host.log;
	build();
	await turn();
	const replies = [{ choices: [], text: "", note: "" }];
	assert.deepEqual(acts, [{ end: "aborted", replies, note: "" }]);
	assert.equal(host.log.length, length, "nothing more happens, no bell either");
});

test("H2 H6 the real clock, file and bell", async (context) => {
	const { stdout } = process;
	const write = stdout.write.bind(stdout) as (...args: unknown[]) => boolean;
	let bells = 0;
	context.mock.method(stdout, "write", (...args: unknown[]) => {
		if (args[0] !== "\x07") return write(...args);
		bells++;
		return true;
	});
	const { isTTY } = stdout;
	for (const terminal of [true, false]) {
		stdout.isTTY = terminal;
		const host = fakeHost({ load: loads() });
		extension(host.pi);
		const result = call(host, ONE);
		await host.opened();
		host.press("enter");
		assert.ok(host.isOpen(), "the quiet time is of the real clock");
		await new Promise((resolve) => setTimeout(resolve, dialog.QUIET_MS));
		host.press("enter");
		await result;
		assert.equal(bells, 1, `a bell only on a terminal (${terminal})`);
	}
	stdout.isTTY = isTTY;
});

// -- Registration -----------------------------------------------------------------------------

test("X1 what the tool is registered with", () => {
	const tool = fakeHost().tool() as ReturnType<FakeHost["tool"]> & { exposure?: string };
	assert.equal(tool.name, "ask_user_question");
	assert.equal(tool.executionMode, "sequential");
	assert.equal(tool.exposure, "model-only");
});

test("X2 X3 the tool is not offered in turns without a user", async () => {
	const host = fakeHost();
	const start = async (hasUI: boolean) => {
		Object.assign(host.ctx, { hasUI });
		host.say(hasUI ? "turn with a user" : "turn without a user");
		await host.fire("before_agent_start");
	};
	for (const hasUI of [true, false, false, true, true]) await start(hasUI);
	host.say("the user switches the tool off");
	host.pi.setActiveTools(["read", "bash"]);
	for (const hasUI of [true, false, true]) await start(hasUI);
	host.say("the user switches it on, and another one off");
	host.pi.setActiveTools(["read", "ask_user_question"]);
	for (const hasUI of [false, true]) await start(hasUI);
	await start(false);
	host.say("another extension puts it back");
	host.pi.setActiveTools(["ask_user_question", "read"]);
	await start(true);
	record("offered", "when the tool is offered to the model", host);
});

test("X3 a tool that the user switched off before is not given back", async () => {
	const host = fakeHost();
	host.pi.setActiveTools(["read"]);
	await host.fire("before_agent_start");
	assert.deepEqual(host.pi.getActiveTools(), ["read"]);
});

sealed("call");
