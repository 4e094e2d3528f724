// The heads that `npm run play` replays: those of the goldens, and those people write.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { check, clean, prepare } from "../index.ts";
import { parseHead, strokes } from "./support/head.ts";
import { keyLine } from "./support/keys.ts";

const CALL = '{"questions":[{"question":"Which?","header":"H","options":["a","b"]}]}';

test("a head tells the size, the call and the keys", () => {
	const text = `a note, written, 46x9\ncall: ${CALL}\nkeys: n "type:a b" esc\n\n┌──┐\n│ x: 1x1`;
	assert.deepEqual(parseHead(text), {
		title: "a note, written",
		columns: 46,
		rows: 9,
		call: JSON.parse(CALL),
		keys: ["n", "type:a b", "esc"],
		keybindings: {},
		lacks: [],
	});
});

test("a bug report is a head and nothing else", () => {
	const head = parseHead(`it broke, 80x24\r\ncall: ${CALL}\r\nkeys: down "raw:\\u001b[I"\r\n`);
	assert.deepEqual(head.keys, ["down", "raw:\x1b[I"]);
	const bare = parseHead(`it opens, 80x24\ncall: ${CALL}`);
	assert.deepEqual(bare.keys, []);
	const bound = parseHead(`x, 1x3\ncall: ${CALL}\nkeybindings: {"tui.select.up":"ctrl+p"}`);
	assert.deepEqual(bound.keybindings, { "tui.select.up": "ctrl+p" });
});

test("what cannot be replayed is said", () => {
	const head = parseHead(`x, 80x24\ncall: ${CALL}\nstate: {"asking":true}\ntheme: none\nkeys: up`);
	assert.equal(head.lacks.length, 2);
	assert.match(head.lacks[0] ?? "", /made from a state.*\{"asking":true\}/);
});

test("a head that is none gets a sentence", () => {
	const wrong: [string, RegExp][] = [
		["", /first line must end with a size/],
		[`no size\ncall: ${CALL}`, /first line must end with a size/],
		["x, 80x24\n\n┌──┐", /no call: line.*painting a state/],
		["x, 80x24\nkeys: up", /no call: line/],
		["x, 80x24\ncall: {", /The call: line is no JSON/],
		[`x, 80x24\ncall: ${CALL}\nkeybindings: up`, /The keybindings: line is no JSON/],
		[`x, 80x24\ncall: ${CALL}\nkeys: entr`, /no key is called "entr"/],
		[`x, 80x24\ncall: ${CALL}\nkeys up`, /no name before a colon: keys up/],
	];
	for (const [text, expected] of wrong) assert.throws(() => parseHead(text), expected, text);
});

test("typed text is a key for each character", () => {
	assert.deepEqual(strokes("type:a 👍🏽"), ["a", " ", "👍🏽"]);
	assert.deepEqual(strokes("ctrl+c"), ["\x03"]);
});

test("every picture with a call can be played", () => {
	const folder = new URL("../golden/frame/", import.meta.url);
	const names = existsSync(folder) ? readdirSync(folder) : [];
	for (const name of names.filter((name) => name.endsWith(".txt"))) {
		const text = readFileSync(new URL(name, folder), "utf8");
		if (!/^call: /m.test(text)) continue;
		const { keys, call } = parseHead(text);
		assert.equal(check(clean(prepare(call))), undefined, name);
		const line = /^keys:(.*)$/m.exec(text)?.[1]?.trim() ?? "";
		assert.equal(keyLine(keys), line, name);
	}
});
