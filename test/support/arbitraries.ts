// Everything a model may ask and a terminal may send, for fast-check to choose from.

import type { KeybindingsConfig } from "@mariozechner/pi-tui";
import fc from "fast-check";
import type { Act, Encoding, Step } from "./walk.ts";

// -- Text -------------------------------------------------------------------------------------

/** Pieces that have broken terminals, wrappers and readers before. */
const PIECES = [
	..."abc xyz. ",
	"word ",
	"a longer stretch of words that wraps ",
	"verylongwordwithoutanyplacetobreakit".repeat(3),
	"漢字かな交じり文",
	"한국어 ",
	"ｆｕｌｌ",
	"ﾊﾝｶｸ",
	"👩‍👩‍👧‍👦",
	"👍🏽",
	"🇩🇪🇫🇷",
	"🏴󠁧󠁢󠁥󠁮󠁧󠁿",
	"1️⃣",
	"✔️",
	"❤︎",
	"e\u0301",
	"Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324",
	"\u0301",
	"नमस्ते ",
	"ทดสอบ",
	"မြန်မာ",
	"שלום ",
	"مرحبا ",
	"می\u200cخواهم",
	"ﷺ",
	"\u202eevil\u202c",
	"\u2066\u2069\u200e\u200f\u061c",
	"\u200b\u2060\ufeff\u00ad\u180e\u115f\u3164\uffa0\u2800",
	"\u{e0001}\u{e0041}\u{e007f}",
	"\u034f\ufe0f\u{e0100}",
	"\ufff9x\ufffay\ufffb",
	"\ud83d",
	"\ude00",
	"\udfff\ud800",
	"\x1b[31m",
	"\x1b[2J\x1b[H",
	"\x1b]0;title\x07",
	"\x1b]8;;http://a.example\x1b\\link\x1b]8;;\x1b\\",
	"\x1bPq#0\x1b\\",
	"\x1b_pi:c\x07",
	"\x1b_pi:fc\x07",
	"\x1b_G\x1b\\",
	"\x1b",
	"\x1b[",
	"\x1b\x1b[[31mm",
	"\x9b31m",
	"\x9d0;x\x9c",
	"\x00\x07\x08\x0b\x0c\x7f\x85",
	"\t",
	"\n",
	"\r\n",
	"\r",
	"\u2028\u2029",
	"\u00a0\u3000",
	"½ ① Ⅳ … — “”",
	"\u{1fae9}\u{10fffd}\ue000",
	"→ 1. [✔] ",
	"│ ╭──╮",
	"[paste #1 +21 lines]",
	"\\",
] as const;

const piece = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom(...PIECES) },
	{ weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
	{ weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
);

export const text = (most: number) =>
	fc.array(piece, { maxLength: most }).map((pieces) => pieces.join(""));

const MARKDOWN = [
	"# Heading\n",
	"## `code` in **bold** heading\n",
	"\n",
	"- item\n  - inner\n    1. third\n",
	"1. one\n2. two\n",
	"- [ ] task\n",
	"> quote\n> > nested\n",
	"```ts\nconst x: number = 1;\n\tindented();\n```\n",
	"```\nno end\n",
	"| a | b |\n|---|:-:|\n| 漢字 | long cell that has to wrap somewhere |\n",
	"---\n",
	"[link](http://a.example/long/path?query=1) and <http://b.example>\n",
	"![image](x.png)\n",
	"<b>html</b> <!-- comment -->\n",
	"**bold *and italic* ~~struck~~** `code`\n",
	"a line of prose that is long enough to wrap at every width there is, one hopes, twice over\n",
	"$x^2$ and $$\\int$$\n",
	"&amp; &#x1b;[31m &#27;\n",
	"    indented code\n",
	"*".repeat(40),
	"[[[[((((",
];

const preview = fc
	.array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...MARKDOWN) }, piece), { maxLength: 20 })
	.map((parts) => parts.join(""));

// -- Questionnaires ---------------------------------------------------------------------------

const option = (i: number) =>
	fc.record(
		{
			// The number keeps labels apart and readable, whatever cleaning leaves of them.
			label: text(6).map((label) => `${label}·${i}`),
			description: fc.oneof({ weight: 15, arbitrary: text(3) }, text(30)),
			preview,
		},
		{ requiredKeys: ["label", "description"], noNullPrototype: true },
	);

