// `npm run mutate`: whether the tests bite. Each small change to the source that StrykerJS knows
// of, a mutant, has to make a test fail.
//
//   npm run mutate [-- dialog.ts:100-200 …]     all mutants, or those of some files and lines
//
// Stryker makes the mutants, all of them in one text with a switch before each. Running them is
// done here, because a process for each would spend its time on loading: a worker keeps the host's
// packages and the compiled code, and gives each mutant fresh modules of ours. Only tests that
// pass over the mutated place are run, the quickest first, up to the first that fails.
import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../..", import.meta.url);
/** What is mutated, and how many of 100 mutants the tests have to kill. */
const TARGETS = {
	"index.ts": 95,
	"dialog.ts": 90,
	"preview.ts": 90,
	"record.ts": 90,
	"events.ts": 100,
};
const OWN = { "@schovest/pi-ask-user-question/events": "events.ts" };
/** These read the source as a text, test the tests, or take long for what they add. */
const LEFT_OUT = /^(conformance|design|harness|picture|play|properties|search|tidy)\.test\.ts$/;
const WORKERS = 2;
/** Mutants that one worker tries before it has to show that the tests still pass without any. */
const TURN = 500;
/** A test that waits is looked at so often, and given up if nothing happens so many times. */
const LOOK_MS = 100;
const VAIN_LOOKS = 5;
/** After so long a mutant never comes back. */
const STUCK_MS = 20_000;

/** The path of what a file imports by a relative name. */
const pathOf = (name, from) => new URL(name, new URL(from, ROOT)).href.slice(ROOT.href.length);

// -- The worker -------------------------------------------------------------------------------

/** Makes our modules anew, and returns the tests they declare. */
function declare(modules, hosts) {
	const made = new Map();
	const suite = { tests: new Map(), after: [] };
	const api = {
		test(title, ...rest) {
			if (suite.tests.has(title)) throw new Error(`two tests are called "${title}"`);
			if (!rest[0].skip) suite.tests.set(title, rest.at(-1));
		},
		describe: (_title, body) => body(),
		after: (run) => suite.after.push(run),
		afterEach: () => {},
		mock,
	};
	function load(path) {
		if (made.has(path)) return made.get(path);
		const exports = {};
		made.set(path, exports);
		const require = (name) => {
			if (name.startsWith(".")) return load(pathOf(name, path));
			if (name === "node:test") return api;
			return name in OWN ? load(OWN[name]) : hosts.get(name);
		};
		modules.get(path)(exports, require, { url: new URL(path, ROOT).href });
		return exports;
	}
	for (const path of modules.keys()) if (path.endsWith(".test.ts")) load(path);
	return suite;
}

/** What a test throws, or undefined where it passes. */
async function failure(run) {
	let timer;
	// A test waits in vain where nothing is left that could still happen but this look at it.
	const vain = new Promise((resolve) => {
		let idle = 0;
		const look = () => {
			const left = process.getActiveResourcesInfo().filter((name) => name !== "PipeWrap");
			idle = left.length > 1 ? 0 : idle + 1;
			if (idle === VAIN_LOOKS) resolve("timeout");
		};
		timer = setInterval(look, LOOK_MS);
	});
	try {
		return await Promise.race([Promise.resolve(run({ mock })).then(() => undefined), vain]);
	} catch (error) {
		return error?.message ?? "threw no error";
	} finally {
		clearInterval(timer);
		mock.restoreAll();
	}
}

/** Serves tasks: runs tests with a mutant switched on, in the given order, until one fails. */
async function work({ sources, externals }) {
	const hosts = new Map();
	for (const name of externals) hosts.set(name, await import(name));
	const compile = ([path, text]) => [path, new Function("exports", "require", "meta", text)];
	const modules = new Map(Object.entries(sources).map(compile));
	const stryker = {};
	globalThis.__stryker__ = stryker;

	async function attempt({ id, titles, hitLimit }) {
		Object.assign(stryker, { activeMutant: id, hitCount: 0, hitLimit });
		const { tests, after } = declare(modules, hosts);
		const times = {};
		try {
			for (const title of titles ?? tests.keys()) {
				process.send({ alive: true });
				const started = performance.now();
				stryker.currentTestId = title;
				const error = tests.has(title) ? await failure(tests.get(title)) : "is gone";
				stryker.currentTestId = undefined;
				times[title] = performance.now() - started;
				if (error) return { by: title, error };
			}
		} finally {
			for (const run of after) run();
		}
		return { times, coverage: stryker.mutantCoverage };
	}

	const broken = (error) => process.send({ by: "loading", error: `${error?.message}`, last: true });
	process.on("uncaughtException", broken).on("unhandledRejection", broken);
	process.on("message", (task) =>
		attempt(task).then((result) => {
			// What hangs goes on, and would fall on the next mutant.
			process.send({ ...result, last: result.error === "timeout" });
		}),
	);
	process.send({ ready: true });
}

