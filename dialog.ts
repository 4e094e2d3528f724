/**
 * The terminal dialog of `ask_user_question`.
 *
 * Bytes are recognised as a move, a move turns one state into the next, and a state is painted as
 * lines: recognise, `press`, `view`. The three are pure, so that any state can be painted and any
 * move tried without a terminal. Only the component at the end touches the host.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeybindingsManager, Theme } from "@mariozechner/pi-coding-agent";
import {
	type Component,
	decodeKittyPrintable,
	Editor,
	type EditorTheme,
	type Focusable,
	isKeyRelease,
	isKeyRepeat,
	type KeyId,
	matchesKey,
	type TUI,
	truncateToWidth,
	visibleWidth,
	wrapTextWithAnsi,
} from "@mariozechner/pi-tui";
import type { Outcome, Question, Reply, SENTINELS } from "./index.ts";
import { layOut, type Preview } from "./preview.ts";

// -- D1. State --------------------------------------------------------------------------------
//
// Everything the dialog knows, as plain data. What can be derived is not stored: the place a key
// is pressed in, what counts as answered, what is shown. Lists are indexed as the questions are,
// never by label, since two labels may look alike. A tree of components that each keep a part of
// this would need to agree on every key; one value that is replaced as a whole cannot disagree.

/** What the user did with one question. */
export interface Entry {
	/** The row with the focus: the options, then the typed answer, then `Next` on multi-select. */
	row: number;
	/** Indexes of the chosen options, ascending; at most one on single-select. */
	choices: readonly number[];
	/** The typed answer with its pastes expanded. */
	draft: string;
	/** Single-select: the text was edited or sent after the last choice, so it is what counts. */
	typed: boolean;
	note: string;
}

/** The whole dialog at one moment. */
export interface State {
	questions: readonly Question[];
	entries: readonly Entry[];
	/** Index of the question shown; one past the last is the Submit tab. */
	tab: number;
	/** The row with the focus on the Submit tab: the questions, then Submit, then Cancel. */
	reviewRow: number;
	/** The row that Esc returns to from the typed answer. */
	back: number;
	/** The note on the whole questionnaire. */
	note: string;
	/** A note is being written: on the question shown, on the Submit tab on everything. */
	noting: boolean;
	/** The dialog is folded to one row. */
	collapsed: boolean;
	/** Lines scrolled into what is cut off. It starts over wherever the focus goes. */
	scroll: number;
	/** Esc was pressed once and there is something to lose. */
	asking: boolean;
	/** Stands in place of the hints until the next key. */
	notice: string;
	/** Until then, in milliseconds of the clock, no key decides or types anything. */
	quietUntil: number;
}

/** Long enough for keys that were meant for what stood here before, or for a split Alt+Enter. */
export const QUIET_MS = 300;
/** The rows the dialog adds; their types tie them to the labels the protocol reserves. */
const CUSTOM: (typeof SENTINELS)["custom"] = "Type something.";
const NEXT: (typeof SENTINELS)["next"] = "Next";
const fresh: Entry = { row: 0, choices: [], draft: "", typed: false, note: "" };

/** The state of a dialog that opens at a time of the clock. */
export function opened(questions: readonly Question[], now: number): State {
	return {
		questions,
		entries: questions.map(() => fresh),
		tab: 0,
		reviewRow: questions.length,
		back: 0,
		note: "",
		noting: false,
		collapsed: false,
		scroll: 0,
		asking: false,
		notice: "",
		quietUntil: now + QUIET_MS,
	};
}

