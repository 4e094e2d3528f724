// A Pi without a terminal: it registers the extension, shows its dialog, feeds keys, and writes
// down every observable act of a call, one line each, in order.
import type {
	ExtensionAPI,
	ExtensionContext,
	ExtensionUIDialogOptions,
	ToolDefinition,
} from "@mariozechner/pi-coding-agent";
import {
	type Component,
	isKeyRelease,
	type KeybindingsConfig,
	KeybindingsManager,
	setKeybindings,
	type TUI,
	TUI_KEYBINDINGS,
} from "@mariozechner/pi-tui";
import extension, { type Edges } from "../../index.ts";
import { shown, testTheme } from "./frame.ts";
import { bytes } from "./keys.ts";

// -- Options ----------------------------------------------------------------------------------

type Reply = string | undefined | Promise<string | undefined>;

export interface HostOptions {
	/** `false` in print and JSON runs. */
	hasUI?: boolean;
	/** `ctx.mode`, which only the newer host has. */
	mode?: string;
	/** `show`: a terminal; `undefined`: RPC, where the factory never runs; `reject`: it fails. */
	custom?: "show" | "undefined" | "reject";
	/** A host whose `ui` has neither `select` nor `input`. */
	noDialogs?: boolean;
	columns?: number;
	rows?: number;
	/** Answers a `select` or `input`; without it the dialog stays open until the signal fires. */
	select?: (title: string, options: string[], more?: ExtensionUIDialogOptions) => Reply;
	input?: (title: string, placeholder?: string, more?: ExtensionUIDialogOptions) => Reply;
	/** Makes `pi.events.emit` itself throw, as the API of a replaced session does. */
	emitThrows?: boolean;
	/** The user's own keys, as in keybindings.json. */
	keybindings?: KeybindingsConfig;
	/** Instead of importing dialog.ts. */
	load?: Edges["load"];
	/** Another extension in place of ours; its clock and its files are its own. */
	extension?: (pi: ExtensionAPI) => unknown;
}

type Factory = Parameters<ExtensionContext["ui"]["custom"]>[0];
type Dialog = Component & { dispose?(): void; focused?: boolean };
type Handler = (event: unknown, ctx: ExtensionContext) => unknown;

const APP_KEYBINDINGS = {
	"app.interrupt": { defaultKeys: "escape" },
	"app.clear": { defaultKeys: "ctrl+c" },
	"app.exit": { defaultKeys: "ctrl+d" },
	"app.tools.expand": { defaultKeys: "ctrl+o" },
	"app.editor.external": { defaultKeys: "ctrl+g" },
} as const;

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How long a host waits for a dialog. Where it never comes, those who break things wait less. */
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 5000);

/** One turn of the event loop: everything already settled has been acted upon. */
export function turn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

// -- The parts of the host --------------------------------------------------------------------

function events(say: (line: string) => void, emitThrows: boolean) {
	const listeners = new Map<string, Set<(data: unknown) => void>>();
	const emitted: { channel: string; payload: unknown }[] = [];
	const bus: ExtensionAPI["events"] = {
		emit(channel, payload) {
			say(`emit ${channel} ${JSON.stringify(payload)}`);
			emitted.push({ channel, payload });
			if (emitThrows) throw new Error("this session is over");
			for (const listener of listeners.get(channel) ?? []) {
				try {
					listener(payload);
				} catch (error) {
					// As Pi does: a listener's error never reaches the sender.
					say(`listener error ${(error as Error).message}`);
				}
			}
		},
		on(channel, listener) {
			const set = listeners.get(channel) ?? new Set();
			listeners.set(channel, set.add(listener));
			return () => void set.delete(listener);
		},
	};
	return { bus, emitted };
}

