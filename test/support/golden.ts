// Golden files: the texts, transcripts and pictures the tests compare with, and the only place
// that may write them (`npm run golden`).
import { AssertionError } from "node:assert";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { diff } from "./print.ts";

const ACCEPT = "accept with: npm run golden";

function fail(message: string): never {
	throw new AssertionError({ message, stackStartFn: fail });
}

/** The chapter of DESIGN.md that quotes a golden, or names it or its folder. */
export function chapterOf(name: string, design: string): string {
	const folder = name.slice(0, name.indexOf("/") + 1);
	const places = [`golden: ${name}`, name, folder].map((mark) => design.indexOf(mark));
	const place = places.find((at) => at >= 0) ?? 0;
	const heading = design
		.slice(0, place)
		.match(/^##+ .*$/gm)
		?.at(-1);
	return heading === undefined ? "DESIGN.md" : `DESIGN.md${heading.replace(/^#+/, ",")}`;
}

const design = new URL("../../DESIGN.md", import.meta.url);
/** What a golden that does not fit asks its reader to do. */
const advice = (name: string) => `read ${chapterOf(name, readFileSync(design, "utf8"))}; ${ACCEPT}`;

/** Goldens are for people and for every editor, so they hold nothing a reader cannot see. */
function presentable(name: string, text: string): void {
	if (!/^[\w-]+\/[\w.-]+$/.test(name)) fail(`golden name "${name}" is not folder/file`);
	const bad: [RegExp, string][] = [
		[/[^\n]*[\x00-\x09\x0b-\x1f\x7f-\x9f]/, "a control character"],
		[/[^\n]*\p{Surrogate}/u, "half a surrogate pair"],
		[/[^\n]* $/m, "a trailing space"],
		[/[^\n]+$(?![\s\S])/, "no final newline"],
	];
	for (const [pattern, what] of bad) {
		const found = pattern.exec(text);
		if (found) fail(`golden/${name} would have ${what}: ${JSON.stringify(found[0])}`);
	}
	if (text === "") fail(`golden/${name} would be empty`);
}

export interface Goldens {
	/** Compares `text` with the file, or writes the file. */
	golden(name: string, text: string): void;
	/** Fails on (or deletes) the files of a folder that no call of `golden` asked for. */
	seal(folder: string): void;
}

/** Golden files below `root`; `write` accepts whatever the tests produce. */
export function goldens(root: string, write: boolean): Goldens {
	if (write && process.env.CI) fail("goldens are never written where CI is set");
	const asked = new Map<string, string>();
	return {
		golden(name, text) {
			presentable(name, text);
			const path = join(root, name);
			const earlier = asked.get(name);
			if (earlier !== undefined && earlier !== text) {
				fail(`golden/${name} is asked for twice with different texts\n${diff(earlier, text)}`);
			}
			asked.set(name, text);
			if (write) {
				mkdirSync(dirname(path), { recursive: true });
				writeFileSync(path, text);
				return;
			}
			if (!existsSync(path)) fail(`golden/${name} is missing (${advice(name)})\n${diff("", text)}`);
			const accepted = readFileSync(path, "utf8");
			if (accepted !== text) {
				fail(`golden/${name} differs (${advice(name)})\n${diff(accepted, text)}`);
			}
		},
		seal(folder) {
			const path = join(root, folder);
			const files = existsSync(path) ? readdirSync(path).sort() : [];
			const unused = files.filter((file) => !asked.has(`${folder}/${file}`));
			if (write) for (const file of unused) rmSync(join(path, file), { recursive: true });
			else if (unused.length > 0) {
				const list = unused.map((file) => `golden/${folder}/${file}`).join("\n");
				fail(`no test asks for these files (${ACCEPT})\n${list}`);
			}
		},
	};
}

/** Whether Node was told to leave tests out, so that an unused golden proves nothing. */
export function filtered(args: readonly string[]): boolean {
	return args.some((arg) => /^--test-(name-pattern|skip-pattern|only|shard)\b/.test(arg));
}

const ours = goldens(
	fileURLToPath(new URL("../../golden", import.meta.url)),
	process.env.GOLDEN === "write",
);

/** Compares `text` with `golden/<name>`, e.g. `golden("envelope/option.txt", …)`. */
export const golden = ours.golden;

let broken = false;

/** The last statement of a folder's owner: from here on, every file in it must have been used. */
export function sealed(folder: string): void {
	test(`every file of golden/${folder} is asked for`, { skip: filtered(process.execArgv) }, () => {
		// A test that failed half-way has not asked for its files yet: they are not unused.
		if (!broken) ours.seal(folder);
	});
}

afterEach((context) => {
	if ("passed" in context && context.passed === false) broken = true;
});
