// The tests' own tools: what they must notice, they notice.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { CURSOR_MARKER, Editor, type EditorTheme, matchesKey } from "@mariozechner/pi-tui";
import { turn } from "./support/fake-host.ts";
import { decode, frame, plain, shown, testTheme as theme } from "./support/frame.ts";
import { chapterOf, filtered, goldens } from "./support/golden.ts";
import { bytes } from "./support/keys.ts";
import { diff, json } from "./support/print.ts";
import * as check from "./support/rules.ts";

const scratch = mkdtempSync(join(tmpdir(), "harness-"));
after(() => rmSync(scratch, { recursive: true }));

function folder(name: string, files: Record<string, string>): string {
	const root = join(scratch, name);
	mkdirSync(join(root, "frame"), { recursive: true });
	for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
	return root;
}

describe("print", () => {
	test("JSON is one line where it fits, and all of it can be seen", () => {
		const long = { a: "x".repeat(60), b: ["y".repeat(40), {}], c: null };
		const lines = ["{", `  "a": "${long.a}",`, `  "b": ["${long.b[0]}", {}],`, '  "c": null', "}"];
		assert.equal(json(long), lines.join("\n"));
		assert.equal(json([{ b: [1, true], a: {} }, []]), '[{ "b": [1, true], "a": {} }, []]');
		const spread = '{\n  "a": [1, {}],\n  "b": {\n    "c": ""\n  }\n}';
		assert.equal(json({ a: [1, {}], b: { c: "" } }, 0), spread, "or all of it is spread out");
		const unseen = "\u200b\u202e\u0301\u2028\ud83d\x7f\n\u{e0041}";
		const text = json({ [unseen]: `é 😀${unseen}` });
		assert.match(text, /^[\n -~é😀]+$/u);
		assert.deepEqual(JSON.parse(text), { [unseen]: `é 😀${unseen}` });
	});
});

describe("golden files", () => {
	test("a difference shows the changed lines with a little around them", () => {
		const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
		const after = before.replace("six", "SIX").replace("eight\n", "eight\nnine\n");
		const expected = ["  …", "  four", "  five", "- six", "+ SIX", "  seven", "  eight", "+ nine"];
		assert.equal(diff(before, after), [...expected, "  "].join("\n"));
		const { golden } = goldens(folder("different", { "frame/a.txt": before }), false);
		assert.throws(
			() => golden("frame/a.txt", after),
			/frame\/a\.txt differs.*golden\)\n.*\n- six/s,
		);
	});

	test("a difference names the chapter that speaks of the file", () => {
		const design =
			"# D\n\n## 1. One\n\n<!-- golden: a/x.txt -->\n\n### Two\n\n`a/y.txt`, golden/b/\n";
		const names = ["a/x.txt", "a/y.txt", "b/z.txt", "c/z.txt"];
		const chapters = ["DESIGN.md, 1. One", "DESIGN.md, Two", "DESIGN.md, Two", "DESIGN.md"];
		assert.deepEqual(
			names.map((name) => chapterOf(name, design)),
			chapters,
		);
		const { golden } = goldens(folder("chapter", { "frame/a.txt": "a\n" }), false);
		assert.throws(() => golden("frame/a.txt", "b\n"), /read DESIGN\.md, .*; accept with/);
	});

	test("a missing file fails and shows its text", () => {
		const { golden } = goldens(folder("missing", {}), false);
		assert.throws(() => golden("frame/a.txt", "new\n"), /missing.*npm run golden.*\n\+ new/s);
	});

	test("only a writing run writes, and deletes what nobody asked for", () => {
		const root = folder("writing", { "frame/old.txt": "old\n" });
		const reading = goldens(root, false);
		assert.throws(() => reading.seal("frame"), /no test asks for.*\ngolden\/frame\/old\.txt$/s);
		const ci = process.env.CI;
		delete process.env.CI;
		const writing = goldens(root, true);
		writing.golden("frame/new.txt", "new\n");
		writing.seal("frame");
		assert.deepEqual(readdirSync(join(root, "frame")), ["new.txt"]);
		assert.equal(readFileSync(join(root, "frame/new.txt"), "utf8"), "new\n");
		process.env.CI = "true";
		assert.throws(() => goldens(root, true), /never written where CI is set/);
		if (ci === undefined) delete process.env.CI;
		else process.env.CI = ci;
	});

	test("a text nobody could read in an editor is refused", () => {
		const { golden } = goldens(folder("refused", { "frame/a.txt": "a\n" }), false);
		golden("frame/a.txt", "a\n");
		for (const text of ["\x1b[1ma\n", "a \n", "a", "", "a\r\n", "\u009b\n", "\ud800\n"]) {
			assert.throws(() => golden("frame/a.txt", text), /golden\/frame\/a\.txt would/);
		}
		assert.throws(() => golden("frame/a.txt", "b\n"), /asked for twice/);
		assert.throws(() => golden("a.txt", "a\n"), /is not folder\/file/);
	});

	test("a filtered run is told from a whole one", () => {
		assert.equal(filtered(["--import", "x", "--test"]), false);
		assert.equal(filtered(["--test-only"]), true);
		const file = join(scratch, "some.test.ts");
		const script = `import { test } from "node:test";
import { filtered } from ${JSON.stringify(new URL("support/golden.ts", import.meta.url).href)};
test("chosen", () => console.log("filtered", filtered(process.execArgv)));`;
		writeFileSync(file, script);
		const { NODE_TEST_CONTEXT: _, ...env } = process.env;
		const node = ["--import", "ts-blank-space/register", "--test", "--test-name-pattern=chosen"];
		const { stdout } = spawnSync(process.execPath, [...node, file], {
			cwd: fileURLToPath(new URL("..", import.meta.url)),
			env,
			encoding: "utf8",
		});
		assert.match(stdout, /filtered true/);
	});
});

