// The head of a golden picture, or of a bug report: what is asked, in which size, and which keys
// were pressed. It is all that is needed to see the same again.
import type { KeybindingsConfig } from "@mariozechner/pi-tui";
import { bytes, keyNames } from "./keys.ts";

export interface Head {
	title: string;
	columns: number;
	rows: number;
	/** The tool call's arguments. */
	call: unknown;
	/**
	 * Key names of keys.ts; `type:TEXT`; `size:WxH` for a terminal that changed; `wait:MS` before a
	 * key that came sooner than a reader would press it.
	 */
	keys: string[];
	/** The user's own keys, as in keybindings.json. */
	keybindings: KeybindingsConfig;
	/** What a replay cannot do as the head says, in sentences. */
	lacks: string[];
}

function json(name: string, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new Error(`The ${name}: line is no JSON: ${(error as Error).message}`);
	}
}

/** Lines of a head that only tests can bring about. */
const LACKS: Record<string, string> = {
	state: "The picture was made from a state, not by keys, so the dialog opens at its beginning",
	theme: "The picture was made with another theme",
	steps: "Other sizes and waits between the keys are left out",
};

/** The size that a name of the keys' line tells of, or the time. */
export const sizeOf = (name: string) => /^size:(\d+)x(\d+)$/.exec(name)?.slice(1).map(Number);
export const waitOf = (name: string) => /^wait:(\d+)$/.exec(name)?.slice(1).map(Number)[0];

/** Bytes of a key or of typed text, one for each key that is pressed. */
export function strokes(name: string): string[] {
	if (sizeOf(name) || waitOf(name) !== undefined) return [];
	if (!name.startsWith("type:")) return [bytes(name)];
	const typed = new Intl.Segmenter("en").segment(name.slice(5));
	return [...typed].map(({ segment }) => segment);
}

/**
 * Reads a head: a first line that ends in `, WIDTHxHEIGHT`, then lines of a name and a value up to
 * the first blank one. Throws a sentence for whoever wrote the file.
 */
export function parseHead(text: string): Head {
	const [first = "", ...rest] = text.replace(/\r\n/g, "\n").split("\n");
	const size = /^(.*), (\d+)x(\d+)$/.exec(first.trim());
	if (!size) throw new Error('The first line must end with a size, as in "what it shows, 80x24".');
	const end = rest.findIndex((line) => line.trim() === "");
	const lines = end < 0 ? rest : rest.slice(0, end);
	const fields = new Map<string, string>();
	for (const line of lines) {
		const [, name, value] = /^([a-z]+):(.*)$/.exec(line) ?? [];
		if (name === undefined || value === undefined)
			throw new Error(`This line of the head has no name before a colon: ${line}`);
		fields.set(name, value.trim());
	}
	const call = fields.get("call");
	if (call === undefined)
		throw new Error(
			"The head has no call: line, so there is nothing to play. The picture was made by painting " +
				"a state; no keys lead to it.",
		);
	const keys = keyNames(fields.get("keys") ?? "");
	for (const key of keys) strokes(key);
	return {
		title: size[1] ?? "",
		columns: Number(size[2]),
		rows: Number(size[3]),
		call: json("call", call),
		keys,
		keybindings: json("keybindings", fields.get("keybindings") ?? "{}") as KeybindingsConfig,
		lacks: Object.entries(LACKS).flatMap(([name, lack]) =>
			fields.has(name) ? `${lack} (${name}: ${fields.get(name)}).` : [],
		),
	};
}
