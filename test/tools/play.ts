// `npm run play -- golden/frame/NAME.txt`: replays the head of a golden picture, or of a bug
// report, in the reader's own terminal with Pi's colours, and then leaves the keys to the reader.
// Without a file it plays a form of its own. What the tool returns is printed at the end.
import { readFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@mariozechner/pi-coding-agent";
import { type Component, ProcessTerminal, Text, TUI } from "@mariozechner/pi-tui";
import extension from "../../index.ts";
// The package does not export the theme in use.
import {
	initTheme,
	theme,
} from "../../node_modules/@mariozechner/pi-coding-agent/dist/modes/interactive/theme/theme.js";
import { fakeHost } from "../support/fake-host.ts";
import { type Head, parseHead, sizeOf, strokes, waitOf } from "../support/head.ts";
import { keyLine } from "../support/keys.ts";

// A record has the key that opens an editor, and the editor is not the reader's.
delete process.env.VISUAL;
delete process.env.EDITOR;

/** Slow enough to follow, and past the dialog's quiet time. */
const PACE_MS = 500;
const TYPING_MS = 60;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

// -- What is played ---------------------------------------------------------------------------

function builtIn(): Head {
	const script = readFileSync(new URL("../hosts/form.json", import.meta.url), "utf8");
	const call: unknown = JSON.parse(script)[0].calls[0].arguments;
	const { columns = 80, rows = 24 } = process.stdout;
	return { title: "A form", columns, rows, call, keys: [], keybindings: {}, lacks: [] };
}

function load(): Head {
	const file = process.argv[2];
	return file === undefined ? builtIn() : parseHead(readFileSync(file, "utf8"));
}

// -- The stage --------------------------------------------------------------------------------

type Factory = Parameters<ExtensionContext["ui"]["custom"]>[0];
type Dialog = Component & { dispose?(): void };

/** A dialog in a terminal that is no larger than the head says, between a title and a status. */
class Stage {
	readonly #head: Head;
	readonly #terminal = new ProcessTerminal();
	readonly #tui = new TUI(this.#terminal);
	readonly #status = new Text("", 1, 0);
	#dialog: Dialog | undefined;
	/** While a replay runs the reader only watches. */
	watching = true;

	constructor(head: Head) {
		this.#head = head;
	}

	get size(): { columns: number; rows: number } {
		const { columns, rows } = this.#terminal;
		return {
			columns: Math.min(columns, this.#head.columns),
			rows: Math.min(rows, this.#head.rows),
		};
	}

	/** Shows what a tool's factory makes, until it is done. */
	async show(factory: Factory): Promise<unknown> {
		const { keybindings } = fakeHost({ keybindings: this.#head.keybindings });
		const tui = this.#tui;
		const stage = this;
		// What the dialog is told of its terminal is the head's, the rest is the real one.
		const host = {
			terminal: {
				get columns() {
					return stage.size.columns;
				},
				get rows() {
					return stage.size.rows;
				},
			},
			requestRender: (force?: boolean) => tui.requestRender(force),
			stop: () => tui.stop(),
			start: () => tui.start(),
		} as unknown as TUI;
		return new Promise((resolve, reject) => {
			const done = (outcome: unknown) => {
				resolve(outcome);
				this.#dialog?.dispose?.();
			};
			const made = factory(host, theme, keybindings as never, done as never);
			Promise.resolve(made).then((dialog: Dialog) => this.#open(dialog), reject);
		});
	}

	#open(dialog: Dialog): void {
		this.#dialog = dialog;
		const { title, columns, rows, lacks } = this.#head;
		const { size } = this;
		const small = size.columns < columns || size.rows < rows;
		const asked = `${columns}x${rows}`;
		const shown = small ? `${size.columns}x${size.rows}, for want of ${asked}` : asked;
		this.#tui.addChild(new Text(theme.bold(`${title} (${shown})`), 1, 0));
		for (const lack of lacks) this.#tui.addChild(new Text(theme.fg("warning", lack), 1, 0));
		const framed = {
			render: (width: number) => dialog.render(Math.min(width, this.size.columns)),
			invalidate: () => dialog.invalidate(),
			handleInput: (data: string) => {
				if (!this.watching) dialog.handleInput?.(data);
			},
			set focused(focused: boolean) {
				Object.assign(dialog, { focused });
			},
		};
		this.#tui.addChild(framed);
		this.#tui.addChild(this.#status);
		this.#tui.setFocus(framed);
		this.#tui.addInputListener((data) => {
			// The dialog has its own use for Ctrl+C, but a replay must be possible to stop.
			const leaves = data === "\x04" || (this.watching && data === "\x03");
			if (leaves) this.leave();
			return undefined;
		});
		this.#tui.start();
	}

	say(status: string): void {
		this.#status.setText(theme.fg("dim", status));
		this.#tui.requestRender();
	}

	/** The terminal that is played changes; the real one does not. */
	resize(columns: number, rows: number): void {
		Object.assign(this.#head, { columns, rows });
		this.#tui.requestRender(true);
	}

	press(data: string): void {
		this.#dialog?.handleInput?.(data);
		this.#tui.requestRender();
	}

	close(): void {
		this.#tui.stop();
	}

	leave(): void {
		this.close();
		console.log("Left without an answer.");
		process.exit(0);
	}
}

// -- The tool ---------------------------------------------------------------------------------

/** The extension's tool and the context of a call, with as much of Pi as they need. */
function toolOn(stage: Stage) {
	let tool: ToolDefinition | undefined;
	const pi = {
		registerTool: (registered: ToolDefinition) => {
			tool = registered;
		},
		on: () => {},
		events: { emit: () => {} },
	} as unknown as ExtensionAPI;
	extension(pi);
	const ui = { custom: (factory: Factory) => stage.show(factory) };
	const ctx = { hasUI: true, ui } as unknown as ExtensionContext;
	return {
		async run(call: unknown) {
			if (!tool) throw new Error("no tool was registered");
			const prepared = tool.prepareArguments?.(call) ?? call;
			return tool.execute("play", prepared as never, undefined, undefined, ctx);
		},
	};
}

async function replay(stage: Stage, keys: readonly string[], over: () => boolean): Promise<void> {
	if (keys.length > 0) await sleep(PACE_MS * 2);
	for (const [i, key] of keys.entries()) {
		stage.say(`${i + 1} of ${keys.length}: ${keyLine([key])}   (Ctrl+C stops)`);
		const [columns, rows] = sizeOf(key) ?? [];
		if (columns !== undefined && rows !== undefined) stage.resize(columns, rows);
		for (const data of strokes(key)) {
			if (over()) return;
			stage.press(data);
			await sleep(key.startsWith("type:") ? TYPING_MS : 0);
		}
		// What was pressed soon after something else may have been lost for that very reason.
		if (waitOf(key) === undefined) await sleep(waitOf(`${keys[i + 1]}`) ?? PACE_MS);
	}
	stage.watching = false;
	stage.say("The keys are yours now. Ctrl+D leaves.");
}

if (!process.stdin.isTTY || !process.stdout.isTTY) {
	console.error("npm run play shows a dialog: run it in a terminal.");
	process.exit(1);
}
try {
	const head = load();
	initTheme();
	const stage = new Stage(head);
	const tool = toolOn(stage);
	let settled = false;
	const result = tool.run(head.call).finally(() => {
		settled = true;
		stage.close();
	});
	result.catch(() => {});
	await replay(stage, head.keys, () => settled);
	const { content, details } = await result;
	const text = content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
	console.log(`\ntext     ${text}\ndetails  ${JSON.stringify(details, null, 2)}`);
	process.exit(0);
} catch (error) {
	console.error(`\n${(error as Error).message}`);
	process.exit(1);
}
