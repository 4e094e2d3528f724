/** The package as users get it: installed, loaded beside others, damaged on disk and repaired. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
	answered,
	asked,
	asks,
	DATABASE,
	dialogIn,
	inTerminal,
	overRpc,
	results,
	say,
	TOOL,
} from "./asking.mjs";
import { check } from "./check.mjs";
import { commandLine, root, temporaryHome, unpackInto } from "./host.mjs";
import { run, runPrint } from "./print.mjs";

const script = asks(DATABASE);
const ANSWERED = answered([DATABASE, "SQLite"]);

/** A folder with the package as the registry would serve it; gone when this process ends. */
const dir = mkdtempSync(join(tmpdir(), "pi-ask-install-"));
process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
const unpacked = unpackInto(dir);

/** A copy of the package that a check may damage. */
function copy(name) {
	const folder = join(dir, name);
	cpSync(unpacked, folder, { recursive: true });
	return { folder, dialog: join(folder, "dialog.ts") };
}

/** Answers the question and waits for the model's answer to that. */
async function answers(terminal, requests) {
	await dialogIn(terminal);
	terminal.keys("1");
	await asked(terminal, requests);
	assert.equal(results(terminal).at(-1), ANSWERED);
}

async function installs(host) {
	await check(`${host.name}, installed by pi install: no warning, and an answer`, async () => {
		const home = temporaryHome(script);
		const [node, cli] = commandLine(host, []);
		const install = await run(node, [cli, "install", unpacked], home);
		assert.equal(install.status, 0, install.stderr);
		assert.match(
			readFileSync(join(home.env.PI_CODING_AGENT_DIR, "settings.json"), "utf8"),
			/package/,
		);
		await inTerminal(host, { home, extensions: [] }, async (terminal) => {
			await dialogIn(terminal);
			assert.doesNotMatch(terminal.screen(), /warn|error|fail|peerDependencies/i);
			await answers(terminal, 2);
			const tool = terminal.requests()[0].known.find(({ name }) => name === TOOL);
			assert.ok(tool.path.startsWith(unpacked), `it is another's: ${tool.path}`);
		});
	});

	await check(`${host.name}, loaded by -e: no warning, and an answer`, () =>
		inTerminal(host, { script, extensions: [unpacked] }, async (terminal) => {
			await dialogIn(terminal);
			assert.doesNotMatch(terminal.screen(), /warn|error|fail|peerDependencies/i);
			await answers(terminal, 2);
		}),
	);

	await check(`${host.name}: two extensions with the same tool are Pi's to report`, async () => {
		const { status, stderr } = await runPrint(host, {
			script,
			prompt: "Hello",
			extensions: [unpacked, root],
		});
		assert.equal(status, 1);
		assert.match(stderr, /Tool "ask_user_question" conflicts with/);
	});
}

/** A project of somebody else's, which has the package installed and listens to its events. */
function listeningProject() {
	const folder = join(dir, `project-${Math.random()}`);
	const modules = join(folder, "node_modules");
	const listener = join(folder, "listener.ts");
	mkdirSync(join(modules, "@schovest"), { recursive: true });
	cpSync(unpacked, join(modules, "@schovest/pi-ask-user-question"), { recursive: true });
	for (const scope of ["@mariozechner", "@types"])
		symlinkSync(join(root, "node_modules", scope), join(modules, scope));
	writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
	cpSync(fileURLToPath(new URL("listener.ts", import.meta.url)), listener);
	return { folder, listener };
}

/** Once for all hosts: the types do not depend on one. */
export async function typeChecks() {
	await check("a project that imports the events passes the type checker", () => {
		const { folder, listener } = listeningProject();
		const tsc = join(root, "node_modules/typescript/bin/tsc");
		const flags = ["--noEmit", "--strict", "--module", "nodenext", "--types", "node"];
		const { status, stdout } = spawnSync(
			process.execPath,
			[tsc, ...flags, "--skipLibCheck", listener],
			{
				cwd: folder,
				encoding: "utf8",
			},
		);
		assert.equal(status, 0, stdout);
	});
}

async function listens(host) {
	await check(`${host.name}, rpc: a listener in another project hears all three events`, () => {
		const { listener } = listeningProject();
		return overRpc(host, { script, extensions: [unpacked, listener] }, async (rpc) => {
			rpc.answer(await rpc.dialog(), { cancelled: true });
			await asked(rpc, 2);
			const heard = ["Database 2", "blocked true", "aborted true", "blocked false"];
			assert.deepEqual(rpc.home.events(), heard);
		});
	});
}

const LOAD_FAILED = /^The dialog could not be loaded.*not a decline/;
const STALE = /^Pi holds a broken copy of the dialog.*not a decline/;

async function damaged(host) {
	await check(`${host.name}, terminal: a dialog file that is missing, and back`, async () => {
		const { folder, dialog } = copy(`missing-${host.version}`);
		rmSync(dialog);
		await inTerminal(host, { script, extensions: [folder] }, async (terminal) => {
			await asked(terminal, 2);
			assert.match(results(terminal).at(-1), LOAD_FAILED);
			await say(terminal, "And now?");
			await asked(terminal, 4);
			assert.match(results(terminal).at(-1), LOAD_FAILED);
			cpSync(join(unpacked, "dialog.ts"), dialog);
			await say(terminal, "It is back.");
			await answers(terminal, 6);
		});
	});

	const faults = {
		"a syntax error": (text) => text.replace("class Dialog", "class class Dialog"),
		"a throw in its last statement": (text) =>
			text.replace("export const DIALOG_READY = true;", 'throw new Error("half a module");'),
	};
	for (const [fault, breakIt] of Object.entries(faults)) {
		await check(`${host.name}, terminal: a dialog file with ${fault}, repaired`, async () => {
			const { folder, dialog } = copy(`${fault.replaceAll(" ", "-")}-${host.version}`);
			const whole = readFileSync(dialog, "utf8");
			writeFileSync(dialog, breakIt(whole));
			assert.notEqual(readFileSync(dialog, "utf8"), whole);
			await inTerminal(host, { script, extensions: [folder] }, async (terminal) => {
				await asked(terminal, 2);
				assert.match(results(terminal).at(-1), LOAD_FAILED);
				writeFileSync(dialog, whole);
				await say(terminal, "It is repaired.");
				await asked(terminal, 4);
				assert.match(results(terminal).at(-1), STALE);
				await say(terminal, "/reload");
				await terminal.waitFor(/Reloaded/);
				await say(terminal, "And now?");
				await answers(terminal, 6);
			});
		});
	}
}

export async function installChecks(host) {
	await installs(host);
	await listens(host);
	await damaged(host);
}
