// How the tests and the conformance kit write things down for a reader.

/** The changed lines of two texts, each with up to two unchanged lines around it. */
export function diff(before: string, after: string): string {
	const a = before.split("\n");
	const b = after.split("\n");
	// common[i][j]: how many lines the rests a[i..] and b[j..] have in common.
	const common = Array.from({ length: a.length + 1 }, () =>
		new Array<number>(b.length + 1).fill(0),
	);
	const length = (i: number, j: number): number => common[i]?.[j] ?? 0;
	for (let i = a.length - 1; i >= 0; i--) {
		const row = common[i] ?? [];
		for (let j = b.length - 1; j >= 0; j--) {
			row[j] =
				a[i] === b[j] ? length(i + 1, j + 1) + 1 : Math.max(length(i + 1, j), length(i, j + 1));
		}
	}
	const lines: string[] = [];
	for (let i = 0, j = 0; i < a.length || j < b.length; ) {
		if (i < a.length && j < b.length && a[i] === b[j]) {
			lines.push(`  ${a[i]}`);
			i++;
			j++;
		} else if (i < a.length && (j === b.length || length(i + 1, j) >= length(i, j + 1))) {
			lines.push(`- ${a[i++]}`);
		} else {
			lines.push(`+ ${b[j++]}`);
		}
	}
	const changed = (at: number): boolean => (lines[at] ?? " ")[0] !== " ";
	const near = lines.map((_, at) => [-2, -1, 0, 1, 2].some((step) => changed(at + step)));
	return lines
		.map((line, at) => (near[at] ? line : near[at - 1] || at === 0 ? "  …" : undefined))
		.filter((line) => line !== undefined)
		.join("\n");
}

/** What a reader could not see, or not tell from something else; a JSON text may escape it. */
const UNSEEN = /\p{C}|(?! )\p{Z}|\p{M}|\p{DI}/gu;

/** A value as JSON, with an escape in place of each of them. */
const quoted = (value: unknown) =>
	JSON.stringify(value).replace(UNSEEN, (character) =>
		Array.from({ length: character.length }, (_, i) => {
			const code = character.charCodeAt(i).toString(16);
			return `\\u${code.padStart(4, "0")}`;
		}).join(""),
	);

function oneLine(value: unknown): string {
	if (typeof value !== "object" || value === null) return quoted(value);
	if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
	const fields = Object.entries(value).map(([key, inner]) => `${quoted(key)}: ${oneLine(inner)}`);
	return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

const isPlain = (value: unknown) =>
	typeof value !== "object" || value === null || Object.keys(value).length === 0;

/**
 * JSON for people, in which an object takes one line where it fits into `width`, behind `before`
 * columns of a key. With no width all of them are spread out, for comparing line by line. A list
 * of plain values is always one line.
 */
export function json(value: unknown, width = 100, indent = "", before = 0): string {
	const line = oneLine(value);
	const fits = indent.length + before + line.length <= width;
	if (typeof value !== "object" || value === null || fits) return line;
	if (Array.isArray(value) ? value.every(isPlain) : isPlain(value)) return line;
	const deeper = `${indent}  `;
	const items = Object.entries(value).map(([name, inner]) => {
		const key = Array.isArray(value) ? "" : `${quoted(name)}: `;
		return deeper + key + json(inner, width, deeper, key.length + 1);
	});
	const [open, close] = Array.isArray(value) ? "[]" : "{}";
	return `${open}\n${items.join(",\n")}\n${indent}${close}`;
}
