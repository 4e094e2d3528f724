/**
 * `npm run test:pack`: the tarball a user would install, unpacked where there is no node_modules,
 * loads into a real host and brings its tool.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, closeChecks } from "./check.mjs";
import { newestHostIfThere, root, stableHost, unpackInto } from "./host.mjs";
import { runPrint } from "./print.mjs";

const dir = mkdtempSync(join(realpathSync(tmpdir()), "pi-ask-pack-"));
const unpacked = join(dir, "package");

try {
	await check("pack: npm pack makes a tarball that unpacks", () => {
		assert.equal(unpackInto(dir), unpacked);
	});

	await check("pack: it holds the files package.json promises, and no others", () => {
		const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
		// npm adds these three whatever `files` says.
		const promised = new Set([...files, "LICENSE", "README.md", "package.json"]);
		assert.deepEqual(readdirSync(unpacked).sort(), [...promised].sort());
	});

	for (const host of [stableHost(), newestHostIfThere()].filter(Boolean)) {
		await check(`pack: ${host.name} loads it without node_modules`, async () => {
			assert.ok(existsSync(unpacked), "nothing was unpacked");
			const run = await runPrint(host, {
				script: ["Hello."],
				prompt: "Hello",
				extensions: [unpacked],
			});
			assert.equal(run.status, 0, `pi exited with ${run.status}: ${run.stderr}`);
			assert.equal(run.stdout.trim(), "Hello.");
			assert.equal(run.stderr, "", `pi complained: ${run.stderr}`);
			// Without a user the tool is not offered to the model, but the host still knows it.
			const tool = run.requests[0]?.known.find(({ name }) => name === "ask_user_question");
			assert.ok(tool, "the host knows no ask_user_question");
			assert.ok(tool.path.startsWith(unpacked), `it is another's: ${tool.path}`);
		});
	}
} finally {
	rmSync(dir, { recursive: true, force: true });
}
closeChecks();
