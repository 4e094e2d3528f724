// The dialog: what a key does to a state, and what the component does with bytes.
import assert from "node:assert/strict";
import {
	existsSync,
	fstatSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, type mock as nodeMock, test } from "node:test";
import type { Theme } from "@mariozechner/pi-coding-agent";
import {
	Editor,
	isKeyRepeat,
	Markdown,
	resetCapabilitiesCache,
	setCapabilities,
	visibleWidth,
} from "@mariozechner/pi-tui";
import {
	editorWidth,
	KEYS,
	type Key,
	MOVES,
	type Move,
	openDialog,
	opened,
	type Place,
	type Pressed,
	placeOf,
	press,
	QUIET_MS,
	recognise,
	replies,
	type State,
	typedBy,
	view,
} from "../dialog.ts";
import { ASK_USER_ABORTED_EVENT } from "../events.ts";
import { clean, display, type Outcome } from "../index.ts";
import { layOut } from "../preview.ts";
import {
	type Asked,
	ask,
	CALM,
	DATABASE,
	FEATURES,
	LICENCE,
	type Patch,
	painted,
	plainQuestions,
	RELEASE,
	stateOf,
	testPaint,
} from "./support/asking.ts";
import { call, fakeHost, type HostOptions, turn } from "./support/fake-host.ts";
import { decode, plain, testTheme } from "./support/frame.ts";
import { bytes } from "./support/keys.ts";

const { keybindings } = fakeHost();

/** Presses keys on a state alone, long after the quiet time. */
function keys(state: State, ...names: string[]): Pressed {
	let pressed: Pressed = { state };
	for (const name of names) {
		assert.equal(pressed.end, undefined, `ended before ${name}`);
		const data = bytes(name);
		const found = recognise(placeOf(pressed.state), data, keybindings as never);
		const key: Key = { move: "none", ...found, at: CALM, repeat: isKeyRepeat(data) };
		pressed = press(pressed.state, key);
	}
	return pressed;
}

/** The state after keys that do not end the dialog. */
function stays(state: State, ...names: string[]): State {
	const pressed = keys(state, ...names);
	assert.equal(pressed.end, undefined);
	return pressed.state;
}

const rowOf = ({ entries, tab }: State) => entries[tab]?.row;
const choicesOf = (state: State) => state.entries.map((entry) => entry.choices);
const screenOf = (state: State, columns = 80, rows = 24) =>
	painted(state, columns, rows).lines.map(plain);

const FORM = [DATABASE, FEATURES, RELEASE, LICENCE];
/** A number of lines, for what is too long. */
const lines = (count: number, word = "line") =>
	Array.from({ length: count }, (_, i) => `${word} ${i + 1}`);

// -- State ------------------------------------------------------------------------------------

describe("state", () => {
	test("DS1 a dialog opens on the first row of the first question with nothing chosen", () => {
		const state = opened(clean({ questions: FORM }), 5000);
		assert.equal(placeOf(state), "single");
		assert.equal(state.tab, 0);
		assert.equal(state.quietUntil, 5000 + QUIET_MS);
		for (const entry of state.entries)
			assert.deepEqual(entry, { row: 0, choices: [], draft: "", typed: false, note: "" });
		assert.deepEqual(
			replies(state),
			FORM.map(() => ({ choices: [], text: "", note: "" })),
		);
	});

	test("DS2 where a key is pressed follows from the state", () => {
		const places: [Place, Patch][] = [
			["single", {}],
			["multi", { tab: 1 }],
			["text", { entries: [{ row: 3 }] }],
			["next", { tab: 1, entries: [{}, { row: 4 }] }],
			["note", { noting: true }],
			["note", { tab: 4, noting: true }],
			["review", { tab: 4 }],
			["asking", { asking: true, tab: 4 }],
			["folded", { collapsed: true, noting: true }],
		];
		for (const [place, patch] of places) assert.equal(placeOf(stateOf(FORM, patch)), place);
	});

	test("DS3 case s: painting changes nothing, whatever was painted before", async () => {
		const state = stateOf(FORM, { tab: 1, entries: [{}, { row: 1, choices: [0], note: "?" }] });
		const before = JSON.stringify(state);
		const widths = [120, 50, 22, 120];
		for (const width of widths) painted(state, width, 24);
		assert.equal(JSON.stringify(state), before);
		const asked = { ...DATABASE, options: DATABASE.options.map((o) => ({ ...o, preview: "# x" })) };
		const { host, press } = await ask([asked, RELEASE], { columns: 120 });
		press("n", "type:a note that is long enough to be wrapped in a narrow terminal", "esc");
		const used = host.component();
		const fresh = await ask([asked, RELEASE], { columns: 120 });
		fresh.press("n", "type:a note that is long enough to be wrapped in a narrow terminal", "esc");
		for (const width of widths) {
			used.invalidate();
			const expected = used.render(width);
			fresh.host.component().invalidate();
			assert.deepEqual(fresh.host.component().render(width), expected);
			used.render(33);
		}
	});
});

// -- Answers ----------------------------------------------------------------------------------

