/**
 * A real Pi in a real terminal: tmux is the terminal emulator, this file its keyboard and eyes.
 *
 * Every terminal has a tmux server of its own, with its socket in the temporary home, so nothing
 * of the user's tmux is read, shown or ended.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./check.mjs";
import { commandLine, temporaryHome } from "./host.mjs";

// Pi asks tmux for extended keys and complains on screen without them. The pane outlives Pi, so
// that a crash can still be read.
const TMUX_CONF = `
set -g default-terminal tmux-256color
set -g escape-time 0
set -g extended-keys on
set -g remain-on-exit on
set -g status off
`;

/**
 * @param {{ node: string, cli: string }} host
 * @param {{
 *   script: unknown[], prompt?: string, columns?: number, rows?: number,
 *   args?: string[], extensions?: string[], home?: ReturnType<typeof temporaryHome>,
 * }} options `prompt` is what the user has typed before Pi shows its first frame; `home` is one
 * that was prepared, with its script
 */
export function openTerminal(host, options) {
	const { script, prompt, columns = 80, rows = 24, args = [], extensions } = options;
	const home = options.home ?? temporaryHome(script);
	Object.assign(home.env, options.env);
	const socket = join(home.dir, "tmux.sock");
	const conf = join(home.dir, "tmux.conf");
	writeFileSync(conf, TMUX_CONF);

	const tmux = (...command) =>
		execFileSync("tmux", ["-u", "-S", socket, "-f", conf, ...command], {
			env: home.env,
			encoding: "utf8",
			stdio: ["ignore", "pipe", "pipe"],
		});

	const pi = commandLine(host, [...args, ...(prompt ? [prompt] : [])], { extensions });
	const size = ["-x", String(columns), "-y", String(rows)];
	try {
		tmux("new-session", "-d", ...size, "-c", home.cwd, ...pi);
	} catch (error) {
		home.remove();
		if (error.code === "ENOENT") throw new Error("this needs tmux (apt-get install tmux)");
		throw error;
	}
	const ask = (format) => tmux("display-message", "-p", format).trim();
	const pid = Number(ask("#{pane_pid}"));
	// By force first: a host that merely loses its terminal writes on into the home being removed.
	home.endHost = () => {
		if (ask("#{pane_dead}") === "0") process.kill(pid, "SIGKILL");
		tmux("kill-server");
	};

	const terminal = {
		pid,
		home,
		/** The model's view: see the log of scripted-model.ts. */
		requests: home.requests,
		/** The screen as text, or with `colors` its escape sequences too. */
		screen: ({ colors = false } = {}) => tmux("capture-pane", "-p", ...(colors ? ["-e"] : [])),
		/** Keys by tmux's names: `Enter`, `Escape`, `Down`, `BTab`, `C-c`, `M-Enter`. */
		keys: (...names) => tmux("send-keys", ...names),
		type: (text) => tmux("send-keys", "-l", text),
		/** Bytes as a terminal would send them, for events that tmux has no name for. */
		bytes: (data) => {
			const hex = [...Buffer.from(data)].map((byte) => byte.toString(16).padStart(2, "0"));
			tmux("send-keys", "-H", ...hex);
		},
		/** A bracketed paste. tmux turns line feeds into carriage returns, as terminals do. */
		paste: (text) => {
			tmux("set-buffer", text);
			tmux("paste-buffer", "-p", "-d");
		},
		resize: (width, height) => tmux("resize-window", "-x", String(width), "-y", String(height)),
		/** Column, row and whether it is shown, both counted from 0. */
		cursor: () => {
			const [column, row, shown] = ask("#{cursor_x} #{cursor_y} #{cursor_flag}").split(" ");
			return { column: Number(column), row: Number(row), shown: shown === "1" };
		},
		/** The exit code of Pi, or `undefined` while it runs. */
		exitCode: () => (ask("#{pane_dead}") === "1" ? Number(ask("#{pane_dead_status}")) : undefined),
		waitFor: (text, ms) =>
			until(String(text), () => matches(terminal.screen(), text), {
				ms,
				describe: () => terminal.screen().trimEnd(),
			}),
		waitForExit: (ms) =>
			until("the end of Pi", () => ask("#{pane_dead}") === "1", {
				ms,
				describe: () => terminal.screen().trimEnd(),
			}),
		/** Ends Pi, by force where it does not listen, and leaves nothing behind. */
		close: async () => {
			if (terminal.exitCode() === undefined) {
				process.kill(pid, "SIGTERM");
				await terminal.waitForExit(3000).catch(() => process.kill(pid, "SIGKILL"));
			}
			tmux("kill-server");
			home.remove();
		},
	};
	return terminal;
}

function matches(screen, text) {
	return typeof text === "string" ? screen.includes(text) : text.test(screen);
}
