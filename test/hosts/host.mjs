/**
 * The two generations of Pi, and a place to run them where they cannot touch the user.
 *
 * The stable host is a development dependency. The newest one is not: it needs a younger Node
 * than this project asks for, so it is found where it happens to be, or installed on demand.
 */
import { execFileSync } from "node:child_process";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this package: what a user would name after `-e`. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Pinned, so that a check turns red because of a change here and not of a release elsewhere. */
const NEWEST = process.env.HOST === "latest" ? "latest" : "1.6.0";
const NEWEST_PACKAGE = "@earendil-works/pi-coding-agent";

const model = fileURLToPath(new URL("scripted-model.ts", import.meta.url));

/** A Node that the newest host accepts. `undefined` when finding one would mean a download. */
function youngNode({ download }) {
	const [major, minor] = process.versions.node.split(".").map(Number);
	if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
	if (!download) return undefined;
	const print = ["-y", "-p", "node@24", "node", "-p", "process.execPath"];
	return execFileSync("npx", print, { encoding: "utf8" }).trim();
}

/** A host is what it takes to start it: a Node and the script its package calls `pi`. */
function hostAt(packageDir, node) {
	const { version, bin } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
	// The newer generation draws on a screen of its own, and on the terminal's only when told to.
	const hasModes = !version.startsWith("0.");
	return { name: `pi ${version}`, version, hasModes, node, cli: join(packageDir, bin.pi) };
}

export function stableHost() {
	const entry = join(root, "node_modules/@mariozechner/pi-coding-agent");
	return hostAt(entry, process.execPath);
}

/** The newest host where somebody has put it: in `HOST_DIR`, or where Node would look for it. */
export function newestHostIfThere() {
	const chosen = process.env.HOST_DIR;
	const places = chosen
		? [join(chosen, "node_modules"), chosen]
		: (createRequire(import.meta.url).resolve.paths(NEWEST_PACKAGE) ?? []);
	const place = places.find((folder) => existsSync(join(folder, NEWEST_PACKAGE)));
	if (chosen && !place) throw new Error(`HOST_DIR=${chosen} holds no ${NEWEST_PACKAGE}`);
	// Whoever names a folder means it, and may wait for a Node; a bare find must start at once.
	const node = place && youngNode({ download: Boolean(chosen) });
	return node ? hostAt(join(place, NEWEST_PACKAGE), node) : undefined;
}

/** The newest host, installed below node_modules when it is nowhere else. */
export function newestHost() {
	const found = process.env.HOST === "latest" ? undefined : newestHostIfThere();
	if (found) return found;
	const cache = join(root, "node_modules/.cache/hosts", NEWEST);
	const packageDir = join(cache, "node_modules", NEWEST_PACKAGE);
	if (NEWEST === "latest" || !existsSync(packageDir)) {
		mkdirSync(cache, { recursive: true });
		const install = ["install", "--prefix", cache, "--no-audit", "--no-fund", "--loglevel=error"];
		execFileSync("npm", [...install, `${NEWEST_PACKAGE}@${NEWEST}`], { stdio: "inherit" });
	}
	return hostAt(packageDir, youngNode({ download: true }));
}

/**
 * What a terminal program may know of the user. Everything else, keys above all, stays out; so
 * does `TMUX`, because Pi would comment on the visitor's tmux settings in the middle of the form.
 */
const PASSED = [
	...["PATH", "SHELL", "TERM", "COLORTERM", "COLORFGBG", "TERM_PROGRAM", "NO_COLOR"],
	...["LANG", "LC_ALL", "LC_CTYPE", "TZ", "EDITOR", "VISUAL"],
];

/** Pi warns when these are missing. Stand-ins at the very end of PATH leave real ones in place. */
const SEARCH_TOOLS = ["rg", "fd"];

/** Homes in use. A run that is interrupted or dies takes its hosts and its files with it. */
const homes = new Set();
const everyHome = [];

/** What a run that should be over has left: temporary homes, and processes that live in one. */
export function leftovers() {
	const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
	const living = pids.filter((pid) => {
		try {
			const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
			return everyHome.some((dir) => environment.includes(`HOME=${dir}`));
		} catch {
			return false; // Gone by now, or somebody else's.
		}
	});
	return [...everyHome.filter((dir) => existsSync(dir)), ...living.map((pid) => `process ${pid}`)];
}

process.on("exit", () => {
	for (const home of homes) {
		home.endHost();
		home.remove();
	}
});

/**
 * A temporary home with everything a run needs: environment, working folder, the model's script
 * and its log. Pi believes that all of its files belong there; `remove()` takes them away.
 * Whoever starts a host that could outlive this process sets `endHost`.
 *
 * @param {unknown[]} script the assistant's turns, see scripted-model.ts
 */
export function temporaryHome(script) {
	const dir = mkdtempSync(join(tmpdir(), "pi-ask-"));
	const at = (name) => join(dir, name);
	for (const folder of ["agent", "bin", "notes-app", "tmp"]) mkdirSync(at(folder));
	for (const tool of SEARCH_TOOLS) {
		writeFileSync(join(at("bin"), tool), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
	}
	const settings = { quietStartup: true, enableInstallTelemetry: false };
	writeFileSync(at("agent/settings.json"), JSON.stringify(settings));
	const scriptFile = at("script.json");
	writeFileSync(scriptFile, JSON.stringify(script));
	const [log, events] = [at("requests.jsonl"), at("events.jsonl")];
	const read = (file) =>
		existsSync(file)
			? readFileSync(file, "utf8")
					.trimEnd()
					.split("\n")
					.map((line) => JSON.parse(line))
			: [];
	const passed = PASSED.filter((name) => process.env[name] !== undefined);
	const env = {
		...Object.fromEntries(passed.map((name) => [name, process.env[name]])),
		PATH: `${process.env.PATH}:${at("bin")}`,
		HOME: dir,
		USERPROFILE: dir,
		TMPDIR: at("tmp"),
		PI_CODING_AGENT_DIR: at("agent"),
		PI_OFFLINE: "1",
		PI_SKIP_VERSION_CHECK: "1",
		PI_TELEMETRY: "0",
		SCRIPTED_MODEL: scriptFile,
		SCRIPTED_MODEL_LOG: log,
		HELPER_LOG: events,
	};
	const home = {
		dir,
		cwd: at("notes-app"),
		env,
		/** What the model was sent so far, one entry per request. */
		requests: () => read(log),
		/** What helper.ts noted so far. */
		events: () => read(events),
		endHost: () => {},
		remove() {
			homes.delete(home);
			rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
		},
	};
	homes.add(home);
	everyHome.push(dir);
	return home;
}

/** Unpacks what `npm pack` makes into a folder, and returns where the package is. */
export function unpackInto(dir) {
	const pack = ["pack", "--pack-destination", dir, "--loglevel=error"];
	const printed = execFileSync("npm", pack, { cwd: root, encoding: "utf8" });
	const tarball = printed.trim().split("\n").at(-1);
	execFileSync("tar", ["-xzf", join(dir, tarball), "-C", dir]);
	return join(dir, "package");
}

/** The command line of a host with the scripted model and, unless told otherwise, this package. */
export function commandLine(host, args, { extensions = [root] } = {}) {
	const loaded = [...extensions, model].flatMap((path) => ["-e", path]);
	return [host.node, host.cli, ...loaded, "--model", "scripted/scripted-1", ...args];
}