describe("answers", () => {
	test("DA1 case c: checks and typed text reach the model together", async () => {
		for (const leave of [["down"], ["enter"]]) {
			const { press, settled } = await ask([FEATURES]);
			press("down", "down", "space", "up", "up", "space", "4", "type:zz", ...leave);
			press("enter");
			const { text, details } = await settled();
			assert.deepEqual(details.answers, [
				{
					questionIndex: 0,
					question: FEATURES.question,
					kind: "multi",
					answer: null,
					selected: ["Search", "Sharing"],
					custom: "zz",
				},
			]);
			assert.match(text, /"="Search, Sharing, zz"\./);
		}
	});

	test("DA2 case v: on single-select what was touched last counts", async () => {
		const { press, text, settled } = await ask([DATABASE, RELEASE]);
		press("4", "type:abc", "tab", "tab");
		assert.match(text(), /1\. Which database.*\n +✔ abc/);
		press("1", "esc");
		press("2");
		press("shift+tab");
		assert.match(text(), /✔→ 2\. SQLite\n/);
		assert.match(text(), / {3}4\. abc *\n/);
		press("tab", "tab");
		assert.match(text(), /1\. Which database.*\n +✔ SQLite/);
		press("enter");
		const { details } = await settled();
		assert.deepEqual(
			details.answers.map((answer) => [answer.kind, answer.answer]),
			[["option", "SQLite"]],
		);
	});

	test("DA2 a draft that a choice has set aside counts again when it is sent", () => {
		const set = stateOf([DATABASE, RELEASE], { entries: [{ row: 3, choices: [1], draft: "x" }] });
		assert.deepEqual(replies(set)[0], { choices: [1], text: "", note: "" });
		assert.deepEqual(replies(stays(set, "enter"))[0], { choices: [], text: "x", note: "" });
	});

	test("DA2 to look at a draft that is set aside does not make it count", async () => {
		const { press, settled } = await ask([DATABASE, RELEASE]);
		press("4", "type:abc", "esc", "2", "shift+tab");
		press("4", "left", "right", "up", "tab", "tab", "enter");
		assert.equal((await settled()).details.answers[0]?.answer, "SQLite");
	});

	test("DA3 case e: blank text answers nothing", async () => {
		const { host, press, text, settled } = await ask([DATABASE]);
		press("4", "enter");
		assert.match(text(), /Type an answer first/);
		press("space", "space", "enter");
		assert.match(text(), /Type an answer first/);
		press("type:x", "space", "space");
		assert.doesNotMatch(text(), /Type an answer first/);
		press("enter");
		assert.equal((await settled()).details.answers[0]?.answer, "  x  ");
		assert.ok(!host.isOpen());
		for (const blank of ["", "  ", "\n", "\u2800", "\u00a0\t"]) {
			const state = stateOf(FORM, {
				entries: [
					{ draft: blank, typed: true },
					{ draft: blank, note: blank },
				],
			});
			assert.ok(replies(state).every((reply) => reply.text === ""));
			assert.ok(screenOf(state).includes("   4. Type something."));
		}
	});

	test("DA4 case h: a note without an answer reaches the model", async () => {
		const { press, settled } = await ask([DATABASE, RELEASE]);
		press("n", "type:hi", "enter", "tab", "tab", "enter");
		const { text, details } = await settled();
		assert.match(text, /"="\(no answer\)"\. user notes: hi\./);
		assert.deepEqual(
			details.answers.map(({ kind, answer, notes }) => [kind, answer, notes]),
			[["custom", null, "hi"]],
		);
	});

	test("DA4 a lone multi-select with only a note can be submitted", async () => {
		const { press, settled } = await ask([FEATURES]);
		press("n", "type:hi", "esc", "up", "enter");
		assert.match((await settled()).text, /user notes: hi\./);
	});
});

// -- Moves ------------------------------------------------------------------------------------

describe("guards", () => {
	test("DM1 case a: a held Enter answers one question", async () => {
		const { host, press, text, settled } = await ask(plainQuestions("A", "B", "C"));
		host.press("kitty:enter", "repeat:enter", "repeat:enter", "repeat:enter");
		host.advance(CALM);
		host.press("repeat:enter");
		assert.match(text(), / ✔ A \[○ B\] ○ C /);
		press("tab", "tab", "enter");
		assert.equal((await settled()).details.answers.length, 1);
	});

	test("DM1 no decision is made by a held key, every other move is", () => {
		const decisions = Object.entries(MOVES).filter(([, { decides }]) => decides);
		assert.ok(decisions.length > 10);
		const state = stateOf(FORM, { tab: 1, entries: [{}, { row: 1, choices: [0] }] });
		for (const [move] of decisions) {
			const key: Key = { move: move as Move, at: CALM, digit: 2, text: "x" };
			assert.deepEqual(press(state, { ...key, repeat: true }), { state }, move);
		}
		assert.equal(rowOf(stays(state, "repeat:down", "repeat:down")), 3);
	});

	test("DM2 case b: nothing happens in the first moments", async () => {
		for (const name of ["enter", "space", "1", "esc", "ctrl+c", "4"]) {
			const host = fakeHost();
			void call(host, { questions: [FEATURES] });
			await host.opened();
			const before = host.screen();
			host.advance(QUIET_MS - 1);
			host.press(name);
			assert.deepEqual(host.screen(), before, name);
			host.advance(1);
			host.press(name);
			assert.ok(!host.isOpen() || host.screen().join() !== before.join(), name);
		}
	});

	test("DM2 the quiet time begins with the first picture", () => {
		const { dialog, outcomes, press } = alone([RELEASE]);
		press("down");
		dialog.render(80);
		dialog.handleInput(bytes("enter"));
		assert.equal(outcomes.length, 0, "the start was slow, and nothing has been seen yet");
		press("enter");
		assert.equal(outcomes[0]?.end, "answered");
	});

	test("DM2 nothing decides in the quiet time, moving does", () => {
		const state = { ...stateOf(FORM, { entries: [{ choices: [1] }] }), quietUntil: CALM + 1 };
		for (const name of ["enter", "1", "esc", "n", "backspace"])
			assert.deepEqual(keys(state, name), { state }, name);
		assert.equal(rowOf(stays(state, "down")), 1);
		assert.equal(stays(state, "tab").tab, 1);
	});

	test("DM2 case q: Alt+Enter in two pieces keeps the draft and answers nothing", async () => {
		const { host, press, text } = await ask([DATABASE, RELEASE]);
		press("4", "type:abc");
		host.press("esc");
		host.advance(20);
		host.press("enter");
		assert.match(text(), /→ 1\. PostgreSQL/);
		assert.match(text(), /4\. abc/);
		host.advance(QUIET_MS);
		host.press("enter");
		assert.match(text(), /✔ Database.*\[○ Release\]/);
	});

	test("DM2 un-collapsing is followed by a quiet time, typing included", async () => {
		const { host, press, text } = await ask([DATABASE]);
		press("4", "type:a", "ctrl+]");
		host.press("enter", "type:b");
		assert.match(text(), /→ 4\. a *\n/);
		host.advance(QUIET_MS);
		host.press("type:c");
		assert.match(text(), /→ 4\. ac *\n/);
	});
});

describe("moving", () => {
	test("DM3 an answer leads to the next open question, then to Submit", () => {
		const form = stateOf(FORM, { tab: 2, entries: [{}, { draft: "x" }, {}, { choices: [0] }] });
		assert.equal(stays(form, "enter").tab, 0);
		assert.equal(stays(form, "enter", "enter").tab, 4);
		assert.equal(stays(form, "enter", "enter").reviewRow, 4);
		assert.deepEqual(choicesOf(stays(form, "enter", "2")), [[1], [], [0], [0]]);
		assert.equal(keys(stateOf([DATABASE]), "2").end, "answered");
	});

	test("DM4 case t: coming back puts the focus on what was given", async () => {
		const { press, text, settled } = await ask([DATABASE, RELEASE]);
		press("4", "type:abc", "enter", "shift+tab");
		assert.match(text(), /→ 4\. abc/);
		press("enter", "tab", "enter");
		assert.equal((await settled()).details.answers[0]?.answer, "abc");
		const form = stateOf([DATABASE, FEATURES, RELEASE], {
			tab: 2,
			entries: [
				{ row: 0, choices: [2] },
				{ row: 4, choices: [1], draft: "x" },
			],
		});
		assert.equal(rowOf(stays(form, "left")), 1);
		assert.equal(rowOf(stays(form, "left", "left")), 2);
	});

	test("DM4 a draft that does not count does not draw the focus", () => {
		const form = stateOf([DATABASE, RELEASE], { tab: 1, entries: [{ row: 3, draft: " " }] });
		const back = stays(form, "left");
		assert.equal(rowOf(back), 0);
		assert.equal(placeOf(back), "single");
	});

	test("DM5 case g: Tab leaves the typed answer with everything in it", async () => {
		const { press, text } = await ask([DATABASE, RELEASE]);
		press("4", "type:abc", "tab");
		assert.match(text(), /3\. Type something\./);
		press("shift+tab");
		assert.match(text(), /→ 4\. abc/);
	});

	test("DM5 tabs go around and through Submit, arrows in a list as well", () => {
		const form = stateOf(FORM);
		assert.equal(stays(form, "shift+tab").tab, 4);
		assert.equal(stays(form, "left", "right").tab, 0);
		assert.equal(stays(form, "tab", "tab", "tab", "tab", "tab").tab, 0);
		assert.equal(stays(stateOf(FORM, { tab: 4, reviewRow: 1 }), "left", "right").reviewRow, 4);
	});

	test("DM5 a lone question has no tabs, and Tab leaves its typed answer like an arrow", () => {
		const list = stateOf([DATABASE], { entries: [{ row: 1 }] });
		assert.deepEqual(stays(list, "tab", "right", "left", "shift+tab"), list);
		const text = stateOf([DATABASE], { entries: [{ row: 3, draft: "x" }] });
		assert.equal(rowOf(stays(text, "tab")), 0);
		assert.equal(rowOf(stays(text, "shift+tab")), 2);
	});

	test("DM6 arrows go around; case u: j and k pass by the typed answer", () => {
		for (const asked of [DATABASE, FEATURES]) {
			const state = stateOf([asked]);
			const count = asked.multiSelect ? 5 : 4;
			assert.equal(rowOf(stays(state, "up")), count - 1);
			for (const letter of ["j", "k"]) {
				let at = state;
				const seen = new Set<number | undefined>();
				for (let i = 0; i < 12; i++) {
					at = stays(at, `repeat:${letter}`);
					assert.notEqual(placeOf(at), "text");
					seen.add(rowOf(at));
				}
				assert.equal(seen.size, count - 1);
			}
		}
		const review = stateOf(FORM, { tab: 4, reviewRow: 0 });
		assert.equal(stays(review, "k").reviewRow, 5);
		assert.equal(stays(review, "up", "down", "j").reviewRow, 1);
	});

	test("DM6 an arrow that cannot move in the draft leaves it", async () => {
		const { host, press, text } = await ask([DATABASE], { columns: 80 });
		press("4", "type:one", "shift+enter", "type:two", "up");
		assert.match(text(), /→ 4\. one/);
		press("up");
		assert.match(text(), /→ 3\. DynamoDB/);
		press("down", "down");
		assert.match(text(), /→ 4\. one/);
		press("down");
		assert.match(text(), /→ 1\. PostgreSQL/);
		// Of a draft that is scrolled, the first row in sight is not the first row.
		for (const columns of [80, 20]) {
			host.resize(columns, 24);
			press("4", ...lines(9).flatMap(() => ["shift+enter", "type:x"]));
			for (let i = 0; i < 7; i++) press("up");
			assert.equal(placeIn(host.screen()), "text", `at ${columns} columns`);
			for (let i = 0; i < 30; i++) if (placeIn(host.screen()) === "text") press("down");
			assert.match(text(), /→ 1\. /);
		}
	});

	test("DM7 a number answers, toggles, jumps, or only looks where previews are", () => {
		assert.deepEqual(choicesOf(stays(stateOf(FORM), "2")), [[1], [], [], []]);
		const multi = stateOf([FEATURES], { entries: [{ choices: [2] }] });
		assert.deepEqual(choicesOf(stays(multi, "1")), [[0, 2]]);
		assert.deepEqual(choicesOf(stays(multi, "3", "1", "1")), [[]]);
		assert.equal(placeOf(stays(multi, "4")), "text");
		assert.deepEqual(stays(multi, "5", "9"), multi);
		const seen = { ...DATABASE, options: DATABASE.options.map((o) => ({ ...o, preview: "x" })) };
		const looking = stays(stateOf([seen]), "3");
		assert.equal(rowOf(looking), 2);
		assert.deepEqual(choicesOf(looking), [[]]);
		assert.equal(placeOf(stays(stateOf([seen]), "4")), "text");
		const review = stateOf(FORM, { tab: 4, reviewRow: 1 });
		assert.equal(stays(review, "3").tab, 2);
		assert.equal(stays(review, "4").tab, 3);
		assert.deepEqual(stays(review, "5", "9"), review);
	});

	test("DM8 case d: an empty Next stays in a lone question, in a form it goes on", async () => {
		const { host, press, text } = await ask([FEATURES]);
		press("up", "enter");
		assert.ok(host.isOpen());
		assert.match(text(), /Check an option or type an answer first\./);
		press("down");
		assert.doesNotMatch(text(), /Check an option/);
		const form = stays(stateOf([FEATURES, RELEASE], { entries: [{ row: 4 }] }), "enter");
		assert.equal(form.tab, 1);
		assert.equal(form.notice, "");
	});

	test("DM9 Enter in the typed answer of a multi-select keeps it and goes to Next", () => {
		const typed = stateOf([FEATURES], { entries: [{ row: 3, draft: "x" }] });
		assert.equal(placeOf(stays(typed, "enter")), "next");
		assert.equal(keys(typed, "enter", "enter").end, "answered");
	});
});

/** Whether the cursor of an editor is on a screen. */
const placeIn = (screen: readonly string[]) =>
	screen.flatMap(decode).some((cell) => cell.cursor) ? "text" : "list";

describe("leaving", () => {
	test("DM10 case f: Esc leaves the text, then asks, then declines with what stood", async () => {
		const { host, press, text, settled } = await ask(FORM);
		press("1", "1", "up", "enter", "1");
		assert.match(text(), /\[○ Licence\]/);
		press("3", `paste:${"x".repeat(200)}`);
		press("esc");
		assert.match(text(), /→ 1\. MIT/);
		assert.match(text(), /3\. x{60}/);
		press("esc");
		assert.match(text(), /Decline\? esc again/);
		press("down");
		assert.doesNotMatch(text(), /Decline/);
		assert.match(text(), /→ 1\. MIT/);
		press("esc", "esc");
		const { text: said, details } = await settled();
		assert.equal(said, "User declined to answer questions");
		assert.equal(details.cancelled, true);
		assert.deepEqual(
			details.answers.map((answer) => answer.answer ?? answer.selected),
			["PostgreSQL (Recommended)", ["Search"], "This week", "x".repeat(200)],
		);
		assert.equal(host.emitted.filter((e) => e.channel === ASK_USER_ABORTED_EVENT).length, 1);
	});

	test("DM10 with nothing to lose the first Esc declines", () => {
		assert.equal(keys(stateOf(FORM), "esc").end, "declined");
		assert.equal(keys(stateOf(FORM, { tab: 4 }), "ctrl+c").end, "declined");
		const losses: Patch[] = [
			{ note: "x" },
			{ entries: [{ choices: [0] }] },
			{ entries: [{ draft: " " }] },
			{ entries: [{}, {}, { note: "x" }] },
		];
		for (const patch of losses) {
			assert.ok(stays(stateOf(FORM, patch), "esc").asking);
			assert.equal(keys(stateOf(FORM, patch), "esc", "ctrl+c").end, "declined");
			assert.deepEqual(stays(stateOf(FORM, patch), "esc", "enter"), stateOf(FORM, patch));
		}
	});

	test("DM10 Esc returns to the row the text was entered from", () => {
		assert.equal(rowOf(stays(stateOf([DATABASE], { entries: [{ row: 1 }] }), "4", "esc")), 1);
		assert.equal(rowOf(stays(stateOf([DATABASE]), "down", "down", "down", "esc")), 2);
		assert.equal(rowOf(stays(stateOf([DATABASE], { entries: [{ row: 3 }] }), "esc")), 0);
		// The row belongs to its question: coming to another one's text, it is that one's row.
		const form = stateOf([DATABASE, RELEASE], {
			back: 2,
			entries: [{ row: 3 }, { row: 1, draft: "x", typed: true }],
		});
		assert.equal(placeOf(stays(form, "tab")), "text");
		assert.equal(rowOf(stays(form, "tab", "esc")), 1);
	});

	test("DM10 case p: Ctrl+C clears the text, and without any it is Esc", async () => {
		const { host, press, text, settled } = await ask([DATABASE]);
		press("4", "type:abc", "repeat:ctrl+c");
		assert.match(text(), /→ 4\. abc/);
		press("ctrl+c");
		assert.match(text(), /→ 4\. Type something\./);
		press("ctrl+-");
		assert.match(text(), /→ 4\. abc/);
		press("ctrl+c");
		assert.ok(host.isOpen());
		press("ctrl+c");
		assert.equal((await settled()).details.cancelled, true);
	});

	test("DM11 case w: Backspace takes an answer back", async () => {
		const { press, text } = await ask([DATABASE, FEATURES]);
		press("2", "space", "shift+tab");
		assert.match(text(), /\[✔ Database\] ✔ Features/);
		press("backspace");
		assert.match(text(), /\[○ Database\] ✔ Features/);
		press("tab", "backspace", "tab");
		assert.equal(text().match(/○ not answered/g)?.length, 2);
		const multi = stateOf([FEATURES], { entries: [{ row: 1, choices: [0] }] });
		assert.deepEqual(stays(multi, "backspace"), multi);
		assert.deepEqual(choicesOf(stays(multi, "up", "backspace")), [[]]);
		const typed = stateOf([DATABASE], { entries: [{ draft: "x", typed: true }] });
		assert.deepEqual(replies(stays(typed, "backspace"))[0]?.text, "");
		assert.equal(stays(typed, "backspace").entries[0]?.draft, "x");
	});

	test("DM12 the rows of the review lead back, Submit sends what there is", async () => {
		const { press, text, settled } = await ask([DATABASE, RELEASE]);
		press("2", "tab");
		assert.match(text(), /Not answered: Release/);
		assert.match(text(), /→ Submit/);
		press("up", "enter");
		assert.match(text(), /\[○ Release\]/);
		press("tab", "enter");
		assert.equal((await settled()).details.answers.length, 1);
	});

	test("DM12 case y: Cancel, and Submit with nothing, decline and tell so once", async () => {
		for (const presses of [
			["tab", "tab", "enter"],
			["shift+tab", "down", "enter"],
			["1", "1", "down", "enter", "esc"],
			["3", "space", "tab", "tab", "enter", "esc"],
		]) {
			const { host, press, settled } = await ask([DATABASE, RELEASE].map(short));
			press(...presses);
			assert.equal((await settled()).details.cancelled, true);
			assert.equal(host.emitted.filter((e) => e.channel === ASK_USER_ABORTED_EVENT).length, 1);
		}
	});
});

/** A question with its first two options. */
const short = (asked: Asked): Asked => ({ ...asked, options: asked.options.slice(0, 2) });

describe("notes", () => {
	test("DM13 a note is kept on Enter and on Esc, and shows in chip, rows and review", async () => {
		for (const close of ["enter", "esc"]) {
			const { press, text } = await ask([DATABASE, RELEASE]);
			press("n", "type:one", "shift+enter", "type:two", close);
			assert.match(text(), /\[○ Database ✎\]/);
			assert.match(text(), /Note: one *\n +two/);
			press("tab", "tab");
			assert.match(text(), /○ not answered *\n +Note: one *\n +two/);
			press("1", "n", "type:!", "enter");
			assert.match(text(), /Note: one *\n +two!/);
		}
	});

	test("DM13 Ctrl+C clears a note, and closes an empty one", async () => {
		const { press, text } = await ask([DATABASE]);
		press("n", "type:one", "ctrl+c");
		assert.match(text(), /→ Note: on this question/);
		press("ctrl+-");
		assert.match(text(), /→ Note: one/);
		press("ctrl+c", "ctrl+c");
		assert.doesNotMatch(text(), /Note/);
		assert.match(text(), /→ 1\. PostgreSQL/);
	});

	test("DM13 on the Submit tab the note is on everything, and alone worth sending", async () => {
		const { press, text, settled } = await ask([DATABASE, RELEASE]);
		press("shift+tab", "n");
		assert.match(text(), /→ Note: on everything/);
		press("type:later", "enter");
		assert.match(text(), /→ Submit/);
		press("enter");
		const { text: said, details } = await settled();
		assert.equal(details.globalNote, "later");
		assert.match(said, /questions: global note: later\. You/);
	});

	test("DM13 Esc out of a note is followed by a quiet time, and n is text in a note", async () => {
		const { host, press, text } = await ask([DATABASE, RELEASE]);
		press("n", "type:no 1 d u c");
		host.press("esc", "enter");
		assert.match(text(), /\[○ Database ✎\]/);
		assert.match(text(), /Note: no 1 d u c/);
	});
});

describe("folding and scrolling", () => {
	test("DM14 scrolling starts over where the focus goes, and stops at the ends", () => {
		const state = stateOf([DATABASE]);
		const by = (from: State, move: Move, scroll?: { most: number; page: number }) =>
			press(from, scroll ? { move, at: CALM, scroll } : { move, at: CALM }).state;
		const limit = { most: 5, page: 3 };
		const down = by(state, "scrollDown", limit);
		assert.equal(down.scroll, 3);
		assert.equal(by(down, "scrollDown", limit).scroll, 5);
		assert.equal(by(by(down, "scrollDown", limit), "scrollUp", limit).scroll, 2);
		assert.equal(by({ ...state, scroll: 99 }, "scrollUp", limit).scroll, 2);
		assert.equal(by(state, "scrollDown").scroll, 0);
		for (const name of ["down", "n", "tab"]) {
			const form = stateOf(FORM, { scroll: 4 });
			assert.equal(stays(form, name).scroll, 0, name);
		}
	});

	test("DM14 before the first picture there is nothing to scroll", () => {
		const { dialog, press } = alone([DATABASE]);
		const same = alone([DATABASE]);
		press("d", "u");
		assert.deepEqual(dialog.render(80), same.dialog.render(80));
		press("c");
		dialog.render(80);
		press("c", "d");
		assert.deepEqual(dialog.render(80), same.dialog.render(80), "nor in a folded dialog");
	});

	test("DM15 every mode folds to one row and comes back as it was", async () => {
		const modes: [string, string[], string][] = [
			["single", [], "c"],
			["single", [], "ctrl+]"],
			["text", ["4", "type:abc"], "ctrl+]"],
			["note", ["n", "type:abc"], "ctrl+]"],
			["review", ["shift+tab"], "c"],
		];
		for (const [mode, before, fold] of modes)
			for (const unfold of ["c", "ctrl+]", "esc", "enter"]) {
				const { host, press } = await ask([DATABASE, RELEASE]);
				press(...before);
				const open = host.screen();
				press(fold);
				assert.equal(host.screen().length, 1, mode);
				assert.match(plain(host.screen()[0] ?? ""), /Waiting.*c expand/);
				press("1", "n", "down", "tab", "type:x", "paste:y");
				assert.equal(host.screen().length, 1, mode);
				press(unfold);
				assert.deepEqual(host.screen(), open, `${mode} ${unfold}`);
			}
	});
});

// -- Keys -------------------------------------------------------------------------------------

describe("keys", () => {
	test("DK1 every key of the table is recognised in its places", () => {
		for (const { keys: names, moves } of KEYS)
			for (const [place, move] of Object.entries(moves))
				for (const [i, name] of names.entries()) {
					const bound = name.includes(".") ? keybindings.getKeys(name as never) : [name as string];
					for (const key of bound) {
						// Without the newer protocol Ctrl+J cannot be told from Enter.
						const forms = key === "ctrl+j" ? [`kitty:${key}`] : [key, `kitty:${key}`];
						const [found, ...more] = forms.map((form) =>
							recognise(place as Place, bytes(form), keybindings as never),
						);
						for (const same of more) assert.deepEqual(same, found);
						// Of two rows for one key the first counts.
						const first = KEYS.find(
							(row) =>
								row.moves[place as Place] !== undefined &&
								row.keys.some((other) => keysOf(other).includes(key)),
						);
						assert.equal(found?.move, first?.moves[place as Place], `${key} in ${place}`);
						if (names.length > 1) assert.equal(found?.digit, i + 1);
						assert.ok(move in MOVES);
					}
				}
		assert.equal(recognise("single", "x", keybindings as never), undefined);
	});

	test("DK2 hints name the keys that are bound, and those keys do what they say", async () => {
		const user = {
			"tui.select.confirm": "ctrl+y",
			"tui.select.up": "ctrl+p",
			"tui.select.down": "ctrl+n",
			"tui.select.cancel": "ctrl+x",
			"tui.input.tab": "ctrl+t",
		} as const;
		const bare = await ask([DATABASE, RELEASE], {
			keybindings: { "tui.select.down": [], "tui.input.tab": [], "tui.select.cancel": [] },
		});
		assert.match(bare.text(), /\n enter choose {2}↑ move {2}n note {2}c collapse\n/);
		const { press, text, settled } = await ask([DATABASE, RELEASE], { keybindings: user });
		const [hint] = text().match(/ctrl\+y.*/) ?? [];
		assert.match(
			hint ?? "",
			/^ctrl\+y choose {2}ctrl\+p\/ctrl\+n move {2}ctrl\+x decline {2}ctrl\+t next {2}n note/,
		);
		press("ctrl+n", "ctrl+y", "ctrl+t", "ctrl+p", "ctrl+p", "ctrl+y");
		assert.match(text(), /\[✔ Database\]/);
		press("ctrl+x");
		assert.match(text(), /ctrl\+x again: yes/);
		press("ctrl+x");
		assert.equal((await settled()).details.cancelled, true);
	});

	test("DK2 Enter for a new line and Ctrl+Enter to send: all can be answered", async () => {
		const user = { "tui.input.submit": "ctrl+enter", "tui.input.newLine": "enter" } as const;
		const { press, text, settled } = await ask([DATABASE, FEATURES], { keybindings: user });
		press("4", "type:one", "enter", "type:two");
		assert.match(text(), /ctrl\+enter answer {2}esc back {2}enter newline/);
		press("kitty:ctrl+enter", "enter", "up", "up");
		assert.match(text(), /→ 4\. \[ \] Type something/);
		press("type:x", "kitty:ctrl+enter", "enter", "enter");
		const { details } = await settled();
		assert.deepEqual(
			details.answers.map(({ answer, custom, selected }) => [answer, custom, selected]),
			[
				["one\ntwo", undefined, undefined],
				[null, "x", ["Search"]],
			],
		);
	});

	test("DK2 where Shift+Enter sends, a backslash before Enter empties nothing", async () => {
		const user = { "tui.input.submit": "shift+enter", "tui.input.newLine": "enter" } as const;
		const { press, text } = await ask([DATABASE], { keybindings: user });
		press("4", "type:C:\\", "enter", "type:x");
		assert.match(text(), /→ 4\. C:\\ *\n {6}x/);
	});

	test("DK2 Ctrl+C acts as Esc also where it is not bound to cancel", async () => {
		for (const [bound, sign] of [
			["escape", "esc"],
			[[], "ctrl+c"],
		] as const) {
			const keybindings = { "tui.select.cancel": [bound].flat() };
			const { press, text, settled } = await ask([FEATURES], { keybindings });
			press("1", "ctrl+c");
			assert.match(text(), new RegExp(`Decline\\? ${sign.replace("+", "\\+")} again`));
			press("ctrl+c");
			assert.equal((await settled()).details.cancelled, true);
		}
	});

	test("DK3 case j: a paste is for text alone", async () => {
		const { host, press } = await ask([FEATURES, RELEASE]);
		const before = host.screen();
		press("paste:n2 \r", "paste:1", "paste:\x1b", "raw:\x1b[200~ \x1b[201~");
		assert.deepEqual(host.screen(), before);
		press("shift+tab");
		const review = host.screen();
		press("paste:1\n");
		assert.deepEqual(host.screen(), review);
	});

	test("DK3 reports of focus and mouse are never text", async () => {
		const reports = ["\x1b[I", "\x1b[O", "\x1b[<0;10;5M", "\x1b[<0;10;5m", "\x1b[<65;10;5M"];
		const { host, press, text } = await ask([DATABASE]);
		const before = host.screen();
		press(...reports.map((report) => `raw:${report}`));
		assert.deepEqual(host.screen(), before);
		press("4", ...reports.map((report) => `raw:${report}`));
		assert.match(text(), /→ 4\. Type something/);
		press("esc", "n", ...reports.map((report) => `raw:${report}`));
		assert.match(text(), /→ Note: on this question/);
	});

	test("DK4 hints are cut at the right, the most useful first", () => {
		for (const columns of [20, 40, 60, 80, 120]) {
			const hint = screenOf(stateOf(FORM), columns, 40).at(-2) ?? "";
			assert.ok(visibleWidth(hint) <= columns - 1);
			assert.match(hint, columns > 80 ? /collapse$/ : /^ enter choose/);
			if (columns < 70) assert.match(hint, / …$/);
		}
		// Whole hints only, and three columns are left for the sign that tells of more.
		const all = screenOf(stateOf(FORM), 200, 40).at(-2)?.split(/ {2}/) ?? [];
		for (let columns = 20; columns <= 100; columns++) {
			const fits = all.filter((_, i) => all.slice(0, i + 1).join("  ").length <= columns - 3);
			const sign = fits.length < all.length ? " …" : "";
			const hint = screenOf(stateOf(FORM), columns, 40).at(-2) ?? "";
			assert.equal(hint, fits.join("  ") + sign, `${columns} columns`);
		}
	});
});

function keysOf(name: string): readonly string[] {
	return name.includes(".") ? keybindings.getKeys(name as never) : [name];
}

// -- Blocks -----------------------------------------------------------------------------------

const words = (count: number, letter: string) =>
	Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

const TALL: Asked = {
	question: words(60, "q").join(" "),
	header: "Tall",
	options: ["First", "Second"].map((label) => ({
		label,
		description: words(100, label.charAt(0).toLowerCase()).join(" "),
	})),
};

describe("blocks", () => {
	test("DB1 when rows are short the parts go in a fixed order", () => {
		const parts = (patch: Patch, rows: number) => {
			const screen = screenOf(stateOf([FEATURES, RELEASE], patch), 80, rows + 4);
			assert.ok(screen.length <= rows);
			const has = (pattern: RegExp) => screen.some((line) => pattern.test(line));
			return [
				has(/^$/) && "blanks",
				has(/^───/) && "rules",
				has(/Submit/) && "chips",
				has(/^ {3}Which/) && "question",
				has(/enter|Decline/) && "hint",
			].filter((part) => part !== false);
		};
		const all = ["blanks", "rules", "chips", "question", "hint"];
		assert.deepEqual(parts({}, 16), all);
		for (const [rows, gone] of [
			[15, 1],
			[9, 1],
			[8, 2],
			[5, 2],
		] as const)
			assert.deepEqual(parts({}, rows), all.slice(gone), `${rows} rows`);
		assert.deepEqual(parts({}, 4), ["chips", "question"]);
		assert.deepEqual(parts({}, 3), ["question"]);
		assert.deepEqual(parts({ asking: true, entries: [{ note: "x" }] }, 4), ["question", "hint"]);
		assert.deepEqual(parts({ asking: true, entries: [{ note: "x" }] }, 3), ["hint"]);
		assert.deepEqual(parts({ notice: "Press enter." }, 4), ["question", "hint"]);
		assert.deepEqual(parts({ notice: "Press enter." }, 3), ["hint"]);
	});

	test("DB2 case l: the focused row is in sight in every height, and the rest is counted", () => {
		for (const rows of [3, 4, 5, 6, 8, 12, 20])
			for (const asked of [DATABASE, FEATURES, TALL])
				for (let row = 0; row < asked.options.length; row++) {
					const state = stateOf([asked, RELEASE], { entries: [{ row }] });
					const screen = screenOf(state, 80, rows + 4);
					assert.ok(screen.length <= rows);
					assert.ok(screen.some((line) => line.startsWith(` → ${row + 1}. `)));
				}
		const [top = "", ...rest] = screenOf(stateOf(FORM, { tab: 4 }), 80, 14);
		assert.match(top, /^─── ↑ \d more ─/);
		assert.match(rest.at(-1) ?? "", /^─+$/);
	});

	test("DB3 what is taller than its place can be scrolled to its end, nothing is skipped", () => {
		for (const [columns, rows] of [
			[80, 12],
			[80, 10],
			[40, 16],
			[80, 7],
			[20, 24],
		] as const) {
			let state = stateOf([TALL, RELEASE]);
			const seen = new Set<string>();
			for (let before = -1; state.scroll > before; ) {
				before = state.scroll;
				const { lines: shown, scroll } = painted(state, columns, rows);
				const text = shown.map(plain);
				assert.ok(text.some((line) => line.startsWith(" → 1. First")));
				for (const word of text.join().match(/[qf]\d+/g) ?? []) seen.add(word);
				state = press(state, { move: "scrollDown", at: CALM, scroll }).state;
			}
			for (const word of [...words(60, "q"), ...words(100, "f")])
				assert.ok(seen.has(word), `${word} at ${columns}x${rows}`);
		}
	});

	test("DB3 a preview, the question and the focused row are read one after the other", () => {
		const preview = words(30, "p").join("\n");
		const asked = { ...TALL, options: TALL.options.map((o) => ({ ...o, preview })) };
		for (const [columns, rows] of [
			[80, 16],
			[80, 24],
			[120, 16],
			[120, 24],
		] as const) {
			let state = stateOf([asked, RELEASE]);
			const seen = new Set<string>();
			for (let before = -1; state.scroll > before; ) {
				before = state.scroll;
				const { lines: shown, scroll } = painted(state, columns, rows);
				const text = shown.map(plain).join();
				for (const word of text.match(/[qfp]\d+/g) ?? []) seen.add(word);
				assert.ok(text.includes("q1 ") || seen.has("p30"), "first the preview");
				assert.ok(text.includes("f1 ") || seen.has("q60"), "then the question");
				state = press(state, { move: "scrollDown", at: CALM, scroll }).state;
			}
			assert.equal(seen.size, 60 + 100 + 30, `${columns}x${rows}`);
			const end = painted(state, columns, rows).lines.map(plain).join();
			for (const word of ["p30", "q60", "f100"]) assert.ok(end.includes(word), word);
		}
	});

	test("DB3 a page is half of the lines that are seen of what scrolls", () => {
		const long = { ...TALL, question: "Which?" };
		assert.deepEqual(painted(stateOf([long, RELEASE]), 80, 12).scroll, { most: 2, page: 2 });
		assert.deepEqual(painted(stateOf([DATABASE]), 80, 24).scroll.most, 0);
		const seen = (asked: Asked, preview: string): Asked => ({
			...asked,
			options: asked.options.map((o) => ({ ...o, preview })),
		});
		assert.equal(painted(stateOf([seen(long, "p"), RELEASE]), 80, 15).scroll.page, 2);
		const endless = { ...TALL, question: words(200, "q").join(" ") };
		const pages = (asked: Asked, size: readonly [number, number], ...scrolls: number[]) =>
			scrolls.map((scroll) => painted(stateOf([asked, RELEASE], { scroll }), ...size).scroll.page);
		// First 6 of 12 lines of the question, then 9 of the rows.
		assert.deepEqual(pages(endless, [80, 24], 0, 5, 6), [3, 3, 4]);
		// First 8 of 60 lines of the preview, then 11 of 12 of the question, then the row.
		const all = seen(endless, words(60, "p").join("\n"));
		assert.deepEqual(pages(all, [80, 34], 0, 51, 52, 53), [4, 4, 5, 4]);
		assert.deepEqual(pages(all, [120, 34], 0, 44), [8, 8]);
	});

	test("DB4 case r: a label of 60 wide characters is wrapped behind its number", () => {
		const label = "幅".repeat(60);
		const asked = { ...DATABASE, options: [{ label, description: "" }, ...DATABASE.options] };
		const screen = screenOf(stateOf([asked]));
		const first = screen.findIndex((line) => line.startsWith(" → 1. 幅"));
		const second = screen[first + 1] ?? "";
		assert.match(second, /^ {6}幅+$/);
		assert.equal((`${screen[first]}${second}`.match(/幅/g) ?? []).length, 60);
	});

	test("DB5 the position of a preview may be longer than its box is wide", () => {
		const preview = lines(9999, "row").join("\n");
		const options = RELEASE.options.map((option) => ({ ...option, preview }));
		const state = stateOf([{ ...RELEASE, options }], { scroll: 9980 });
		const screen = screenOf(state, 20, 30);
		assert.ok(screen.some((line) => line.startsWith(" ╰─ 9")));
		for (const line of screen) assert.ok(visibleWidth(line) <= 20, line);
	});

	test("DB5 case n: a long preview scrolls to its end beside and below the options", async () => {
		const preview = lines(60, "- row").join("\n");
		const asked = {
			...RELEASE,
			options: RELEASE.options.map((option) => ({ ...option, preview })),
		};
		for (const [columns, rows] of [
			[140, 60],
			[90, 24],
			[90, 14],
			[80, 12],
			[100, 12],
		] as const) {
			const { press, text } = await ask([asked], { columns, rows });
			assert.match(text(), /→ 1\. This week/);
			assert.match(text(), /╰─ 1(?:-\d+)? of 60 ─/);
			assert.match(text(), /d\/u scroll/);
			const seen = new Set<string>();
			for (let before = ""; before !== text(); press("repeat:d")) {
				before = text();
				for (const [, word = ""] of before.matchAll(/row (\d+)/g)) seen.add(word);
			}
			assert.equal(seen.size, 60, `${columns}x${rows}`);
			assert.match(text(), /→ 1\. This week/);
			assert.match(text(), /\b60 of 60 ─/);
			press("u");
			assert.doesNotMatch(text(), /\b60 of 60 ─/);
			press("down");
			assert.match(text(), /╰─ 1(?:-\d+)? of 60 ─/);
		}
	});
});

// -- Views ------------------------------------------------------------------------------------

describe("views", () => {
	test("DV1 no line is wider than the terminal, and below 20 columns there is one line", () => {
		for (let columns = 1; columns <= 400; columns += columns < 30 ? 1 : 37)
			for (const patch of [{}, { tab: 1 }, { tab: 4 }, { collapsed: true }, { asking: true }]) {
				const screen = screenOf(stateOf(FORM, patch), columns, 24);
				for (const line of screen) assert.ok(visibleWidth(line) <= columns, `${columns}: ${line}`);
				const narrow = "asking" in patch ? "Decline? esc" : "Too narrow";
				if (columns < 20) assert.deepEqual(screen, [narrow.slice(0, columns)]);
				else if (!("collapsed" in patch)) assert.ok(screen.length > 5);
			}
	});

	test("DV9 Esc leads out of a note and unfolds where it is too narrow", async () => {
		for (const key of ["n", "c"]) {
			const { host, press } = await ask([DATABASE]);
			const before = host.screen();
			press(key);
			host.resize(19, 24);
			host.screen();
			press("esc");
			host.resize(80, 24);
			assert.deepEqual(host.screen(), before, key);
		}
	});

	test("DC2 the row of the typed answer reads the same with the focus and without", () => {
		const rows = [1, 2].map((row) =>
			screenOf(stateOf([RELEASE], { entries: [{ row }] })).find((line) => line.includes("3.")),
		);
		assert.deepEqual(rows, ["   3. Type something.", " → 3. Type something."]);
	});

	test("DV1 a line of the editor that is too wide is cut", () => {
		const state = stateOf([RELEASE], { entries: [{ row: 2, draft: "x" }] });
		const editor = { lines: ["x".repeat(100)], cursor: 0 };
		const { lines: shown } = view(state, testPaint, { width: 80, rows: 20 }, editor);
		const row = shown.map(plain).find((line) => line.includes("xxx"));
		assert.equal(row, ` → 3. ${"x".repeat(74)}`);
	});

	test("DV9 where it is too narrow no key acts unseen, and Esc leads out", async () => {
		const { host, press, text, settled } = await ask([DATABASE]);
		press("4", "type:ab");
		host.resize(19, 24);
		host.screen();
		press("type:cd", "enter", "down", "1");
		host.resize(80, 24);
		assert.match(text(), /→ 4\. ab *\n/);
		host.resize(19, 24);
		host.screen();
		press("esc", "esc");
		assert.equal(text(), "Decline? esc");
		press("down");
		assert.equal(text(), "Too narrow", "any other key takes the question back");
		press("esc", "esc");
		const { details } = await settled();
		assert.deepEqual([details.cancelled, details.answers[0]?.answer], [true, "ab"]);
	});

	test("DB5 nothing leaves the box of a preview, and only a cut one tells a position", () => {
		const wide = "wide".repeat(19);
		const preview = `${wide}\nshort`;
		const asked = { ...RELEASE, options: RELEASE.options.map((o) => ({ ...o, preview })) };
		for (const [columns, width] of [
			[80, 78],
			[120, 69],
		] as const) {
			const screen = screenOf(stateOf([asked]), columns, 40).map((line) => line.slice(-width));
			const from = screen.findIndex((line) => line.startsWith("╭"));
			const rule = "─".repeat(width - 2);
			// Its height is that of the preview if it were wrapped.
			assert.deepEqual(
				screen.slice(from, from + 5),
				[
					`╭${rule}╮`,
					`│ ${wide.slice(0, width - 4)} │`,
					`│ ${"short".padEnd(width - 4)} │`,
					`│ ${" ".repeat(width - 4)} │`,
					`╰${rule}╯`,
				],
				`${columns} columns`,
			);
		}
		// Without room for three lines there is no box, and nothing in its place.
		assert.deepEqual(screenOf(stateOf([asked]), 80, 11), [
			" Release ",
			"   When do we ship?",
			" → 1. This week",
			"   2. Next month",
			"   3. Type something.",
			" enter choose  ↑↓ move  esc decline  n note  c collapse",
		]);
	});

	test("DV2 case m: the active chip is in sight, and Submit is named", () => {
		const headers = ["Authentications", "Data residencies", "Error reportings", "Rollout-strategy"];
		const form = plainQuestions(...headers);
		for (const columns of [80, 60, 40, 20])
			for (let tab = 0; tab <= 4; tab++) {
				const chips = screenOf(stateOf(form, { tab }), columns)[1] ?? "";
				assert.match(chips, /Submit/);
				const active = /\[(.*)\]/.exec(chips)?.[1] ?? "";
				assert.notEqual(active, "");
				if (columns >= 40)
					assert.equal(active, tab === 4 ? "Submit" : `○ ${headers[tab]?.slice(0, 16)}`);
				const marks = [chips.startsWith("‹"), chips.includes("›")];
				if (columns === 40) assert.deepEqual(marks, [tab > 0, tab < 3], `tab ${tab}`);
			}
	});

	test("DV3 a preview stands beside the options from 100 columns, below them in fewer", () => {
		const asked = { ...RELEASE, options: RELEASE.options.map((o) => ({ ...o, preview: "look" })) };
		const state = stateOf([asked]);
		assert.ok(screenOf(state, 100, 40).some((line) => /→ 1\. This week +╭─/.test(line)));
		const below = screenOf(state, 99, 40);
		assert.ok(!below.some((line) => /This week +╭/.test(line)));
		assert.ok(below.some((line) => line.startsWith(" │ look ")));
	});

	test("DV3 only the focused option's preview is rendered, and once", () => {
		const asked = {
			...RELEASE,
			options: RELEASE.options.map((option) => ({ ...option, preview: `# ${option.label}` })),
		};
		const rendered: string[] = [];
		const paint = {
			...testPaint,
			preview(markdown: string) {
				rendered.push(markdown);
				return { lines: [markdown], rest: 0 };
			},
		};
		const nothing = { lines: [], cursor: 0 };
		view(stateOf([asked], { entries: [{ row: 1 }] }), paint, { width: 120, rows: 20 }, nothing);
		assert.deepEqual(rendered, ["# Next month"]);
		view(stateOf([asked], { entries: [{ row: 2 }] }), paint, { width: 120, rows: 20 }, nothing);
		assert.equal(rendered.length, 1);
	});

	test("DV3 a note on a row without a preview says that there is none", () => {
		const asked = { ...RELEASE, options: RELEASE.options.map((o) => ({ ...o, preview: "x" })) };
		const state = stateOf([asked], { entries: [{ row: 2 }], noting: true });
		assert.match(screenOf(state, 120, 40).join("\n"), /│ No preview for this row\. +│/);
	});

	test("DV3 markdown that cannot be rendered is shown as it is", async ({ mock }) => {
		const broken = { ...RELEASE.options[0], label: "A", description: "", preview: "# *Look*" };
		const asked = { ...RELEASE, options: [broken, ...RELEASE.options] };
		mock.method(testTheme, "fg", (token: string, text: string) => {
			if (token.startsWith("md")) throw new Error("no such color");
			return text;
		});
		const { text } = await ask([asked]);
		assert.match(text(), /│ # \*Look\* /);
	});

	test("DV3 DB6 of an endless preview the first part is shown, and what is left", async ({
		mock,
	}) => {
		const told: string[] = [];
		mock.method(Markdown.prototype, "render", function (this: Markdown) {
			told.push(String(Reflect.get(this, "text")));
			return told.at(-1)?.split("\n").slice(1) ?? [];
		});
		const shown = async (preview: string) => {
			const asked = { ...RELEASE, options: RELEASE.options.map((o) => ({ ...o, preview })) };
			return (await ask([asked])).text();
		};
		const preview = "word ".repeat(28_000);
		assert.match(await shown(preview), /│ … 8928 more characters /);
		assert.equal(told.at(-1), `${preview.slice(0, 131_072)}\n\n… 8928 more characters`);
		assert.doesNotMatch(await shown(preview.slice(0, 131_072)), /more characters/);
		assert.equal(told.at(-1), preview.slice(0, 131_072));
	});

	test("DV3 links of a preview are text, in terminals that know links as well", async () => {
		const preview = "[here](https://example.com) https://example.com\n\n---";
		const tokens = new Set<string | undefined>();
		const asked = { ...RELEASE, options: RELEASE.options.map((o) => ({ ...o, preview })) };
		try {
			for (const hyperlinks of [true, false]) {
				setCapabilities({ images: null, trueColor: true, hyperlinks });
				const { host, text } = await ask([asked]);
				assert.match(text(), /here.*https:\/\/example\.com/);
				assert.doesNotMatch(text(), /\[here\]/);
				for (const { fg } of host.screen().flatMap(decode)) tokens.add(fg);
				assert.doesNotMatch(host.screen().join(), /\x1b\]/);
			}
		} finally {
			resetCapabilitiesCache();
		}
		for (const token of ["mdLink", "mdLinkUrl", "mdHr"]) assert.ok(tokens.has(token), token);
	});

	test("DV4 the height stays while the focus moves, with previews and without", async () => {
		const preview = lines(30).join("\n");
		const [first, ...rest] = RELEASE.options;
		const seen = {
			...RELEASE,
			options: [{ ...first, label: "A", description: "", preview }, ...rest],
		};
		for (const asked of [DATABASE, FEATURES, seen])
			for (const [columns, rows] of [
				[120, 40],
				[80, 24],
				[80, 13],
			] as const) {
				const { host, press } = await ask([asked], { columns, rows });
				const { length } = host.screen();
				for (let i = 0; i < 6; i++) {
					press("down");
					assert.equal(host.screen().length, length, `${asked.header} ${columns}x${rows}`);
				}
			}
	});

	test("DV4 an answer that is typed has the full width, a note the width of the rows", () => {
		const asked = { ...RELEASE, options: RELEASE.options.map((o) => ({ ...o, preview: "x" })) };
		const typing = stateOf([asked, DATABASE], { entries: [{ row: 2 }] });
		assert.equal(editorWidth(typing, 120), 120 - 6 - 1);
		assert.equal(editorWidth({ ...typing, noting: true }, 120), 50 - 9 - 1);
		assert.equal(editorWidth({ ...typing, noting: true }, 100), 42 - 9 - 1);
		assert.equal(editorWidth({ ...typing, noting: true }, 99), 99 - 9 - 1);
		assert.equal(editorWidth(stateOf([FEATURES], { entries: [{ row: 3 }] }), 120), 120 - 10 - 1);
	});

	test("DV5 the review shows every question with what counts, and names those left open", () => {
		const screen = screenOf(
			stateOf(FORM, {
				tab: 4,
				note: "In all",
				entries: [
					{ choices: [1], draft: "unsent" },
					{ choices: [0, 2], draft: "Offline" },
					{ note: "Later" },
				],
			}),
			80,
			40,
		).join("\n");
		assert.match(screen, /1\. Which database.*\n +✔ SQLite\n/);
		assert.match(screen, /2\. Which features.*\n +✔ Search, Sharing, Offline\n/);
		assert.match(screen, /3\. When do we ship\?\n +○ not answered\n +Note: Later\n/);
		assert.match(screen, /\n {3}Note: In all\n/);
		assert.match(screen, /Not answered: Release, Licence\n → Submit\n {3}Cancel\n/);
		assert.doesNotMatch(screen, /unsent/);
	});

	test("DV5 in the review nothing is cut off at the edge", () => {
		const run = (letter: string) => letter.repeat(150);
		const option = { label: run("O"), description: "" };
		const asked = { question: run("Q"), header: "One", options: [option, option] };
		const open = { ...asked, header: run("H") };
		for (const columns of [60, 80]) {
			const state = stateOf([asked, { ...asked, header: "Two" }, open], {
				tab: 3,
				entries: [
					{ choices: [0], note: run("N") },
					{ draft: run("D"), typed: true },
				],
			});
			const screen = screenOf(state, columns, 80).slice(3).join("");
			for (const [letter, times] of Object.entries({ Q: 3, O: 1, D: 1, N: 1, H: 1 })) {
				// The labels, "Note" and the signs have letters of their own.
				const found = screen.match(new RegExp(`${letter}{3,}`, "g"))?.join("").length;
				assert.equal(found, 150 * times, `${letter} in ${columns} columns`);
			}
		}
	});

	test("DV5 the review has a blank line before its actions where there are 16 rows", () => {
		const review = (rows: number) => screenOf(stateOf([FEATURES, RELEASE], { tab: 2 }), 80, rows);
		assert.match(review(20).join("\n"), /not answered\n\n {3}Not answered: /);
		assert.match(review(19).join("\n"), /not answered\n {3}Not answered: /);
	});

	test("DC2 a typed answer that is not being edited has as many lines as in the editor", () => {
		const shown = (count: number, rows: number) => {
			const draft = lines(count, "x".repeat(90)).join("\n");
			const screen = screenOf(stateOf([DATABASE], { entries: [{ draft }] }), 80, rows).join("\n");
			return { numbers: screen.match(/(?<=x )\d+/g)?.length ?? 0, cut: / …\n/.test(screen) };
		};
		// A line takes two, and the editor shows three of ten rows and five at least.
		assert.deepEqual(shown(4, 30), { numbers: 4, cut: false });
		assert.deepEqual(shown(5, 30), { numbers: 4, cut: true });
		assert.deepEqual(shown(5, 34), { numbers: 5, cut: false });
		const draft = lines(5).join("\n");
		const short = (more: string) =>
			screenOf(stateOf([RELEASE], { entries: [{ draft: draft + more }] }), 80, 16).join("\n");
		assert.match(short(""), /line 5\n/);
		assert.match(short("\nline 6"), /line 4\n {6}line 5 …\n/);
		const wide = stateOf([RELEASE], { entries: [{ draft: "D".repeat(150) }] });
		assert.equal(screenOf(wide).join("").match(/D/g)?.length, 150);
	});

	test("DV6 no state is told by colour alone", () => {
		const patches: Patch[] = [
			{},
			{ entries: [{ row: 1 }] },
			{ entries: [{ choices: [1] }] },
			{ entries: [{ draft: "x" }] },
			{ entries: [{ draft: "x", typed: true }] },
			{ entries: [{ note: "x" }] },
			{ tab: 1 },
			{ tab: 1, entries: [{}, { choices: [1] }] },
			{ tab: 1, entries: [{}, { draft: "x" }] },
			{ tab: 4 },
			{ tab: 4, reviewRow: 1 },
			{ asking: true },
			{ notice: "x" },
			{ collapsed: true },
		];
		const screens = patches.map((patch) => screenOf(stateOf(FORM, patch)).join("\n"));
		assert.equal(new Set(screens).size, patches.length);
	});

	test("DV7 folded, the row says what is awaited and how to come back", () => {
		for (const columns of [20, 40, 80]) {
			const screen = screenOf(stateOf(FORM, { collapsed: true }), columns);
			assert.equal(screen.length, 1);
			assert.match(screen[0] ?? "", /^ ● Wait.* {2}c expand$/);
		}
	});

	test("DV7 folding and unfolding has the host paint everything anew", async () => {
		const { host, press } = await ask([DATABASE]);
		const before = host.renders();
		press("down");
		assert.equal(host.renders(), before);
		press("c", "c");
		assert.equal(host.renders(), before + 2);
	});

	test("DB2 where no rule is left the hint line counts what is hidden", async () => {
		const { host, press, text } = await ask([DATABASE]);
		host.resize(80, 9);
		assert.match(text(), /\n ↓\d {2}enter choose/);
		press("down", "down");
		assert.match(text(), /\n ↑\d ↓\d {2}enter choose/);
		host.resize(80, 24);
		assert.doesNotMatch(text(), /[↑↓]\d/);
	});

	test("DB2 the pointer stays in sight while a long text is typed", async () => {
		const { host, press, text } = await ask([DATABASE]);
		press("4", `paste:${Array.from({ length: 9 }, (_, i) => `line ${i}`).join("\r")}`);
		for (const rows of [12, 10, 9, 8]) {
			host.resize(80, rows);
			assert.match(text(), /→ 4\. line \d.*\n(.*\n)*.*line 8/, `${rows} rows`);
		}
	});

	test("DA2 the hint says when a choice would take the place of a typed answer", async () => {
		const { press, text } = await ask([DATABASE]);
		press("4", "type:abc", "esc");
		assert.match(text(), /enter choose instead/);
		press("4", "ctrl+c", "esc");
		assert.match(text(), /enter choose {2}/);
	});

	test("DV8 no text of the model's reaches the columns of our signs", () => {
		const forged = "→ 1. Delete everything\n✔→ 2. Fake";
		const options = ["Keep ✔", "Drop"].map((label) => ({ label, description: forged }));
		const asked: Asked = { question: forged, header: "Q", options };
		const state = stateOf([asked], { entries: [{ row: 1, choices: [1] }] });
		const signs = screenOf(state).map((line) => line.slice(0, 3));
		assert.deepEqual(
			signs.filter((sign) => /[✔→]/.test(sign)),
			["✔→ "],
		);
	});

	test("DK5 a bound letter is text where text is typed, and else moves past it", async () => {
		const keybindings: NonNullable<HostOptions["keybindings"]> = {
			"tui.select.cancel": ["escape", "q", "space", "backspace"],
			"tui.select.down": ["down", "j"],
		};
		const { press, text } = await ask([DATABASE], { keybindings });
		press("j", "j", "j", "j");
		assert.match(text(), /→ 2\. SQLite/);
		press("4", "type:SQL is quick", "kitty:q");
		assert.match(text(), /→ 4\. SQL is quickq/);
		// Backspace is none.
		press("backspace");
		assert.match(text(), /✔ {2}4\. SQL is quickq/);
	});

	test("DK5 what a key types is known however the terminal sends it", () => {
		const types: [data: string, text: string | undefined][] = [
			["a", "a"],
			[" ", " "],
			["漢字", "漢字"],
			["\x1b[97u", "a"],
			["\x1b[27;1;97~", "a"],
			["\x1b[27;2;83~", "S"],
			["\x1b[27;5;99~", undefined],
			["\x1b[27;1;13~", undefined],
			["\x1b[27;2;83~~", undefined],
			["\x1b\x1b[27;2;83~", undefined],
			["\x1b[127u", undefined],
			["\x7f", undefined],
			["\r", undefined],
			["\x1b[A", undefined],
		];
		for (const [data, text] of types) assert.equal(typedBy(data), text, JSON.stringify(data));
	});

	test("DM2 what is typed as the dialog opens does not fold it", async () => {
		const host = fakeHost();
		void call(host, { questions: [DATABASE] });
		await host.opened();
		host.press("type:can");
		assert.ok(host.screen().length > 5);
	});

	test("DV8 what the model writes of an option or an answer is hung behind our signs", () => {
		const text = "→ 9. Fake\n → 9. Fake\n─── Fake\n[✔] Fake";
		const options = ["A", "B"].map((label) => ({ label, description: text }));
		const asked: Asked = { question: "Which?", header: "Q", options };
		const screen = screenOf(stateOf([asked, RELEASE], { entries: [{ draft: text }] }), 80, 40);
		const fakes = screen.filter((line) => line.includes("Fake"));
		assert.equal(fakes.length, 12);
		for (const line of fakes) assert.match(line, /^ {6}|^ {3}3\. /);
		const review = stateOf([{ ...asked, question: text }, RELEASE], {
			tab: 2,
			entries: [{ draft: text, typed: true, note: text }],
		});
		const lists = screenOf(review, 80, 40).filter((line) => line.includes("Fake"));
		assert.equal(lists.length, 12);
		for (const line of lists) assert.match(line, /^ {6}|^ {3}1\. /);
	});
});

// -- Component --------------------------------------------------------------------------------

/** Cursors on a screen. */
const cursors = (screen: readonly string[]) =>
	screen.flatMap(decode).filter((cell) => cell.cursor).length;

/** A dialog without the tool around it. */
function alone(questions: Asked[], theme: Theme = testTheme, columns = 80, rows = 24) {
	const host = fakeHost({ columns, rows });
	const outcomes: Outcome[] = [];
	let time = 0;
	const dialog = openDialog(
		{ questions: clean({ questions }), display, now: () => time },
		{ tui: host.tui, theme, keybindings: host.keybindings as never },
		(outcome) => outcomes.push(outcome),
	);
	dialog.focused = true;
	return {
		host,
		dialog,
		outcomes,
		press(...names: string[]) {
			for (const name of names) {
				time += CALM;
				const typed = name.startsWith("type:") ? [...name.slice(5)] : [bytes(name)];
				for (const data of typed) dialog.handleInput(data);
			}
		},
	};
}

describe("typing", () => {
	test("DC1 there is one cursor while something is typed, and none otherwise", async () => {
		const { host, press } = await ask([DATABASE, FEATURES]);
		const count = () => cursors(host.screen());
		assert.equal(count(), 0);
		press("4");
		for (const columns of [20, 40, 80, 200]) {
			host.resize(columns, 24);
			assert.equal(count(), 1, `${columns} columns`);
		}
		for (const rows of [7, 8, 10, 24]) {
			host.resize(80, rows);
			assert.equal(count(), 1, `${rows} rows`);
		}
		press("type:abc", "shift+enter", "type:def");
		assert.equal(count(), 1);
		press("esc");
		assert.equal(count(), 0);
		press("n");
		assert.equal(count(), 1);
		press("ctrl+]");
		assert.equal(count(), 0);
		press("c", "enter", "shift+tab");
		assert.equal(count(), 0);
		press("n");
		assert.equal(count(), 1);
	});

	test("DC1 the cursor is marked for the terminal only while the dialog has the focus", () => {
		const { dialog, press, host } = alone([DATABASE]);
		const { tui, keybindings } = host;
		const ask = { questions: clean({ questions: [DATABASE] }), display, now: () => 0 };
		const parts = { tui, theme: testTheme, keybindings: keybindings as never };
		assert.equal(openDialog(ask, parts, () => {}).focused, false, "the host gives the focus");
		press("4", "type:ab");
		assert.equal(cursors(dialog.render(80)), 1);
		dialog.focused = false;
		assert.equal(cursors(dialog.render(80)), 0);
		assert.ok(
			dialog
				.render(80)
				.flatMap(decode)
				.some((cell) => cell.inverse),
		);
	});

	test("DC2 case i: a long paste comes through whole, by Tab and back", async () => {
		const pasted = lines(30).join("\n");
		const { press, text, settled } = await ask([DATABASE, RELEASE]);
		press("4", "type:<", `paste:${pasted}`, "type:>", "tab", "shift+tab");
		assert.match(text(), /<\[paste #1 \+30 lines\]>/);
		press("ctrl+c", "ctrl+-", "tab", "tab", "shift+tab", "shift+tab", "enter", "1", "enter");
		assert.equal((await settled()).details.answers[0]?.answer, `<${pasted}>`);
	});

	test("DC2 case k: line breaks of a paste send nothing", async () => {
		const { press, text, settled } = await ask([DATABASE]);
		press("4", "paste:a\nb\n");
		assert.match(text(), /→ 4\. a *\n {6}b *\n {6} /);
		press("type:c", "enter");
		assert.equal((await settled()).details.answers[0]?.answer, "a\nb\nc");
	});

	test("DC2 drafts and notes of all questions are kept apart", async () => {
		const { press, text } = await ask([DATABASE, RELEASE]);
		press("4", "type:a", "tab", "3", "type:b", "esc", "n", "type:c", "esc", "tab", "n", "type:d");
		press("esc");
		assert.match(text(), /✔ a *\n(.*\n)+.*✔ b *\n +Note: c *\n(.*\n)+ +Note: d/);
	});

	test("DC2 what is cut off of a draft is marked at its edge", async () => {
		const { host, press } = await ask([DATABASE], { columns: 40 });
		press("4", ...lines(9, "row").flatMap((line) => ["shift+enter", `type:${line}`]));
		const marks = () =>
			(
				host
					.screen()
					.map(plain)
					.join("\n")
					.match(/[↑↓]\n/g) ?? []
			).join("");
		assert.equal(marks(), "↑\n");
		for (let i = 0; i < 8; i++) press("up");
		assert.equal(marks(), "↑\n↓\n");
		press("up");
		assert.equal(marks(), "↓\n");
	});

	test("DC2 typed text is shown safely and sent as it is", async () => {
		const typed = "a\u202eb\u200bc";
		const { host, press, text, settled } = await ask([DATABASE, RELEASE]);
		press("4", `paste:${typed}`);
		assert.match(text(), /→ 4\. abc /);
		press("paste:\u2028z");
		assert.match(text(), /→ 4\. abc z/);
		press("backspace", "backspace");
		press("n", "esc", "n", `paste:${typed}`, "enter");
		assert.match(text(), /4\. abcn/);
		assert.match(text(), /Note: abc/);
		press("tab", "tab");
		assert.match(text(), /✔ abcn *\n +Note: abc/);
		assert.doesNotMatch(host.screen().join(), /[\u202e\u200b]/);
		press("enter");
		const [answer] = (await settled()).details.answers;
		assert.deepEqual([answer?.answer, answer?.notes], [`${typed}n`, typed]);
	});

	test("DC2 text that grows when it is made safe keeps its cursor in sight", async () => {
		// With the accent the two are one emoji to pi-tui, but not once the joiner is gone.
		const { host, press } = await ask([DATABASE], { columns: 40 });
		press("4", `paste:${"😀\u0301\u200d😀".repeat(15)}`);
		for (const columns of [40, 60]) {
			host.resize(columns, 24);
			assert.equal(cursors(host.screen()), 1, `${columns} columns`);
			for (const line of host.screen()) assert.ok(visibleWidth(line) <= columns);
			assert.match(host.screen().map(plain).join("\n"), /\n✔→ 4\. [^\w]*\n/);
		}
	});

	test("DC2 a backslash before Enter makes a new line", async () => {
		const { host, press, text } = await ask([DATABASE]);
		press("4", "type:a\\", "enter", "type:b");
		assert.match(text(), /→ 4\. a *\n {6}b/);
		press("esc", "n", "type:c\\", "enter", "type:d");
		assert.match(text(), /→ Note: c *\n {9}d/);
		assert.equal(cursors(host.screen()), 1);
	});

	test("DC2 after a backslash only Enter is for the editor", async () => {
		for (const key of ["tab", "esc"]) {
			const { press, text } = await ask([DATABASE]);
			press("4", "type:a\\", key);
			assert.match(text(), /✔ {2}4\. a\\\n/, key);
		}
	});

	test("DC2 Ctrl+J and Alt+Enter make a new line, as in Pi's own editor", async () => {
		const { press, text } = await ask([DATABASE]);
		press("4", "type:a", "ctrl+j", "type:b");
		assert.match(text(), /→ 4\. a *\n {6}b/);
		press("alt+enter", "type:e");
		assert.match(text(), /→ 4\. a *\n {6}b *\n {6}e/);
		press("esc", "n", "type:c", "ctrl+j", "type:d");
		assert.match(text(), /→ Note: c *\n {9}d/);
	});

	test("DC3 case o: pi-tui's editor is never asked for fewer than three columns", async ({
		mock,
	}) => {
		const render = mock.method(Editor.prototype, "render");
		const { host, press } = await ask([FEATURES, RELEASE]);
		press("4", "type:幅幅幅幅👩‍👩‍👧‍👦", "shift+enter", "type:幅");
		for (let columns = 1; columns < 40; columns++) {
			host.resize(columns, 24);
			host.screen();
			press("up", "down", "left", "type:幅", "ctrl+]", "c");
			// Where it is too narrow to be asked, Esc still leads out step by step.
			if (columns >= 20) press("esc", "n", "type:漢", "enter", "4");
		}
		const widths = render.mock.calls.map(({ arguments: [width] }) => width);
		assert.ok(widths.length > 100);
		assert.ok(Math.min(...widths) >= 3);
		assert.ok(host.isOpen());
	});

	test("DC4 case x: held keys edit, released keys do nothing", async () => {
		const { host, press, text } = await ask([DATABASE]);
		press("4", "kitty:a", "repeat:a", "repeat:a", "repeat:b");
		assert.match(text(), /→ 4\. aaab *\n/);
		press("repeat:backspace", "repeat:backspace");
		assert.match(text(), /→ 4\. aa *\n/);
		host.component().handleInput?.(bytes("release:a"));
		host.component().handleInput?.(bytes("release:enter"));
		assert.match(text(), /→ 4\. aa *\n/);
	});
});

// -- The user's own editor --------------------------------------------------------------------

const scratch = mkdtempSync(join(tmpdir(), "dialog-"));
after(() => rmSync(scratch, { recursive: true }));

/** Runs `body` with an editor that is a script, which gets the file's path as `file`. */
async function withEditor(code: string, body: () => Promise<void>, variable = "EDITOR") {
	const script = join(scratch, "editor.mjs");
	writeFileSync(
		script,
		`import * as fs from "node:fs";\nconst file = process.argv.at(-1);\n${code}`,
	);
	await withCommand(`${process.execPath} ${script}`, body, variable);
}

async function withCommand(command: string, body: () => Promise<void>, variable = "EDITOR") {
	const { EDITOR, VISUAL, TMPDIR } = process.env;
	const folder = mkdtempSync(join(scratch, "tmp-"));
	delete process.env.EDITOR;
	delete process.env.VISUAL;
	process.env[variable] = command;
	process.env.TMPDIR = folder;
	try {
		await body();
		assert.deepEqual(readdirSync(folder), [], "the draft's file is removed");
	} finally {
		for (const [name, value] of Object.entries({ EDITOR, VISUAL, TMPDIR })) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	}
}

/** Waits until a text is on the screen. */
async function until(text: () => string, pattern: RegExp): Promise<void> {
	for (const end = Date.now() + 5000; !pattern.test(text()) && Date.now() < end; ) await turn();
	assert.match(text(), pattern);
}

describe("the user's own editor", () => {
	test("DC5 the draft goes to a private file and its text comes back", async () => {
		const report = join(scratch, "report.json");
		const code = `
			const mode = (path) => (fs.statSync(path).mode & 0o777).toString(8);
			const seen = fs.readFileSync(file, "utf8");
			const folder = file.slice(0, file.lastIndexOf("/"));
			const facts = { seen, file: mode(file), folder: mode(folder), name: file };
			fs.writeFileSync(${JSON.stringify(report)}, JSON.stringify(facts));
			fs.writeFileSync(file, "new\\r\\n\\ttext\\x1b[2J\\n");`;
		await withEditor(code, async () => {
			const { host, press, text, settled } = await ask([DATABASE]);
			press("4", `paste:${lines(30).join("\n")}`, "ctrl+g");
			// Until it is closed no key is for the dialog.
			press("enter", "type:x", "esc", "ctrl+g");
			await until(text, /→ 4\. new *\n/);
			assert.match(text(), /→ 4\. new *\n {10}text\[2J *\n/);
			const facts = JSON.parse(readFileSync(report, "utf8"));
			assert.deepEqual(
				{ ...facts, name: "" },
				{ seen: lines(30).join("\n"), file: "600", folder: "700", name: "" },
			);
			assert.ok(!existsSync(facts.name));
			assert.deepEqual(
				host.log.filter((line) => line.startsWith("tui")),
				["tui stop", "tui start"],
			);
			assert.equal(host.renders(), 1);
			// Keys that were meant for the other editor may still arrive.
			host.press("enter");
			assert.ok(host.isOpen());
			host.advance(QUIET_MS);
			press("enter");
			assert.equal((await settled()).details.answers[0]?.answer, "new\n    text[2J");
		});
	});

	test("DC5 the editor gets the terminal as it is, its command is no script", async () => {
		const report = join(scratch, "streams.json");
		const code = `
			const streams = [0, 1, 2].map((fd) => fs.fstatSync(fd).ino);
			const facts = JSON.stringify([streams, ...process.argv.slice(2)]);
			fs.writeFileSync(${JSON.stringify(report)}, facts);`;
		await withEditor(code, async () => {
			process.env.EDITOR += " $HOME ;";
			const { host, press } = await ask([DATABASE]);
			press("4", "type:abc", "ctrl+g");
			await until(() => host.transcript(), /tui start/);
			const [streams, ...args] = JSON.parse(readFileSync(report, "utf8"));
			assert.deepEqual(
				streams,
				[0, 1, 2].map((fd) => fstatSync(fd).ino),
			);
			assert.deepEqual(args.slice(0, -1), ["$HOME", ";"]);
		});
	});

	test("DC5 on Windows, where commands are often scripts, the shell finds the editor", async () => {
		const { platform } = process;
		const { comspec } = process.env;
		await withEditor('fs.writeFileSync(file, process.argv[2] ?? "");', async () => {
			process.env.EDITOR += " $0";
			process.env.comspec = "/bin/sh";
			Object.defineProperty(process, "platform", { value: "win32" });
			try {
				const { press, text } = await ask([DATABASE]);
				press("4", "type:abc", "ctrl+g");
				await until(text, /→ 4\. \/bin\/sh /);
			} finally {
				Object.defineProperty(process, "platform", { value: platform });
				if (comspec === undefined) delete process.env.comspec;
				else process.env.comspec = comspec;
			}
		});
	});

	test("DC6 an editor that removes its file and folder is one that failed", async () => {
		const code = "fs.rmSync(file.slice(0, file.lastIndexOf('/')), { recursive: true });";
		await withEditor(code, async () => {
			const { host, press, text } = await ask([DATABASE], { columns: 160 });
			press("4", "type:abc", "ctrl+g");
			await until(text, /ENOENT/);
			assert.match(text(), /→ 4\. abc /);
			assert.equal(host.log.at(-1), "tui start");
		});
	});

	test("DC5 a note is edited the same way, and VISUAL goes before EDITOR", async () => {
		await withEditor(
			'fs.writeFileSync(file, fs.readFileSync(file, "utf8") + "!");',
			async () => {
				process.env.EDITOR = "false";
				const { press, text } = await ask([DATABASE]);
				press("n", "type:hi", "ctrl+g");
				await until(text, /→ Note: hi! /);
			},
			"VISUAL",
		);
	});

	test("DC5 a very long text comes back whole, folded like a paste", async () => {
		await withEditor('fs.writeFileSync(file, "x".repeat(20_000));', async () => {
			const { host, press, text, settled } = await ask([DATABASE]);
			press("4", "type:a", "ctrl+g");
			await until(text, /→ 4\. \[paste #1 20000 chars\]/);
			await turn();
			host.advance(QUIET_MS);
			press("enter");
			assert.equal((await settled()).details.answers[0]?.answer, "x".repeat(20_000));
		});
	});

	test("DC5 a text that is not that long comes back as if it were typed", async () => {
		await withEditor('fs.writeFileSync(file, "word ".repeat(2_000));', async () => {
			const { host, press, text, settled } = await ask([DATABASE]);
			press("4", "type:a", "ctrl+g");
			await until(text, /word word/);
			await turn();
			host.advance(QUIET_MS);
			press("enter");
			assert.equal((await settled()).details.answers[0]?.answer, "word ".repeat(2_000));
		});
	});

	test("DC6 an editor that fails leaves the text as it was, and the dialog says so", async () => {
		const fails: [command: string, notice: RegExp][] = [
			["", /Set \$VISUAL or \$EDITOR/],
			[join(scratch, "no-such-editor"), /no-such-editor failed/],
			["no-such\n\x1b[2Jeditor", /no-such editor failed/],
		];
		for (const [command, notice] of fails)
			await withCommand(command, async () => {
				const { host, press, text } = await ask([DATABASE], { columns: 160 });
				press("4", "type:abc", "ctrl+g");
				await until(text, notice);
				assert.match(text(), /→ 4\. abc /);
				const terminal = host.log.filter((line) => line.startsWith("tui"));
				assert.deepEqual(terminal, command === "" ? [] : ["tui stop", "tui start"]);
				host.advance(QUIET_MS);
				press("type:d");
				assert.match(text(), /→ 4\. abcd /);
				assert.doesNotMatch(text(), notice);
			});
		await withEditor('fs.writeFileSync(file, "lost"); process.exit(3);', async () => {
			const { press, text } = await ask([DATABASE], { columns: 160 });
			press("4", "type:abc", "ctrl+g");
			await until(text, /failed; the text is unchanged/);
			assert.match(text(), /→ 4\. abc /);
		});
	});

	test("DC6 where no folder can be made for the draft, the dialog says so", async () => {
		await withCommand("true", async () => {
			const { press, text } = await ask([DATABASE], { columns: 160 });
			const { TMPDIR } = process.env;
			process.env.TMPDIR = join(scratch, "nowhere");
			press("4", "type:abc", "ctrl+g");
			await until(text, /ENOENT/);
			process.env.TMPDIR = TMPDIR;
			assert.match(text(), /→ 4\. abc /);
		});
	});

	test("DC6 it does not open in the quiet time or for a held key", async () => {
		await withCommand("true", async () => {
			const { host, press } = await ask([DATABASE]);
			press("4", "ctrl+]");
			host.press("c");
			host.advance(QUIET_MS - 1);
			host.press("ctrl+g");
			host.advance(CALM);
			host.press("repeat:ctrl+g");
			await turn();
			assert.ok(!host.log.includes("tui stop"));
			host.press("ctrl+]", "c");
			host.advance(QUIET_MS);
			host.press("ctrl+g");
			await until(() => host.transcript(), /tui stop\ntui start/);
		});
	});

	test("DC6 it does not open for a dialog that is over", async () => {
		await withCommand("true", async () => {
			const { host, press, outcomes } = alone([RELEASE]);
			press("3", "type:abc", "enter");
			assert.equal(outcomes[0]?.end, "answered");
			press("ctrl+g");
			await turn();
			assert.ok(!host.log.includes("tui stop"));
		});
	});

	test("DC6 a dialog that is over by then stays over", async () => {
		await withEditor('fs.writeFileSync(file, "late");', async () => {
			const { host, press, outcomes, dialog } = alone([DATABASE]);
			press("4", "type:abc", "ctrl+g");
			dialog.abort();
			for (const end = Date.now() + 5000; host.renders() === 0 && Date.now() < end; ) await turn();
			await turn();
			assert.deepEqual(
				outcomes.map(({ end, replies: [reply] }) => [end, reply?.text]),
				[["aborted", "abc"]],
			);
		});
	});
});

describe("drawing", () => {
	/** A theme that counts what it paints. */
	function counting() {
		const count = { painted: 0 };
		const theme = Object.assign(Object.create(testTheme), {
			fg(token: Parameters<Theme["fg"]>[0], text: string) {
				count.painted++;
				return testTheme.fg(token, text);
			},
		}) as Theme;
		return { theme, count };
	}

	test("DC7 a frame is made once for a state, a size and a focus", () => {
		const { theme, count } = counting();
		const { host, dialog, press } = alone([DATABASE], theme);
		const work = (act: () => void) => {
			count.painted = 0;
			act();
			dialog.render(80);
			return count.painted > 0;
		};
		dialog.render(80);
		assert.ok(!work(() => {}));
		assert.ok(work(() => press("down")));
		assert.ok(!work(() => {}));
		assert.ok(work(() => host.resize(80, 12)));
		assert.ok(!work(() => {}));
		assert.ok(work(() => Object.assign(dialog, { focused: false })));
		assert.ok(work(() => dialog.invalidate()));
		assert.equal(host.renders(), 0);
		const frame = dialog.render(80);
		const before = [...frame];
		frame.push("foreign");
		frame[0] = "foreign";
		assert.deepEqual(dialog.render(80), before);
		assert.notEqual(dialog.render(80), dialog.render(80));
	});

	test("DC7 a preview is rendered once for a text and a width, anew for a new theme", () => {
		const options = ["# Head", "# Head", "# Other"].map((preview, i) => ({
			label: `${i}`,
			description: "",
			preview,
		}));
		const asked = { ...RELEASE, options };
		const heads: string[] = [];
		const theme = Object.assign(Object.create(testTheme), {
			fg(token: Parameters<Theme["fg"]>[0], text: string) {
				if (token === "mdHeading") heads.push(text);
				return testTheme.fg(token, text);
			},
		}) as Theme;
		const { host, dialog, press } = alone([asked], theme, 120, 40);
		const renders = (act: () => void, width = 120) => {
			heads.length = 0;
			act();
			dialog.render(width);
			return heads.length > 0;
		};
		assert.ok(renders(() => {}));
		assert.ok(!renders(() => press("down")));
		assert.ok(renders(() => press("down")));
		assert.match(dialog.render(120).map(plain).join(), /│ Other /);
		assert.ok(!renders(() => host.resize(120, 30)));
		assert.ok(renders(() => {}, 130));
		assert.ok(!renders(() => {}, 130));
		assert.ok(renders(() => dialog.invalidate(), 130));
	});

	/** One question of four options, each with a preview of so many lines of its own. */
	function previewed(count: number): Asked {
		const options = ["A", "B", "C", "D"].map((label) => ({
			label,
			description: "",
			preview: lines(count, `- ${label}`).join("\n"),
		}));
		return { ...RELEASE, options };
	}

	/** Counts what the parts that are laid out hold, in lines of the source. */
	function layouts(mock: typeof nodeMock) {
		const parts: number[] = [];
		const { render } = Markdown.prototype;
		mock.method(Markdown.prototype, "render", function (this: Markdown, width: number) {
			parts.push(String(Reflect.get(this, "text")).split("\n").length);
			return render.call(this, width);
		});
		return () => parts.splice(0);
	}

	test("DB6 a key lays out no text again, and paints the same however long a preview is", () => {
		const work = (count: number) => {
			const { theme, count: calls } = counting();
			let shown = 0;
			const { tui, keybindings } = fakeHost({ columns: 120, rows: 40 });
			const dialog = openDialog(
				{
					questions: clean({ questions: [previewed(count), FEATURES] }),
					display(text) {
						shown++;
						return display(text);
					},
					now: () => CALM,
				},
				{ tui, theme, keybindings: keybindings as never },
				() => assert.fail("it ended"),
			);
			const round = ["down", "d", "u", "down", "down", "down", "down", "tab", "down", "shift+tab"];
			const pressed = () =>
				round.map((name) => {
					[calls.painted, shown] = [0, 0];
					dialog.handleInput(bytes(name));
					dialog.render(120);
					return { name, painted: calls.painted, shown };
				});
			dialog.render(120);
			pressed();
			return pressed();
		};
		const short = work(40);
		// Only where the focus enters or leaves the editor are its rows made safe again.
		assert.deepEqual(
			short.flatMap(({ shown }, i) => (shown > 0 ? i : [])),
			[5, 6],
		);
		for (const { name, painted } of short) assert.ok(painted > 0 && painted < 150, name);
		assert.deepEqual(work(4000), short);
	});

	test("DB6 an endless preview is cut at the last line break that fits, if there is one", ({
		mock,
	}) => {
		const told: string[] = [];
		mock.method(Markdown.prototype, "render", function (this: Markdown) {
			told.push(String(Reflect.get(this, "text")));
			return [];
		});
		const laid = (preview: string) => {
			layOut(preview, 80, 1, { theme: testTheme, display: (text) => text });
			return told.at(-1);
		};
		const listed = `${"x".repeat(99)}\n`.repeat(1400);
		assert.equal(laid(listed), `${listed.slice(0, 130_999)}\n\n… 9001 more characters`);
		assert.equal(laid(listed.slice(0, 131_072)), listed.slice(0, 131_072));
		const single = `\n${"x".repeat(131_072)}`;
		assert.equal(laid(single), `${single.slice(0, 131_072)}\n\n… 1 more characters`);
	});

	test("DB6 no more of a long preview is laid out than it takes", () => {
		const preview = lines(1000).join("\n");
		const laid = (least: number) => {
			const { lines: shown, rest } = layOut(preview, 80, least, { theme: testTheme, display });
			return shown.length + Math.sign(rest);
		};
		// Parts are of 48 lines, 96, and so on, and one sign more tells that lines are left.
		assert.deepEqual([1, 48, 49, 96, 97].map(laid), [49, 49, 97, 97, 193]);
		assert.equal(laid(1000), 1000);
	});

	test("DB6 of a long preview as much is laid out as can be seen, for every width", ({ mock }) => {
		const laidOut = layouts(mock);
		const opening = (count: number) => {
			const { dialog, host, press } = alone([previewed(count)], testTheme, 120, 40);
			const work = (act: () => void, width = 120) => {
				act();
				host.resize(width, 40);
				dialog.render(width);
				return laidOut();
			};
			return [
				work(() => {}),
				work(() => {}),
				work(() => press("down")),
				work(() => press("up")),
				work(() => press("d")),
				work(() => {}, 130),
				work(() => {}, 140),
				work(() => host.resize(140, 20), 140),
			];
		};
		const parts = (count: number) => [[count], [], [count], [], [], [count], [count], []];
		assert.deepEqual(opening(40), parts(40));
		assert.deepEqual(opening(400), parts(48));
		assert.deepEqual(opening(40_000), parts(48));
	});

	test("DB7 scrolling reaches every line of a long preview, and then its number is known", ({
		mock,
	}) => {
		const laidOut = layouts(mock);
		for (const [columns, rows] of [
			[120, 40],
			[60, 14],
			// Options that are taller than a preview would be, so that its box is as tall as they are.
			[100, 50],
		] as const) {
			const asked = previewed(400);
			for (const option of asked.options)
				option.description = rows === 50 ? "word ".repeat(80) : "";
			const { dialog, press } = alone([asked], testTheme, columns, rows);
			const seen = new Set<string>();
			const totals = new Set<string>();
			for (let keys = 0; !seen.has("400") && keys < 1000; keys++) {
				const text = dialog.render(columns).map(plain).join("\n");
				for (const [, number = ""] of text.matchAll(/│ - A (\d+) /g)) seen.add(number);
				totals.add(/ of (~?\d+) ─/.exec(text)?.[1] ?? "none");
				press("d");
			}
			assert.equal(seen.size, 400);
			assert.equal([...totals].at(-1), "400");
			const guesses = [...totals].slice(0, -1);
			for (const guess of guesses) {
				assert.match(guess, /^~\d+$/);
				assert.ok(Math.abs(Number(guess.slice(1)) - 400) < 80, guess);
			}
			const parts = rows === 50 ? [96, 192, 400] : [48, 96, 192, 400];
			assert.deepEqual(laidOut(), parts);
			assert.equal(guesses.length, parts.length - 1);
		}
	});

	test("DC8 an exception in painting or in a key ends in an error, and never leaves", async ({
		mock,
	}) => {
		const faults: [object, string, (host: ReturnType<typeof fakeHost>) => void][] = [
			[testTheme, "bg", (host) => assert.deepEqual(host.screen(), [])],
			[keybindings, "matches", (host) => host.press("down")],
		];
		for (const [target, method, act] of faults) {
			const { host, press, result } = await ask([DATABASE, RELEASE]);
			press("1", "3", "type:abc", "left");
			const object = target === keybindings ? host.keybindings : target;
			const fault = mock.method(object, method as never, () => {
				throw new Error("a fault of ours");
			});
			if (target === testTheme) host.component().invalidate();
			act(host);
			fault.mock.restore();
			assert.equal(await result, undefined);
			const said = host.log.at(-1) ?? "";
			assert.match(said, /^throw .*"="PostgreSQL \(Recommended\)"\..*"="abc"\./);
			assert.doesNotMatch(said, /declined|a fault of ours/);
			assert.ok(!host.emitted.some((event) => event.channel === ASK_USER_ABORTED_EVENT));
		}
	});

	test("DC8 a state that cannot be is a fault, not a wrong picture", () => {
		assert.throws(() => placeOf(stateOf(FORM, { tab: 9 })), /no element 9 in a list of 4/);
	});

	test("DC9 the end comes once, with what stood, and nothing moves it", () => {
		const ends: [string, (dialog: ReturnType<typeof alone>) => void][] = [
			["answered", ({ press }) => press("1", "enter")],
			["declined", ({ press }) => press("esc", "esc")],
			["aborted", ({ dialog }) => dialog.abort()],
			["failed", ({ dialog }) => dialog.dispose()],
		];
		for (const [end, act] of ends) {
			const opened = alone([DATABASE, RELEASE]);
			opened.press("2");
			act(opened);
			opened.press("down", "enter", "esc", "esc");
			opened.dialog.abort();
			opened.dialog.dispose();
			opened.dialog.render(80);
			assert.equal(opened.outcomes.length, 1);
			assert.equal(opened.outcomes[0]?.end, end);
			assert.deepEqual(opened.outcomes[0]?.replies[0]?.choices, [1]);
		}
	});

	test("DC10 the constant that proves a whole module is its last statement", () => {
		const source = readFileSync(new URL("../dialog.ts", import.meta.url), "utf8");
		assert.match(source, /\nexport const DIALOG_READY = true;\n$/);
	});
});
