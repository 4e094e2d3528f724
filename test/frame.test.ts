// One picture of each state of the dialog that is worth one: golden/frame/. The pictures of lists
// are made from a state alone, those in which something is typed by pressing the keys that stand
// in their heads, so that each can be played again.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ThemeColor } from "@mariozechner/pi-coding-agent";
import { openDialog } from "../dialog.ts";
import { clean, display } from "../index.ts";
import {
	type Asked,
	ask,
	DATABASE,
	ERRORS,
	FEATURES,
	LICENCE,
	type Patch,
	painted,
	plainQuestions,
	RELEASE,
	stateOf,
} from "./support/asking.ts";
import { fakeHost, type HostOptions } from "./support/fake-host.ts";
import { frame, testTheme } from "./support/frame.ts";
import { filtered, golden, sealed } from "./support/golden.ts";
import { keyLine } from "./support/keys.ts";
import { pictured } from "./tools/picture.ts";

type Dimensions = readonly [columns: number, rows: number];

/** The picture with a head that holds all it takes to make it again. */
function picture(title: string, head: readonly string[], size: Dimensions, lines: string[]) {
	const [width, terminalRows] = size;
	const rows = Math.max(3, terminalRows - 4);
	assert.ok(lines.length <= rows, `${title}: ${lines.length} lines for ${rows} rows`);
	const [, ...body] = frame({ title, width }, lines).split("\n");
	return [`${title}, ${width}x${terminalRows}`, ...head, ...body].join("\n");
}

/** The states that are drawn as well: those of the README, and one of each kind besides. */
const DRAWN = [
	...["errors", "errors-40", "preview-below-24", "multi-text", "text-line", "note"],
	...["asking", "tabs", "review", "scripts"],
];
const drawn = new Set<string>();

/** The golden of a state, and its picture if it has one. */
function keep(name: string, title: string, head: string[], size: Dimensions, lines: string[]) {
	golden(`frame/${name}.txt`, picture(title, head, size, lines));
	if (!DRAWN.includes(name)) return;
	pictured(`frame/${name}`, title, size[0], lines);
	drawn.add(name);
}

const callLine = (questions: readonly Asked[]) => `call: ${JSON.stringify({ questions })}`;

/** A picture of a state. */
function shows(
	name: string,
	title: string,
	questions: Asked[],
	size: Dimensions,
	patch: Patch = {},
) {
	test(`frame/${name}: ${title}`, () => {
		const { lines } = painted(stateOf(questions, patch), ...size);
		const head = [callLine(questions), `state: ${JSON.stringify(patch)}`];
		keep(name, title, head, size, lines);
	});
}

/** A picture of what keys lead to. */
function leads(
	name: string,
	title: string,
	questions: Asked[],
	size: Dimensions,
	keys: string[],
	options: HostOptions = {},
) {
	test(`frame/${name}: ${title}`, async () => {
		const [columns, rows] = size;
		const { host, press } = await ask(questions, { ...options, columns, rows });
		press(...keys);
		const bound = options.keybindings;
		const head = [
			callLine(questions),
			...(bound ? [`keybindings: ${JSON.stringify(bound)}`] : []),
			`keys: ${keyLine(keys)}`.trimEnd(),
		];
		keep(name, title, head, size, host.screen());
	});
}

// -- Lists ------------------------------------------------------------------------------------

const NORMAL: Dimensions = [80, 24];

shows("single", "single-select as it opens", [DATABASE], NORMAL);
shows("single-answered", "single-select with an answer, seen again", [DATABASE], NORMAL, {
	entries: [{ row: 1, choices: [1] }],
});
shows("multi", "multi-select with two checks", [FEATURES], NORMAL, {
	entries: [{ row: 1, choices: [0, 1] }],
});
shows("multi-next", "multi-select with Next focused", [FEATURES], NORMAL, {
	entries: [{ row: 4, choices: [0] }],
});
shows("multi-next-form", "Next focused in a form", [FEATURES, RELEASE], NORMAL, {
	entries: [{ row: 4 }],
});
shows("multi-text", "multi-select with a check and a typed answer", [FEATURES], NORMAL, {
	entries: [{ row: 0, choices: [1], draft: "Offline mode" }],
});
const CLUSTER = "MariaDB, on the existing cluster";
shows("single-text-counts", "a typed answer that counts, focus elsewhere", [DATABASE], NORMAL, {
	entries: [{ row: 0, draft: CLUSTER, typed: true }],
});
shows("single-text-unsent", "a typed answer that a choice has set aside", [DATABASE], NORMAL, {
	entries: [{ row: 1, choices: [1], draft: CLUSTER }],
});
shows("single-note", "a question with a note on it", [DATABASE], NORMAL, {
	entries: [{ row: 0, note: "Ask Kim about the backups before you decide." }],
});
shows("notice-empty", "an empty Next in a lone question", [FEATURES], NORMAL, {
	entries: [{ row: 4 }],
	notice: "Check an option or type an answer first.",
});
shows("asking", "Esc with something to lose", [FEATURES], NORMAL, {
	entries: [{ row: 1, choices: [1] }],
	asking: true,
});
shows("collapsed", "folded to one row", [DATABASE, FEATURES], NORMAL, { collapsed: true });