const options = fc
	.oneof({ weight: 5, arbitrary: fc.integer({ min: 2, max: 4 }) }, fc.integer({ min: 5, max: 9 }))
	.chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => option(i))));

const question = (i: number) =>
	fc.record(
		{
			question: fc
				.oneof({ weight: 6, arbitrary: text(6) }, text(40))
				.map((asked) => `${asked}·${i}?`),
			header: text(3),
			options,
			multiSelect: fc.boolean(),
		},
		{ noNullPrototype: true },
	);

/** A call as the model may send it: hostile, but not to be refused. */
export const asked = fc
	.integer({ min: 1, max: 4 })
	.chain((count) =>
		fc.record(
			{ questions: fc.tuple(...Array.from({ length: count }, (_, i) => question(i))) },
			{ noNullPrototype: true },
		),
	);

/** Shapes that weak models and broken hosts send instead. */
export const anything = fc.oneof(
	fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
	fc.jsonValue(),
	fc.object({ key: fc.constantFrom("questions", "question", "header", "options", "label") }),
	asked.map((valid) => JSON.stringify(valid)),
	asked.map(({ questions }) => ({ questions: JSON.stringify(questions) })),
	asked.map(({ questions }) => ({ questions: questions.map((one) => JSON.stringify(one)) })),
	asked.map(({ questions }) => ({
		questions: questions.map((one) => ({ ...one, options: one.options.map((o) => o.label) })),
	})),
	fc.record({
		questions: fc.array(
			fc.record(
				{
					question: fc.oneof(text(4), fc.anything()),
					header: fc.oneof(text(2), fc.anything()),
					options: fc.oneof(
						fc.array(fc.oneof(text(2), fc.dictionary(text(1), text(1)))),
						fc.anything(),
					),
					multiSelect: fc.anything(),
				},
				{ requiredKeys: [] },
			),
		),
	}),
);

// -- Steps ------------------------------------------------------------------------------------

const MOVING = ["up", "down", "tab", "shift+tab", "left", "right", "j", "k", "pageUp", "pageDown"];
const ACTING = ["enter", "space", "esc", "1", "2", "3", "4", "9", "n", "c", "ctrl+]", "d", "u"];
const EDITING = [
	..."ax0\\漢",
	..."backspace delete home end shift+enter alt+enter ctrl+j ctrl+u ctrl+k ctrl+w ctrl+y".split(
		" ",
	),
	..."alt+y alt+d ctrl+a ctrl+e alt+b alt+f ctrl+- ctrl+c ctrl+g alt+backspace ctrl+p".split(" "),
	..."ctrl+x ctrl+n ctrl+d".split(" "),
	"é",
	"👩‍👩‍👧‍👦",
	"\ud83d",
	"\ude00",
	"\u200d",
	"\u202e",
];
const KITTY_ONLY = [
	"ctrl+enter",
	"ctrl+space",
	"shift+space",
	"ctrl+tab",
	"alt+up",
	"ctrl+shift+u",
];

const encoding = fc.oneof(
	{ weight: 5, arbitrary: fc.constant<Encoding>("legacy") },
	fc.constantFrom<Encoding>("kitty", "repeat", "release", "modifyOtherKeys"),
);

const key = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom(...MOVING) },
	{ weight: 4, arbitrary: fc.constantFrom(...ACTING) },
	{ weight: 3, arbitrary: fc.constantFrom(...EDITING) },
);

/** Only one character has a code in the newer protocols; anything longer comes as it is typed. */
const spellable = (name: string) => /^[\x21-\x7e]+$/.test(name);

const keyAct = fc.oneof(
	{
		weight: 12,
		arbitrary: fc.tuple(key, encoding).map(
			([name, how]): Act => ({
				sort: "key",
				key: name,
				encoding: spellable(name) ? how : "legacy",
			}),
		),
	},
	fc
		.constantFrom(...KITTY_ONLY)
		.map((name): Act => ({ sort: "key", key: name, encoding: "kitty" })),
);

