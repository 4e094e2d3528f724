// Pictures of the dialog as SVG, from the cells of the text goldens and in the colours of Pi's own
// dark theme. Readers have other fonts than ours, so nothing is left to the advance of a glyph:
// words are fitted into their columns, wide characters stand in the middle of theirs, and lines,
// backgrounds and the cursor are shapes.
import { readFileSync } from "node:fs";
import { type Cell, decode } from "../support/frame.ts";
import { golden } from "../support/golden.ts";

// -- Colours ----------------------------------------------------------------------------------

/** The theme's file, as far as it is read. A colour is a variable's name, #rrggbb, or empty. */
interface ThemeFile {
	vars: Record<string, string>;
	colors: Record<string, string>;
	export: { pageBg: string };
}

const THEME =
	"../../node_modules/@mariozechner/pi-coding-agent/dist/modes/interactive/theme/dark.json";
const dark: ThemeFile = JSON.parse(readFileSync(new URL(THEME, import.meta.url), "utf8"));
const PAPER = dark.export.pageBg;
/** Empty means the terminal's own colour. This is the one of Pi's HTML export. */
const INK = "#e5e5e7";

function colour(token: string | undefined, own: string): string {
	const value = token === undefined ? "" : dark.colors[token];
	if (value === "") return own;
	const found = dark.vars[value ?? ""] ?? value;
	if (found?.startsWith("#")) return found;
	throw new Error(`no colour in the theme: ${token}`);
}

const ink = ({ fg, bg, inverse }: Cell) => (inverse ? colour(bg, PAPER) : colour(fg, INK));

function ground({ fg, bg, inverse }: Cell): string | undefined {
	if (inverse) return colour(fg, INK);
	return bg === undefined ? undefined : colour(bg, PAPER);
}

// -- Runs -------------------------------------------------------------------------------------

/** Neighbours of one kind share a text, in which the browser may join them: Arabic needs it. */
function kind({ text, width }: Cell): "blank" | "line" | "wide" | "latin" | "letters" | "sign" {
	if (text.trim() === "") return "blank";
	if (/^[\u2500-\u259f]/.test(text)) return "line";
	if (width !== 1) return "wide";
	if (/^[!-~\xa1-\u024f]/.test(text)) return "latin";
	return /^[\p{L}\p{N}]/u.test(text) ? "letters" : "sign";
}

interface Run {
	column: number;
	row: number;
	width: number;
	text: string;
	/** The first one: what it looks like, all look like. */
	cell: Cell;
}

type Key = (cell: Cell, at: number) => string | undefined;

/** The stretches of a row in which `key` has one value, without those where it has none. */
function runs(cells: readonly Cell[], row: number, key: Key): Run[] {
	const found: Run[] = [];
	const keys = cells.map(key);
	let column = 0;
	for (const [at, cell] of cells.entries()) {
		const { text, width } = cell;
		const last = found.at(-1);
		const known = keys[at] !== undefined;
		if (known && last && keys[at] === keys[at - 1]) {
			last.text += text;
			last.width += width;
		} else if (known) found.push({ column, row, width, text, cell });
		column += width;
	}
	return found;
}

/** Words of one look with single spaces between them; what must not shift is a run of its own. */
function words(cells: readonly Cell[], row: number): Run[] {
	const own = (at: number): string | undefined => {
		const cell = cells[at];
		const what = cell && kind(cell);
		if (!what || what === "blank" || what === "line") return undefined;
		return `${what}${what === "wide" || what === "sign" ? at : ""} ${look(cell)}`;
	};
	return runs(cells, row, (cell, at) => {
		if (kind(cell) !== "blank") return own(at);
		return own(at - 1) === own(at + 1) ? own(at - 1) : undefined;
	});
}

// -- Shapes -----------------------------------------------------------------------------------

// Whole numbers, so that hairlines are sharp; and in most fonts 0.6 times the size is a column.
const [WIDTH, HEIGHT, BASELINE, SIZE] = [8, 17, 13, 13.3];
const [MARGIN_X, MARGIN_Y] = [14, 11];
const FONT = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace';

/** Where each line begins in its cell, and how it goes on to the edges the neighbours begin at. */
const LINES: Record<string, readonly [x: number, y: number, path: string]> = {
	"─": [0, 8.5, "h8"],
	"│": [4.5, 0, "v17"],
	"╭": [4.5, 17, "v-4.5q0-4 3.5-4"],
	"╮": [4.5, 17, "v-4.5q0-4-4.5-4"],
	"╰": [4.5, 0, "v4.5q0 4 3.5 4"],
	"╯": [4.5, 0, "v4.5q0 4-4.5 4"],
};

