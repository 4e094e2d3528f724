/**
 * A preview as lines: Markdown in Pi's colours, laid out as far as it has been looked at.
 *
 * Markdown is laid out from its beginning, and anew for every width, in a time that grows with its
 * length. A key must not wait for thousands of lines that nobody may ever see, so a long preview
 * is laid out in growing parts. Until the last of them the number of all its lines is a guess.
 */

import type { Theme } from "@mariozechner/pi-coding-agent";
import { Markdown, type MarkdownTheme, wrapTextWithAnsi } from "@mariozechner/pi-tui";

/** The lines of a preview that are laid out, and a guess of how many more there are. */
export type Preview = { lines: readonly string[]; rest: number };

/** Pi's own colours for markdown. */
function markdownTheme(theme: Theme): MarkdownTheme {
	const ink = (token: Parameters<Theme["fg"]>[0]) => (text: string) => theme.fg(token, text);
	return {
		heading: ink("mdHeading"),
		link: ink("mdLink"),
		linkUrl: ink("mdLinkUrl"),
		code: ink("mdCode"),
		codeBlock: ink("mdCodeBlock"),
		codeBlockBorder: ink("mdCodeBlockBorder"),
		quote: ink("mdQuote"),
		quoteBorder: ink("mdQuoteBorder"),
		hr: ink("mdHr"),
		listBullet: ink("mdListBullet"),
		bold: (text) => theme.bold(text),
		italic: (text) => theme.italic(text),
		underline: (text) => theme.underline(text),
		strikethrough: (text) => theme.strikethrough(text),
	};
}

/** What is shown of one preview, in UTF-16 units; more would take seconds to lay out. */
const LONGEST = 131_072;

/** Marks a terminal obeys though they take no room: links of the model's have no place here. */
const LINKS = /\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** Markdown as lines. Without its escapes a link still shows its text, and often its target. */
function render(markdown: string, width: number, theme: Theme): string[] {
	try {
		const lines = new Markdown(markdown, 0, 0, markdownTheme(theme)).render(width);
		return lines.map((line) => line.replace(LINKS, ""));
	} catch {
		// What the parser cannot take is still worth reading.
		return wrapTextWithAnsi(markdown, width);
	}
}

/** Source lines of the first part. A box has fewer rows, so that they are enough for a start. */
const PART = 48;

/**
 * The start of a preview with at least so many lines, if it has them. A part that is too short is
 * doubled, so that whoever scrolls to the end waits no longer in all than for the whole, twice. A
 * last part that is smaller than half of what is known is taken along.
 */
export function layOut(
	preview: string,
	width: number,
	least: number,
	{ theme, display }: { theme: Theme; display(text: string): string },
): Preview {
	const end = preview.length > LONGEST ? preview.lastIndexOf("\n", LONGEST) : -1;
	const text = end > 0 ? preview.slice(0, end) : preview.slice(0, LONGEST);
	const cut = preview.length - text.length;
	const mark = cut > 0 ? `\n\n… ${cut} more characters` : "";
	let count = PART;
	while (count < least) count *= 2;
	for (; ; count *= 2) {
		const start = text
			.split("\n", count)
			.join("\n")
			.slice(0, count * width);
		const known = start.length / text.length;
		const part = known * 1.5 < 1 ? start : text;
		const lines = render(display(part === text ? text + mark : part), width, theme);
		const rest = part === text ? 0 : Math.ceil(lines.length / known - lines.length);
		if (part === text || lines.length >= least) return { lines, rest };
	}
}
