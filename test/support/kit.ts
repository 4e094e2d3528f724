// The cases of golden/protocol, and what a module makes of one. Of the module it uses what a host
// uses: its default export, the tool that it registers, and the events that it emits.
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";
import { type Act, type Answering, client, keysOf } from "./answering.ts";
import { type FakeHost, fakeHost, type HostOptions } from "./fake-host.ts";

// -- Cases ------------------------------------------------------------------------------------

/** Where a case is played. The older client does not say what it is. */
export const HOSTS = {
	rpc: { mode: "rpc", custom: "undefined" },
	"older rpc": { custom: "undefined" },
	"rpc without dialogs": { mode: "rpc", custom: "undefined", noDialogs: true },
	"older rpc without dialogs": { custom: "undefined", noDialogs: true },
	"no user": { mode: "print", hasUI: false },
	terminal: { mode: "tui" },
	// Only who makes the module can break it.
	"broken dialog file": { mode: "tui" },
	"stale dialog module": { mode: "tui" },
} as const satisfies Record<string, HostOptions>;

export type Host = keyof typeof HOSTS;

/** What goes in. */
export interface Given {
	name: string;
	/** A sentence that says what the case is there for. */
	why: string;
	/** `rpc` where it is left out. */
	host?: Host;
	/** The host's own schema check would refuse the arguments, and the tool would not be run. */
	refusedByHost?: true;
	/** The arguments of a call, which is made. */
	call?: unknown;
	/** Arguments that are only prepared, not called with. */
	raw?: unknown;
	/** The signal has fired before the call. */
	aborted?: true;
	/** What the user does, question by question. */
	user?: readonly Act[];
	/** The note that the user writes on the whole questionnaire. */
	globalNote?: string;
}

/** What comes out; only what there is. */
export interface Seen {
	/** What the host passes on, where the tool changes the arguments it gets. */
	prepared?: unknown;
	details?: unknown;
	text?: unknown;
	terminate?: unknown;
	/** The message of the error that the call throws in place of a result. */
	throws?: string;
	/** Each event is an object of one field: its channel, with its payload. */
	events?: unknown;
	/** What the host or the user could not make sense of. No case expects it. */
	trouble?: readonly string[];
}

export type Case = Given & Seen;

export interface Topic {
	topic: string;
	cases: readonly Case[];
}

export const FOLDER = new URL("../../golden/protocol/", import.meta.url);

/** The topics by the names of their files. */
export function topics(): [name: string, topic: Topic][] {
	const files = readdirSync(FOLDER).filter((file) => !file.startsWith("schema-"));
	return files.sort().map((file) => {
		const text = readFileSync(new URL(file, FOLDER), "utf8");
		return [file.replace(/\.json$/, ""), JSON.parse(text)];
	});
}

// -- Playing a case ---------------------------------------------------------------------------

/** The default export of an extension. */
export type Factory = (pi: ExtensionAPI) => unknown;

/** Longer than a dialog leaves keys alone after it has opened. */
const QUIET_MS = 350;
const CHANNELS = /^rpiv:ask-user:/;

/** As JSON has it, except that what JSON would lose in silence shows. */
const plain = (value: unknown): unknown =>
	JSON.parse(JSON.stringify(value, (_, inner) => (inner === undefined ? "(undefined)" : inner)));

export const message = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** What a call came to, in time. */
async function settled(call: Promise<unknown>, deadline: number): Promise<Seen> {
	const clock = new AbortController();
	const late = sleep(deadline, undefined, clock).then(() => {
		throw new Error(`(no result after ${deadline} ms)`);
	});
	try {
		const result = (await Promise.race([call, late])) as Record<string, unknown>;
		const { content, details, terminate } = result;
		const [part, ...more] = content as { type: string; text?: string }[];
		const text = part?.type === "text" && more.length === 0 ? part.text : content;
		return { details, text, ...(terminate === undefined ? {} : { terminate }) };
	} catch (error) {
		return { throws: message(error) };
	} finally {
		clock.abort();
		late.catch(() => {});
	}
}

/** Presses the keys of a user in the dialog that opens. The clock of another module is real. */
async function press(host: FakeHost, answering: Answering, factory?: Factory): Promise<void> {
	await host.opened();
	if (!factory) host.advance(QUIET_MS);
	else await sleep(QUIET_MS);
	for (const key of keysOf(answering)) {
		host.press(key);
		// A host paints after every key.
		if (host.isOpen()) host.screen();
	}
}

/** What else an extension registers is no part of the protocol, and must not stop it here. */
const patient = (pi: ExtensionAPI) =>
	new Proxy(pi, { get: (known, name) => Reflect.get(known, name) ?? (() => undefined) });

/** A host with an extension in it, which is ours where none is given. */
export async function hosting(options: HostOptions, factory?: Factory) {
	let ready: unknown;
	const extension = (pi: ExtensionAPI) => {
		ready = factory?.(patient(pi));
	};
	const host = fakeHost({ ...options, ...(factory && { extension }) });
	await ready;
	// Some extensions register their tools here.
	await host.fire("session_start");
	return { host, tool: host.tool() };
}

/** Plays one case in a host of its own and says what came out. */
export async function play(
	given: Given,
	options: HostOptions,
	factory?: Factory,
	deadline = 5000,
): Promise<Seen> {
	const controller = new AbortController();
	const { call: asked, user: acts = [], globalNote: note } = given;
	const answering = { call: asked, acts, note } as Answering;
	const { trouble, ...user } = client(answering, () => controller.abort());
	const played = { ...HOSTS[given.host ?? "rpc"], ...user, ...options };
	const { host, tool } = await hosting(played, factory);
	const sent = structuredClone(asked ?? given.raw);
	const prepared: unknown = tool.prepareArguments ? tool.prepareArguments(sent) : sent;
	// The host stores what it was sent.
	if (!isDeepStrictEqual(sent, asked ?? given.raw)) trouble.push("the arguments were changed");
	const problems = () => (trouble.length > 0 ? { trouble } : {});
	if (asked === undefined) return plain({ prepared, ...problems() }) as Seen;

	if (given.aborted) controller.abort();
	const { signal } = controller;
	const call = tool.execute("call-1", prepared as never, signal, undefined, host.ctx);
	const keys = given.host === "terminal" ? press(host, answering, factory) : undefined;
	keys?.catch((error) => void trouble.push(message(error)));
	const result = await settled(call, deadline);
	const events = host.emitted.filter(({ channel }) => CHANNELS.test(channel));
	const changed = isDeepStrictEqual(prepared, asked) ? {} : { prepared };
	return plain({
		...changed,
		...result,
		events: events.map(({ channel, payload }) => ({ [channel]: payload })),
		...problems(),
	}) as Seen;
}
