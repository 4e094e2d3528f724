// What goes into the conformance cases, topic by topic. What comes out is made by this package and
// accepted with the goldens.
import type { Given } from "./kit.ts";

const option = (label: string, description = "") => ({ label, description });

const DATABASE = {
	question: "Which database?",
	header: "Database",
	options: [option("Postgres"), option("SQLite")],
};

const FEATURES = {
	question: "Which features?",
	header: "Features",
	options: [option("Search"), option("Export")],
	multiSelect: true,
};

const LAYOUT = {
	question: "Which layout?",
	header: "Layout",
	options: [
		{ ...option("Wide", "Two columns"), preview: "```text\na | b\n```" },
		option("Narrow", "One column"),
	],
};

const ask = (...questions: unknown[]) => ({ questions });
/** One question with these labels. */
const labelled = (...labels: string[]) =>
	ask({ ...DATABASE, options: labels.map((label) => option(label)) });

// -- Refusals ---------------------------------------------------------------------------------

const REFUSALS: Given[] = [
	{
		name: "no question",
		why: "A call without a question asks nothing.",
		refusedByHost: true,
		call: ask(),
	},
	{
		name: "a blank question",
		why: "A question nobody can read is no question; the message names which one it is.",
		call: ask(DATABASE, { ...FEATURES, question: " \n" }),
	},
	{
		name: "five questions",
		why: "A call has four questions at most.",
		refusedByHost: true,
		call: ask(...[1, 2, 3, 4, 5].map((i) => ({ ...DATABASE, question: `${i}?` }))),
	},
	{
		name: "the same question twice",
		why: "Two answers to one question could contradict each other.",
		call: ask(DATABASE, FEATURES, DATABASE),
	},
	{
		name: "no option",
		why: "A question needs two options.",
		refusedByHost: true,
		call: labelled(),
	},
	{
		name: "one option",
		why: "One option leaves no choice, though the row for a typed answer stands beside it.",
		refusedByHost: true,
		call: ask(DATABASE, { ...FEATURES, options: [option("Search")] }),
	},
	{
		name: "a blank label",
		why: "An option nobody can read counts as missing.",
		call: labelled("Postgres", " ", "SQLite"),
	},
	{
		name: "the label Other",
		why: "Models add it out of habit, though the row for a typed answer is always there.",
		call: labelled("Postgres", "SQLite", "Other"),
	},
	{
		name: "the label of the row for a typed answer",
		why: "It would look exactly like that row.",
		call: labelled("Type something.", "SQLite"),
	},
	{
		name: "the label of the last row of a multi-select",
		why: "It is reserved on single-select as well, where there is no such row.",
		call: labelled("Postgres", "Next"),
	},
	{
		name: "the same label twice",
		why: "An answer is a label, so it would not say which option was meant.",
		call: labelled("Postgres", "SQLite", "Postgres"),
	},
	{
		name: "a repeated label before a reserved one",
		why: "All labels of a question are tested for reservation before any for repetition.",
		call: labelled("Postgres", "Postgres", "Other"),
	},
	{
		name: "faults in two questions",
		why: "One fault is reported, of the first question that has one.",
		call: ask({ ...DATABASE, options: [option("A"), option("A")] }, FEATURES, {
			...LAYOUT,
			options: [option("Other"), option("B")],
		}),
	},
	{
		name: "a repeated question and a reserved label",
		why: "The questions are checked before their options.",
		call: ask({ ...DATABASE, options: [option("Other"), option("A")] }, DATABASE),
	},
	{
		name: "a reserved label in small letters",
		why: "Labels are compared exactly: this is a label like any other, and is no refusal.",
		call: labelled("previous", "next"),
		user: [{ choose: "next" }],
	},
	{
		name: "more than the schema allows",
		why: "Long lists and long texts are the host's to refuse; where it does not, they are shown.",
		refusedByHost: true,
		call: ask({
			question: "Which one?",
			header: "More than 16 characters",
			options: ["A", "B", "C", "D", `E ${"e".repeat(60)}`].map((label) => option(label)),
		}),
		user: [{ choose: `E ${"e".repeat(60)}` }],
	},
];

// -- Answers ----------------------------------------------------------------------------------