// -- Tabs -------------------------------------------------------------------------------------

const FORM = [DATABASE, FEATURES, RELEASE, LICENCE];
const DONE: Patch["entries"] = [
	{ row: 1, choices: [1] },
	{ choices: [0, 2], draft: "Offline mode", note: "Sharing can slip." },
	{ draft: "When the migration is through", typed: true },
];

shows("tabs", "a form of four questions on the third", FORM, NORMAL, {
	tab: 2,
	entries: [{ choices: [1] }, { choices: [0], note: "Sharing can slip." }],
});
const SIXTEEN = ["Authentication ", "Data residency ", "Error reporting", "Rollout strategy"];
const long = plainQuestions(...SIXTEEN.map((header) => header.trim().padEnd(16, "s")));
for (const columns of [80, 60, 40, 20] as const)
	shows(`tabs-${columns}`, `four headers of 16 columns, third shown`, long, [columns, 24], {
		tab: 2,
		entries: [{ choices: [1] }, { note: "?" }],
	});

shows("review", "the review with every question answered", FORM, NORMAL, {
	tab: 4,
	reviewRow: 4,
	entries: [...(DONE ?? []), { choices: [0] }],
});
shows("review-open", "the review with a question left open", FORM, NORMAL, {
	tab: 4,
	reviewRow: 4,
	entries: DONE ?? [],
});
shows("review-cancel", "the review with Cancel focused", [DATABASE, RELEASE], NORMAL, {
	tab: 2,
	reviewRow: 3,
	entries: [{ choices: [0] }],
});
shows("review-notes", "the review with notes on questions and on everything", FORM, [80, 30], {
	tab: 4,
	reviewRow: 2,
	note: "Nothing of this before the audit is over.",
	entries: [...(DONE ?? []), { note: "Legal decides." }],
});
shows("review-40", "the review in a narrow terminal", FORM, [40, 24], {
	tab: 4,
	reviewRow: 4,
	entries: DONE ?? [],
});
shows("review-short", "the review in a short terminal", FORM, [80, 14], {
	tab: 4,
	reviewRow: 4,
	entries: DONE ?? [],
});

// -- Typing -----------------------------------------------------------------------------------

leads("text-empty", "the custom row focused and empty", [DATABASE], NORMAL, ["up"]);
leads("text-line", "a typed line with the cursor in it", [DATABASE], NORMAL, [
	"up",
	`type:${CLUSTER}`,
	"left",
	"left",
]);
leads("text-lines", "typed lines, more than the editor shows", [DATABASE], NORMAL, [
	"up",
	"type:one",
	...["two", "three", "four", "five", "six", "seven", "eight"].flatMap((line) => [
		"shift+enter",
		`type:${line}`,
	]),
	"up",
]);
leads("text-paste", "a long paste, folded by the editor", [FEATURES], NORMAL, [
	"4",
	`paste:${Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n")}`,
]);
leads("text-paste-left", "the same paste when the focus has left it", [FEATURES], NORMAL, [
	"4",
	`paste:${Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n")}`,
	"enter",
]);
leads("text-blank", "Enter on the empty custom row", [DATABASE], NORMAL, ["up", "enter"]);
leads("text-form", "typing in a form", [DATABASE, RELEASE], NORMAL, ["4", "type:MariaDB"]);
leads("note", "a note being written", [DATABASE], NORMAL, [
	"n",
	"type:Ask Kim about the backups",
	"shift+enter",
	"type:before you decide.",
]);
leads("note-empty", "a note before its first character", [DATABASE], NORMAL, ["n"]);
leads("note-all", "a note on everything being written", [DATABASE, RELEASE], NORMAL, [
	"1",
	"1",
	"n",
	"type:Nothing before the audit.",
]);
leads(
	"text-wide",
	"wide characters and an emoji being typed",
	[DATABASE],
	[40, 24],
	["up", "type:データベースはまだ決まっていません👩‍👩‍👧‍👦。明日また話しましょう。"],
);
leads("remapped", "keys of the user's own in the hints", [DATABASE], NORMAL, ["up"], {
	keybindings: {
		"tui.input.submit": "ctrl+enter",
		"tui.input.newLine": "enter",
		"tui.select.cancel": "ctrl+x",
		"app.editor.external": "ctrl+e",
	},
});
leads("remapped-list", "keys of the user's own in the hints of a list", [FEATURES], NORMAL, [], {
	keybindings: {
		"tui.select.confirm": "ctrl+y",
		"tui.select.up": "ctrl+p",
		"tui.select.down": "ctrl+n",
		"tui.select.cancel": "ctrl+x",
	},
});

