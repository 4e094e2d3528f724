// DESIGN.md says what the source is and what the tests prove; here it is held to that.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import * as check from "./support/rules.ts";

const root = new URL("../", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), "utf8");
const source = (name: string) => check.source(name, read(name));

/** Problems as a plain list: what is wrong, not how the list was compared. */
function none(problems: readonly string[]): void {
	if (problems.length > 0) assert.fail(problems.join("\n"));
}

for (const [name, prefix] of [
	["index.ts", ""],
	["dialog.ts", "D"],
] as const) {
	test(`the sections of ${name} are those of DESIGN.md`, () => {
		none(check.sections(source(name), read("DESIGN.md"), prefix));
	});
}

test("every rule of DESIGN.md has its test, every test its rule", () => {
	const names = readdirSync(new URL("test", root)).filter((name) => name.endsWith(".test.ts"));
	// The harness's own fixtures look like rules and are none.
	const tests = names.filter((name) => name !== "harness.test.ts");
	none(
		check.rules(
			read("DESIGN.md"),
			tests.map((name) => source(`test/${name}`)),
		),
	);
});

// While the goldens are being written they are in flux; the second pass quotes them.
const { GOLDEN } = process.env;
for (const name of ["DESIGN.md", "README.md"].filter((file) => existsSync(new URL(file, root)))) {
	test(`${name} quotes the goldens as they are`, { skip: GOLDEN === "write" }, () => {
		const text = read(name);
		none(check.strayQuotes(text));
		const renewed = check.requote(text, (golden) => read(`golden/${golden}`));
		if (GOLDEN === "quote" && !process.env.CI) writeFileSync(new URL(name, root), renewed);
		else assert.equal(text, renewed, `${name} quotes an older golden (npm run golden)`);
	});
}
