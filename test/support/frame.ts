// Pictures of the dialog as text: the screen in a box, and below it, cell for cell, the theme
// token each cell was painted with. Escape sequences are decoded, so a golden needs none.
import type { Theme, ThemeColor } from "@mariozechner/pi-coding-agent";
import { visibleWidth } from "@mariozechner/pi-tui";

// -- The theme --------------------------------------------------------------------------------

/** The letter of each token in the style plane. `b` and `i` are taken: bold, and inverse. */
const LETTERS: Record<ThemeColor, string> = {
	accent: "a",
	muted: "m",
	dim: "d",
	text: "t",
	success: "s",
	warning: "w",
	error: "e",
	mdHeading: "h",
	mdCode: "c",
	mdCodeBlock: "c",
	mdQuote: "q",
	mdQuoteBorder: "q",
	mdCodeBlockBorder: "q",
	mdHr: "q",
	border: "q",
	borderAccent: "q",
	borderMuted: "q",
	mdLink: "l",
	mdLinkUrl: "l",
	mdListBullet: "p",
	syntaxComment: "x",
	syntaxKeyword: "x",
	syntaxFunction: "x",
	syntaxVariable: "x",
	syntaxString: "x",
	syntaxNumber: "x",
	syntaxType: "x",
	syntaxOperator: "x",
	syntaxPunctuation: "x",
	toolTitle: "n",
	toolOutput: "o",
	toolDiffAdded: "f",
	toolDiffRemoved: "f",
	toolDiffContext: "f",
	userMessageText: "u",
	customMessageText: "u",
	customMessageLabel: "u",
	thinkingText: "k",
	thinkingOff: "k",
	thinkingMinimal: "k",
	thinkingLow: "k",
	thinkingMedium: "k",
	thinkingHigh: "k",
	thinkingXhigh: "k",
	bashMode: "y",
};

/** Selected rows are solid, the other backgrounds hatched. */
const SHADES: Record<string, string> = {
	selectedBg: "█",
	userMessageBg: "▒",
	customMessageBg: "▒",
	toolPendingBg: "▒",
	toolSuccessBg: "▒",
	toolErrorBg: "▒",
};

// One palette entry per token, so that a colour on the screen leads back to its token.
const FOREGROUNDS = Object.keys(LETTERS) as ThemeColor[];
const BACKGROUNDS = Object.keys(SHADES);
const FIRST = 16;

function paint(kind: 38 | 48, tokens: readonly string[], token: string): string {
	const at = tokens.indexOf(token);
	// Pi throws for unknown tokens, which would kill it when it happens in a render.
	if (at < 0) throw new Error(`Unknown theme ${kind === 48 ? "background " : ""}color: ${token}`);
	return `\x1b[${kind};5;${FIRST + at}m`;
}

