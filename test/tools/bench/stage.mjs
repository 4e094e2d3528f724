/**
 * A host without a terminal for measurements: the real loader, theme and pi-tui of an installed
 * Pi, and a stand-in for the screen, so that nothing is timed but the extension.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ENTRY = "\x1b[";
/** The bytes of the keys that are pressed here, as every terminal sends them. */
export const BYTES = {
	up: `${ENTRY}A`,
	down: `${ENTRY}B`,
	tab: "\t",
	back: `${ENTRY}Z`,
	enter: "\r",
	erase: "\x7f",
	esc: "\x1b",
};

const APP_KEYS = {
	"app.interrupt": { defaultKeys: "escape" },
	"app.clear": { defaultKeys: "ctrl+c" },
	"app.exit": { defaultKeys: "ctrl+d" },
	"app.tools.expand": { defaultKeys: "ctrl+o" },
	"app.editor.external": { defaultKeys: "ctrl+g" },
};

/**
 * Milliseconds, by the clock on the wall or by what the process has been given of the processor.
 * Neither is the extension's clock, which can be moved.
 */
export const clock =
	process.env.BENCH_CLOCK === "cpu"
		? () => {
				const { user, system } = process.cpuUsage();
				return (user + system) / 1000;
			}
		: () => Number(process.hrtime.bigint()) / 1e6;

let skipped = 0;
const now = performance.now.bind(performance);
performance.now = () => now() + skipped;
/** Lets the time pass in which the dialog takes no decision. */
export const calm = () => {
	skipped += 1000;
};

/**
 * The host at the path of its command. Its index lies beside that and has the loader with the
 * settings that `pi` itself uses: aliases in the older host, virtual modules in the bundled one.
 */
export async function hostOf(cli) {
	const host = await import(pathToFileURL(join(dirname(cli), "index.js")).href);
	host.initTheme("dark");
	// An empty folder, so that nothing is found and loaded but what is named.
	const empty = mkdtempSync(join(tmpdir(), "pi-bench-"));
	process.on("exit", () => rmSync(empty, { recursive: true, force: true }));
	const load = async (path) => {
		const { extensions, errors } = await host.discoverAndLoadExtensions([path], empty, empty);
		if (errors.length > 0) throw new Error(errors[0].error);
		return extensions[0];
	};
	// What the host loads once for all extensions is not the cost of the first.
	await load(fileURLToPath(new URL("probe.ts", import.meta.url)));
	const tui = globalThis[Symbol.for("pi-ask-bench")];
	const theme = globalThis[Symbol.for("@mariozechner/pi-coding-agent:theme")];
	const keybindings = new tui.KeybindingsManager({ ...tui.TUI_KEYBINDINGS, ...APP_KEYS });
	tui.setKeybindings(keybindings);
	return { load, theme, keybindings };
}

/** The context of a call, the component it shows, and how often that asked for a frame. */
export function screenOf({ theme, keybindings }, columns, rows) {
	const terminal = { columns, rows, kittyProtocolActive: false };
	const screen = { terminal, component: undefined, requests: 0 };
	const tui = {
		terminal,
		requestRender: () => {
			screen.requests++;
		},
		setFocus() {},
		start() {},
		stop() {},
	};
	const custom = (factory) =>
		new Promise((resolve, reject) => {
			let shown;
			const done = (result) => {
				shown?.dispose?.();
				screen.component = undefined;
				resolve(result);
			};
			Promise.resolve(factory(tui, theme, keybindings, done)).then((component) => {
				shown = component;
				screen.component = component;
				if ("focused" in component) component.focused = true;
				screen.opened?.();
			}, reject);
		});
	const ui = { theme, custom, notify() {}, select: async () => {}, input: async () => {} };
	screen.ctx = { ui, hasUI: true, mode: "tui", cwd: process.cwd() };
	screen.shown = () =>
		new Promise((resolve) => {
			screen.opened = resolve;
		});
	return screen;
}

/** The tool of an extension, as the host calls it. */
export function toolOf(extension) {
	const tools = [...extension.tools.values()].map(({ definition }) => definition);
	const tool = tools.find(({ name }) => name === "ask_user_question") ?? tools[0];
	if (!tool) return undefined;
	return (raw, signal, ctx) => {
		const call = tool.prepareArguments?.(raw) ?? raw;
		return tool.execute("call", call, signal, undefined, ctx);
	};
}

// -- What is asked ----------------------------------------------------------------------------

/** Ten lines of everything that models write, some longer than the place beside the options. */
const PAGE = (i) => [
	`## Part ${i}`,
	"",
	`Some **prose** with \`code\`, number ${i}, which is longer than the place it stands in has columns.`,
	`- the first item of list ${i}`,
	"- the second, with a [link](https://example.com/)",
	"",
	"```ts",
	`const value${i} = call(${i}, "text");`,
	"```",
	"",
];

/** A preview of so many lines. Its title keeps two previews of one call apart. */
function preview(title, count) {
	const pages = Array.from({ length: Math.ceil(count / 10) }, (_, i) => PAGE(i));
	return [`# ${title}`, ...pages.flat()].slice(0, count).join("\n");
}

/** Four questions of four options. Those of the first have previews of a number of lines. */
export function callOf(lines) {
	const questions = ["Storage", "Release", "Licence", "Hosting"].map((header, q) => ({
		question: `Which ${header.toLowerCase()} should the service have in its first version?`,
		header,
		options: ["Plain (Recommended)", "Careful", "Fast", "None"].map((label) => ({
			label,
			description: `What ${label} means for ${header}, and what it costs to change it later`,
			...(q === 0 && lines > 0 ? { preview: preview(label, lines) } : {}),
		})),
		...(q === 1 ? { multiSelect: true } : {}),
	}));
	return { questions };
}
