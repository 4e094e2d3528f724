/** What the checks ask, and the two ways a user is asked: in a terminal and over RPC. */
import { fileURLToPath } from "node:url";
import { sleep, until } from "./check.mjs";
import { root } from "./host.mjs";
import { openRpc } from "./rpc.mjs";
import { openTerminal } from "./terminal.mjs";

export const TOOL = "ask_user_question";
export const DECLINED = "User declined to answer questions";
export const helper = fileURLToPath(new URL("helper.ts", import.meta.url));

const options = (...labels) => labels.map((label) => ({ label, description: `About ${label}` }));

export const DATABASE = {
	question: "Which database should it use?",
	header: "Database",
	options: options("SQLite", "PostgreSQL"),
};

export const FEATURES = {
	question: "Which features should it have?",
	header: "Features",
	options: options("Search", "Tags", "Export"),
	multiSelect: true,
};

export const RELEASE = {
	question: "When do we ship?",
	header: "Release",
	options: options("Now", "Later"),
};

export const asking = (...questions) => ({ name: TOOL, arguments: { questions } });

/** A model that asks the given questions, says what it was told, and asks again when prompted. */
export const asks = (...questions) => [{ calls: [asking(...questions)] }];

/** The sentence for answers given as pairs of question and answer. */
export function answered(...pairs) {
	const segments = pairs.map(([{ question }, answer]) => `"${question}"="${answer}".`);
	return (
		`User has answered your questions: ${segments.join(" ")} ` +
		"You can now continue with the user's answers in mind."
	);
}

/** The texts of the results that the model had when it was last asked to go on. */
export const results = (run) => (run.requests().at(-1)?.results ?? []).map(({ text }) => text);

/** Waits until the model was asked a number of times; by then it has the results so far. */
export const asked = (run, times, ms) =>
	until(`request ${times} to the model`, () => run.requests().length >= times, {
		ms,
		describe: () => JSON.stringify(run.requests(), null, 1),
	});

/** For a moment after it opens, the dialog takes no key for an answer. */
const GUARD = 400;

/** Waits for the dialog of a question, and until it takes keys. */
export async function dialogIn(terminal, { question } = DATABASE) {
	// Only the dialog has a pointer: the words of the question also stand in the transcript.
	await terminal.waitFor(new RegExp(`${question.replace("?", "\\?")}[^]*→ 1\\. `));
	await sleep(GUARD);
}

/** Sends a prompt from Pi's own editor. */
export async function say(terminal, text) {
	terminal.type(text);
	await terminal.waitFor(text);
	terminal.keys("Enter");
}

/** Opens a terminal for one check, with the prompt already given. */
export async function inTerminal(host, options, body) {
	const terminal = openTerminal(host, { prompt: "Ask me.", args: ["--no-session"], ...options });
	try {
		await body(terminal);
	} finally {
		await terminal.close();
	}
}

/** Starts a host for one check; `prompt` is the first thing it is told. */
export async function overRpc(host, { prompt = "Ask me.", ...options }, body) {
	const rpc = openRpc(host, { args: ["--no-session"], ...options });
	try {
		if (prompt) await rpc.send({ type: "prompt", message: prompt });
		await body(rpc);
	} finally {
		await rpc.close();
	}
}

export const withHelper = { extensions: [root, helper] };