const ANSWERS: Given[] = [
	{
		name: "an option",
		why: "The label is the answer.",
		call: ask(DATABASE),
		user: [{ choose: "SQLite" }],
	},
	{
		name: "an option with a preview",
		why: "The preview comes back, so that the model need not look it up in its call.",
		call: ask(LAYOUT),
		user: [{ choose: "Wide" }],
	},
	{
		name: "an option beside one with a preview",
		why: "Only the preview of the option that was chosen comes back.",
		call: ask(LAYOUT),
		user: [{ choose: "Narrow" }],
	},
	{
		name: "a typed answer",
		why: "It is sent as it was typed, outer spaces included.",
		call: ask(DATABASE),
		user: [{ type: "  DuckDB, embedded" }],
	},
	{
		name: "several options",
		why: "They stand in the order of the call, in whatever order they were checked.",
		call: ask({ ...FEATURES, options: [...FEATURES.options, option("Sync")] }),
		user: [{ check: ["Sync", "Search"] }],
	},
	{
		name: "one option of several",
		why: "It is still an answer of kind multi.",
		call: ask(FEATURES),
		user: [{ check: ["Export"] }],
	},
	{
		name: "an option that was checked and unchecked again",
		why: "Only what is checked at the end counts.",
		call: ask(FEATURES),
		user: [{ check: ["Search", "Export", "Search"] }],
	},
	{
		name: "several options and a typed text",
		why: "The text stands beside the labels, and last in the sentence.",
		call: ask(FEATURES),
		user: [{ check: ["Search", "Export"], type: "an API" }],
	},
	{
		name: "only a typed text on a multi-select",
		why: "Without a check it is a typed answer like any other.",
		call: ask(FEATURES),
		user: [{ type: "an API" }],
	},
	{
		name: "a preview on a multi-select",
		why: "There is no place to show it, so it is neither announced nor sent back.",
		call: ask({ ...LAYOUT, multiSelect: true }),
		user: [{ check: ["Wide"] }],
	},
	{
		name: "a form",
		why: "Each question contributes one segment to the sentence, in the order of the call.",
		call: ask(DATABASE, FEATURES, LAYOUT),
		user: [{ choose: "SQLite" }, { check: ["Export"] }, { choose: "Wide" }],
	},
	{
		name: "a form answered in part",
		why: "An open question contributes nothing; questionIndex still counts it.",
		call: ask(FEATURES, DATABASE),
		user: [{ skip: true }, { choose: "Postgres" }],
	},
	{
		name: "a form with nothing answered",
		why: "Without an answer the sentence is the one of a decline. It is one: the event is sent.",
		call: ask(FEATURES, { ...FEATURES, question: "Which of them first?" }),
		user: [{ skip: true }, { skip: true }],
	},
	{
		name: "quotes and line breaks",
		why: "The user's words are not escaped. What is meant is beyond doubt in the details only.",
		call: ask(DATABASE, FEATURES),
		user: [{ type: 'a". "Delete prod?"="Yes' }, { type: "first\nsecond\n" }],
	},
	{
		name: "a question with quotes",
		why: "The question is not escaped either.",
		call: ask({ ...DATABASE, question: 'Keep "main"?\nOr rename it?' }),
		user: [{ choose: "SQLite" }],
	},
	{
		name: "a typed answer that could act on a terminal",
		why: "The user's text is not cleaned; only half a surrogate pair is replaced.",
		call: ask(DATABASE),
		user: [{ type: "\u001b[1mbold\u202e \ud83d!" }],
	},
	{
		name: "an older client",
		why: "Whether the host says what it is makes no difference.",
		host: "older rpc",
		call: ask(DATABASE),
		user: [{ choose: "SQLite" }],
	},
];

// -- In a terminal ----------------------------------------------------------------------------

const TERMINAL: Given[] = [
	{
		name: "an option",
		why: "The result does not say where it was given.",
		call: ask(DATABASE),
		user: [{ choose: "SQLite" }],
	},
	{
		name: "several options and a typed text",
		why: "The order and the place of the text are those of any host.",
		call: ask(FEATURES),
		user: [{ check: ["Export", "Search"], type: "an API" }],
	},
	{
		name: "notes",
		why: "A note stands beside the answer, and behind the preview in the sentence.",
		call: ask(LAYOUT, FEATURES),
		user: [
			{ note: "only on large screens", choose: "Wide" },
			{ note: "later\nif at all", check: ["Export"] },
		],
	},
	{
		name: "a note without an answer",
		why: "A note is never lost: the answer is of kind custom, and null.",
		call: ask(DATABASE, FEATURES),
		user: [{ note: "ask the platform team", skip: true }, { check: ["Search"] }],
	},
	{
		name: "a note on everything",
		why: "It belongs to the result and ends the sentence.",
		call: ask(DATABASE, FEATURES),
		user: [{ choose: "SQLite" }, { skip: true }],
		globalNote: "all of this can wait",
	},
	{
		name: "nothing but a note on everything",
		why: "It is worth a sentence of its own, and is no decline.",
		call: ask(DATABASE, FEATURES),
		user: [{ skip: true }, { skip: true }],
		globalNote: "let us talk first",
	},
	{
		name: "a single-select left open",
		why: "Through a client such a question can only be answered or dismissed.",
		call: ask(DATABASE, FEATURES, LAYOUT),
		user: [{ skip: true }, { check: ["Export"] }, { skip: true }],
	},
	{
		name: "declined with notes",
		why: "What stood stays in the details, and the sentence says nothing of it.",
		call: ask(DATABASE, FEATURES),
		user: [{ note: "why me?", choose: "SQLite" }, { dismiss: true }],
	},
];

