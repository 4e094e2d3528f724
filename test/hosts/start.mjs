/**
 * `npm start`: a real Pi with this extension, asking a real form. No key and no network: the
 * model is a script. Pi gets a temporary home, so the visitor's own settings stay untouched.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { commandLine, newestHostIfThere, stableHost, temporaryHome } from "./host.mjs";

// Without a terminal Pi answers once and quits, which would look like a broken extension.
if (!process.stdin.isTTY || !process.stdout.isTTY) {
	console.error("npm start shows a dialog: run it in a terminal.");
	process.exit(1);
}

const form = JSON.parse(readFileSync(new URL("form.json", import.meta.url), "utf8"));
const home = temporaryHome(form);

const prompt = "Let's build a notes app. Ask me what you need to know.";
const host = newestHostIfThere() ?? stableHost();
const [node, ...args] = commandLine(host, ["--no-session", prompt]);
const pi = spawn(node, args, { cwd: home.cwd, env: home.env, stdio: "inherit" });

// The home outlives the host, whoever ends it: Ctrl+C in the dialog is a key and reaches Pi only.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => pi.kill(signal));
pi.on("exit", (code) => process.exit(code ?? 1));
