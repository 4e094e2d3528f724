/** Answers on their way to the model, in every mode of a host. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
	answered,
	asked,
	asking,
	asks,
	DATABASE,
	DECLINED,
	dialogIn,
	FEATURES,
	inTerminal,
	overRpc,
	RELEASE,
	results,
	TOOL,
	withHelper,
} from "./asking.mjs";
import { check } from "./check.mjs";
import { runPrint } from "./print.mjs";

const isEnd = ({ type }) => type === "tool_execution_end";

/** The session file's entry for the first tool result. */
function storedResult(home) {
	const folder = join(home.env.PI_CODING_AGENT_DIR, "sessions");
	const files = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".jsonl"));
	assert.equal(files.length, 1);
	const lines = readFileSync(join(folder, files[0]), "utf8").trimEnd().split("\n");
	const messages = lines.map((line) => JSON.parse(line).message);
	return messages.find((message) => message?.role === "toolResult");
}

async function terminalAnswers(host) {
	await check(`${host.name}, terminal: an answer reaches the model and the session file`, () =>
		inTerminal(host, { script: asks(DATABASE), args: [] }, async (terminal) => {
			await dialogIn(terminal);
			terminal.keys("Down");
			await terminal.waitFor(/→ 2\. PostgreSQL/);
			terminal.keys("Enter");
			await terminal.waitFor("The tool said:");
			assert.deepEqual(results(terminal), [answered([DATABASE, "PostgreSQL"])]);
			assert.ok(terminal.requests()[0].tools.includes(TOOL));
			const { content, details, isError } = storedResult(terminal.home);
			assert.equal(isError, false);
			assert.deepEqual(content, [{ type: "text", text: answered([DATABASE, "PostgreSQL"]) }]);
			const { question } = DATABASE;
			const answer = { questionIndex: 0, question, kind: "option", answer: "PostgreSQL" };
			assert.deepEqual(details, { answers: [answer], cancelled: false });
		}),
	);

	await check(`${host.name}, terminal: Esc declines, and listeners hear of it`, () =>
		inTerminal(host, { script: asks(DATABASE), ...withHelper }, async (terminal) => {
			await dialogIn(terminal);
			terminal.keys("Escape");
			await asked(terminal, 2);
			assert.deepEqual(results(terminal), [DECLINED]);
			const { channels, prompt } = heard(terminal);
			assert.deepEqual(channels, ["prompt", "blocked true", "aborted", "blocked false"]);
			const options = DATABASE.options.map((option) => ({ ...option, hasPreview: false }));
			assert.deepEqual(prompt, { questions: [{ ...DATABASE, multiSelect: false, options }] });
		}),
	);

	const recording = { script: asks(DATABASE), env: { ASK_USER_RECORD: "records" } };
	await check(`${host.name}, terminal: a record of the dialog, without what was typed`, () =>
		inTerminal(host, recording, async (terminal) => {
			await dialogIn(terminal);
			terminal.keys("Up");
			terminal.type("our own");
			await terminal.waitFor("our own");
			terminal.keys("Enter");
			await terminal.waitFor("The tool said:");
			const folder = join(terminal.home.cwd, "records");
			const [file, ...others] = readdirSync(folder);
			assert.deepEqual(others, []);
			const record = readFileSync(join(folder, file), "utf8");
			assert.match(record, /^recorded \S+, 80x24\ncall: {"questions":\[.*\]}\nkeybindings: {}\n/);
			assert.match(record, /\nkeys: up .*enter\nended: answered\n$/);
			const typed = [...record.matchAll(/\btype:([^" ]+| )/g)].map(([, text]) => text);
			assert.equal(typed.join(""), "xxx xxx");
		}),
	);

	const script = [{ calls: [asking(DATABASE), asking(RELEASE)] }];
	await check(`${host.name}, terminal: two calls in one message, one after the other`, () =>
		inTerminal(host, { script }, async (terminal) => {
			await dialogIn(terminal, DATABASE);
			terminal.keys("1");
			await dialogIn(terminal, RELEASE);
			terminal.keys("2");
			await asked(terminal, 2);
			assert.deepEqual(results(terminal), [
				answered([DATABASE, "SQLite"]),
				answered([RELEASE, "Later"]),
			]);
		}),
	);

	const mixed = [
		{ calls: [{ name: "bash", arguments: { command: "echo from-bash" } }, asking(DATABASE)] },
	];
	await check(`${host.name}, terminal: a call beside one of another tool`, () =>
		inTerminal(host, { script: mixed }, async (terminal) => {
			await dialogIn(terminal, DATABASE);
			terminal.keys("1");
			await asked(terminal, 2);
			const [bash, answer] = results(terminal);
			assert.match(bash, /from-bash/);
			assert.equal(answer, answered([DATABASE, "SQLite"]));
		}),
	);
}

/** Sizes a user may drag a window through, the last one too small for all of the form. */
const SIZES = [
	[120, 40],
	[80, 24],
	[46, 14],
	[30, 10],
];

/** A long form in every size. One line too wide, and a host that does not cut it ends. */
async function sizes(host) {
	const form = JSON.parse(readFileSync(new URL("form.json", import.meta.url), "utf8"));
	const { questions } = form[0].calls[0].arguments;
	const [, , conflicts] = questions;
	const preview = `# A file\n\n${"- one line of it that is long enough to wrap\n".repeat(30)}`;
	const options = conflicts.options.map((option) => ({ ...option, preview }));
	const script = asks({ ...conflicts, options });
	const modes = host.hasModes
		? { fullscreen: [], regular: ["--tui-mode", "regular"] }
		: { terminal: [] };
	for (const [mode, more] of Object.entries(modes)) {
		await check(`${host.name}, ${mode}: a long question with previews in every size`, () =>
			inTerminal(host, { script, args: ["--no-session", ...more] }, async (terminal) => {
				await dialogIn(terminal, { question: "" });
				for (const [columns, rows] of SIZES) {
					terminal.resize(columns, rows);
					terminal.keys("Down");
					await terminal.waitFor(/→ 2\. Last writer/);
					terminal.keys("Up");
					await terminal.waitFor(/→ 1\. Keep both/);
				}
				terminal.keys("Enter");
				await asked(terminal, 2);
				assert.match(results(terminal)[0], /"="Keep both \(Recommended\)"\. selected preview: # A/);
			}),
		);
	}
}

/** The events that helper.ts noted. */
function heard(run) {
	const notes = run.home.events().filter(({ channel }) => channel);
	const channels = notes.map(({ channel, payload }) =>
		channel === "blocked" ? `blocked ${payload.active}` : channel,
	);
	return { channels, prompt: notes.find(({ channel }) => channel === "prompt")?.payload };
}

async function rpcAnswers(host) {
	const form = asks(DATABASE, FEATURES, RELEASE);
	await check(`${host.name}, rpc: a form is answered, and stdout carries the protocol only`, () =>
		overRpc(host, { script: form, ...withHelper }, async (rpc) => {
			const row = async (number) => {
				const dialog = await rpc.dialog();
				rpc.answer(dialog, { value: dialog.options.at(number) });
				return dialog;
			};
			const first = await row(1);
			assert.equal(first.method, "select");
			assert.equal(first.title, "[Database] Which database should it use?");
			assert.deepEqual(first.options, [
				"1. SQLite — About SQLite",
				"2. PostgreSQL — About PostgreSQL",
				"3. Type something.",
			]);
			assert.equal(first.timeout, undefined);
			await row(2);
			await row(3);
			const input = await rpc.dialog();
			assert.equal(input.method, "input");
			assert.equal(input.title, "[Features] Which features should it have?");
			rpc.answer(input, { value: "an API" });
			await row(-1);
			await row(0);
			const review = await row(0);
			assert.deepEqual(review.options, [
				"Submit",
				"1. Database: PostgreSQL",
				"2. Features: Export, an API",
				"3. Release: Now",
				"Cancel",
			]);
			await rpc.next("the end of the run", ({ type }) => type === "agent_end");
			const pairs = [
				[DATABASE, "PostgreSQL"],
				[FEATURES, "Export, an API"],
				[RELEASE, "Now"],
			];
			assert.deepEqual(results(rpc), [answered(...pairs)]);
			assert.deepEqual(heard(rpc).channels, ["prompt", "blocked true", "blocked false"]);
			assert.deepEqual(rpc.noise, []);
			assert.equal(rpc.stderr(), "");
		}),
	);

	await check(`${host.name}, rpc: a dismissed dialog declines`, () =>
		overRpc(host, { script: form, ...withHelper }, async (rpc) => {
			rpc.answer(await rpc.dialog(), { value: "PostgreSQL" });
			rpc.answer(await rpc.dialog(), { cancelled: true });
			const { result } = await rpc.next("the end of the call", isEnd);
			assert.equal(result.details.answers[0].answer, "PostgreSQL");
			await rpc.next("the end of the run", ({ type }) => type === "agent_end");
			assert.deepEqual(results(rpc), [DECLINED]);
			assert.deepEqual(heard(rpc).channels, ["prompt", "blocked true", "aborted", "blocked false"]);
			assert.deepEqual(rpc.noise, []);
		}),
	);

	await check(`${host.name}, rpc: a client that answers nonsense is not a user who declines`, () =>
		overRpc(host, { script: asks(DATABASE), ...withHelper }, async (rpc) => {
			for (let i = 0; i < 5; i++) rpc.answer(await rpc.dialog(), { value: "MongoDB" });
			const { isError } = await rpc.next("the end of the call", isEnd);
			assert.equal(isError, true);
			await rpc.next("the end of the run", ({ type }) => type === "agent_end");
			assert.match(results(rpc)[0], /^The questionnaire broke down/);
			assert.deepEqual(heard(rpc).channels, ["prompt", "blocked true", "blocked false"]);
		}),
	);
}

/** Print and JSON runs have nobody to ask. */
async function unattended(host) {
	for (const [mode, args] of Object.entries({ print: ["-p"], json: ["--mode", "json"] })) {
		await check(`${host.name}, ${mode}: the model is not offered the tool`, async () => {
			const run = await runPrint(host, { script: ["Hello."], prompt: "Hello", args });
			assert.equal(run.status, 0, run.stderr);
			const [request] = run.requests;
			assert.ok(!request.tools.includes(TOOL), "it is offered");
			assert.ok(request.tools.includes("read"), "other tools are gone too");
			assert.ok(request.known.some(({ name }) => name === TOOL));
		});
	}
}

export async function answerChecks(host) {
	await terminalAnswers(host);
	await sizes(host);
	await rpcAnswers(host);
	await unattended(host);
}