const REPORTS = [
	"\x1b[I",
	"\x1b[O",
	"\x1b[<0;10;5M",
	"\x1b[<0;10;5m",
	"\x1b[<64;1;1M",
	"\x1b[M !!",
	"\x1b[5;10R",
	"\x1b[?1;2c",
	"\x1b[?7u",
	"\x1b]11;rgb:0000/0000/0000\x07",
	"\x1bP>|xterm(1)\x1b\\",
	"\x1b_Gi=1;OK\x1b\\",
	"\x1b[?2026;2$y",
	"\x1b[8;24;80t",
];

const garbage = fc
	.tuple(
		fc.constantFrom(
			"\x1b",
			"\x1b[",
			"\x1bO",
			"\x1b[<",
			"\x1b]",
			"\x9b",
			"\x1b\x1b",
			"\x1b[27;",
			"\x1b[1;",
		),
		fc.string({ unit: fc.constantFrom(..."0123456789;:?<>~uABCDHMRm\x07 "), maxLength: 8 }),
	)
	.map(([start, rest]): Act => ({ sort: "garbage", data: start + rest }));

const fragment = fc
	.constantFrom("\x1b[200~", "\x1b[200~abc", "def", "gh\x1b[201~", "\x1b[201~", "a\r\nb", "\r\r")
	.map((data): Act => ({ sort: "fragment", data }));

const paste = fc.oneof(
	fc.constantFrom("a\nb\n", "n2 \r", "  ", "\x1b[31mred", "x".repeat(2000), "line\n".repeat(30)),
	text(8),
);

export const size = fc.record({
	columns: fc.oneof(
		{ weight: 3, arbitrary: fc.constantFrom(19, 20, 40, 60, 80, 99, 100, 120) },
		{ weight: 2, arbitrary: fc.integer({ min: 1, max: 200 }) },
	),
	rows: fc.oneof(
		{ weight: 3, arbitrary: fc.constantFrom(3, 7, 8, 12, 24, 40) },
		{ weight: 2, arbitrary: fc.integer({ min: 3, max: 60 }) },
	),
});

const act: fc.Arbitrary<Act> = fc.oneof(
	{ weight: 60, arbitrary: keyAct },
	{ weight: 4, arbitrary: paste.map((pasted): Act => ({ sort: "paste", text: pasted })) },
	{
		weight: 3,
		arbitrary: fc.constantFrom(...REPORTS).map((data): Act => ({ sort: "report", data })),
	},
	{ weight: 1, arbitrary: fragment },
	{ weight: 2, arbitrary: garbage },
	{ weight: 5, arbitrary: size.map((next): Act => ({ sort: "resize", ...next })) },
	{ weight: 1, arbitrary: fc.boolean().map((focused): Act => ({ sort: "focus", focused })) },
	{ weight: 1, arbitrary: fc.constant<Act>({ sort: "invalidate" }) },
);

/** Mostly past the quiet time, so that walks get somewhere. */
const wait = fc.oneof(
	{ weight: 8, arbitrary: fc.constant(310) },
	fc.constantFrom(0, 20, 299, 1, 100_000),
);

export const steps = (most: number): fc.Arbitrary<Step[]> =>
	fc.array(fc.record({ wait, act }), { maxLength: most, size: "max" });

/** The user's own keys: none, others, and Enter for a new line. */
export const keybindings = fc.constantFrom<KeybindingsConfig>(
	{},
	{},
	{},
	{
		"tui.select.up": "ctrl+p",
		"tui.select.down": ["ctrl+n", "down"],
		"tui.select.confirm": ["enter", "ctrl+y"],
		"tui.select.cancel": "ctrl+x",
		"tui.input.tab": "ctrl+j",
	},
	{ "tui.input.newLine": ["enter", "shift+enter"], "tui.input.submit": "ctrl+enter" },
);

export const way = (most: number) =>
	fc.record({
		asked,
		size,
		keybindings,
		/** The terminal knows hyperlinks, so that pi-tui's markdown makes some. */
		links: fc.boolean(),
		steps: steps(most),
		finale: fc.constantFrom("leave" as const, "answer" as const, "abort" as const),
	});
