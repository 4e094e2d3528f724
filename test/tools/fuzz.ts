// `npm run fuzz`: the laws of laws.ts over both generations of pi-tui, until something breaks or
// the budget is spent.
//
//   npm run fuzz                      until Ctrl+C
//   npm run fuzz -- --keys=200000     that many keys for each generation
//   npm run fuzz -- --seconds=60      that long
//   npm run fuzz -- --seed=1234       begins with a seed that was printed
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { holds, LAWS } from "../support/laws.ts";

/** Cases in one batch. Each has the next seed, so that the one that fails is short to repeat. */
const BATCH = 20;
/** A walk of so many steps sees every place. */
const STEPS = 150;
const REPORT_MS = 10_000;

function option(name: string): number | undefined {
	const given = process.argv.find((arg) => arg.startsWith(`--${name}=`));
	if (given === undefined) return undefined;
	const value = Number(given.slice(name.length + 3));
	if (!Number.isFinite(value)) throw new Error(`--${name} needs a number`);
	return value;
}

async function run(generation: string, first: number): Promise<void> {
	const keysWanted = option("keys") ?? Number.POSITIVE_INFINITY;
	const endsAt = Date.now() + (option("seconds") ?? Number.POSITIVE_INFINITY) * 1000;
	const started = Date.now();
	let [seed, keys, cases, reported] = [first, 0, 0, started];
	const report = () => {
		const seconds = Math.round((Date.now() - started) / 1000);
		const memory = Math.round(process.memoryUsage().rss / 2 ** 20);
		const counted = `${keys.toLocaleString("en")} keys in ${cases.toLocaleString("en")} cases`;
		console.log(`pi-tui ${generation}: ${counted}, seed ${seed}, ${seconds} s, ${memory} MB`);
	};
	while (keys < keysWanted && Date.now() < endsAt) {
		for (const [title, law] of Object.entries(LAWS)) {
			const counted = law(STEPS, (more) => {
				keys += more;
			});
			await holds(counted, { seed, numRuns: BATCH }).catch((error: Error) => {
				report();
				console.error(`pi-tui ${generation}: not "${title}":\n${error.message}`);
				process.exit(1);
			});
			cases += BATCH;
		}
		if (Date.now() - reported >= REPORT_MS) {
			reported = Date.now();
			report();
		}
		seed++;
	}
	report();
	console.log(`pi-tui ${generation}: no violation`);
}

/** One process for each generation, side by side; the first violation ends both. */
function both(seed: number): void {
	const node = ["--import", "ts-blank-space/register"];
	const file = fileURLToPath(import.meta.url);
	const more = [...process.argv.slice(2).filter((arg) => !arg.startsWith("--seed="))];
	const children = ["0.73", "next"].map((generation) =>
		spawn(
			process.execPath,
			[
				...node,
				...(generation === "next" ? ["--import", "./test/support/next.mjs"] : []),
				...[file, ...more, `--seed=${seed}`, generation],
			],
			{ stdio: "inherit", cwd: fileURLToPath(new URL("../..", import.meta.url)) },
		),
	);
	for (const child of children)
		child.on("exit", (code) => {
			if (code === 0) return;
			process.exitCode = 1;
			for (const other of children) other.kill();
		});
}

const generation = process.argv.find((arg) => arg === "0.73" || arg === "next");
const seed = option("seed") ?? Math.floor(Math.random() * 2 ** 31);
if (generation) await run(generation, seed);
else both(seed);