describe("frames", () => {
	const picture = (lines: string[], width = 8, rows = lines.length) =>
		frame({ title: "x", width, rows }, lines).split("\n").slice(1);

	test("screen and style stand cell for cell", () => {
		const lines = [
			theme.fg("accent", "────────"),
			` ${theme.bold(theme.fg("text", "漢"))}${theme.fg("mdCode", "c")}${theme.bold("b")}`,
			theme.bg("selectedBg", theme.fg("text", "on")),
			`${theme.italic("i")}${theme.underline(theme.strikethrough("us"))}`,
		];
		assert.equal(
			frame({ title: "all of it", keys: ["down", "space"], width: 8 }, lines),
			`all of it, 8x4
keys: down space

┌────────┐
│────────│
│ 漢cb   │
│on      │
│ius     │
└────────┘
 aaaaaaaa
 .TTcB
 ██


italic i, underline u, strike s, several +



 i++
`,
		);
	});

	test("colours nest and end as in a terminal", () => {
		const line = theme.fg("text", `a${theme.fg("dim", "b")}c`);
		assert.deepEqual(
			decode(line).map((cell) => cell.fg),
			["text", "dim", undefined],
		);
		assert.deepEqual(
			decode("\x1b[1;38;5;16mx\x1b[0my\x1b[m").map((cell) => [cell.bold, cell.fg]),
			[
				[true, "accent"],
				[undefined, undefined],
			],
		);
		assert.equal(plain(theme.bold(`a${theme.bold("b")}c`)), "abc");
		assert.ok(decode(theme.bold(`a${theme.bold("b")}c`)).every((cell) => cell.bold));
	});

	test("what is too wide or too tall sticks out", () => {
		assert.deepEqual(picture(["123456789", "b"], 8, 1), [
			"",
			"┌────────┐",
			"│123456789│",
			"└────────┘",
			"│b       │",
			...["", "", ""],
		]);
	});

	test("unknown sequences, links and unknown tokens throw", () => {
		const unknown = ["\x1b[2K", "\x1b[38;5;1mx", "\x1b[48;5;99mx", "\x1b[38;2;1;2;3mx", "\x1b[5mx"];
		for (const line of [
			...unknown,
			"\x1b]8;;http://a\x07a\x1b]8;;\x07",
			"a\nb",
			"\t",
			"\u009b1m",
		]) {
			assert.throws(() => decode(line), /unknown|not of the theme/, JSON.stringify(line));
		}
		assert.throws(() => decode(`${theme.bold("x")}\x1b[2K`), /frame: \\x1b\[2K$/);
		assert.throws(() => theme.fg("selectedBg" as never, "x"), /^Error: Unknown theme color/);
		assert.throws(() => theme.bg("text" as never, "x"), /Unknown theme background color/);
	});

	test("a cursor is one only where the terminal's would stand", () => {
		assert.deepEqual(picture([`${CURSOR_MARKER}\x1b[7mx\x1b[0my`, theme.inverse("z")]).slice(-3), [
			" I",
			" i",
			"",
		]);
		assert.throws(() => decode(`${CURSOR_MARKER}x`), /cursor mark without a cursor/);
		assert.throws(() => decode(`x${CURSOR_MARKER}`), /cursor mark without a cursor/);
	});

	test("both generations' editors draw the same cursor", () => {
		const tui = { terminal: { rows: 24, columns: 20 }, requestRender() {} };
		const look = { borderColor: (text: string) => text } as EditorTheme;
		const editor = new Editor(tui as never, look);
		editor.focused = true;
		editor.setText("ab");
		editor.handleInput(bytes("left"));
		assert.deepEqual(picture(editor.render(8).slice(1, -1)), [
			"",
			"┌────────┐",
			"│ab      │",
			"└────────┘",
			" .I",
			"",
		]);
		editor.focused = false;
		assert.equal(picture(editor.render(8).slice(1, -1)).at(-2), " .i");
	});

	test("control characters can be shown", () => {
		assert.equal(shown("a\x1b[\x07\u009b\n"), "a\\x1b[\\x07\\x9b\n");
	});
});

describe("keys", () => {
	test("pi-tui recognizes every key by the bytes of its name", () => {
		const names = [
			"enter",
			"tab",
			"shift+tab",
			"esc",
			"space",
			"backspace",
			"delete",
			"up",
			"down",
		];
		const more = ["left", "right", "home", "end", "pageUp", "pageDown", "shift+enter", "alt+enter"];
		for (const name of [...names, ...more, "ctrl+c", "ctrl+]", "alt+x", "n", "1"]) {
			assert.ok(matchesKey(bytes(name), name as never), name);
			const pressed = bytes(`kitty:${name}`);
			assert.ok(matchesKey(pressed, name as never), `kitty:${name}`);
			assert.equal(bytes(`repeat:${name}`), pressed.replace(":1", ":2"));
		}
		assert.equal(bytes("repeat:enter"), "\x1b[13;1:2u");
		assert.equal(bytes("release:up"), "\x1b[1;1:3A");
		assert.equal(bytes("paste:a\nb"), "\x1b[200~a\rb\x1b[201~");
		assert.equal(bytes("raw:\x1b[I"), "\x1b[I");
		assert.throws(() => bytes("entr"), /no key is called "entr"/);
	});

	test("a turn lets settled promises act", async () => {
		let acted = false;
		Promise.resolve().then(() => {
			acted = true;
		});
		await turn();
		assert.ok(acted);
	});
});

describe("house rules", () => {
	const fixture = (text: string) => check.source("x.ts", text);

	test("lengths", () => {
		assert.equal(check.tooLong(fixture("a\nb\n"), 1).length, 1);
		assert.equal(check.tooLong(fixture("a\nb\n"), 2).length, 0);
		assert.deepEqual(check.tooWide(fixture("\tabc\n"), 4), ["x.ts:1 has 5 columns"]);
		const long = fixture("const f = () => {\n\tf();\n\tf();\n};\n");
		assert.deepEqual(check.longFunctions(long, 3), ["x.ts:1 is a function of 4 lines"]);
		assert.deepEqual(check.longFunctions(long, 4), []);
	});

	test("comments are counted by the line, and only comments", () => {
		const body = "\t// two\n\treturn `// no ${f() /* no */} // no`; // no\n";
		const text = `/**\n * one\n */\nfunction f() {\n${body}}\n\n`;
		assert.equal(check.density(fixture(`${text}f("// no");\n`)), 50);
		assert.equal(check.sparse(fixture(text), [20, 30]).length, 1);
		assert.deepEqual(check.sparse(fixture("// a\nb\nc\nd\n"), [20, 30]), []);
		assert.equal(check.density(fixture("if (a) {\n\tb;\n\t// last\n}\n")), 25);
	});

	test("excuses are found in comments, and only there", () => {
		const excuses = [`// ${"biome"}-ignore x`, `// @${"ts"}-ignore`, `/* ${"TO"}DO, ${"#"}12 */`];
		assert.equal(check.unwanted(fixture(`${excuses.join("\n")}\nlet x: any;\n`)).length, 5);
		assert.deepEqual(check.unwanted(fixture('// [paste #1 +21 lines]\nf("TODO #12");\n')), []);
		assert.equal(check.muted(fixture("test.skip(); t.todo(); test();")).length, 2);
	});

	test("run-time imports are told from types", () => {
		const types = 'import type { A } from "a";\nexport type { B } from "a";\n';
		const file = fixture(
			`${types}import { b } from "node:b";\nexport * from "./c.ts";\nimport("d");`,
		);
		assert.deepEqual(check.loads(file), ["node:b", "./c.ts", "d"]);
		assert.deepEqual(check.foreign(file, ["node:*", "./c.ts"]), ["x.ts loads d"]);
	});
});

describe("DESIGN.md", () => {
	const code = (text: string) => check.source("x.ts", text);

	test("banners and headings are the same list", () => {
		const file = code("// -- 1. Limits -----\n// -- 2. Schema --\n");
		const markdown = "## 1. Limits\n\n```text\n# 3. No\n```\n\n#### 2. Schema\n### D1. State\n";
		assert.deepEqual(check.sections(file, markdown, ""), []);
		assert.deepEqual(check.sections(code("// -- D1. State ---\n"), markdown, "D"), []);
		assert.deepEqual(check.sections(code("// -- D2. Keys ---\n"), markdown, "D"), [
			'x.ts: "D2. Keys" is out of order',
			'no heading "D2. Keys"',
			'no banner "D1. State"',
		]);
	});

	test("rules and tests name each other", () => {
		const markdown = "- **V1** a\n- **V2** b\n\n```md\n**V9** c\n```\n";
		const tests = [
			code('test("V1 a", f); test(`V2: ${x}`, f); it("V10x", f); t.test("UTF8 V1", f);'),
			code('const rows = [{ rule: "V1" }];'),
		];
		assert.deepEqual(check.rules(markdown, tests), ["no rule is UTF8"]);
		assert.deepEqual(check.rules(`${markdown}**V1** **V3**`, [code('it("V1 V2 both");')]), [
			"V1 is stated twice",
			"no test begins with V3",
		]);
	});

	test("quoted goldens are renewed", () => {
		const markdown = "a\n<!-- golden: frame/a.txt -->\n```text\nold\n```\nb\n";
		const renewed = check.requote(markdown, (name) => `${name}\n`);
		assert.equal(renewed, markdown.replace("\nold\n", "\nframe/a.txt\n"));
		const fenced = check.requote(markdown, () => "```js\n```\n");
		assert.match(fenced, /-->\n````text\n```js\n```\n````\nb/);
		assert.equal(
			check.requote(fenced, () => "old\n"),
			markdown,
		);
		const screen = "<!-- golden: frame/a.txt screen -->\n```text\n```\n";
		const frame = "title\n┌──┐\n│→ │\n│  │\n└──┘\n a\n";
		assert.match(
			check.requote(screen, () => frame),
			/```text\n→\n\n```/,
		);
		assert.deepEqual(check.strayQuotes(markdown + screen), []);
		assert.equal(check.strayQuotes("<!-- golden: frame/a.txt -->\ntext\n").length, 1);
	});
});