function stroke({ column, row, width, text }: Run): string {
	const line = LINES[text[0] ?? ""];
	if (!line) throw new Error(`no shape for ${text}`);
	const [x, y, path] = line;
	const start = `M${column * WIDTH + x} ${row * HEIGHT + y}`;
	return `${start}${path === "h8" ? `h${width * WIDTH}` : path}`;
}

function bar({ column, row, width }: Run, fill: string, top = 0, height = HEIGHT): string {
	const [x, y] = [column * WIDTH, row * HEIGHT + top];
	return `<rect x="${x}" y="${y}" width="${width * WIDTH}" height="${height}" fill="${fill}"/>`;
}

// -- Texts ------------------------------------------------------------------------------------

const MARKUP: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string) => text.replace(/[&<>"]/g, (char) => MARKUP[char] ?? "");

/** The attributes that a cell shares with the others of its group. */
function look(cell: Cell): string {
	const weight = cell.bold ? ' font-weight="700"' : "";
	return `fill="${ink(cell)}"${weight}${cell.italic ? ' font-style="italic"' : ""}`;
}

function glyphs({ column, row, width, text, cell }: Run): string {
	const wide = kind(cell) === "wide";
	const x = (column + (wide ? width / 2 : 0)) * WIDTH;
	const anchor = wide ? ' text-anchor="middle"' : "";
	// An ideograph keeps its shape. An emoji of several parts may fall apart, and must not spread.
	const fit = ` textLength="${width * WIDTH}" lengthAdjust="spacingAndGlyphs"`;
	// Some browsers have a coloured picture for ✔, which terminals draw as a letter.
	const plain = kind(cell) === "sign" && /\p{Emoji}/u.test(text) ? "\ufe0e" : "";
	const how = `y="${row * HEIGHT + BASELINE}"${anchor}${wide && text.length === 1 ? "" : fit}`;
	return `<text x="${x}" ${how}>${escaped(text)}${plain}</text>`;
}

/** The screen to be read aloud: without lines and the empty rows around it. */
function read(rows: readonly Cell[][]): string {
	const spoken = (cell: Cell) => (kind(cell) === "line" ? " " : cell.text);
	const lines = rows.map((cells) => cells.map(spoken).join("").trimEnd());
	return lines.join("\n").replace(/^\n+|\n+$/g, "");
}

// -- Drawing ----------------------------------------------------------------------------------

function grouped(all: readonly Run[], key: (cell: Cell) => string): [string, Run[]][] {
	const names = [...new Set(all.map((run) => key(run.cell)))];
	return names.map((name) => [name, all.filter((run) => key(run.cell) === name)]);
}

/** A screen of `columns` cells a row as an SVG document. */
export function svg(title: string, columns: number, rows: readonly Cell[][]): string {
	const every = (key: Key) => rows.flatMap((cells, row) => runs(cells, row, key));
	const lines = every((cell, at) =>
		kind(cell) === "line" ? `${ink(cell)}${cell.text === "─" ? "" : at}` : undefined,
	);
	const under = every((cell) => (cell.underline ? ink(cell) : undefined));
	const struck = every((cell) => (cell.strike ? ink(cell) : undefined));
	const [width, height] = [columns * WIDTH + 2 * MARGIN_X, rows.length * HEIGHT + 2 * MARGIN_Y];
	const frame = `x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="7"`;
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}"`,
		`  viewBox="0 0 ${width} ${height}" font-size="${SIZE}" font-family="${escaped(FONT)}">`,
		`<title>${escaped(title)}</title>`,
		`<desc>${escaped(read(rows))}</desc>`,
		`<rect ${frame} fill="${PAPER}" stroke="${colour("borderMuted", INK)}"/>`,
		`<g transform="translate(${MARGIN_X} ${MARGIN_Y})">`,
		...every(ground).map((run) => bar(run, ground(run.cell) ?? PAPER)),
		...grouped(lines, ink).map(
			([fill, some]) => `<path fill="none" stroke="${fill}" d="${some.map(stroke).join("")}"/>`,
		),
		...grouped(rows.flatMap(words), look).flatMap(([how, some]) => [
			`<g ${how}>`,
			...some.map(glyphs),
			"</g>",
		]),
		...under.map((run) => bar(run, ink(run.cell), BASELINE + 2, 1)),
		...struck.map((run) => bar(run, ink(run.cell), BASELINE - 4, 1)),
		"</g>",
		"</svg>",
		"",
	].join("\n");
}

/** The picture of rendered lines, as `golden/<name>.svg`. */
export function pictured(name: string, title: string, columns: number, lines: string[]): void {
	golden(`${name}.svg`, svg(title, columns, lines.map(decode)));
}
