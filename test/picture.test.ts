// The drawn goldens: what a browser with any fonts may not change, and what they may not contain.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { CURSOR_MARKER } from "@mariozechner/pi-tui";
import { decode, testTheme as theme } from "./support/frame.ts";
import { goldens } from "./support/golden.ts";
import { svg } from "./tools/picture.ts";

const root = new URL("../", import.meta.url);
const scratch = mkdtempSync(join(tmpdir(), "picture-"));
after(() => rmSync(scratch, { recursive: true }));

const draw = (...lines: string[]) => svg("x", 20, lines.map(decode));

/** While the goldens are being written, by other files at that time, nothing can be read. */
const written = { skip: process.env.GOLDEN === "write" };

/** The texts of a picture as `x,y text`, a fitted one with its width: `x,y+width text`. */
function texts(picture: string): string[] {
	const found = picture.matchAll(/<text x="(\S+)" y="(\S+)"(.*?)>(.*?)<\/text>/g);
	return [...found].map(([, x, y, how = "", text]) => {
		const fitted = /textLength="(\d+)" lengthAdjust="spacingAndGlyphs"/.exec(how);
		return `${x},${y}${fitted ? `+${fitted[1]}` : ""} ${text}`;
	});
}

test("F1 a picture that is missing, differs or is not asked for fails", () => {
	mkdirSync(join(scratch, "frame"));
	writeFileSync(join(scratch, "frame/a.svg"), draw("a"));
	const { golden, seal } = goldens(scratch, false);
	assert.throws(() => seal("frame"), /no test asks for.*\ngolden\/frame\/a\.svg$/s);
	assert.throws(() => golden("frame/b.svg", draw("a")), /golden\/frame\/b\.svg is missing/);
	assert.throws(() => golden("frame/a.svg", draw("b")), /golden\/frame\/a\.svg differs/);
});

test("F2 words are fitted into their columns", () => {
	assert.deepEqual(texts(draw("ab  c d")), ["0,13+16 ab", "32,13+24 c d"]);
	assert.deepEqual(texts(draw("", `${theme.bold("a")} b`)), ["0,30+8 a", "16,30+8 b"]);
	assert.deepEqual(texts(draw("a→b")), ["0,13+8 a", "8,13+8 →", "16,13+8 b"]);
});

test("F2 a wide character stands in the middle of its two columns", () => {
	const emoji = "👩‍👩‍👧‍👦";
	const picture = draw(`漢字a${emoji}b`);
	const expected = ["8,13 漢", "24,13 字", "32,13+8 a", `48,13+16 ${emoji}`, "56,13+8 b"];
	assert.deepEqual(texts(picture), expected);
	assert.equal(picture.match(/text-anchor="middle"/g)?.length, 3);
});

test("F2 letters that join stay together", () => {
	assert.deepEqual(texts(draw("a خيار ثان")), ["0,13+8 a", "16,13+64 خيار ثان"]);
});

test("F2 a sign is a letter and no coloured picture", () => {
	assert.deepEqual(texts(draw("✔")), ["0,13+8 ✔\ufe0e"]);
});

test("F2 lines are drawn to the edges of their cells, where they meet", () => {
	const picture = draw("╭──╮", "│  │", "╰──╯");
	const [, path = ""] = /<path [^>]*d="(.*?)"/.exec(picture) ?? [];
	const starts = ["M4.5 17v-4", "M8 8.5h16M", "M28.5 17v-4", "M4.5 17v17M", "M28.5 17v17M"];
	for (const start of [...starts, "M4.5 34v4", "M8 42.5h16M", "M28.5 34v4"]) {
		assert.ok(path.includes(start), `${start} in ${path}`);
	}
	assert.deepEqual(texts(picture), []);
	assert.throws(() => draw("╳"), /no shape for ╳/);
});

test("F2 backgrounds, the cursor, underline and strike fill their cells", () => {
	const bars = (picture: string) =>
		[...picture.matchAll(/<rect (x="\d+".*?)\/>/g)].map(([, bar]) => bar?.replaceAll('"', ""));
	const cursor = draw(`a${CURSOR_MARKER}\x1b[7mb\x1b[0m`);
	assert.deepEqual(bars(cursor), ["x=8 y=0 width=8 height=17 fill=#e5e5e7"]);
	assert.match(cursor, /<g fill="#18181e">\n<text x="8"[^>]*>b</);
	const wide = draw(`${CURSOR_MARKER}\x1b[7m漢\x1b[0m`);
	assert.deepEqual(bars(wide), ["x=0 y=0 width=16 height=17 fill=#e5e5e7"]);
	const chip = draw(theme.bg("selectedBg", ` ${theme.fg("accent", "a")} `));
	assert.deepEqual(bars(chip), ["x=0 y=0 width=24 height=17 fill=#3a3a4a"]);
	assert.match(draw(theme.bg("selectedBg", theme.inverse("a"))), /<g fill="#3a3a4a">/);
	const line = draw(theme.underline(theme.fg("accent", "a b")), theme.strikethrough("c"));
	assert.deepEqual(bars(line), [
		"x=0 y=15 width=24 height=1 fill=#8abeb7",
		"x=0 y=26 width=8 height=1 fill=#e5e5e7",
	]);
});

test("F2 bold and italic are the font's", () => {
	const picture = draw(theme.bold(theme.italic(theme.fg("mdHeading", "a"))));
	assert.match(picture, /<g fill="#f0c674" font-weight="700" font-style="italic">/);
});

test("F3 texts are no markup", () => {
	const picture = svg(`<&">`, 20, [decode(`<b> & "c" </text>`)]);
	assert.match(picture, /<title>&lt;&amp;&quot;&gt;<\/title>/);
	assert.match(picture, /<desc>&lt;b&gt; &amp; &quot;c&quot; &lt;\/text&gt;<\/desc>/);
	assert.match(picture, /textLength="136"[^<>]*>&lt;b&gt; &amp; &quot;c&quot; &lt;\/text&gt;</);
});

test("F3 what is seen is also there to be read, without the lines", () => {
	const picture = draw("────", "│ a │", "", "  b", "────");
	assert.match(picture, /^<svg [^>]*role="img"[^>]*>\n<title>x<\/title>\n<desc>/);
	assert.match(picture, /<desc> {2}a\n\n {2}b<\/desc>/);
});

test("F3 a picture is small and fetches nothing", written, () => {
	for (const folder of ["frame", "receipt"]) {
		const path = new URL(`golden/${folder}/`, root);
		for (const name of readdirSync(path).filter((name) => name.endsWith(".svg"))) {
			const picture = readFileSync(new URL(name, path), "utf8");
			assert.ok(picture.length < 30_000, name);
			assert.doesNotMatch(picture, /<(script|style|image|use|a|foreignObject)\b|href|url\(/, name);
		}
	}
});

test("F4 the pictures of the README are goldens, and say what is seen", written, () => {
	const readme = readFileSync(new URL("README.md", root), "utf8");
	const images = [...readme.matchAll(/!\[([^\]]*)\]\(([^)]*)\)/g)];
	assert.ok(images.length >= 4);
	for (const [image, alt = "", path = ""] of images) {
		assert.match(path, /^golden\/(frame|receipt)\/[\w-]+\.svg$/, image);
		assert.ok(readFileSync(new URL(path, root), "utf8").startsWith("<svg"), image);
		assert.ok(alt.length > 40, image);
	}
	assert.doesNotMatch(readme, /<img/);
});
