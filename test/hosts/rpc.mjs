/** A real Pi as an editor or a web front end drives it: JSON lines over a pipe. */
import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import { until } from "./check.mjs";
import { commandLine, temporaryHome } from "./host.mjs";

/**
 * @param {{ node: string, cli: string }} host
 * @param {{ script: unknown[], args?: string[], extensions?: string[] }} options
 */
export function openRpc(host, { script, args = [], extensions }) {
	const home = temporaryHome(script);
	const [node, ...line] = commandLine(host, ["--mode", "rpc", ...args], { extensions });
	const pi = spawn(node, line, { cwd: home.cwd, env: home.env });
	home.endHost = () => pi.kill("SIGKILL");
	const messages = [];
	const noise = [];
	let stderr = "";
	let lastId = 0;
	let read = 0;

	const exited = new Promise((resolve) => {
		pi.on("exit", (code, signal) => resolve({ code, signal }));
	});
	pi.stdin.on("error", () => {}); // A host that has just ended is reported by `exited`.
	pi.stderr.on("data", (data) => {
		stderr += data;
	});

	// Only LF ends a record: the usual line readers also split at separators inside a string.
	const decoder = new StringDecoder("utf8");
	let tail = "";
	pi.stdout.on("data", (data) => {
		const lines = (tail + decoder.write(data)).split("\n");
		tail = lines.pop();
		for (const record of lines) {
			try {
				messages.push(JSON.parse(record));
			} catch {
				noise.push(record);
			}
		}
	});

	const describe = () => `${stderr}\n${JSON.stringify(messages.slice(-5), null, 1)}`;
	const write = (message) => pi.stdin.write(`${JSON.stringify(message)}\n`);

	const rpc = {
		pid: pi.pid,
		home,
		requests: home.requests,
		/** Everything the host has said, in order; `noise` is what was not JSON. */
		messages,
		noise,
		exited,
		stderr: () => stderr,
		/** Sends a command and returns the host's response to it. */
		send: (command, ms) => {
			const id = `rpc-${++lastId}`;
			write({ ...command, id });
			const answer = (message) => message.type === "response" && message.id === id;
			return until(`a response to ${command.type}`, () => messages.find(answer), {
				ms,
				describe,
			});
		},
		/** The next message, after those handed out before, that `wanted` accepts. */
		next: (what, wanted, ms) =>
			until(
				what,
				() => {
					const index = messages.findIndex((message, at) => at >= read && wanted(message));
					if (index >= 0) read = index + 1;
					return messages[index];
				},
				{ ms, describe },
			),
		/** The next dialog the host wants shown. */
		dialog: (ms) =>
			rpc.next(
				"a dialog",
				(message) =>
					message.type === "extension_ui_request" &&
					["select", "confirm", "input", "editor"].includes(message.method),
				ms,
			),
		/** Answers a dialog: `{ value }`, `{ confirmed }` or `{ cancelled: true }`. */
		answer: (dialog, response) =>
			write({ type: "extension_ui_response", id: dialog.id, ...response }),
		close: async () => {
			pi.stdin.end();
			const forced = setTimeout(() => pi.kill("SIGKILL"), 3000);
			await exited;
			clearTimeout(forced);
			home.remove();
		},
	};
	return rpc;
}