// -- Previews ---------------------------------------------------------------------------------

const CODE = [
	"## Tabs",
	"",
	"One *page* per topic, **always** in sight:",
	"",
	"```ts",
	'tabs(["General", "Keys"]);',
	"```",
	"",
	"- `General` opens ~~last~~ first",
	"",
	"> Saved at once.",
].join("\n");
const LAYOUT: Asked = {
	question: "Which layout should the settings page have?",
	header: "Layout",
	options: [
		{ label: "Tabs", description: "One topic at a time", preview: CODE },
		{
			label: "One page",
			description: "Everything below one another",
			preview: Array.from({ length: 60 }, (_, i) => `${i + 1}. setting`).join("\n"),
		},
		{ label: "Wizard", description: "Step by step" },
	],
};
const WIDE: Dimensions = [120, 40];

leads("errors", "a question with previews beside its options", [ERRORS], [100, 30], []);
leads("errors-40", "previews in a narrow terminal", [ERRORS], [40, 24], []);
leads("preview-beside", "a preview beside the options", [LAYOUT], WIDE, []);
leads("preview-beside-100", "the narrowest preview beside", [LAYOUT], [100, 30], []);
leads("preview-below", "a preview below the options", [LAYOUT], [99, 40], []);
leads("preview-below-24", "a preview below in a usual terminal", [LAYOUT], NORMAL, []);
leads("preview-scrolled", "a long preview scrolled", [LAYOUT], WIDE, ["down", "d", "d"]);
leads("preview-scrolled-24", "a long preview below, scrolled to its end", [LAYOUT], NORMAL, [
	"down",
	...Array.from({ length: 30 }, () => "d"),
]);
leads("preview-none", "a row without a preview", [LAYOUT], WIDE, ["3"]);
leads("preview-none-below", "a row without a preview, below", [LAYOUT], NORMAL, ["3"]);
leads("preview-text", "typing where previews are", [LAYOUT], WIDE, ["4", "type:A search field"]);
leads("preview-text-below", "typing where previews are below", [LAYOUT], NORMAL, [
	"4",
	"type:A search field",
]);
leads("preview-note", "a note being written beside a preview", [LAYOUT], WIDE, [
	"down",
	"n",
	"type:Only if the page stays searchable, and only when nothing is hidden in it.",
]);
leads("preview-note-below", "a note being written above a preview", [LAYOUT], NORMAL, [
	"n",
	"type:Only if nothing is hidden.",
]);
leads(
	"preview-text-short",
	"typing in a short terminal",
	[LAYOUT],
	[80, 14],
	["4", "type:one", "shift+enter", "type:two", "shift+enter", "type:three"],
);
leads("preview-40", "a preview in a narrow terminal", [LAYOUT], [40, 24], []);
leads("preview-short", "a preview in a short terminal", [LAYOUT], [80, 14], []);
leads("preview-rows-8", "the shortest terminal with a preview", [LAYOUT], [80, 12], []);
leads("preview-rows-6", "no room for a preview", [LAYOUT], [80, 10], []);