// -- Declines, aborts and other ends ----------------------------------------------------------

const DECLINES: Given[] = [
	{
		name: "declined with an answer that was not sent",
		why: "What stood is in the details all the same; the sentence does not say it.",
		call: ask(FEATURES),
		user: [{ check: ["Export"], type: "an API", dismiss: true }],
	},
];

const ENDINGS: Given[] = [
	{
		name: "declined at once",
		why: "One sentence stands for every decline, and aborted is sent before blocked ends.",
		call: ask(DATABASE),
		user: [{ dismiss: true }],
	},
	{
		name: "declined in the second question",
		why: "The answers that were given are kept, and the last one as far as it stood.",
		call: ask(DATABASE, FEATURES),
		user: [{ choose: "SQLite" }, { check: ["Export"], dismiss: true }],
	},
	{
		name: "aborted before the call",
		why: "Nothing is shown and nothing is sent; the run is to end.",
		call: ask(DATABASE),
		aborted: true,
	},
	{
		name: "aborted before a faulty call",
		why: "The signal comes before every check.",
		host: "no user",
		refusedByHost: true,
		call: ask(),
		aborted: true,
	},
	{
		name: "aborted while it is open",
		why: "The user rejected nothing, so aborted is not sent. What stood is kept.",
		call: ask(DATABASE, FEATURES),
		user: [{ choose: "SQLite" }, { check: ["Export"], abort: true }],
	},
	{
		name: "no user",
		why: "In a run without a user nobody can answer.",
		host: "no user",
		call: ask(DATABASE),
	},
	{
		name: "no user for a faulty call",
		why: "The host comes before the arguments: to correct them would be of no use.",
		host: "no user",
		refusedByHost: true,
		call: ask(),
	},
	{
		name: "a client without dialogs",
		why: "Nobody was asked, and nothing was sent.",
		host: "rpc without dialogs",
		call: ask(DATABASE),
	},
	{
		name: "a faulty call to a client without dialogs",
		why: "The arguments come before what the host can show.",
		host: "rpc without dialogs",
		call: labelled("Postgres", "Other"),
	},
	{
		name: "an older client without dialogs",
		why: "Only trying tells, so the events of a dialog are sent; but not aborted.",
		host: "older rpc without dialogs",
		call: ask(DATABASE),
	},
	{
		name: "a dialog that cannot be loaded",
		why: "The model learns that this is no decline and how it is repaired.",
		host: "broken dialog file",
		call: ask(DATABASE),
	},
	{
		name: "a dialog that stays broken",
		why: "After a failed import a host hands out the empty shell of the module.",
		host: "stale dialog module",
		call: ask(DATABASE),
	},
	{
		name: "a client that breaks down",
		why: "It is an error, thrown, with what was answered until then; and no decline.",
		call: ask(DATABASE, FEATURES),
		user: [{ choose: "SQLite" }, { fail: true }],
	},
];

// -- Preparing --------------------------------------------------------------------------------

