/**
 * A second extension beside the one under test. It notes the events that the questionnaire sends,
 * and it changes the session while a dialog is open, which no user can do by keys: they all go to
 * the dialog. `/when-asked new` and `/when-asked reload` arm it for the next dialog.
 */
import { appendFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionCommandContext } from "@mariozechner/pi-coding-agent";

const CHANNELS = ["prompt", "blocked", "aborted"];

/** Long enough for the dialog to be on the screen. */
const SOON = 500;

export default function helper(pi: ExtensionAPI): void {
	const note = (line: object) =>
		appendFileSync(process.env.HELPER_LOG ?? "", `${JSON.stringify(line)}\n`);
	let change: ((ctx: ExtensionCommandContext) => Promise<unknown>) | undefined;
	let armed: ExtensionCommandContext | undefined;

	pi.registerCommand("when-asked", {
		description: "Change the session once the next dialog is open",
		handler: async (what, ctx) => {
			change = what === "reload" ? (to) => to.reload() : (to) => to.newSession();
			armed = ctx;
			note({ armed: what });
		},
	});

	for (const channel of CHANNELS) {
		pi.events.on(`rpiv:ask-user:${channel}`, (payload) => {
			note({ channel, payload });
			const to = armed;
			if (channel !== "blocked" || !to) return;
			armed = undefined;
			setTimeout(async () => {
				try {
					await change?.(to);
					note({ changed: true });
				} catch (error) {
					note({ failed: String(error) });
				}
			}, SOON);
		});
	}
}
