/**
 * The dialog with a recorder: loaded in place of `dialog.ts` where a folder to record into is
 * named, for reports of faults. What it writes is the head of a golden picture, so that
 * `npm run play -- FILE` shows the same again. It never changes what the dialog does. Where it
 * fails it stops without a word, since the dialog matters more than its record.
 */

import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseKey } from "@mariozechner/pi-tui";
import * as dialog from "./dialog.ts";

export * from "./dialog.ts";

type Host = Parameters<typeof dialog.openDialog>[1];

/** Of a longer paste only the start is written. */
const LONGEST_PASTE = 10_000;
const PASTE = /^\x1b\[200~(.*?)(?:\x1b\[201~)?$/s;
/** What terminals send for keys that type nothing. Anything else may have text in it. */
const SEQUENCE = /^(?:\x1b*(?:\[[\d:;<=>?]*[ -/]*[@-~]|O[ -~]|[ -~])?|[\x00-\x1f\x7f])$/;
/** Keys that `test/keys.ts` knows by the names that pi-tui gives them. */
const NAMED = new RegExp(
	"^(?:enter|tab|shift\\+tab|escape|backspace|delete|up|down|left|right|home|end|" +
		"pageUp|pageDown|ctrl\\+[a-z])$",
);

/** The same length and lines. A backslash stays, since before Enter it is a line break. */
const mask = (text: string) =>
	process.env.ASK_USER_RECORD_TEXT ? text : text.replace(/[^\s\p{Cc}\\]/gu, "x");

/** Whether a key has a meaning in any place but a text. */
function isKey(data: string, { keybindings }: Host): boolean {
	const lists = ["single", "multi", "next", "review", "asking", "folded"] as const;
	return lists.some((place) => dialog.recognise(place, data, keybindings));
}

/** A key that types nothing by its name. What has none is written as its bytes. */
function keyName(data: string): string {
	const [, pasted] = PASTE.exec(data) ?? [];
	if (pasted !== undefined)
		return `paste:${mask(pasted.slice(0, LONGEST_PASTE).replaceAll("\r", "\n"))}`;
	const name = parseKey(data) ?? "";
	// The newer protocols report more than the key, such as that it is held; a line feed is no Enter.
	if (NAMED.test(name) && !/[:;\n]/.test(data)) return name;
	return `raw:${SEQUENCE.test(data) ? data : mask(data)}`;
}

/** Key names as one line; a name with a space in it is a JSON string. */
const line = (keys: readonly string[]) =>
	keys.map((key) => (/^[^\s"\p{Cc}]+$/u.test(key) ? key : JSON.stringify(key))).join(" ");

/** A file for the record of one dialog, and how to add to it: a key, and the end. */
function recorder({ questions, now }: dialog.Ask, host: Host) {
	const { terminal } = host.tui;
	const size = () => `${terminal.columns}x${terminal.rows}`;
	const folder = `${process.env.ASK_USER_RECORD}`;
	const started = new Date().toISOString();
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const name = `ask-${started.replace(/[:.]/g, "-").slice(0, -1)}-${process.pid}.txt`;
	const file = openSync(join(folder, name), "wx", 0o600);
	let last = { at: now(), key: now(), masked: now(), size: size() };
	const head = writeSync(
		file,
		`recorded ${started.slice(0, 19)}, ${last.size}\ncall: ${JSON.stringify({ questions })}\n` +
			`keybindings: ${JSON.stringify(host.keybindings.getUserBindings())}\n`,
	);
	const keys: string[] = [];
	// The keys are the last line, written over itself. It only grows.
	const write = (end = "") => writeSync(file, `keys: ${line(keys)}\n${end}`, head);
	write();

	/** Text is masked where it is text, and where it came so soon that it was meant to be. */
	function key(data: string, place: dialog.Place): void {
		const at = now();
		if (size() !== last.size) keys.push(`size:${size()}`);
		const letter = dialog.typedBy(data);
		const typing = dialog.isTyping(place);
		const early = at - last.masked < dialog.QUIET_MS;
		const isText = letter !== undefined && (typing || early || !isKey(data, host));
		const plain = data === " " ? "space" : data.length === 1 && letter !== undefined ? data : "";
		// Soon after another key a letter may have been lost, and its time tells; later it does not.
		const settled = at - last.key >= dialog.QUIET_MS;
		if (isText && settled && keys.at(-1)?.startsWith("type:")) keys.push(keys.pop() + mask(letter));
		else {
			if (at - last.at < dialog.QUIET_MS) keys.push(`wait:${Math.round(at - last.at)}`);
			keys.push(isText ? `type:${mask(letter)}` : plain || keyName(data));
		}
		const masked = isText && !typing ? at : last.masked;
		last = { at, key: isText ? last.key : at, masked, size: size() };
		write();
	}
	function end(how: string): void {
		write(`ended: ${how}\n`);
		closeSync(file);
	}
	return { key, end };
}

/** Opens the dialog as `dialog.ts` does, and writes down what happens to it. */
export const openDialog: typeof dialog.openDialog = (ask, host, finish) => {
	let record: ReturnType<typeof recorder> | undefined;
	const recording = (act: () => void) => {
		try {
			act();
		} catch {
			// Half a record is better than a dialog that is lost.
			record = undefined;
		}
	};
	recording(() => {
		record = recorder(ask, host);
	});
	const component = dialog.openDialog(ask, host, (outcome) => {
		recording(() => record?.end(outcome.end));
		finish(outcome);
	});
	const { handleInput } = component;
	component.handleInput = (data) => {
		recording(() => record?.key(data, component.place));
		handleInput.call(component, data);
	};
	return component;
};

/** As in `dialog.ts`: the last statement proves that the module is whole. */
export const DIALOG_READY = true;
