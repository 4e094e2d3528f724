/** One line per check, and a closing line that a CI can read. */

// Leaving by way of `exit` is what lets the helpers clean up.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));

let passed = 0;
let failed = 0;
const wanted = process.argv[2] ?? "";

/** Runs one check. It fails by throwing; a failure does not keep the next check from running. */
export async function check(title, body) {
	if (!title.includes(wanted)) return;
	const started = Date.now();
	try {
		await body();
		passed++;
		console.log(`ok    ${title} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
	} catch (error) {
		failed++;
		console.log(`FAIL  ${title}\n      ${String(error.message).replaceAll("\n", "\n      ")}`);
	}
}

/** Prints the count and sets the exit code. A run that checked nothing has not passed. */
export function closeChecks() {
	console.log(`${passed} passed, ${failed} failed`);
	process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns what `probe` finds, once it finds anything. `describe` tells what was there instead. */
export async function until(what, probe, { ms = 20_000, describe = () => "" } = {}) {
	for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) {
		const found = probe();
		if (found) return found;
	}
	throw new Error(`waited ${ms} ms for ${what}\n${describe()}`);
}