function attribute(on: number, off: number): (text: string) => string {
	// As in chalk: an inner end of the same attribute begins it again.
	return (text) => `\x1b[${on}m${text.replaceAll(`\x1b[${off}m`, `\x1b[${on}m`)}\x1b[${off}m`;
}

/** Pi's theme with a colour of its own for every token. */
export const testTheme = {
	name: "test",
	fg: (token: string, text: string) => `${paint(38, FOREGROUNDS, token)}${text}\x1b[39m`,
	bg: (token: string, text: string) => `${paint(48, BACKGROUNDS, token)}${text}\x1b[49m`,
	getFgAnsi: (token: string) => paint(38, FOREGROUNDS, token),
	getBgAnsi: (token: string) => paint(48, BACKGROUNDS, token),
	getColorMode: () => "256color",
	bold: attribute(1, 22),
	italic: attribute(3, 23),
	underline: attribute(4, 24),
	inverse: attribute(7, 27),
	strikethrough: attribute(9, 29),
} as unknown as Theme;

// -- Decoding ---------------------------------------------------------------------------------

interface Pen {
	fg?: ThemeColor | undefined;
	bg?: string | undefined;
	bold?: boolean;
	italic?: boolean;
	underline?: boolean;
	strike?: boolean;
	inverse?: boolean;
}

/** One character of the screen and how it was painted. */
export interface Cell extends Pen {
	text: string;
	/** Columns: 1, or 2 for a wide character. */
	width: number;
	/** The text cursor stands here: drawn by pi-tui and marked for the terminal's own cursor. */
	cursor: boolean;
}

const SWITCHES: Record<number, Pen> = {
	1: { bold: true },
	3: { italic: true },
	4: { underline: true },
	7: { inverse: true },
	9: { strike: true },
	22: { bold: false },
	23: { italic: false },
	24: { underline: false },
	27: { inverse: false },
	29: { strike: false },
	39: { fg: undefined },
	49: { bg: undefined },
};

/** The pen after one colour sequence, e.g. `1;38;5;17`. */
function sgr(pen: Pen, parameters: string): Pen {
	const codes = parameters.split(";").map(Number);
	let next = pen;
	while (codes.length > 0) {
		const code = codes.shift() ?? 0;
		if (code === 0) next = {};
		else if ((code === 38 || code === 48) && codes.shift() === 5) {
			const at = (codes.shift() ?? 0) - FIRST;
			const fg = FOREGROUNDS[at];
			const bg = BACKGROUNDS[at];
			if (code === 38 && fg !== undefined) next = { ...next, fg };
			else if (code === 48 && bg !== undefined) next = { ...next, bg };
			else throw new Error(`a colour that is not of the theme: ${parameters}`);
		} else {
			const change = SWITCHES[code];
			if (change === undefined) throw new Error(`unknown style in a frame: ${parameters}`);
			next = { ...next, ...change };
		}
	}
	return next;
}

const PIECES = /\x1b\[([\d;]*)m|\x1b_pi:(c|fc|\/fc)\x07|([^\x00-\x1f\x7f-\x9f]+)|[\s\S]/gu;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The cells of one rendered line; throws on every sequence that is not paint or cursor. */
export function decode(line: string): Cell[] {
	const cells: Cell[] = [];
	let pen: Pen = {};
	// pi-tui marks the place of the real cursor and then draws one: with reverse video in 0.73,
	// between marks of its own in 1.6 (which turns them into reverse video later).
	let marked = false;
	for (const piece of line.matchAll(PIECES)) {
		const [, style, mark, text] = piece;
		if (style !== undefined) pen = sgr(pen, style);
		else if (mark === "c") marked = true;
		else if (mark !== undefined) pen = { ...pen, inverse: mark === "fc" };
		else if (text !== undefined) {
			for (const { segment } of graphemes.segment(text)) {
				const cursor = marked && pen.inverse === true;
				if (marked && !cursor) throw new Error(`cursor mark without a cursor: ${shown(line)}`);
				marked = false;
				cells.push({ ...pen, text: segment, width: visibleWidth(segment), cursor });
			}
		} else {
			const rest = line.slice(piece.index, piece.index + 20);
			throw new Error(`unknown sequence in a frame: ${shown(rest)}`);
		}
	}
	if (marked) throw new Error(`cursor mark without a cursor: ${shown(line)}`);
	return cells;
}

/** The text of a rendered line without its paint. */
export function plain(line: string): string {
	return decode(line)
		.map((cell) => cell.text)
		.join("");
}

/** Control characters as `\x1b`, for messages and transcripts. */
export function shown(text: string): string {
	return text.replace(
		/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g,
		(char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`,
	);
}

// -- Drawing ----------------------------------------------------------------------------------

function style(cell: Cell): string {
	if (cell.inverse) return cell.cursor ? "I" : "i";
	if (cell.bg !== undefined) return SHADES[cell.bg] ?? "?";
	if (cell.fg === undefined) return cell.bold ? "B" : ".";
	return cell.bold ? LETTERS[cell.fg].toUpperCase() : LETTERS[cell.fg];
}

function ornament(cell: Cell): string {
	const used = [cell.italic && "i", cell.underline && "u", cell.strike && "s"].filter(Boolean);
	return used.length > 1 ? "+" : used[0] || ".";
}

function plane(rows: readonly Cell[][], letter: (cell: Cell) => string): string[] {
	return rows.map((row) => {
		const letters = row.map((cell) => letter(cell).repeat(cell.width)).join("");
		return ` ${letters}`.replace(/[ .]+$/, "");
	});
}

export interface FrameOptions {
	/** What the picture shows. */
	title: string;
	/** The keys that led there. */
	keys?: string | readonly string[];
	width: number;
	/** The height given to the dialog; rows beyond it are drawn below the box. */
	rows?: number;
}

/** A golden picture of rendered lines. What is too wide or too tall sticks out of the box. */
export function frame(options: FrameOptions, lines: readonly string[]): string {
	const { title, keys, width, rows = lines.length } = options;
	const cells = lines.map(decode);
	const screen = cells.map((row) => {
		const columns = row.reduce((sum, cell) => sum + cell.width, 0);
		const text = row.map((cell) => cell.text).join("");
		return `│${text}${" ".repeat(Math.max(0, width - columns))}│`;
	});
	const rule = "─".repeat(width);
	screen.splice(rows, 0, `└${rule}┘`);
	const ornaments = plane(cells, ornament);
	return [
		`${title}, ${width}x${rows}`,
		...(keys === undefined ? [] : [`keys: ${typeof keys === "string" ? keys : keys.join(" ")}`]),
		"",
		`┌${rule}┐`,
		...screen,
		...plane(cells, style),
		...(ornaments.every((row) => row === "")
			? []
			: ["", "italic i, underline u, strike s, several +", ...ornaments]),
		"",
	].join("\n");
}