/** The element at an index that is known to exist. */
function at<T>(list: readonly T[], index: number): T {
	const item = list[index];
	if (item === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
	return item;
}

const clamp = (value: number, least: number, most: number) =>
	Math.max(least, Math.min(most, value));

/**
 * Where a key is pressed. The same key means different things in different places, so the place
 * is the column of the key table: a list row of either kind of question, `Next`, the typed
 * answer, a note, the Submit tab, the question about a decline, the folded dialog.
 */
export type Place = "single" | "multi" | "next" | "text" | "note" | "review" | "asking" | "folded";

const isReview = (state: State) => state.tab === state.questions.length;
const question = (state: State) => at(state.questions, state.tab);
const entry = (state: State) => at(state.entries, state.tab);
const customRow = (shown: Question) => shown.options.length;
const rowCount = (shown: Question) => shown.options.length + (shown.multiSelect ? 2 : 1);
const hasPreviews = (shown: Question) => shown.options.some((option) => option.preview);
const isForm = (state: State) => state.questions.length > 1;

/** The place is derived, so that no key can ever be read in a place that is not on the screen. */
export function placeOf(state: State): Place {
	if (state.collapsed) return "folded";
	if (state.asking) return "asking";
	if (state.noting) return "note";
	if (isReview(state)) return "review";
	const { row } = entry(state);
	if (row === customRow(question(state))) return "text";
	if (!question(state).multiSelect) return "single";
	return row < customRow(question(state)) ? "multi" : "next";
}

/** Whether letters are text in a place, and no keys of the dialog. */
export const isTyping = (place: Place) => place === "text" || place === "note";

// -- D2. Answers ------------------------------------------------------------------------------
//
// What stands is what counts, and the chips, the rows, the review and the result all ask here. On
// multi-select that is the checks and the text together. On single-select it is whatever the user
// touched last, so that choosing an option keeps a draft without sending it.

/** The same as in the protocol: what shows nothing is blank, and blank text is no text. */
const isBlank = (text: string) => /^[\s\u2800\p{Cc}\p{DI}]*$/u.test(text);

/** What stands for one question. Blank text never does, whatever the user pressed on it. */
function standing(shown: Question, { choices, draft, typed, note }: Entry): Reply {
	const text = isBlank(draft) || !(typed || shown.multiSelect) ? "" : draft;
	return { choices: shown.multiSelect || text === "" ? choices : [], text, note };
}

/** What stands for every question, in their order: the result of the dialog at any moment. */
export function replies(state: State): Reply[] {
	return state.entries.map((given, i) => standing(at(state.questions, i), given));
}

/** Whether the question counts as answered, in its chip and in the review. */
const isAnswered = ({ choices, text }: Reply) => choices.length > 0 || text !== "";
/** A note alone is worth sending, though it leaves its question open. */
const isWorthSending = (reply: Reply) => isAnswered(reply) || !isBlank(reply.note);

/** The text that is being edited, or would be: the draft, or the note. */
function textOf(state: State): string {
	if (!state.noting) return entry(state).draft;
	return isReview(state) ? state.note : entry(state).note;
}

/** Whether a decline would throw something away, typed words that do not count included. */
const hasInput = (state: State) =>
	state.note !== "" ||
	state.entries.some(({ choices, draft, note }) => choices.length > 0 || draft + note !== "");

// -- D3. Moves --------------------------------------------------------------------------------
//
// All that can happen to a state, each move by its name, from a state to the next or to the end.
// A move that decides something (answers, toggles, sends, cancels) does so only for a fresh press
// outside the quiet time; the others may come from a held key. A reducer over keys would be
// shorter by a layer, but then neither the hints nor the key table could be derived from it.

/** One key as a move: what it does, when, and what it carries. */
export interface Key {
	move: Move;
	/** Milliseconds of the clock. */
	at: number;
	/** The terminal reported a held key. */
	repeat?: boolean;
	digit?: number;
	/** The draft or note after an edit. */
	text?: string;
	/** How the last picture can be scrolled. */
	scroll?: Scroll;
}

/** How far what is cut off can be scrolled, and by how much at a time; in lines. */
export type Scroll = { most: number; page: number };
/** The state after a key, and the end of the dialog if the key brought it. */
export type Pressed = { state: State; end?: "answered" | "declined" };
export type Move = keyof typeof MOVES;
type Step = 1 | -1;
/** The next state, or the end with the state that stands at that moment. */
type Next = State | Pressed;
type Run = (state: State, key: Key) => Next;
/** The word in the hint line, or none. `cut` tells that something is cut off. */
type Hint = (state: State, cut: boolean) => string;

/** The state with the entry of the tab shown changed. */
function withEntry(state: State, changed: Partial<Entry>): State {
	const entries = state.entries.map((old, i) => (i === state.tab ? { ...old, ...changed } : old));
	return { ...state, entries };
}

/** Moves the focus, and remembers where it was, which is where Esc leads from a typed answer. */
function focusRow(state: State, row: number): State {
	return withEntry({ ...state, scroll: 0, back: entry(state).row }, { row });
}

/** Shows a tab with the focus on the answer given there, or where the focus was. */
function goTo(state: State, tab: number): State {
	const shown = state.questions[tab];
	if (!shown) return { ...state, tab, scroll: 0, reviewRow: state.questions.length };
	const given = at(state.entries, tab);
	const { choices, text } = standing(shown, given);
	const resting = given.row === customRow(shown) ? 0 : given.row;
	const row = choices[0] ?? (text === "" ? resting : customRow(shown));
	return withEntry({ ...state, tab, scroll: 0, back: resting }, { row });
}

/** Tabs go around: the Submit tab lies between the last question and the first. */
function turnTab(state: State, step: Step): State {
	const tabs = state.questions.length + 1;
	if (isForm(state)) return goTo(state, (state.tab + step + tabs) % tabs);
	// A lone question has no tabs. There the key leaves the text as an arrow does.
	return placeOf(state) === "text" ? moveFocus(state, step) : state;
}

/** Moves the focus, around the end. Letter keys pass by the row in which they would be typed. */
function moveFocus(state: State, step: Step, skipText = false): State {
	const count = isReview(state) ? state.questions.length + 2 : rowCount(question(state));
	const from = (row: number) => (row + step + count) % count;
	if (isReview(state)) return { ...state, scroll: 0, reviewRow: from(state.reviewRow) };
	const row = from(entry(state).row);
	const passes = skipText && row === customRow(question(state));
	return focusRow(state, passes ? from(row) : row);
}

/** After an answer: the next open question, then the review; a lone question is finished. */
function advance(state: State): Next {
	const count = state.questions.length;
	if (count === 1) return { state, end: "answered" };
	const given = replies(state);
	const others = Array.from({ length: count - 1 }, (_, i) => (state.tab + 1 + i) % count);
	return goTo(state, others.find((tab) => !isAnswered(at(given, tab))) ?? count);
}

/** Choosing an option keeps a draft, which from then on no longer counts. */
function choose(state: State, row: number): Next {
	return advance(withEntry(focusRow(state, row), { choices: [row], typed: false }));
}

/** Checks stay in the order of the options, which is the order the model reads them in. */
function toggle(state: State, row: number): State {
	const { choices } = entry(state);
	const rest = choices.filter((choice) => choice !== row);
	const toggled = rest.length < choices.length ? rest : [...rest, row].sort((a, b) => a - b);
	return withEntry(focusRow(state, row), { choices: toggled });
}

/** A number stands for its row: it answers, toggles, or where that must wait moves the focus. */
function pick(state: State, { digit = 0 }: Key): Next {
	const row = digit - 1;
	const shown = question(state);
	if (row > customRow(shown)) return state;
	if (row === customRow(shown)) return focusRow(state, row);
	if (shown.multiSelect) return toggle(state, row);
	// With previews a number is for looking, since what it shows may change the mind.
	return hasPreviews(shown) ? focusRow(state, row) : choose(state, row);
}

/**
 * Enter in the typed answer. On single-select it answers; on multi-select the text already counts
 * beside the checks, so the focus goes to `Next`, where the question is left.
 */
function send(state: State): Next {
	const shown = question(state);
	if (shown.multiSelect) return focusRow(state, customRow(shown) + 1);
	if (!isBlank(entry(state).draft)) return advance(withEntry(state, { typed: true }));
	return { ...state, notice: "Type an answer first, or choose an option." };
}

/** In a form an empty `Next` leaves the question open; alone it would send nothing at all. */
function commit(state: State): Next {
	const something = isWorthSending(standing(question(state), entry(state)));
	if (something || isForm(state)) return advance(state);
	return { ...state, notice: "Check an option or type an answer first." };
}

/** Declines at once only where nothing is lost by it. */
function decline(state: State): Next {
	return state.asking || !hasInput(state) ? { state, end: "declined" } : { ...state, asking: true };
}

/** Enter on the Submit tab. To submit nothing at all is a decline, and so is Cancel. */
function act(state: State): Next {
	const row = state.reviewRow;
	if (row < state.questions.length) return goTo(state, row);
	const something = replies(state).some(isWorthSending) || !isBlank(state.note);
	const submits = row === state.questions.length && something;
	return submits ? { state, end: "answered" } : decline(state);
}

/** Takes an answer back. A draft is never touched: on single-select it merely stops to count. */
function takeBack(state: State): State {
	const { choices, row } = entry(state);
	if (!question(state).multiSelect) return withEntry(state, { choices: [], typed: false });
	return choices.includes(row) ? toggle(state, row) : state;
}

/** Starts a quiet time: the next key may be the rest of the one that led here. */
const quiet = (state: State, { at: now }: Key) => ({ ...state, quietUntil: now + QUIET_MS });

/** The text of the editor in use has changed. On single-select an edit makes it what counts. */
function edit(state: State, { text = textOf(state) }: Key): State {
	if (text === textOf(state)) return state;
	if (!state.noting) return withEntry(state, { draft: text, typed: true });
	return isReview(state) ? { ...state, note: text } : withEntry(state, { note: text });
}

/** A note is kept by closing it; there is nothing to send. */
const closeNote = (state: State) => ({ ...state, noting: false });

/** Scrolls from where the picture really stood, which a resize may have moved. */
function scrollBy(state: State, { scroll = { most: 0, page: 1 } }: Key, step: Step): State {
	const from = Math.min(state.scroll, scroll.most);
	return { ...state, scroll: clamp(from + step * scroll.page, 0, scroll.most) };
}

const says = (hint: Hint | string): Hint => (typeof hint === "string" ? () => hint : hint);
const move = (run: Run, hint: Hint | string = "") => ({ decides: false, run, hint: says(hint) });
const decision = (run: Run, hint: Hint | string = "") => ({ ...move(run, hint), decides: true });
const ifForm: Hint = (s) => (isForm(s) ? "next" : "");
const whenCut: Hint = (_, cut) => (cut ? "scroll" : "");
const chooses: Hint = (s) => `choose${at(replies(s), s.tab).text === "" ? "" : " instead"}`;

/**
 * Every move: whether it decides, what it does, and its word in the hint line. A move without a
 * word is a second way to do what another key's hint already names.
 */
export const MOVES = {
	choose: decision((s) => choose(s, entry(s).row), chooses),
	toggle: decision((s) => toggle(s, entry(s).row), "toggle"),
	pick: decision(pick),
	commit: decision(commit, (s) => (isForm(s) ? "go on" : "submit")),
	send: decision(send, (s) => (question(s).multiSelect ? "keep" : "answer")),
	act: decision(act, (s) => ["submit", "decline"][s.reviewRow - s.questions.length] ?? "change"),
	jump: move((s, { digit = 0 }) => (digit > s.questions.length ? s : goTo(s, digit - 1))),
	up: move((s) => moveFocus(s, -1), "move"),
	down: move((s) => moveFocus(s, 1), "move"),
	upList: move((s) => moveFocus(s, -1, true)),
	downList: move((s) => moveFocus(s, 1, true)),
	nextTab: move((s) => turnTab(s, 1), ifForm),
	previousTab: move((s) => turnTab(s, -1)),
	takeBack: decision(takeBack),
	note: decision((s) => ({ ...s, scroll: 0, noting: true }), "note"),
	closeNote: decision(closeNote, "keep"),
	leaveNote: decision((s, key) => quiet(closeNote(s), key), "keep"),
	scrollDown: move((s, key) => scrollBy(s, key, 1), whenCut),
	scrollUp: move((s, key) => scrollBy(s, key, -1), whenCut),
	collapse: decision((s) => ({ ...s, collapsed: true }), "collapse"),
	expand: move((s, key) => quiet({ ...s, collapsed: false }, key)),
	edit: move(edit),
	/** The editor makes the line break itself; the row in the table is for its hint. */
	newLine: move(edit, "newline"),
	/** The component opens the editor and brings its text back as an edit. */
	external: decision(edit, "editor"),
	leave: decision((s, key) => quiet(focusRow(s, s.back), key), "back"),
	/** Clearing text is an edit; what is left to decide is what the key means without any. */
	clear: decision((s) => (s.noting ? closeNote(s) : decline(s))),
	decline: decision(decline, "decline"),
	none: move((s) => s),
};

/** The next state, and the end if this key brings it. The one place that changes state. */
export function press(state: State, key: Key): Pressed {
	const { decides, run } = MOVES[key.move];
	if (decides && (key.repeat || key.at < state.quietUntil)) return { state };
	if (state.asking && key.move !== "decline") return { state: { ...state, asking: false } };
	const next = run({ ...state, notice: "" }, key);
	return "state" in next ? next : { state: next };
}

// -- D4. Keys ---------------------------------------------------------------------------------
//
// The one table of keys. Recognition, the hint line and the documented key table are all read
// from it, so a hint cannot lie. Its order is the order of the hints, the most useful first. Keys
// go by Pi's keybinding ids where one exists, so that remapped keys work here as everywhere.

type Binding = Parameters<KeybindingsManager["matches"]>[1];
/** One line of the table. A key without a move in a place does nothing there. */
interface KeyRow {
	/** Ids of Pi's keybindings, which have a dot in them, and keys that have no id. */
	keys: readonly (Binding | KeyId)[];
	/** Of several keys for one move, those that the hint line leaves out. */
	silent?: boolean;
	moves: Partial<Record<Place, Move>>;
}

const everywhere = (name: Move) => ({ single: name, multi: name, next: name, review: name });
const typing = (text: Move, note = text) => ({ text, note });
const DIGITS: readonly KeyId[] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
/** Of two rows for one key the first that has a move in the place counts. */
export const KEYS: readonly KeyRow[] = [
	{ keys: ["tui.select.confirm"], moves: { single: "choose", multi: "toggle" } },
	{ keys: ["tui.select.confirm"], moves: { next: "commit", review: "act", folded: "expand" } },
	{ keys: ["tui.input.submit"], moves: typing("send", "closeNote") },
	{ keys: ["space"], silent: true, moves: { multi: "toggle" } },
	{ keys: ["k"], moves: everywhere("upList") },
	{ keys: ["j"], moves: everywhere("downList") },
	{ keys: ["tui.select.up"], moves: everywhere("up") },
	{ keys: ["tui.select.down"], moves: everywhere("down") },
	{ keys: ["tui.editor.cursorUp"], silent: true, moves: { text: "up" } },
	{ keys: ["tui.editor.cursorDown"], silent: true, moves: { text: "down" } },
	{ keys: ["d"], moves: everywhere("scrollDown") },
	{ keys: ["u"], moves: everywhere("scrollUp") },
	{ keys: ["tui.select.pageDown"], silent: true, moves: everywhere("scrollDown") },
	{ keys: ["tui.select.pageUp"], silent: true, moves: everywhere("scrollUp") },
	{ keys: ["app.clear"], moves: typing("clear") },
	{ keys: ["app.clear"], silent: true, moves: { ...everywhere("decline"), asking: "decline" } },
	{ keys: ["tui.select.cancel"], moves: { ...everywhere("decline"), asking: "decline" } },
	{ keys: ["tui.select.cancel"], moves: { ...typing("leave", "leaveNote"), folded: "expand" } },
	{ keys: DIGITS, moves: { ...everywhere("pick"), review: "jump" } },
	{ keys: ["tui.input.newLine"], moves: typing("newLine") },
	{ keys: ["tui.input.tab"], moves: { ...everywhere("nextTab"), text: "nextTab" } },
	{ keys: ["right"], silent: true, moves: everywhere("nextTab") },
	{ keys: ["shift+tab"], moves: { ...everywhere("previousTab"), text: "previousTab" } },
	{ keys: ["left"], moves: everywhere("previousTab") },
	{ keys: ["n"], moves: everywhere("note") },
	{ keys: ["app.editor.external"], moves: typing("external") },
	{ keys: ["backspace"], moves: { single: "takeBack", multi: "takeBack", next: "takeBack" } },
	{ keys: ["c"], moves: { ...everywhere("collapse"), folded: "expand" } },
	{ keys: ["ctrl+]"], silent: true, moves: { ...everywhere("collapse"), ...typing("collapse") } },
	{ keys: ["ctrl+]"], moves: { folded: "expand" } },
];

/** No key has a dot in its name, and every id of Pi's keybindings has one. */
const isBinding = (key: Binding | KeyId): key is Binding => key.includes(".");

/** The move of a key in a place, and which of the keys in its row it is: of digits, the digit. */
export function recognise(place: Place, data: string, bindings: KeybindingsManager) {
	for (const { keys, moves } of KEYS) {
		const move = moves[place];
		const index = keys.findIndex((key) =>
			isBinding(key) ? bindings.matches(data, key) : matchesKey(data, key),
		);
		if (move && index >= 0) return { move, digit: index + 1 };
	}
	return undefined;
}

/** The text a key types, in whatever way a terminal sends it, or undefined if it types none. */
export function typedBy(data: string): string | undefined {
	const [, code = ""] = /^\x1b\[27;[12];(\d{1,6})~$/.exec(data) ?? [];
	const sent = code === "" ? (decodeKittyPrintable(data) ?? data) : String.fromCodePoint(+code);
	return sent >= " " && sent !== "\x7f" ? sent : undefined;
}

const KEY_SIGNS: Readonly<Record<string, string>> = { escape: "esc", up: "↑", down: "↓" };
/** A key as it is written in a hint. */
export const keySign = (key: string) => KEY_SIGNS[key] ?? key;

/** The hints of a state as `[key, word]`. Keys that share a word share a hint. */
function hints(state: State, cut: boolean, paint: Paint): [string, string][] {
	const found = new Map<string, string>();
	for (const { keys, silent, moves } of KEYS) {
		const name = moves[placeOf(state)];
		const [key] = keys.flatMap((bound) => (isBinding(bound) ? paint.keysOf(bound) : bound));
		if (!name || silent || key === undefined) continue;
		const text = MOVES[name].hint(state, cut);
		const before = found.get(text) ?? "";
		// Two arrows read as one sign; a name needs something between it and the next.
		const gap = before !== "" && /\w/.test(before + keySign(key)) ? "/" : "";
		found.set(text, before + gap + keySign(key));
	}
	found.delete("");
	return [...found].map(([text, signs]) => [signs, text]);
}

// -- D5. Blocks -------------------------------------------------------------------------------
//
// The small layout kit: lines of text hung on a prefix, a window on more lines than fit, a box,
// and a frame that sheds its parts in a fixed order when the screen is short. Widths and wrapping
// are pi-tui's, so that what fits here is what fits there. Nothing is measured twice: a block is
// laid out once for its width, and what does not fit is cut from it by lines.

/** How things look and which keys are bound: all that a view needs from outside. */
export interface Paint extends Pick<Theme, "fg" | "bg" | "bold"> {
	/** Any text, safe to show, as lines no wider than a width. */
	wrap(text: string, width: number): readonly string[];
	/** The same for Markdown, with at least so many lines if it has them. */
	preview(markdown: string, width: number, least: number): Preview;
	keysOf(id: string): readonly string[];
}

/** Columns of the terminal, and rows the dialog may take of it. */
export type Size = { width: number; rows: number };
/** A state as lines, and how far what it cuts off can be scrolled. */
export type Picture = { lines: string[]; scroll: Scroll };
/** Lines that belong together, and the range of them that must stay in sight. */
type Block = { lines: string[]; focus?: readonly [from: number, to: number] };

type Style = (text: string) => string;
type Token = Parameters<Theme["fg"]>[0];
/** A style in one of Pi's colours. */
function ink(paint: Pick<Theme, "fg">, token: Token): Style {
	return (text) => paint.fg(token, text);
}

const linesOf = (blocks: readonly Block[]) => blocks.flatMap((block) => block.lines);

/** Wraps text behind a prefix; the lines after the first stand under the text, not the prefix. */
function hang(paint: Paint, prefix: string, text: string, width: number, style: Style): string[] {
	const indent = visibleWidth(prefix);
	const lines = paint.wrap(text, width - indent);
	return lines.map((line, i) => (i === 0 ? prefix : " ".repeat(indent)) + style(line));
}

/** Plain text cut to a width, without the resets that pi-tui puts around its ellipsis. */
const fit = (text: string, width: number) =>
	truncateToWidth(text, width, "…").replaceAll("\x1b[0m", "");

/** A line cut to a width. Most fit, and pi-tui finds that out faster than it cuts. */
const within = (line: string, width: number) =>
	visibleWidth(line) > width ? truncateToWidth(line, width, "") : line;
/** A line cut or filled to a width. */
function exactly(line: string, width: number): string {
	const cut = within(line, width);
	return cut + " ".repeat(Math.max(0, width - visibleWidth(cut)));
}

/** What is shown of more lines than fit, and how many are not. */
interface Window {
	lines: string[];
	above: number;
	below: number;
	/** Lines of the focus that do not fit, to be reached by scrolling. */
	hidden: number;
	/** Lines seen at once of what is scrolled. */
	seen: number;
	/** Lines that are scrolled before the question is: those of a preview. */
	passed: number;
}

/** The part of the blocks that fits, with the focus in its middle, or scrolled if it is taller. */
function windowOn(blocks: readonly Block[], height: number, scroll: number): Window {
	const lines = linesOf(blocks);
	let [line, head, from, to] = [0, 0, 0, 0];
	for (const { lines: own, focus } of blocks) {
		if (focus) [head, from, to] = [line, line + focus[0], line + focus[1]];
		line += own.length;
	}
	const hidden = Math.max(0, to - from - height);
	const room = Math.max(0, Math.floor((height - (to - from)) / 2));
	const start = clamp(from - room + Math.min(scroll, hidden), 0, lines.length - height);
	const shown = lines.slice(start, start + height);
	// The line with the pointer stays while the rest of its row is scrolled or edited.
	if (start > head && (hidden > 0 || start < from)) shown[0] = `${at(lines, head)} …`;
	const below = lines.length - start - shown.length;
	return { lines: shown, above: start, below, hidden, seen: height - 1, passed: 0 };
}

/** Lines in a box of ours that nothing inside can leave, with the position where they are cut. */
function boxOf({ lines, rest }: Preview, scroll: number, { width, rows }: Size, paint: Paint) {
	const edge = ink(paint, "borderMuted");
	const room = rows - 2;
	const from = clamp(scroll, 0, Math.max(0, lines.length - room));
	const to = Math.min(lines.length, from + room);
	const total = `${rest > 0 ? "~" : ""}${lines.length + rest}`;
	const shown = room === 1 ? `${to}` : `${from + 1}-${to}`;
	const place = lines.length > room ? ` ${shown} of ${total} ` : "";
	const end = "─".repeat(Math.max(0, width - 3 - place.length));
	const inside = Array.from({ length: room }, (_, i) => exactly(lines[from + i] ?? "", width - 4));
	return [
		edge(`╭${"─".repeat(width - 2)}╮`),
		...inside.map((line) => `${edge("│")} ${line} ${edge("│")}`),
		edge("╰─") + ink(paint, "muted")(place) + edge(`${end}╯`),
	];
}

/** The parts around the scrolling middle, each laid out for the width. */
interface Frame {
	chips: string;
	question: string[];
	/** `more` tells of hidden lines where no rule does. */
	hint(cut: boolean, more: string): string;
	/** The hint line carries something the user must read. */
	notice: boolean;
}

/**
 * When rows are short the parts go one by one, in this order, each only while the middle has
 * fewer rows than it may claim against that part. The focused row is never given up.
 */
function shed(frame: Frame, middle: Middle, rows: number) {
	const kept = { blanks: 3, rules: 2, question: frame.question.length, chips: 1, hint: 1 };
	const taken = () => kept.blanks + kept.rules + kept.question + kept.chips + kept.hint;
	const lacking = (claim: number) => taken() + Math.min(middle.height, claim) - rows;
	if (lacking(middle.height) > 0) kept.blanks = 0;
	if (lacking(middle.claim) > 0) kept.rules = 0;
	kept.question -= clamp(lacking(Math.max(middle.claim, rows >> 1)), 0, kept.question - 1);
	const order = frame.notice ? (["chips", "question"] as const) : (["hint", "chips"] as const);
	for (const part of order) if (lacking(2) > 0) kept[part] = 0;
	return kept;
}

/** A rule across the width that tells how many lines are hidden behind it, as Pi's editor does. */
function rule(sign: string, hidden: number, width: number, paint: Paint): string {
	const text = hidden > 0 ? `─── ${sign} ${hidden} more ` : "";
	return paint.fg("accent", (text + "─".repeat(width)).slice(0, width));
}

/** The question's lines that are kept, with marks in the margins where it goes on. */
function questionPart(lines: readonly string[], kept: number, from: number): string[] {
	const last = from + kept - 1;
	return lines.slice(from, from + kept).map((line, i) => {
		const start = i === 0 && from > 0 ? `…${line.slice(1)}` : line;
		return from + i === last && last < lines.length - 1 ? `${start} …` : start;
	});
}

/** What fills the middle for a room, given the scroll that its own parts may use. */
interface Middle {
	/** Rows it would like to have. */
	height: number;
	/** Rows it claims against everything but the last parts of the frame. */
	claim: number;
	fill(room: number, scroll: number): Window;
}

/**
 * Puts the frame around what fits of the middle. One scroll position serves whatever is cut off,
 * one part after the other: first the preview, then the question, then the focused row. So one
 * pair of keys reads everything, and nothing needs a focus of its own to be scrolled.
 */
function stack(frame: Frame, middle: Middle, scroll: number, size: Size, paint: Paint): Picture {
	const { width, rows } = size;
	const kept = shed(frame, middle, rows);
	const room = rows - kept.blanks - kept.rules - kept.question - kept.chips - kept.hint;
	const cut = frame.question.length - kept.question;
	const probe = middle.fill(room, 0);
	const most = probe.hidden + cut;
	const position = Math.min(scroll, most);
	const inQuestion = clamp(position - probe.passed, 0, cut);
	const { lines, above, below } = position === 0 ? probe : middle.fill(room, position - inQuestion);
	const blank = kept.blanks > 0 ? [""] : [];
	const told = kept.rules > 0;
	const more = `${told || !above ? "" : ` ↑${above}`}${told || !below ? "" : ` ↓${below}`}`;
	const parts = [
		...(kept.rules > 0 ? [rule("↑", above, width, paint)] : []),
		...(kept.chips > 0 ? [frame.chips] : []),
		...blank,
		...questionPart(frame.question, kept.question, inQuestion),
		...blank,
		...lines,
		...blank,
		...(kept.hint > 0 ? [frame.hint(most > 0, more)] : []),
		...(kept.rules > 0 ? [rule("↓", below, width, paint)] : []),
	];
	// Half of what is seen at once of the part that scrolls next, so that nothing is skipped.
	const seen = position >= probe.passed && inQuestion < cut ? kept.question : probe.seen;
	return { lines: parts, scroll: { most, page: Math.max(1, Math.floor(seen / 2)) } };
}

// -- D6. Views --------------------------------------------------------------------------------
//
// A state as lines. Every line of the model's text hangs on a prefix of ours, so that it can
// never stand where our own signs stand. Colour only repeats what a sign says: the pointer is the
// focus, the check mark is what counts, brackets are the chip shown. The look is that of Pi's own
// selectors, in Pi's own colours, so that the dialog seems a part of Pi.

/** The rows of the editor in use, without its borders, and the one with the cursor. */
export type EditorRows = { lines: readonly string[]; cursor: number };

/** Below this width nothing can be laid out, and no key does what nobody can see. */
const MIN_WIDTH = 20;
/** From this width on a preview stands beside the options, which keep a share of it. */
const BESIDE_WIDTH = 100;
const ROWS_SHARE = 0.42;
/** Most rows of a preview with its borders. */
const MAX_PREVIEW = 24;
const NOTE = "Note: ";
const NOTE_GUTTER = 3 + NOTE.length;
/** Columns before a label: margin, pointer, number, and a box on multi-select. */
const gutter = (shown: Question) => (shown.multiSelect ? 10 : 6);

/** Columns of the rows: all of them, unless a preview stands beside. */
function rowsWidth(state: State, width: number): number {
	const alone = width < BESIDE_WIDTH || isReview(state) || !hasPreviews(question(state));
	return alone || placeOf(state) === "text" ? width : Math.floor(width * ROWS_SHARE);
}

/** Columns of the editor in the row where it stands. Too few of them and the editor breaks. */
export function editorWidth(state: State, width: number): number {
	const indent = state.noting ? NOTE_GUTTER : gutter(question(state));
	return rowsWidth(state, Math.max(MIN_WIDTH, width)) - indent - 1;
}

/** The row with the focus, or none while a note has it. */
const focusedRow = (state: State) => (state.noting ? -1 : entry(state).row);

/** The signs of what counts and of the focus. Everything else stands behind these columns. */
function pointer(focused: boolean, paint: Paint, ticked = false): string {
	const tick = ticked ? paint.fg("success", "✔") : " ";
	return focused ? `${tick}${paint.fg("accent", "→")} ` : `${tick}  `;
}

/** A row that must be seen whole while it has the focus. */
const asBlock = (lines: string[], focused: boolean): Block =>
	focused ? { lines, focus: [0, lines.length] } : { lines };

/** What stands before a label: pointer, number, and on multi-select the box. */
function rowPrefix(state: State, row: number, marked: boolean, paint: Paint): string {
	const focused = focusedRow(state) === row;
	const number = paint.fg(focused ? "accent" : "muted", `${row + 1}.`);
	const box = `${paint.fg(marked ? "success" : "muted", marked ? "[✔]" : "[ ]")} `;
	const { multiSelect } = question(state);
	return `${pointer(focused, paint, marked && !multiSelect)}${number} ${multiSelect ? box : ""}`;
}

/** An option with its description under its label. The chosen one of a single-select is ticked. */
function optionBlock(state: State, row: number, width: number, paint: Paint): Block {
	const shown = question(state);
	const { label, description } = at(shown.options, row);
	const focused = focusedRow(state) === row;
	const marked = standing(shown, entry(state)).choices.includes(row);
	const prefix = rowPrefix(state, row, marked, paint);
	const lines = hang(paint, prefix, label, width - 2, ink(paint, focused ? "accent" : "text"));
	const indent = " ".repeat(gutter(shown));
	if (description !== "")
		lines.push(...hang(paint, indent, description, width - 1, ink(paint, "muted")));
	return asBlock(lines, focused);
}

/** Typed text where it is not being edited: as many lines as the editor would show. */
function typedLines(prefix: string, text: string, size: Size, paint: Paint, token: Token) {
	const { width, rows } = size;
	const lines = hang(paint, prefix, text, width - 2, ink(paint, token));
	const most = Math.max(5, Math.floor((rows + 4) * 0.3));
	if (lines.length <= most) return lines;
	return [...lines.slice(0, most - 1), `${at(lines, most - 1)}${paint.fg("dim", " …")}`];
}

/** Text that is being edited. Of a long one the line with the cursor must be in sight. */
function editedBlock(prefix: string, editor: EditorRows, placeholder: string, paint: Paint): Block {
	const indent = " ".repeat(visibleWidth(prefix));
	const lines = editor.lines.map((line, i) => (i === 0 ? prefix : indent) + line);
	if (placeholder === "") return { lines, focus: [editor.cursor, editor.cursor + 1] };
	// The cursor stands on the first letter, so that nothing moves when the row gets the focus.
	const cursor = (editor.lines[0]?.trimEnd() ?? " ").replace(" ", placeholder.charAt(0));
	return { lines: [prefix + cursor + paint.fg("dim", placeholder.slice(1))], focus: [0, 1] };
}

/** The row of the typed answer. A draft stays visible, and its colour and tick say if it counts. */
function customBlock(state: State, size: Size, paint: Paint, editor: EditorRows): Block {
	const shown = question(state);
	const { draft } = entry(state);
	const row = customRow(shown);
	const counts = standing(shown, entry(state)).text !== "";
	const prefix = rowPrefix(state, row, counts, paint);
	const placeholder = fit(CUSTOM, size.width - gutter(shown) - 1);
	if (focusedRow(state) === row)
		return editedBlock(prefix, editor, draft === "" ? placeholder : "", paint);
	if (isBlank(draft)) return { lines: [prefix + paint.fg("dim", placeholder)] };
	return { lines: typedLines(prefix, draft, size, paint, counts ? "success" : "muted") };
}

/** The note under the rows: being written, or as it stands, or nothing. */
function noteBlocks(state: State, size: Size, paint: Paint, editor: EditorRows): Block[] {
	const note = isReview(state) ? state.note : entry(state).note;
	const prefix = pointer(state.noting, paint) + paint.fg(state.noting ? "accent" : "muted", NOTE);
	if (state.noting) {
		const about = isReview(state) ? "on everything" : "on this question";
		return [editedBlock(prefix, editor, note === "" ? about : "", paint)];
	}
	return isBlank(note) ? [] : [{ lines: typedLines(prefix, note, size, paint, "muted") }];
}

/** A row of ours that leads on: only its name behind the pointer. */
const actionBlock = (label: string, focused: boolean, paint: Paint) =>
	asBlock([pointer(focused, paint) + paint.fg(focused ? "accent" : "text", label)], focused);

/** All rows of a question: its options in the model's order, then ours, then its note. */
function questionBlocks(state: State, size: Size, paint: Paint, editor: EditorRows): Block[] {
	const shown = question(state);
	const blocks = shown.options.map((_, row) => optionBlock(state, row, size.width, paint));
	blocks.push(customBlock(state, size, paint, editor));
	const next = customRow(shown) + 1;
	if (shown.multiSelect) blocks.push(actionBlock(NEXT, focusedRow(state) === next, paint));
	return [...blocks, ...noteBlocks(state, size, paint, editor)];
}

/** One question on the Submit tab, with its answer and its note. */
function reviewBlock(state: State, row: number, { width }: Size, paint: Paint): Block {
	const shown = at(state.questions, row);
	const focused = !state.noting && row === state.reviewRow;
	const number = paint.fg(focused ? "accent" : "muted", `${row + 1}.`);
	const prefix = `${pointer(focused, paint)}${number} `;
	const plain = ink(paint, focused ? "accent" : "text");
	const lines = hang(paint, prefix, shown.question, width - 1, plain);
	const { choices, text, note } = standing(shown, at(state.entries, row));
	const values = choices.map((choice) => at(shown.options, choice).label);
	if (text !== "") values.push(text);
	const style = ink(paint, values.length > 0 ? "success" : "warning");
	const sign = style(values.length > 0 ? "✔" : "○");
	lines.push(
		...hang(paint, `      ${sign} `, values.join(", ") || "not answered", width - 1, style),
	);
	const muted = ink(paint, "muted");
	const about = `        ${muted(NOTE)}`;
	if (!isBlank(note)) lines.push(...hang(paint, about, note, width - 1, muted));
	return asBlock(lines, focused);
}

/** The Submit tab: every answer once more, what is missing, and the two ways out. */
function reviewBlocks(state: State, size: Size, paint: Paint, editor: EditorRows): Block[] {
	const submit = state.questions.length;
	const action = (row: number, label: string) =>
		actionBlock(label, !state.noting && row === state.reviewRow, paint);
	const blocks = state.questions.map((_, row) => reviewBlock(state, row, size, paint));
	if (size.rows >= 16) blocks.push({ lines: [""] });
	blocks.push(...noteBlocks(state, size, paint, editor));
	const given = replies(state);
	const open = state.questions.filter((_, row) => !isAnswered(at(given, row)));
	if (open.length > 0) {
		const names = open.map((shown) => shown.header).join(", ");
		const text = `Not answered: ${names}`;
		blocks.push({ lines: hang(paint, "   ", text, size.width - 1, ink(paint, "warning")) });
	}
	return [...blocks, action(submit, "Submit"), action(submit + 1, "Cancel")];
}

/** One chip: its sign, its name cut by columns, and brackets where it is the one shown. */
function chip(name: string, sign: string, active: boolean, paint: Paint): string {
	if (active) return paint.bg("selectedBg", paint.fg("accent", paint.bold(`[${sign}${name}]`)));
	const color = sign.startsWith("✔") ? "success" : "muted";
	return ` ${paint.fg(color, sign)}${paint.fg("muted", name)} `;
}

/** A header as a chip's name: without our signs, and without the gap that parts two chips. */
const chipName = (header: string, width: number) =>
	fit(header.replace(/[✔○✎‹›]/g, "·").replace(/\s+/g, " "), Math.min(16, width));

/** The chips around the active one that fit, with Submit always at their end. */
function chipLine(state: State, width: number, paint: Paint): string {
	const noted = (tab: number) => (isBlank(at(state.entries, tab).note) ? "" : " ✎");
	if (!isForm(state)) {
		const name = chipName(question(state).header, 16);
		return paint.bg("selectedBg", ` ${name}${noted(0)} `);
	}
	const submit = chip("Submit", "", isReview(state), paint);
	const room = width - visibleWidth(submit) - 2;
	const given = replies(state);
	const chips = state.questions.map((shown, i) => {
		const name = chipName(shown.header, Math.max(1, room - 6)) + noted(i);
		return chip(name, isAnswered(at(given, i)) ? "✔ " : "○ ", i === state.tab, paint);
	});
	let from = Math.min(state.tab, chips.length - 1);
	let to = from + 1;
	const fits = (start: number, end: number) =>
		start >= 0 && end <= chips.length && visibleWidth(chips.slice(start, end).join("")) <= room;
	while (fits(from, to + 1) || fits(from - 1, to)) {
		if (fits(from, to + 1)) to++;
		else from--;
	}
	const left = from > 0 ? paint.fg("dim", "‹") : "";
	const right = to < chips.length ? paint.fg("dim", "›") : "";
	return left + chips.slice(from, to).join("") + right + submit;
}

const cancelSign = (paint: Paint) => keySign(paint.keysOf("tui.select.cancel")[0] ?? "ctrl+c");
/** The hints that fit, whole ones only, or in their place what the user must read now. */
function hintLine(state: State, cut: boolean, more: string, width: number, paint: Paint): string {
	const asking = `Decline? ${cancelSign(paint)} again: yes, any other key: no`;
	const notice = state.asking ? asking : state.notice;
	if (notice !== "") return ` ${paint.fg("warning", fit(notice, width - 2))}`;
	let line = more && paint.fg("dim", more);
	for (const [key, text] of hints(state, cut, paint)) {
		const gap = line === "" ? " " : "  ";
		const next = `${line}${gap}${paint.fg("dim", key)} ${paint.fg("muted", text)}`;
		if (visibleWidth(next) > width - 3) return `${line}${paint.fg("dim", " …")}`;
		line = next;
	}
	return line;
}

/** Rows that a preview would like, estimated without rendering, and the same for all options. */
function previewHeight(shown: Question, width: number): number {
	const rows = (line: string) => Math.max(1, Math.ceil(line.length / width));
	const heights = shown.options.map(({ preview = "" }) =>
		preview.split("\n", MAX_PREVIEW).reduce((sum, line) => sum + rows(line), 2),
	);
	return Math.min(MAX_PREVIEW, Math.max(...heights));
}

/** The rows alone. */
function rowsMiddle(blocks: readonly Block[]): Middle {
	const height = linesOf(blocks).length;
	const fill: Middle["fill"] = (room, scroll) => windowOn(blocks, Math.min(room, height), scroll);
	return { height, claim: 4, fill };
}

/** The preview of the focused option for a box of so many columns, or why there is none. */
function previewOf(state: State, width: number, rows: number, paint: Paint): Preview {
	const option = question(state).options[entry(state).row];
	if (option?.preview === undefined)
		return { lines: [paint.fg("dim", "No preview for this row.")], rest: 0 };
	// What is in sight, and what the next key can bring there.
	return paint.preview(option.preview, width - 4, state.scroll + 1.5 * rows);
}

/** Rows for a box below the rows: what they leave, and a fair share in any case. */
function heightBelow(room: number, tall: number, least: number, wanted: number): number {
	const most = room - Math.min(tall, room < 7 ? 2 : 4);
	const height = Math.min(wanted, Math.max(room - tall, Math.min(least, most)));
	return height < 3 ? 0 : height;
}

/**
 * The rows with a preview beside them, or below them where the width is short. While an answer is
 * typed it has the full width, and the box leaves its place empty, so that nothing jumps.
 */
function previewMiddle(state: State, size: Size, paint: Paint, editor: EditorRows): Middle {
	const beside = size.width >= BESIDE_WIDTH;
	const typing = placeOf(state) === "text";
	const left = Math.floor(size.width * ROWS_SHARE);
	const width = beside ? size.width - left - 1 : size.width - 2;
	const column = { ...size, width: rowsWidth(state, size.width) };
	const blocks = questionBlocks(state, column, paint, editor);
	const tall = linesOf(blocks).length;
	const wanted = previewHeight(question(state), width - 4);
	const least = Math.min(wanted, Math.max(5, Math.floor(size.rows / 3)));
	const preview = previewOf(state, width, Math.max(tall, MAX_PREVIEW), paint);
	const fill: Middle["fill"] = (room, scroll) => {
		const height = beside
			? Math.min(room, Math.max(tall, wanted))
			: heightBelow(room, tall, least, wanted);
		const all = beside ? height : Math.min(tall, room - height) + height;
		const boxed = height >= 3 && !typing;
		const passed = boxed ? Math.max(0, preview.lines.length - (height - 2)) : 0;
		const inRows = scroll - Math.min(scroll, passed);
		const rows = windowOn(blocks, boxed && !beside ? all - height : all, inRows);
		const row = (i: number) => rows.lines[i] ?? "";
		const box = boxed ? boxOf(preview, scroll, { width, rows: height }, paint) : [];
		const joined = box.map((line, i) => (beside ? exactly(row(i), left) + line : ` ${line}`));
		const above = Array.from({ length: all - box.length }, (_, i) => row(i));
		const seen = passed > 0 ? height - 2 : rows.seen;
		return { ...rows, lines: [...above, ...joined], hidden: rows.hidden + passed, passed, seen };
	};
	return { height: beside ? tall : tall + least, claim: beside ? 4 : 7, fill };
}

/** What scrolls: the review, the rows, or the rows with a preview. */
function middleOf(state: State, size: Size, paint: Paint, editor: EditorRows): Middle {
	if (isReview(state)) return rowsMiddle(reviewBlocks(state, size, paint, editor));
	if (!hasPreviews(question(state))) return rowsMiddle(questionBlocks(state, size, paint, editor));
	return previewMiddle(state, size, paint, editor);
}

/** One row instead of the dialog: that an answer is awaited, and how to get back. */
function collapsedLine(width: number, paint: Paint): string {
	const waits = paint.fg("accent", fit("● Waiting for your answer", width - 12));
	return ` ${waits}  ${paint.fg("dim", "c")} ${paint.fg("muted", "expand")}`;
}

/** The dialog as lines, none wider than the width and no more than the rows. */
export function view(state: State, paint: Paint, size: Size, editor: EditorRows): Picture {
	const { width } = size;
	const only = (line: string) => ({ lines: [line], scroll: { most: 0, page: 1 } });
	const narrow = state.asking ? `Decline? ${cancelSign(paint)}` : "Too narrow";
	if (width < MIN_WIDTH) return only(truncateToWidth(narrow, width, ""));
	if (state.collapsed) return only(collapsedLine(width, paint));
	const title = isReview(state) ? "Review your answers" : question(state).question;
	const frame: Frame = {
		chips: chipLine(state, width, paint),
		question: paint.wrap(title, width - 5).map((line) => `   ${paint.bold(line)}`),
		hint: (cut, more) => hintLine(state, cut, more, width, paint),
		notice: state.asking || state.notice !== "",
	};
	const picture = stack(frame, middleOf(state, size, paint, editor), state.scroll, size, paint);
	return { ...picture, lines: picture.lines.map((line) => within(line, width)) };
}

// -- D7. Component ----------------------------------------------------------------------------
//
// The impure rest: bytes in, lines out, one editor for each text, the clock, and the end of the
// dialog, which comes once. An exception that left `render` or `handleInput` would kill Pi, so
// both are guarded, and a fault ends the dialog instead. It asks for no frames: the host paints
// after every key anyway, and while it waits a frame is only taken from the last one.

/** What is asked, and what the dialog needs from the protocol's side. */
export interface Ask {
	questions: readonly Question[];
	display(text: string): string;
	now(): number;
}

export type Host = { tui: TUI; theme: Theme; keybindings: KeybindingsManager };

/** Of the editor only the text is shown: its borders are cut off, and it completes nothing. */
const EDITOR_THEME: EditorTheme = {
	borderColor: (text) => text,
	selectList: {} as EditorTheme["selectList"],
};

/** Both generations of pi-tui mark the cursor, each with its own bytes. */
const CURSOR = /(\x1b\[[0-9;]*m|\x1b_pi:[^\x07]*\x07)/;

/**
 * Lets the user edit a text in their own editor. Rejects with a sentence for the user where that
 * fails. The file is for nobody else's eyes and is removed in every case, and the child gets the
 * terminal as the host found it, since the editor draws on the same screen.
 */
async function editOutside(text: string, tui: TUI): Promise<string> {
	const [command, ...args] = (process.env.VISUAL || process.env.EDITOR || "").split(" ");
	if (!command) throw new Error("Set $VISUAL or $EDITOR to the editor to use.");
	const folder = mkdtempSync(join(tmpdir(), "pi-ask-"));
	const file = join(folder, "answer.md");
	tui.stop();
	try {
		writeFileSync(file, text, { mode: 0o600 });
		const shell = process.platform === "win32";
		const child = spawn(command, [...args, file], { stdio: "inherit", shell });
		const code = await new Promise((resolve) => {
			child.on("error", resolve);
			child.on("close", resolve);
		});
		if (code !== 0) throw new Error(`${command} failed; the text is unchanged.`);
		// The file ends in a line break of the editor's; control characters have no place in a text.
		return readFileSync(file, "utf8").replace(/\n$|[^\P{Cc}\n\t]/gu, "");
	} finally {
		rmSync(folder, { recursive: true, force: true });
		tui.start();
		tui.requestRender(true);
	}
}

type Laid = Preview & { width: number };
/** The component that Pi shows in place of its editor. */
class Dialog implements Component, Focusable {
	focused = false;
	#state: State;
	#ended = false;
	#drawn = false;
	#editing = false;
	#width = 80;
	#shown: { size: string; lines: string[] } | undefined;
	#scroll: Scroll = { most: 0, page: 1 };
	readonly #editors = new Map<string, Editor>();
	readonly #laidOut = { text: new Map<string, Laid>(), markdown: new Map<string, Laid>() };
	readonly #ask: Ask;
	readonly #host: Host;
	readonly #finish: (outcome: Outcome) => void;
	readonly #paint: Paint;

	constructor(ask: Ask, host: Host, finish: (outcome: Outcome) => void) {
		this.#ask = ask;
		this.#host = host;
		this.#finish = finish;
		this.#state = opened(ask.questions, ask.now());
		const { theme, keybindings } = host;
		this.#paint = {
			fg: (color, text) => theme.fg(color, text),
			bg: (color, text) => theme.bg(color, text),
			bold: (text) => theme.bold(text),
			wrap: (text, width) => this.#laid("text", text, width).lines,
			preview: (...preview) => this.#laid("markdown", ...preview),
			keysOf: (id) => keybindings.getKeys(id as Parameters<typeof keybindings.getKeys>[0]),
		};
	}

	render(width: number): string[] {
		return [...(this.#guarded(() => this.#draw(width)) ?? [])];
	}

	handleInput(data: string): void {
		if (this.#ended || this.#editing || isKeyRelease(data)) return;
		this.#guarded(() => this.#take(data));
	}

	get place(): Place {
		return placeOf(this.#state);
	}

	invalidate(): void {
		this.#shown = undefined;
		for (const kept of Object.values(this.#laidOut)) kept.clear();
	}

	/** Ends the dialog from outside: nobody rejected anything, and what stood is kept. */
	abort = () => this.#guarded(() => this.#end("aborted"));

	/** The host takes the dialog away. If no end was reached by then, there will be none. */
	dispose = () => this.#guarded(() => this.#end("failed"));

	/** Runs what must not throw. A fault ends the dialog with what stood, and Pi lives on. */
	#guarded<T>(run: () => T): T | undefined {
		try {
			return run();
		} catch {
			this.#end("failed");
			return undefined;
		}
	}

	/** The end comes once. What happens to a dialog that has ended is of no consequence. */
	#end(end: Outcome["end"]): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#finish({ end, replies: replies(this.#state), note: this.#state.note });
	}

	/** The last frame, or where anything has changed a new one. */
	#draw(width: number): string[] {
		// A slow start is no time that the user has seen anything.
		if (!this.#drawn) this.#state = quiet(this.#state, { move: "none", at: this.#ask.now() });
		this.#drawn = true;
		const rows = Math.max(3, this.#host.tui.terminal.rows - 4);
		const size = `${width}x${rows} ${this.focused}`;
		if (this.#shown?.size === size) return this.#shown.lines;
		this.#width = width;
		const { place } = this;
		const typing = isTyping(place);
		const editor = typing ? this.#editorRows() : { lines: [], cursor: 0 };
		const { lines, scroll } = view(this.#state, this.#paint, { width, rows }, editor);
		this.#scroll = scroll;
		this.#shown = { size, lines };
		return lines;
	}

	/** Text as lines, laid out once for a width, since every key paints every row again. */
	#laid(kind: "text" | "markdown", text: string, width: number, least = 0): Laid {
		const kept = this.#laidOut[kind];
		const old = kept.get(text);
		if (old?.width === width && (old.rest === 0 || old.lines.length >= least)) return old;
		const { display } = this.#ask;
		const { lines, rest } =
			kind === "text"
				? { lines: wrapTextWithAnsi(display(text), Math.max(1, width)), rest: 0 }
				: layOut(text, width, least, { theme: this.#host.theme, display });
		const laid = { width, lines, rest };
		kept.set(text, laid);
		return laid;
	}

	/** The editor in use. Its text is not set anew on the way: that would lose its pastes. */
	#editor(): Editor {
		const { tab, noting } = this.#state;
		const name = `${noting ? "note" : "draft"} ${tab}`;
		const editor = this.#editors.get(name) ?? new Editor(this.#host.tui, EDITOR_THEME);
		this.#editors.set(name, editor);
		return editor;
	}

	/** The editor's rows, and whether the cursor stands in the first or the last of its text. */
	#editorRows(): EditorRows & { first: boolean; last: boolean } {
		const editor = this.#editor();
		editor.focused = this.focused;
		const width = editorWidth(this.#state, this.#width);
		const rows = editor.render(width);
		const lines = rows.slice(1, -1);
		const cursor = lines.findIndex((line) => CURSOR.test(line));
		// A border that is not a plain rule tells of lines behind it, and is not shown itself.
		const [above, below] = [rows[0], rows.at(-1)].map((border) => /[^─]/.test(`${border}`));
		const sign = (i: number) => (i === 0 && above ? "↑" : below && !lines[i + 1] ? "↓" : "");
		const mark = (i: number) => (sign(i) === "" ? "" : this.#paint.fg("dim", sign(i)));
		// The text between the editor's own marks is the user's, and may hold anything.
		const show = (text: string) => this.#ask.display(text).replaceAll("\n", " ");
		const safe = (part: string) => (CURSOR.test(part) ? part : show(part));
		// Made safe it may take more columns than the editor counted. The cursor is what must stay.
		const keep = (s: string) => (visibleWidth(s) > width ? s.replace(/.*?(?=\x1b)/, "") : s);
		const shown = lines.map((line, i) => keep(line.split(CURSOR).map(safe).join("")) + mark(i));
		const last = cursor === lines.length - 1 && !below;
		return { lines: shown, cursor, first: cursor === 0 && !above, last };
	}

	/** Whether the editor has its own use for a key that is also a move. */
	#editorTakes(move: Move): boolean {
		if (move === "up") return !this.#editorRows().first;
		if (move === "down") return !this.#editorRows().last;
		if (move !== "send" && move !== "closeNote") return false;
		// A backslash before Enter is how terminals without Shift+Enter make a new line.
		const editor = this.#editor();
		const { line, col } = editor.getCursor();
		return at(editor.getLines(), line)[col - 1] === "\\";
	}

	/** One key from the host: text for the editor, or a move. */
	#take(data: string): void {
		const now = this.#ask.now();
		const { place } = this;
		const typing = isTyping(place);
		const { keybindings } = this.#host;
		// What can be typed is text there, also where a letter has been bound to something.
		const key =
			typing && typedBy(data) !== undefined ? undefined : recognise(place, data, keybindings);
		const leads = ["leave", "leaveNote", "decline", "expand"].includes(`${key?.move}`);
		if (this.#width < MIN_WIDTH && !leads && !this.#state.asking) return;
		const clears = key?.move === "clear" && textOf(this.#state) !== "";
		const repeat = isKeyRepeat(data);
		const pressed: Key = { move: "none", ...key, at: now, repeat, scroll: this.#scroll };
		// A line feed is Ctrl+J, which is a new line to Pi's own editor, but matches Enter as well.
		const breaks = data === "\n" || key?.move === "newLine";
		if (typing && (!key || breaks || this.#editorTakes(key.move)))
			this.#type(now, (editor) => {
				// Where Shift+Enter sends, a backslash before Enter would send too, and empty the editor.
				editor.disableSubmit = !key || breaks;
				editor.handleInput(data);
			});
		else if (clears && !repeat) this.#type(now, (editor) => editor.setText(""));
		else if (key?.move === "external") this.#editOutside(pressed);
		else this.#press(pressed);
	}

	/** Changes the text of the editor in use, and tells the state. */
	#type(now: number, change: (editor: Editor) => void): void {
		if (now < this.#state.quietUntil) return;
		const editor = this.#editor();
		change(editor);
		this.#press({ move: "edit", at: now, text: editor.getExpandedText() });
	}

	/** Hands the text to the user's own editor. Until that is closed no key is for the dialog. */
	#editOutside(key: Key): void {
		if (key.repeat || key.at < this.#state.quietUntil) return;
		this.#editing = true;
		const editor = this.#editor();
		// A very long text goes in as a paste, which the editor folds: to lay it out takes too long.
		const refill = (text: string) => {
			editor.setText(text.length > 10_000 ? "" : text);
			if (text.length > 10_000) editor.handleInput(`\x1b[200~${text}\x1b[201~`);
		};
		editOutside(textOf(this.#state), this.#host.tui)
			.then((text) => this.#type(this.#ask.now(), () => refill(text)))
			.catch((error) => {
				const notice = this.#ask.display(`${error.message}`).replaceAll("\n", " ");
				this.#state = { ...this.#state, notice };
			})
			.finally(() => {
				this.#editing = false;
				this.#shown = undefined;
				// Keys that were still meant for the other editor may follow.
				this.#state = quiet(this.#state, { ...key, at: this.#ask.now() });
			});
	}

	#press(key: Key): void {
		const { state, end } = press(this.#state, key);
		// Some hosts leave the room of a folded dialog empty until they paint everything anew.
		if (state.collapsed !== this.#state.collapsed) this.#host.tui.requestRender(true);
		this.#state = state;
		this.#shown = undefined;
		if (end) this.#end(end);
	}
}

/** Opens the dialog. `finish` is called once, with what stood at the end. */
export const openDialog = (...parts: ConstructorParameters<typeof Dialog>) => new Dialog(...parts);

/** Stands last on purpose: a half-loaded module does not have it. */
export const DIALOG_READY = true;
