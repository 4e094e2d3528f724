// What the dialog's tests ask, and the two ways they ask it: through the whole tool in a fake
// host, or with a state straight into the view.
import { wrapTextWithAnsi } from "@mariozechner/pi-tui";
import { type Entry, opened, type Paint, type Picture, type State, view } from "../../dialog.ts";
import { type Call, clean, display, type Result } from "../../index.ts";
import { call, fakeHost, type HostOptions } from "./fake-host.ts";
import { plain, testTheme } from "./frame.ts";

export type Asked = Call["questions"][number];

// -- Questions --------------------------------------------------------------------------------

export const DATABASE: Asked = {
	question: "Which database should the service use?",
	header: "Database",
	options: [
		{ label: "PostgreSQL (Recommended)", description: "Two other services already run on it" },
		{ label: "SQLite", description: "One file and no server, fine for a single writer" },
		{ label: "DynamoDB", description: "Managed and scales, but ties us to one cloud" },
	],
};

export const FEATURES: Asked = {
	question: "Which features should the first release have?",
	header: "Features",
	multiSelect: true,
	options: [
		{ label: "Search", description: "Full text over titles and bodies" },
		{ label: "Export", description: "CSV and JSON, streamed" },
		{ label: "Sharing", description: "Read-only links that expire" },
	],
};

export const RELEASE: Asked = {
	question: "When do we ship?",
	header: "Release",
	options: [
		{ label: "This week", description: "" },
		{ label: "Next month", description: "" },
	],
};

export const LICENCE: Asked = {
	question: "Which licence fits?",
	header: "Licence",
	options: [
		{ label: "MIT", description: "Short and permissive" },
		{ label: "Apache 2.0", description: "Permissive, with a patent grant" },
	],
};

/** A question as models ask it, with the same thing in three shapes as previews. */
export const ERRORS: Asked = {
	question: "How should the API report errors?",
	header: "Errors",
	options: [
		{
			label: "Problem details (Recommended)",
			description: "RFC 9457, which most clients know",
			preview: [
				"## 404 Not Found",
				"",
				"- **One shape** for every fault",
				"- `type` leads to a page about it",
				"",
				"```json",
				"{",
				'  "type": "/problems/no-such-note",',
				'  "title": "No such note",',
				'  "detail": "Note 42 was deleted."',
				"}",
				"```",
			].join("\n"),
		},
		{
			label: "A code and a message",
			description: "Short, and all of our own",
			preview: '```json\n{ "code": "no_such_note", "message": "Note 42 was deleted." }\n```',
		},
		{
			label: "The status alone",
			description: "Nothing to parse or to document",
			preview: "```http\nHTTP/1.1 404 Not Found\nContent-Length: 0\n```",
		},
	],
};

/** Questions of two options each, with these headers. */
export const plainQuestions = (...headers: string[]): Asked[] =>
	headers.map((header) => ({
		question: `What about ${header}?`,
		header,
		options: [
			{ label: "Yes", description: "" },
			{ label: "No", description: "" },
		],
	}));

// -- Through the tool -------------------------------------------------------------------------

/** Long enough after the last key that no quiet time is left. */
export const CALM = 1000;

/** Calls the tool and waits until its dialog takes keys. */
export async function ask(questions: readonly Asked[], options: HostOptions = {}) {
	const host = fakeHost(options);
	const result = call(host, { questions });
	await host.opened();
	host.advance(CALM);
	host.screen();
	return {
		host,
		result,
		/** How the call ended: what the model reads, and the details. */
		async settled() {
			if (host.isOpen()) throw new Error("the dialog is still open");
			const ended = await result;
			if (!ended) throw new Error(`the call threw:\n${host.log.at(-1)}`);
			const [part] = ended.content;
			const details = ended.details as Result;
			return { text: part?.type === "text" ? part.text : "", details };
		},
		/** The screen as text. */
		text: () => host.screen().map(plain).join("\n"),
		/** Presses keys one by one, each after the quiet time of the one before. */
		press(...names: string[]): void {
			for (const name of names) {
				host.press(name);
				host.advance(CALM);
				// Pi paints after every key, and what can be scrolled is known from the picture.
				if (host.isOpen()) host.screen();
			}
		},
	};
}

// -- Straight into the view -------------------------------------------------------------------

/** A state by what is not as at the beginning. */
export interface Patch extends Partial<Omit<State, "entries" | "questions">> {
	entries?: Partial<Entry>[];
}

export function stateOf(questions: readonly Asked[], { entries = [], ...rest }: Patch = {}): State {
	const state = opened(clean({ questions }), 0);
	return {
		...state,
		...rest,
		entries: state.entries.map((entry, i) => ({ ...entry, ...entries[i] })),
	};
}

/** Pi's own keys, as far as hints name them. */
const BOUND: Record<string, string[]> = {
	"tui.select.confirm": ["enter"],
	"tui.select.cancel": ["escape", "ctrl+c"],
	"tui.select.up": ["up"],
	"tui.select.down": ["down"],
	"tui.input.submit": ["enter"],
	"tui.input.newLine": ["shift+enter"],
	"tui.input.tab": ["tab"],
	"app.editor.external": ["ctrl+g"],
};

export const testPaint: Paint = {
	fg: (token, text) => testTheme.fg(token, text),
	bg: (token, text) => testTheme.bg(token, text),
	bold: (text) => testTheme.bold(text),
	wrap: (text, width) => wrapTextWithAnsi(display(text), width),
	preview: (markdown) => ({ lines: markdown.split("\n"), rest: 0 }),
	keysOf: (id) => BOUND[id] ?? [],
};

/** A state as a terminal of a size would show it. */
export function painted(state: State, columns: number, rows: number): Picture {
	const size = { width: columns, rows: Math.max(3, rows - 4) };
	return view(state, testPaint, size, { lines: [], cursor: 0 });
}
