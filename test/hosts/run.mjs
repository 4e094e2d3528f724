/**
 * `npm run test:hosts`: the extension in the real hosts of both generations.
 *
 * What is checked here is what only a real host can show; everything else is faster elsewhere.
 * A word after the command (`npm run test:hosts -- Esc`) runs the checks whose title contains it.
 * `HOST_DIR` names a folder whose node_modules holds the newest host, `HOST=latest` ignores the
 * pinned version of it.
 */
import assert from "node:assert/strict";
import { answerChecks } from "./answers.mjs";
import { check, closeChecks } from "./check.mjs";
import { endingChecks } from "./endings.mjs";
import { leftovers, newestHost, stableHost } from "./host.mjs";
import { installChecks, typeChecks } from "./install.mjs";

await typeChecks();
// Most of the time is spent waiting for a host, so that each can have a row of its own.
await Promise.all(
	[stableHost(), newestHost()].map(async (host) => {
		await answerChecks(host);
		await endingChecks(host);
		await installChecks(host);
	}),
);

await check("nothing is left: no process, no folder", () => assert.deepEqual(leftovers(), []));
closeChecks();