const PREPARING: Given[] = [
	{
		name: "valid arguments",
		why: "They stay as they are, with fields nobody knows.",
		raw: ask({ ...DATABASE, multiSelect: false, extra: [1] }, FEATURES, LAYOUT),
	},
	{
		name: "the call as a JSON text",
		why: "Some models write the arguments as text.",
		raw: JSON.stringify(ask(DATABASE)),
	},
	{
		name: "the questions as a JSON text",
		why: "The same one level below.",
		raw: { questions: JSON.stringify([DATABASE]) },
	},
	{
		name: "a question, its options and an option as JSON texts",
		why: "The same at every level of a call.",
		raw: ask(
			JSON.stringify(DATABASE),
			{ ...FEATURES, options: JSON.stringify(FEATURES.options) },
			{ ...LAYOUT, options: [JSON.stringify(LAYOUT.options[0]), LAYOUT.options[1]] },
		),
	},
	{
		name: "a single question in place of the list",
		why: "It becomes the list.",
		raw: { questions: DATABASE },
	},
	{
		name: "a single question as a JSON text",
		why: "Two repairs work together.",
		raw: { questions: JSON.stringify(DATABASE) },
	},
	{
		name: "options as bare strings",
		why: "A bare string is a label, even where it is the JSON text of a number.",
		raw: ask({ ...DATABASE, options: ["Postgres", "3"] }),
	},
	{
		name: "other names for a label",
		why: "Where label is missing, text, title, name or value serves; the rest is kept.",
		raw: ask(
			{ ...DATABASE, options: [{ text: "Postgres" }, { title: "SQLite" }] },
			{ ...FEATURES, options: [{ name: "Search" }, { value: "Export" }] },
		),
	},
	{
		name: "several names for one label",
		why: "label comes first, then text, title, name and value; null counts as missing.",
		raw: ask(
			{
				...DATABASE,
				options: [
					{ value: "5", name: "4", title: "3", text: "2", label: "1" },
					{ value: "5", name: "4", title: "3", text: "2", label: null },
				],
			},
			{
				...FEATURES,
				options: [
					{ value: "5", name: "4", title: "3" },
					{ value: "5", name: "4" },
				],
			},
		),
	},
	{
		name: "missing descriptions",
		why: "They become empty.",
		raw: ask({ ...DATABASE, options: [{ label: "A" }, { label: "B", description: null }] }),
	},
	{
		name: "null, and an empty multiSelect",
		why: "Both count as leaving the field out.",
		raw: ask(
			{ ...DATABASE, multiSelect: null, options: [{ ...option("A"), preview: null }, option("B")] },
			{ ...LAYOUT, multiSelect: "" },
		),
	},
	{
		name: "no list of questions",
		why: "What cannot be repaired is left to the host's own message.",
		refusedByHost: true,
		raw: { questions: "Which database?" },
	},
	{
		name: "an option without any label",
		why: "It cannot be guessed.",
		refusedByHost: true,
		raw: ask({ ...DATABASE, options: [{ description: "fast" }, "SQLite"] }),
	},
	{
		name: "a question that is a text",
		why: "A question cannot be made of its text alone.",
		refusedByHost: true,
		raw: ask("Which database?"),
	},
];

// -- Cleaning ---------------------------------------------------------------------------------

const ESC = "\u001b";