// -- Mutants and sources ----------------------------------------------------------------------

const texts = new Map();
/** A file as it was when it was first read: whoever waits for a run goes on with their work. */
function read(path) {
	if (!texts.has(path)) texts.set(path, readFileSync(new URL(path, ROOT), "utf8"));
	return texts.get(path);
}

/** The mutants of our files, and the files with all of them inside. */
async function instrumented() {
	const { Instrumenter } = await import("@stryker-mutator/instrumenter");
	const silent = new Proxy({}, { get: () => () => false });
	const files = Object.keys(TARGETS).map((name) => ({ name, mutate: true, content: read(name) }));
	const options = { ignorers: [], excludedMutations: [], plugins: null };
	return new Instrumenter(silent).instrument(files, options);
}

/** All modules of ours by their path as bodies of functions, and the packages they import. */
async function compiled(files) {
	const { default: ts } = await import("typescript");
	const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
	const tests = readdirSync(new URL("test", ROOT)).filter((name) => name.endsWith(".test.ts"));
	const wanted = tests.filter((name) => !LEFT_OUT.test(name)).map((name) => `test/${name}`);
	const mutated = new Map(files.map(({ name, content }) => [name, content]));
	const paths = new Set([...mutated.keys(), ...wanted]);
	const externals = new Set();
	const sources = {};
	// A set that grows goes on with what is added.
	for (const path of paths) {
		const text = mutated.get(path) ?? read(path);
		const { outputText } = ts.transpileModule(text, { compilerOptions });
		sources[path] = outputText.replaceAll("import.meta", "meta");
		for (const [, name] of outputText.matchAll(/\brequire\("([^"]+)"\)/g))
			if (name.startsWith(".")) paths.add(pathOf(name, path));
			else if (!(name in OWN)) externals.add(name);
	}
	return { sources, externals: [...externals] };
}

// -- The run ----------------------------------------------------------------------------------

/** A process that does one task after the other, and is replaced where a task breaks it. */
function worker(program, scratch) {
	let child;
	const end = () => {
		child?.kill("SIGKILL");
		child = undefined;
	};
	/** Sends something, and waits for what comes of it. */
	const answer = (message) =>
		new Promise((resolve) => {
			const stuck = () => resolve({ by: "no test", error: "timeout", last: true });
			let timer = setTimeout(stuck, 3 * STUCK_MS);
			child.once("exit", () => resolve({ by: "the end of the process", last: true }));
			child.on("message", (news) => {
				clearTimeout(timer);
				if (news.alive) timer = setTimeout(stuck, STUCK_MS);
				else resolve(news);
			});
			child.send(message);
		}).finally(() => child.removeAllListeners());
	async function run(task) {
		if (!child) {
			// Where Node is told to leave tests out, no test looks for goldens nobody asked for.
			const execArgv = ["--test-name-pattern=.", "--max-old-space-size=1000"];
			// A test that is stopped leaves its files behind.
			const env = { ...process.env, PATIENCE_MS: "500", TMPDIR: scratch };
			const stdio = ["ignore", "ignore", "ignore", "ipc"];
			child = fork(fileURLToPath(import.meta.url), ["--worker"], { execArgv, env, stdio });
			await answer(program);
		}
		const result = await answer(task);
		if (result.last) end();
		return result;
	}
	return { run, end };
}

/** What the tests do without a mutant. */
async function unharmed({ run }) {
	let result = await run({});
	if (result.by) result = await run({});
	if (result.by) throw new Error(`without any mutant, "${result.by}" fails: ${result.error}`);
	return result;
}

/** The task for a mutant. Code that runs while a module loads may matter to any test. */
function taskFor(id, { times, coverage }) {
	const passes = (title) => coverage.static[id] || coverage.perTest[title]?.[id];
	const titles = Object.keys(times).filter(passes);
	const hits = Object.values(coverage.perTest).map((all) => all[id] ?? 0);
	const hitLimit = 1000 + 100 * hits.reduce((sum, count) => sum + count, 0);
	return { id, titles: titles.sort((a, b) => times[a] - times[b]), hitLimit };
}

/** What became of a mutant. */
function stateOf({ result }) {
	if (result.uncovered) return "uncovered";
	if (result.by === undefined) return "survived";
	return result.error === "timeout" ? "timeout" : "killed";
}

/** A mutant as a change of its first line. */
function show(mutant) {
	const { fileName, mutatorName, replacement, location } = mutant;
	const { start, end } = location;
	const line = read(fileName).split("\n")[start.line];
	const before = line.slice(start.column, end.line === start.line ? end.column : undefined);
	console.log(
		`${fileName}:${start.line + 1}:${start.column + 1} ${stateOf(mutant)} ${mutatorName}`,
	);
	console.log(`  - ${before}\n  + ${replacement.replace(/\s+/g, " ")}`);
}

/** Tries all mutants, each worker the next that is left. */
async function tryAll(mutants, program, scratch) {
	const first = worker(program, scratch);
	await unharmed(first);
	const known = await unharmed(first);
	const queue = [...mutants];
	async function serve(own) {
		for (let count = 1; queue.length > 0; count++) {
			const mutant = queue.shift();
			const task = taskFor(mutant.id, known);
			const started = performance.now();
			mutant.result = task.titles.length > 0 ? await own.run(task) : { uncovered: true };
			mutant.ms = Math.round(performance.now() - started);
			if (/survived|uncovered/.test(stateOf(mutant))) show(mutant);
			if (count % TURN === 0 || queue.length === 0) await unharmed(own);
			if (queue.length % 100 === 0) console.log(`${queue.length} mutants to go`);
		}
		own.end();
	}
	await Promise.all(
		[first, ...Array.from({ length: WORKERS - 1 }, () => worker(program, scratch))].map(serve),
	);
}

/** Those of the mutants that lie in `file` or `file:from-to`. */
function within(mutants, places) {
	const parsed = places.map((place) => /^([^:]+)(?::(\d+)(?:-(\d+))?)?$/.exec(place) ?? []);
	const has = ({ fileName, location }) =>
		parsed.some(([, file, from = 1, to = file && (from === 1 ? Infinity : from)]) => {
			const line = location.start.line + 1;
			return fileName.endsWith(file) && line >= Number(from) && line <= Number(to);
		});
	return places.length === 0 ? mutants : mutants.filter(has);
}

/** Counts, file by file, and fails where too few were killed. */
function summary(mutants) {
	for (const [file, target] of Object.entries(TARGETS)) {
		const states = mutants.filter(({ fileName }) => fileName === file).map(stateOf);
		const count = (name) => states.filter((state) => state === name).length;
		const percent = ((count("killed") + count("timeout")) * 100) / states.length;
		const counts = ["killed", "timeout", "survived", "uncovered"].map((n) => `${n} ${count(n)}`);
		if (states.length === 0) continue;
		console.log(`${file}: ${percent.toFixed(2)} % of ${states.length}: ${counts.join(", ")}`);
		if (percent < target) process.exitCode = 1;
	}
}

if (process.argv.includes("--worker")) process.once("message", work);
else {
	const started = Date.now();
	const { mutants, files } = await instrumented();
	const chosen = within(mutants, process.argv.slice(2));
	const scratch = mkdtempSync(join(tmpdir(), "mutate-"));
	try {
		await tryAll(chosen, await compiled(files), scratch);
	} finally {
		rmSync(scratch, { recursive: true, force: true });
	}
	mkdirSync(new URL("coverage", ROOT), { recursive: true });
	writeFileSync(new URL("coverage/mutants.json", ROOT), JSON.stringify(chosen, null, "\t"));
	summary(chosen);
	console.log(`\n${Math.round((Date.now() - started) / 1000)} seconds`);
}
