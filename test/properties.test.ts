// What holds for every questionnaire, every key and every terminal, tried on some of each. The
// cases are the same on every run; `npm run fuzz` tries others.
import { test } from "node:test";
import { holds, LAWS } from "./support/laws.ts";

const SEED = 20_250_101;
const STEPS = 60;

/** A case of each takes milliseconds, and a walk some hundred of them. */
const RUNS: Record<keyof typeof LAWS, number> = {
	"any way through any dialog keeps every promise": 150,
	"no arguments break the protocol": 500,
	"valid arguments stay as they are": 50,
	"nothing of the model's acts on a terminal": 2000,
};

for (const [title, numRuns] of Object.entries(RUNS)) {
	const law = LAWS[title as keyof typeof LAWS];
	test(title, () =>
		holds(
			law(STEPS, () => {}),
			{ seed: SEED, numRuns },
		),
	);
}