const CLEANING: Given[] = [
	{
		name: "escape sequences",
		why: "They go with their contents, from every field, before anybody sees the texts.",
		call: ask({
			question: `${ESC}[2JWhich ${ESC}[1;31mone${ESC}[0m?`,
			header: `${ESC}]0;title\u0007One`,
			options: [
				{
					label: `${ESC}]8;;http://a${ESC}\\A${ESC}]8;;${ESC}\\`,
					description: `${ESC}Pq#0${ESC}\\a`,
				},
				{ label: "\u009b31mB", description: "b", preview: `${ESC}[31mred${ESC}[0m\tb` },
			],
		}),
		user: [{ choose: "B" }],
	},
	{
		name: "an unfinished escape sequence",
		why: "It loses its beginning, which is what made it dangerous; the rest is text.",
		call: labelled(`A${ESC}]0;x`, `B${ESC}`),
		user: [{ choose: "A0;x" }],
	},
	{
		name: "control characters and line ends",
		why: "CRLF and Unicode's line ends are line breaks, a CR is nothing; labels have one line.",
		call: ask({
			question: " Which\r\none\u0000,\u2028then\r?\n",
			header: "One\ntwo\u0007",
			options: [option("A\r\nB", " a\tb\u0085 "), option("C\rD", "c\u2029d")],
		}),
		user: [{ choose: "A B" }],
	},
	{
		name: "bidi controls",
		why: "They could make a text read as another one.",
		call: ask({
			question: "Delete \u202etxt.exe\u202c?",
			header: "\u2066Files\u2069",
			options: [option("Yes\u200f", "a\u061c"), option("No\u200e")],
		}),
		user: [{ choose: "Yes" }],
	},
	{
		name: "invisible characters",
		why: "They could make two equal words differ.",
		call: ask({
			question: "Which\u200b one\u2060?",
			header: "O\u00adne\ufeff",
			options: [option("A\u200db\u034f", "\u{e0041}a"), option("\u3164B\ufe0f")],
		}),
		user: [{ choose: "Ab" }],
	},
	{
		name: "what shapes visible text",
		why: "Joiners and selectors stay inside emoji, and joiners between letters that need them.",
		call: labelled("👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3", "می\u200cخواهم", "क\u094d\u200dष"),
		user: [{ choose: "می\u200cخواهم" }],
	},
	{
		name: "composed form",
		why: "The same letters in two encodings are the same text; half a surrogate pair is replaced.",
		call: labelled("Cafe\u0301", "Tea \ud83d"),
		user: [{ choose: "Caf\u00e9" }],
	},
	{
		name: "a blank header and a blank preview",
		why: "The header becomes the number of the question, and the preview none.",
		call: ask(
			{ ...DATABASE, header: " " },
			{ ...LAYOUT, header: "\u200b", options: [{ ...option("A"), preview: " \n" }, option("B")] },
		),
		user: [{ choose: "SQLite" }, { choose: "A" }],
	},
	{
		name: "the spaces of a preview",
		why: "Its layout must survive: a tab is four spaces, and outer spaces stay.",
		call: ask({ ...LAYOUT, options: [{ ...option("A"), preview: "  a\n\tb \n" }, option("B")] }),
		user: [{ choose: "A" }],
	},
	{
		name: "labels that are equal after cleaning",
		why: "The checks see the words that the user would see.",
		call: labelled("Yes", `${ESC}[1mYe\u200bs${ESC}[0m `),
	},
	{
		name: "questions that are equal after cleaning",
		why: "The same for the texts of questions.",
		call: ask(DATABASE, { ...FEATURES, question: "\u202aWhich database?\u202c " }),
	},
	{
		name: "a label that is reserved after cleaning",
		why: "It would look exactly like a row of the dialog.",
		call: labelled("Postgres", "Ne\u200dxt\u0000"),
	},
	{
		name: "a label that is blank after cleaning",
		why: "It shows nothing, so it counts as missing.",
		call: labelled("Postgres", "\u3164\u2800"),
	},
	{
		name: "a question that is blank after cleaning",
		why: "The same for the text of a question.",
		call: ask({ ...DATABASE, question: `${ESC}[31m\u200b` }),
	},
];

// -- Events -----------------------------------------------------------------------------------

const EVENTS: Given[] = [
	{
		name: "prompt, then blocked twice",
		why: "blocked is true right before the dialog opens, and false however the call ends.",
		call: ask(DATABASE),
		user: [{ type: "neither" }],
	},
	{
		name: "previews are announced, not sent",
		why: "They may be long, and listeners may send events on.",
		call: ask(LAYOUT, {
			...DATABASE,
			options: [
				{ ...option("A"), preview: " " },
				{ ...option("B"), preview: "# B" },
			],
		}),
		user: [{ choose: "Narrow" }, { choose: "A" }],
	},
	{
		name: "multiSelect is always there",
		why: "A listener gets false where the call left it out.",
		call: ask(DATABASE, FEATURES, { ...LAYOUT, multiSelect: false }),
		user: [{ choose: "SQLite" }, { check: ["Search"] }, { choose: "Narrow" }],
	},
	{
		name: "aborted after the user's act",
		why: "It comes between the two blocked, once.",
		call: ask(LAYOUT),
		user: [{ dismiss: true }],
	},
	{
		name: "an abort is not the user's",
		why: "aborted is not sent for a signal, and blocked ends all the same.",
		call: ask(DATABASE),
		user: [{ abort: true }],
	},
	{
		name: "nothing for a refusal",
		why: "Nobody saw anything, so listeners hear nothing.",
		call: labelled("Postgres", "Postgres"),
	},
];

export const TOPICS: Record<string, { topic: string; cases: readonly Given[] }> = {
	answers: { topic: "What comes back for each kind of answer.", cases: ANSWERS },
	cleaning: { topic: "What is removed from the texts of a call.", cases: CLEANING },
	declines: { topic: "The user rejects the questionnaire.", cases: DECLINES },
	endings: { topic: "Calls that end without an answer, and whose doing it was.", cases: ENDINGS },
	events: { topic: "What listeners on the event bus get, and when.", cases: EVENTS },
	preparing: { topic: "How arguments are repaired before the host checks them.", cases: PREPARING },
	refusals: { topic: "Which calls are refused, with which code.", cases: REFUSALS },
	terminal: {
		topic: "What only a user with a terminal can do.",
		cases: TERMINAL.map(({ name, why, ...rest }) => ({ name, why, host: "terminal", ...rest })),
	},
};
