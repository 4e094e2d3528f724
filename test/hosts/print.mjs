/** A real Pi without anybody watching: one prompt in, one text (or stream of JSON) out. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { commandLine, temporaryHome } from "./host.mjs";

/** Runs a program in a temporary home to its end. */
export async function run(program, args, home) {
	const child = spawn(program, args, {
		cwd: home.cwd,
		env: home.env,
		stdio: ["ignore", "pipe", "pipe"],
		timeout: 60_000,
	});
	const ended = new Promise((resolve, reject) => {
		child.on("error", reject);
		child.on("close", resolve);
	});
	const [stdout, stderr, status] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		ended,
	]);
	return { status, stdout, stderr };
}

/** Runs a host with one prompt to its end. `requests` is what the model was sent. */
export async function runPrint(host, { script, prompt, args = ["-p"], extensions }) {
	const home = temporaryHome(script);
	try {
		const [node, ...line] = commandLine(host, [...args, prompt], { extensions });
		const result = await run(node, line, home);
		return { ...result, requests: home.requests() };
	} finally {
		home.remove();
	}
}
