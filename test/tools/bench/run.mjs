/**
 * `npm run bench`: what the extension costs, on both generations of Pi.
 *
 *   npm run bench                     the table, the growth over previews, the targets
 *   npm run bench -- --runs=21        more runs for each figure (default 9)
 *   npm run bench -- --long           instead: 10,000 calls and 1,000 resizes in one process
 *   BENCH_OTHER=path/to/index.ts npm run bench      another extension beside ours
 *   HOST_DIR=folder npm run bench     where the newest host is installed, else it is fetched
 *   BENCH_CLOCK=cpu npm run bench     time on the processor, all threads, for a machine that is busy
 *
 * Each run is a fresh process. The runs are interleaved, so that a busy machine is busy for all
 * of them, and each figure is their median. It is no test: a missed target is told, not failed.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem, type } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { newestHost, root, stableHost } from "../../hosts/host.mjs";

const option = (name) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split("=")[1];
const RUNS = Number(option("runs") ?? 9);
/** Lines of each of the four previews. The last size is beyond what is ever laid out. */
const SIZES = [0, 40, 400, 4000, 40_000];

const folder = mkdtempSync(join(tmpdir(), "pi-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const empty = join(folder, "index.ts");
writeFileSync(empty, "export default function () {}\n");

const extensions = [
	{ name: "empty", path: empty, sizes: [0] },
	{ name: "ours", path: join(root, "index.ts"), sizes: SIZES },
];
if (process.env.BENCH_OTHER)
	extensions.push({ name: "other", path: resolve(process.env.BENCH_OTHER), sizes: SIZES });
const hosts = [stableHost(), newestHost()];

const script = (name) => fileURLToPath(new URL(name, import.meta.url));

/** One process, which prints one object; undefined where it failed, with its reason on stderr. */
function child(host, name, ...args) {
	const command = ["--expose-gc", script(name), host.cli, ...args.map(String)];
	const { stdout, status, stderr } = spawnSync(host.node, command, { encoding: "utf8" });
	if (status === 0) return JSON.parse(stdout.trim().split("\n").at(-1));
	console.error(stderr.trim().split("\n").slice(-8).join("\n"));
	return undefined;
}

// -- Measuring --------------------------------------------------------------------------------

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor((list.length - 1) / 2)];

/** Everything that is measured: one series of runs for each host, extension and size. */
function measure() {
	const series = hosts.flatMap((host) =>
		extensions.flatMap(({ name, path, sizes }) =>
			sizes.map((size) => ({ host, name, path, size, runs: [] })),
		),
	);
	// The first round fills the transpile cache and the disk's, and is thrown away.
	for (let round = 0; round <= RUNS; round++) {
		process.stderr.write(`\rround ${round} of ${RUNS} `);
		for (const one of series) {
			if (one.failed) continue;
			const run = child(one.host, "child.mjs", one.path, one.size);
			if (!run) one.failed = true;
			else if (round > 0) one.runs.push(run);
		}
	}
	process.stderr.write("\r");
	return series
		.filter(({ failed }) => !failed)
		.map(({ runs, ...one }) => ({
			...one,
			host: one.host.name,
			at: Object.fromEntries(
				Object.keys(runs[0]).map((key) => [key, median(runs.map((run) => run[key]))]),
			),
		}));
}

// -- Tables -----------------------------------------------------------------------------------

const number = (value, digits = 2) => (value === undefined ? "" : value.toFixed(digits));

function table(rows) {
	const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
	for (const row of rows)
		console.log(
			row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join("  "),
		);
	console.log();
}

/** The figures of the first table, with their digits. */
const COLUMNS = [
	["register", 2],
	["open", 2],
	["first", 2],
	["key50", 3],
	["key99", 2],
	["idle", 4],
	["resize", 2],
	["heap", 1],
	["rss", 1],
];

function costs(series) {
	const head = ["host", "extension", "previews", ...COLUMNS.map(([name]) => name)];
	const more = ["register/empty", "heap-empty", "rss-empty"];
	const rows = series.map(({ host, name, size, at }) => {
		const base = series.find((one) => one.host === host && one.name === "empty").at;
		return [
			host,
			name,
			size > 0 ? `4 x ${size}` : "none",
			...COLUMNS.map(([key, digits]) => number(at[key], digits)),
			number(at.register / base.register, 1),
			number(at.heap - base.heap, 1),
			number(at.rss - base.rss, 1),
		];
	});
	table([[...head, ...more], ...rows]);
}

/** How one preview's first layout and every later act grow with its length. */
function growth(series) {
	const keys = ["preview", "key50", "key99", "idle", "resize"];
	const rows = series
		.filter(({ size }) => size > 0)
		.map(({ host, name, size, at }) => {
			const base = series.find((one) => one.host === host && one.name === name && one.size === 40);
			return [
				...[host, name, `${size}`],
				...keys.flatMap((key) => [
					number(at[key], key === "idle" ? 4 : 3),
					`x${number(at[key] / base.at[key], 1)}`,
				]),
			];
		});
	const head = ["host", "extension", "lines", ...keys.flatMap((key) => [key, ""])];
	table([head, ...rows]);
}

/** The targets as what is compared with what. */
function targets(series) {
	for (const { name: host } of hosts) {
		const of = (name, size) =>
			series.find((one) => one.host === host && one.name === name && one.size === size)?.at;
		const [base, none, short, long] = [
			of("empty", 0),
			of("ours", 0),
			of("ours", 40),
			of("ours", 4000),
		];
		const most = (key) => Math.max(none[key], short[key], long[key]);
		const grows = (key) => long[key] / short[key];
		const list = [
			["register, times the empty extension", none.register / base.register, 3],
			["open and first frame without previews, ms", none.open + none.first, 40],
			["open and first frame with 4,000 lines, ms", long.open + long.first, 60],
			["key to frame, median, ms", most("key50"), 0.5],
			["key to frame, 99 of 100, ms", most("key99"), 3],
			["idle frame, ms", most("idle"), 0.05],
			["resize, ms", most("resize"), 4],
			["key at 4,000 lines, times 40 lines", grows("key50"), 1.5],
			["resize at 4,000 lines, times 40 lines", grows("resize"), 1.5],
			["heap over the empty extension, MB", most("heap") - base.heap, 10],
		];
		console.log(host);
		for (const [what, value, limit] of list)
			console.log(
				`  ${value <= limit ? "✔" : "✘"} ${what}: ${number(value, 3)} (at most ${limit})`,
			);
	}
}

// -- Printing ---------------------------------------------------------------------------------

const [cpu] = cpus();
const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
const load = loadavg()[0].toFixed(1);
console.log(
	`${cpu.model}, ${cpus().length} cores, ${memory}, ${type()} ${release()}, load ${load}`,
);
for (const { name, node } of hosts) {
	const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
	console.log(`${name} on Node ${stdout.trim()}`);
}
console.log();

if (process.argv.includes("--long")) {
	for (const host of hosts) {
		console.log(host.name);
		for (const row of child(host, "long.mjs", join(root, "index.ts"))) console.log(`  ${row}`);
	}
} else {
	const series = measure();
	console.log(`Medians of ${RUNS} runs, in milliseconds and MB; 120 columns, 40 rows.\n`);
	costs(series);
	console.log("Growth with the length of a preview; `preview` is its first layout and frame.\n");
	growth(series);
	targets(series);
}
