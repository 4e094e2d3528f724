// The house rules a machine can check.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import * as check from "./support/rules.ts";

const COLUMNS = 100;
const FUNCTION_LINES = 70;

interface Limits {
	lines: number;
	/** Least and most share of comments, in percent. */
	comments: readonly [number, number];
	imports: readonly string[];
}

const OWN = ["./events.ts", "./dialog.ts", "./index.ts", "./preview.ts", "./record.ts"];
const HOST = ["@sinclair/typebox", "@mariozechner/pi-tui"];

const SHIPPED: Record<string, Limits> = {
	"index.ts": { lines: 1200, comments: [20, 30], imports: ["node:*", ...HOST, ...OWN] },
	"dialog.ts": { lines: 1300, comments: [20, 30], imports: ["node:*", ...HOST, ...OWN] },
	"preview.ts": { lines: 90, comments: [20, 30], imports: HOST },
	"record.ts": { lines: 130, comments: [15, 30], imports: ["node:*", ...HOST, ...OWN] },
	// Little more than documented types, and itself the documentation of the events.
	"events.ts": { lines: 70, comments: [20, 70], imports: [] },
};

const root = new URL("../", import.meta.url);
const read = (name: string) => check.source(name, readFileSync(new URL(name, root), "utf8"));
const tests = ["test", "test/support", "test/tools"].flatMap((folder) =>
	readdirSync(new URL(folder, root))
		.filter((name) => name.endsWith(".ts"))
		.map((name) => read(`${folder}/${name}`)),
);

/** Problems as a plain list: what is wrong, not how the list was compared. */
function none(problems: readonly string[]): void {
	if (problems.length > 0) assert.fail(problems.join("\n"));
}

for (const [name, limits] of Object.entries(SHIPPED)) {
	test(`${name} keeps the house rules`, () => {
		const file = read(name);
		none([
			...check.tooLong(file, limits.lines),
			...check.sparse(file, limits.comments),
			...check.foreign(file, limits.imports),
		]);
	});
}

test("functions fit a screen, lines fit a window, no any, no excuses", () => {
	const files = [...Object.keys(SHIPPED).map(read), ...tests];
	none(
		files.flatMap((file) => [
			...check.tooWide(file, COLUMNS),
			...check.unwanted(file),
			// The fake host and the tests are lists of small things in one closure.
			...(file.name in SHIPPED ? check.longFunctions(file, FUNCTION_LINES) : []),
		]),
	);
});

test("no test is switched off", () => none(tests.flatMap(check.muted)));

test("every folder of goldens is sealed by its owner", () => {
	const folder = new URL("golden", root);
	const folders = existsSync(folder) ? readdirSync(folder) : [];
	none(
		folders.filter(
			(name) => !tests.some(({ text }) => text.trimEnd().endsWith(`sealed("${name}");`)),
		),
	);
});
