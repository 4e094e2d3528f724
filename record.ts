/**
 * The dialog with a recorder: loaded in place of `dialog.ts` where a folder to record into is
 * named, for reports of faults. What it writes is the head of a golden picture, so that
 * `npm run play -- FILE` shows the same again. It never changes what the dialog does, and what it
 * cannot write down is lost without a word, since the dialog matters more than its record.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeKittyPrintable, parseKey } from "@mariozechner/pi-tui";
import * as dialog from "./dialog.ts";

export * from "./dialog.ts";

const PASTE = /^\x1b\[200~(.*)\x1b\[201~$/s;
/** Places in which a letter may be a key of the dialog. */
const LISTS = ["single", "multi", "next", "review", "asking", "folded"] as const;

/** The same length and lines, since text is nobody's business unless the user says it is. */
const mask = (text: string) =>
	process.env.ASK_USER_RECORD_TEXT ? text : text.replace(/[^\s\p{Cc}]/gu, "x");

type Host = Parameters<typeof dialog.openDialog>[1];

/** A key by its name in `test/keys.ts`. What has none is written as its bytes. */
function keyName(data: string, place: dialog.Place, { keybindings }: Host): string {
	const [, pasted] = PASTE.exec(data) ?? [];
	if (pasted !== undefined) return `paste:${mask(pasted.replaceAll("\r", "\n"))}`;
	const letter = decodeKittyPrintable(data) ?? data;
	const prints = letter >= " " && letter !== "\x7f";
	const typing = place === "text" || place === "note";
	const isKey = LISTS.some((list) => dialog.recognise(list, data, keybindings));
	if (prints && (typing || !isKey)) return `type:${mask(letter)}`;
	// Newer terminals report more than the key, such as that it is held.
	const name = /[:;]/.test(data) ? undefined : parseKey(data);
	return name ?? `raw:${data}`;
}

/** Key names as one line; a name with a space in it is a JSON string. */
const line = (keys: readonly string[]) =>
	keys.map((key) => (/^[^\s"\p{Cc}]+$/u.test(key) ? key : JSON.stringify(key))).join(" ");

/** Opens the dialog as `dialog.ts` does, and writes the record anew after each key. */
export const openDialog: typeof dialog.openDialog = (ask, host, finish) => {
	const { terminal } = host.tui;
	const folder = `${process.env.ASK_USER_RECORD}`;
	const size = () => `${terminal.columns}x${terminal.rows}`;
	const started = new Date().toISOString().slice(0, 19);
	const first = size();
	const keys: string[] = [];
	let [last, sized, ended] = [ask.now(), first, ""];
	const write = () => {
		const lines = [
			`recorded ${started}, ${first}`,
			`call: ${JSON.stringify({ questions: ask.questions })}`,
			`keybindings: ${JSON.stringify(host.keybindings.getUserBindings())}`,
			`keys: ${line(keys)}`,
			...(ended === "" ? [] : [`ended: ${ended}`]),
		];
		const file = join(folder, `ask-${started.replaceAll(":", "-")}.txt`);
		try {
			mkdirSync(folder, { recursive: true });
			writeFileSync(file, `${lines.join("\n")}\n`);
		} catch {
			// A full disk is no reason to lose an answer.
		}
	};
	const component = dialog.openDialog(ask, host, (outcome) => {
		ended = outcome.end;
		write();
		finish(outcome);
	});
	const { handleInput } = component;
	component.handleInput = (data) => {
		const now = ask.now();
		if (size() !== sized) {
			sized = size();
			keys.push(`size:${sized}`);
		}
		const name = keyName(data, component.place, host);
		const before = keys.at(-1) ?? "";
		const runs = name.startsWith("type:") && before.startsWith("type:");
		// A longer pause makes no difference, and a shorter one may be the fault.
		if (!runs && now - last < dialog.QUIET_MS) keys.push(`wait:${Math.round(now - last)}`);
		if (runs) keys.push(`${keys.pop()}${name.slice(5)}`);
		else keys.push(name);
		last = now;
		write();
		handleInput.call(component, data);
	};
	write();
	return component;
};