test("frame/preview-fallback: a preview whose markdown cannot be rendered", () => {
	// No short text is known that breaks the renderer, so the theme breaks instead.
	const theme = Object.assign(Object.create(testTheme), {
		fg(token: ThemeColor, text: string) {
			if (token === "mdHeading") throw new Error("no such color");
			return testTheme.fg(token, text);
		},
	});
	const { tui, keybindings } = fakeHost({ columns: 100, rows: 24 });
	const questions = clean({ questions: [LAYOUT] });
	const host = { tui, theme, keybindings: keybindings as never };
	const dialog = openDialog({ questions, display, now: () => 0 }, host, () => {});
	const head = [callLine([LAYOUT]), "theme: mdHeading throws"];
	const text = picture("a preview shown as plain text", head, [100, 24], dialog.render(100));
	golden("frame/preview-fallback.txt", text);
});

// -- Sizes ------------------------------------------------------------------------------------

const TALL: Asked = {
	question: Array.from({ length: 60 }, (_, i) => `word${i + 1}`).join(" "),
	header: "Tall",
	options: ["First", "Second"].map((label) => ({
		label,
		description: Array.from({ length: 120 }, (_, i) => `${label.toLowerCase()}${i + 1}`).join(" "),
	})),
};
shows("long-question", "a long question in a short terminal", [TALL], [80, 12]);
shows("long-question-scrolled", "the same, scrolled", [TALL], [80, 12], { scroll: 3 });
shows("tall", "descriptions taller than the screen", [TALL], [40, 16]);
shows("tall-scrolled", "the same, scrolled to the end", [TALL], [40, 16], { scroll: 999 });
const EVERYTHING = { ...TALL, options: TALL.options.map((o) => ({ ...o, preview: CODE })) };
shows("everything", "preview, question and options that are too long", [EVERYTHING], [80, 16]);
shows("everything-scrolled", "the same, scrolled to the end", [EVERYTHING], [80, 16], {
	scroll: 999,
});
for (const [columns, rows] of [
	[20, 24],
	[40, 24],
	[50, 12],
	[100, 24],
	[120, 40],
] as const)
	shows(`size-${columns}x${rows}`, "one of two questions", [FEATURES, RELEASE], [columns, rows], {
		entries: [{ row: 1, choices: [0, 1] }],
	});
for (const rows of [3, 4, 5, 6, 7, 8])
	shows(
		`rows-${rows}`,
		`one of two questions in ${rows} rows`,
		[FEATURES, RELEASE],
		[80, rows + 4],
		{
			entries: [{ row: 1, choices: [0] }],
		},
	);
shows("rows-3-asking", "a second Esc asked for in 3 rows", [FEATURES, RELEASE], [80, 7], {
	entries: [{ row: 1, choices: [0] }],
	asking: true,
});
leads("text-20", "typing in 20 columns", [FEATURES], [20, 24], ["4", "type:Offline mode"]);
leads("text-20-empty", "the custom row focused in 20 columns", [FEATURES], [20, 24], ["4"]);
leads(
	"text-rows-4",
	"typing in 4 rows",
	[FEATURES, RELEASE],
	[80, 8],
	["4", "type:one", "shift+enter", "type:two", "shift+enter", "type:three", "up"],
);
leads("note-rows-3", "a note being written in 3 rows", [FEATURES], [80, 7], ["n", "type:Hm."]);
shows("collapsed-20", "folded to one row of 20 columns", [DATABASE, FEATURES], [20, 24], {
	collapsed: true,
});
shows("asking-40", "Esc with something to lose in 40 columns", [RELEASE, LICENCE], [40, 24], {
	entries: [{ note: "?" }],
	asking: true,
});
shows("too-narrow", "too narrow for anything", [DATABASE], [19, 24]);

// -- Scripts ----------------------------------------------------------------------------------

const SCRIPTS: Asked = {
	question: "どのデータベースを使いますか？ Which one is it going to be?",
	header: "データベース選択方針の確認事項",
	options: [
		{ label: "最初の選択肢 👩‍👩‍👧‍👦", description: "家族の絵文字は一つの文字です" },
		{ label: "خيار ثان", description: "نص من اليمين إلى اليسار" },
		{ label: "幅".repeat(30) + "幅".repeat(30), description: "A label of 60 wide characters" },
	],
};
shows("scripts", "wide, combined and right-to-left characters", [SCRIPTS], NORMAL);
shows("scripts-40", "the same in a narrow terminal", [SCRIPTS, RELEASE], [40, 24], {
	entries: [{ row: 2 }],
});

test("F1 every state that is chosen to be drawn is one", {
	skip: filtered(process.execArgv),
}, () => {
	assert.deepEqual([...drawn].sort(), [...DRAWN].sort());
});

sealed("frame");
