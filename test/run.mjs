// `npm test`: every test file, once per generation of pi-tui.
//
//   node --import ts-blank-space/register --test test/*.test.ts
//
// The glob is expanded here, because a shell that leaves it alone makes Node 20 run nothing and
// pass. A file named on the command line either runs or fails the run, so none can go missing.
// Further arguments go to Node; a file among them replaces the list.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const args = process.argv.slice(2).filter((arg) => arg !== "--golden");
const golden = args.length < process.argv.length - 2;
const flags = args.filter((arg) => arg.startsWith("-"));
const named = args.filter((arg) => !arg.startsWith("-"));
const all = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
const files = named.length > 0 ? named : all.map((name) => `test/${name}`);

if (golden && process.env.CI) {
	console.error("Goldens are never written where CI is set.");
	process.exit(1);
}

/** One pass over the files. The first writes the goldens, the second quotes them in DESIGN.md. */
function pass(hooks, env) {
	const run = ["--import", "ts-blank-space/register", ...hooks, "--test"];
	const reporter = flags.some((flag) => flag.startsWith("--test-reporter"))
		? []
		: ["--test-reporter=spec"];
	const { status } = spawnSync(process.execPath, [...run, ...reporter, ...flags, ...files], {
		stdio: "inherit",
		env: { ...process.env, ...env },
	});
	if (status === 0) return;
	process.exitCode = status ?? 1;
	// One generation's failures are enough to read, but goldens that were written are also quoted.
	if (!golden) process.exit();
}

console.log(`pi-tui 0.73: ${files.length} test files`);
pass([], golden ? { GOLDEN: "write" } : {});
console.log(`\npi-tui next: ${files.length} test files`);
pass(["--import", "./test/support/next.mjs"], {
	PI_TUI: "next",
	...(golden && { GOLDEN: "quote" }),
});
