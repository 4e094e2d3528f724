// The conformance kit: checks another implementation of the tool against the cases of
// golden/protocol, and says where it differs.
//
//   node test/tools/conformance.ts --module PATH
//
// where Node strips types itself, and otherwise with `--import ts-blank-space/register` before the
// file; `npm run conformance -- --module PATH` works for both.
import { readFileSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import {
	type Case,
	type Factory,
	FOLDER,
	type Given,
	hosting,
	message,
	play,
	type Seen,
	topics,
} from "../support/kit.ts";
import { diff, json } from "../support/print.ts";

const USAGE = `Usage: node test/tools/conformance.ts --module PATH [--terminal]

PATH is a Pi extension: a module whose default export takes Pi's API and registers the tool
ask_user_question. --terminal plays the cases of a terminal as well, with the keys of this
package's own dialog (DESIGN.md, K1).
`;

// -- Checking a module ------------------------------------------------------------------------

export interface Verdict {
	name: string;
	/** Why it was not run. */
	needs?: string;
	/** The changed lines, from what is expected to what there was; empty where it holds. */
	difference: string;
}

/** Objects by their keys, whose order is nobody's promise. */
function sorted(value: unknown): unknown {
	if (typeof value !== "object" || value === null) return value;
	if (Array.isArray(value)) return value.map(sorted);
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

const difference = (expected: unknown, seen: unknown) =>
	isDeepStrictEqual(expected, seen) ? "" : diff(json(sorted(expected), 0), json(sorted(seen), 0));

/** A schema without its words, for which every implementation has its own. */
const unworded = (schema: unknown = null): unknown =>
	JSON.parse(
		JSON.stringify(schema, (key, inner) =>
			// One of the fields that it describes is called like this, too.
			key === "description" && typeof inner === "string" ? undefined : inner,
		),
	);

/** What a case expects, without what it begins with. */
function expected(shown: Case): Seen {
	const { prepared, details, text, terminate, throws, events } = shown;
	return JSON.parse(JSON.stringify({ prepared, details, text, terminate, throws, events }));
}

function needs({ host = "rpc" }: Given, terminal: boolean): string | undefined {
	if (host === "terminal") return terminal ? undefined : "needs --terminal";
	return /dialog (file|module)$/.test(host) ? `needs a ${host}` : undefined;
}

/** Plays every case with an extension. Each has a host of its own, and they come one by one. */
export async function verdicts(factory: Factory, terminal: boolean): Promise<Verdict[]> {
	const { tool } = await hosting({}, factory);
	const schema = JSON.parse(readFileSync(new URL("schema-call.json", FOLDER), "utf8"));
	const asked = difference(unworded(schema), unworded(tool.parameters));
	const list: Verdict[] = [{ name: "schema-call", difference: asked }];
	for (const [topic, { cases }] of topics())
		for (const shown of cases) {
			const name = `${topic}: ${shown.name}`;
			const missing = needs(shown, terminal);
			if (missing) list.push({ name, needs: missing, difference: "" });
			else {
				const seen = await play(shown, {}, factory).catch(
					(error): Seen => ({ throws: message(error) }),
				);
				list.push({ name, difference: difference(expected(shown), seen) });
			}
		}
	return list;
}

/** One line for each case, with what is different below it, and one for all of them. */
export function report(list: readonly Verdict[]): string {
	const lines = list.map(({ name, needs: missing, difference: changed }) => {
		if (missing) return `– ${name} (${missing})`;
		if (changed === "") return `✔ ${name}`;
		return `✘ ${name}\n    - expected, + seen\n${changed.replace(/^/gm, "    ")}`;
	});
	const reasons = list.flatMap(({ needs: missing }) => missing ?? []);
	const differ = list.filter(({ difference: changed }) => changed !== "").length;
	const notRun = [...new Set(reasons)].map((reason) => {
		const number = reasons.filter((other) => other === reason).length;
		return `${number} not run (${reason})`;
	});
	const hold = list.length - reasons.length - differ;
	const parts = [`${hold} hold`, `${differ} differ`, ...notRun];
	return `${lines.join("\n")}\n\n${list.length} cases: ${parts.join(", ")}\n`;
}

// -- The command ------------------------------------------------------------------------------

/** Fails with a sentence that says which step of getting the tool from a module went wrong. */
async function step<T>(failed: string, act: () => Promise<T>): Promise<T> {
	try {
		return await act();
	} catch (error) {
		throw new Error(`${failed}: ${message(error)}`);
	}
}

async function load(path: string): Promise<Factory> {
	const { href } = pathToFileURL(resolve(path));
	const module = await step(`${path} cannot be loaded`, () => import(href));
	if (typeof module.default !== "function")
		throw new Error(`${path} is no Pi extension: its default export is no function`);
	await step(`${path} does not start`, () => hosting({}, module.default));
	return module.default;
}

/** What the command writes, and its exit code: 0, 1 where something differs, 2 for wrong use. */
export async function run(args: string[]): Promise<{ code: 0 | 1 | 2; text: string }> {
	const flags = { module: { type: "string" }, terminal: { type: "boolean" } } as const;
	let given: { factory: Factory; terminal: boolean };
	try {
		const { module, terminal = false } = parseArgs({ args, options: flags }).values;
		if (module === undefined) throw new Error("--module PATH is missing");
		given = { factory: await load(module), terminal };
	} catch (error) {
		return { code: 2, text: `${message(error)}\n\n${USAGE}` };
	}
	const list = await verdicts(given.factory, given.terminal);
	return { code: list.some(({ difference }) => difference !== "") ? 1 : 0, text: report(list) };
}

const [, main] = process.argv;
if (main !== undefined && realpathSync(main) === fileURLToPath(import.meta.url)) {
	const { code, text } = await run(process.argv.slice(2));
	// A call that never settles must not keep the process alive.
	(code === 2 ? process.stderr : process.stdout).write(text, () => process.exit(code));
}