/** Where Pi shows a component, and what becomes of it: the one slot of `ui.custom`. */
function stage(say: (line: string) => void, tui: TUI, keybindings: KeybindingsManager) {
	const slot: { open: Dialog | undefined } = { open: undefined };
	function custom(factory: Factory, options: unknown): Promise<unknown> {
		say(`open custom ${JSON.stringify(options ?? {})}`);
		return new Promise((resolve, reject) => {
			let component: Dialog | undefined;
			let closed = false;
			const done = (result: unknown): void => {
				if (closed) return;
				closed = true;
				if (slot.open === component) slot.open = undefined;
				say("close");
				resolve(result);
				try {
					component?.dispose?.();
				} catch {
					// Pi ignores it as well.
				}
			};
			const made = factory(tui, testTheme, keybindings as never, done);
			Promise.resolve(made)
				.then((shownNow: Dialog) => {
					if (closed) return;
					component = shownNow;
					slot.open = component;
					if ("focused" in component) component.focused = true;
					component.render(tui.terminal.columns);
				})
				.catch((error) => {
					if (!closed) reject(error);
				});
		});
	}
	return { slot, custom };
}

/** `select` and `input`: answered by the test, dismissed by the signal, else open for ever. */
function dialogs(say: (line: string) => void, options: HostOptions) {
	function ask(line: string, reply: (() => Reply) | undefined, signal?: AbortSignal) {
		if (signal?.aborted) return Promise.resolve(undefined);
		say(line);
		let end = () => {};
		return new Promise<string | undefined>((resolve, reject) => {
			end = () => resolve(undefined);
			signal?.addEventListener("abort", end, { once: true });
			if (!reply) return;
			Promise.resolve().then(reply).then(resolve, reject);
		}).then((value) => {
			// As Pi does once a dialog is answered.
			signal?.removeEventListener("abort", end);
			say(value === undefined ? "dismissed" : `reply ${JSON.stringify(value)}`);
			return value;
		});
	}
	const { select, input } = options;
	return {
		select(title: string, rows: string[], more?: ExtensionUIDialogOptions) {
			const reply = select && (() => select(title, rows, more));
			return ask(`select ${JSON.stringify(title)} ${JSON.stringify(rows)}`, reply, more?.signal);
		},
		input(title: string, placeholder?: string, more?: ExtensionUIDialogOptions) {
			const reply = input && (() => input(title, placeholder, more));
			return ask(`input ${JSON.stringify(title)}`, reply, more?.signal);
		},
	};
}

/** The terminal, as far as a component can ask it anything. */
function terminal(say: (line: string) => void, columns: number, rows: number) {
	const size = { columns, rows, kittyProtocolActive: false };
	const count = { renders: 0 };
	const tui = {
		terminal: size,
		requestRender: (anew = false) => {
			if (anew) count.renders++;
		},
		setFocus: () => {},
		start: () => say("tui start"),
		stop: () => say("tui stop"),
	} as unknown as TUI;
	return { size, count, tui };
}

/** Which tools there are and which are offered to the model; Pi's own two come first. */
function toolbox(say: (line: string) => void) {
	const tools = new Map<string, ToolDefinition>();
	const state = { active: ["read", "bash"] };
	const api = {
		registerTool(tool: ToolDefinition) {
			tools.set(tool.name, tool);
			state.active = [...state.active, tool.name];
		},
		getActiveTools: () => [...state.active],
		getAllTools: () => [...tools.values()],
		setActiveTools(names: string[]) {
			say(`tools ${names.join(" ")}`);
			state.active = [...names];
		},
	};
	return { tools, api };
}

// -- The host ---------------------------------------------------------------------------------

export type FakeHost = ReturnType<typeof fakeHost>;

/** Loads the extension into a new host. */
export function fakeHost(options: HostOptions = {}) {
	const { hasUI = true, custom = "show", columns = 80, rows = 24 } = options;
	const log: string[] = [];
	const say = (line: string): void => void log.push(shown(line).replaceAll("\n", "\n\t"));
	const { size, count, tui } = terminal(say, columns, rows);
	const keys = { ...TUI_KEYBINDINGS, ...APP_KEYBINDINGS };
	const keybindings = new KeybindingsManager(keys, options.keybindings);
	// pi-tui's own editor asks the global instance.
	setKeybindings(keybindings);

	const { bus, emitted } = events(say, options.emitThrows === true);
	const { slot, custom: show } = stage(say, tui, keybindings);
	const { tools, api } = toolbox(say);
	const handlers = new Map<string, Handler[]>();
	let time = 1_000_000;

	const pi = {
		...api,
		events: bus,
		on(event: string, handler: Handler) {
			handlers.set(event, [...(handlers.get(event) ?? []), handler]);
		},
	} as unknown as ExtensionAPI;

	const ui = {
		theme: testTheme,
		notify: (message: string) => say(`notify ${message}`),
		...(options.noDialogs ? {} : dialogs(say, options)),
		async custom(factory: Factory, more: unknown) {
			if (custom === "show" && hasUI) return show(factory, more);
			say(`custom ${custom === "reject" ? "rejects" : "undefined"}`);
			if (custom === "reject") throw new Error("the host failed");
			return undefined;
		},
	};
	const mode = options.mode === undefined ? {} : { mode: options.mode };
	const ctx = { ui, hasUI, ...mode, cwd: "/project" } as unknown as ExtensionContext;

	const edges: Edges = {
		load: options.load ?? (() => import("../../dialog.ts")),
		bell: () => say("write \x07"),
		now: () => time,
	};
	if (options.extension) options.extension(pi);
	else extension(pi, edges);

	/** The open component; throws when there is none. */
	function component(): Dialog {
		if (!slot.open) throw new Error(`no dialog is open, after:\n${log.join("\n")}`);
		return slot.open;
	}

	return {
		pi,
		ctx,
		tui,
		log,
		emitted,
		keybindings,
		component,
		/** How often the dialog asked for everything to be drawn anew. */
		renders: () => count.renders,
		isOpen: () => slot.open !== undefined,
		say,

		/** The tool under test. */
		tool(): ToolDefinition {
			const tool = tools.get("ask_user_question");
			if (!tool) throw new Error("ask_user_question is not registered");
			return tool;
		},

		/** Waits until a dialog is on the screen; importing dialog.ts may take a while. */
		async opened(): Promise<void> {
			for (const end = Date.now() + PATIENCE_MS; !slot.open && Date.now() < end; ) await turn();
			component();
		},

		/** Presses keys by name (see keys.ts); `type:TEXT` presses one key per character. */
		press(...names: string[]): void {
			let line: number | undefined;
			for (const name of names) {
				const target = slot.open;
				if (!target) {
					// The dialog is gone: Pi's editor gets the key.
					say(`editor ${name}`);
					continue;
				}
				line ??= log.push("keys") - 1;
				log[line] += ` ${shown(name)}`;
				const typed = name.startsWith("type:")
					? [...graphemes.segment(name.slice(5))].map(({ segment }) => segment)
					: [bytes(name)];
				for (const data of typed) {
					if (isKeyRelease(data) && !target.wantsKeyRelease) continue;
					target.handleInput?.(data);
				}
			}
		},

		/** The open dialog as Pi would draw it now. */
		screen: (): string[] => component().render(size.columns),

		resize(newColumns: number, newRows: number): void {
			size.columns = newColumns;
			size.rows = newRows;
		},

		/** Runs the handlers of a lifecycle event. */
		async fire(event: string, payload: Record<string, unknown> = {}): Promise<void> {
			for (const handler of handlers.get(event) ?? []) {
				await handler({ type: event, ...payload }, ctx);
			}
		},

		/** Moves the clock. */
		advance(milliseconds: number): void {
			time += milliseconds;
		},

		/** Takes the dialog away as a session change does: the older host does not dispose it. */
		drop(dispose: boolean): void {
			const target = component();
			slot.open = undefined;
			say(dispose ? "dropped and disposed" : "dropped");
			if (dispose) target.dispose?.();
		},

		/** Everything that happened, as a golden text. */
		transcript: (): string => `${log.join("\n")}\n`,
	};
}

let calls = 0;

/** One call of the tool as the host makes it; its outcome ends the transcript. */
export async function call(
	host: FakeHost,
	params: unknown,
	signal: AbortSignal = new AbortController().signal,
) {
	const tool = host.tool();
	try {
		const prepared = tool.prepareArguments?.(params) ?? params;
		const id = `call-${++calls}`;
		const result = await tool.execute(id, prepared as never, signal, undefined, host.ctx);
		for (const part of result.content) {
			host.say(part.type === "text" ? `text ${part.text}` : `content ${part.type}`);
		}
		host.say(`details ${JSON.stringify(result.details)}`);
		if (result.terminate !== undefined) host.say(`terminate ${result.terminate}`);
		return result;
	} catch (error) {
		host.say(`throw ${(error as Error).message}`);
		return undefined;
	}
}
