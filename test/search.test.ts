// The reducer taken to its limits: every state that one small form can reach, by every move that
// any key makes there. What holds in all of them holds, rather than in those one thought of.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	type Entry,
	KEYS,
	type Key,
	MOVES,
	type Move,
	opened,
	placeOf,
	press,
	replies,
	type State,
} from "../dialog.ts";
import type { Question } from "../index.ts";

// -- The form ---------------------------------------------------------------------------------

const OPTIONS = ["one", "two"].map((label) => ({ label, description: "" }));
const FORM: readonly Question[] = [
	{ question: "Which?", header: "Single", options: OPTIONS, multiSelect: false },
	{ question: "Which ones?", header: "Multi", options: OPTIONS, multiSelect: true },
];

/** Past every quiet time. */
const NOW = 1_000_000;
const TEXTS = ["", "a"];

// -- The states -------------------------------------------------------------------------------
//
// A state is kept as a number. Left out is what no later move can tell: the clock, the scroll, the
// text of a notice, and values that are overwritten before they are read again.

const atOnce = (state: State, tab: number) => state.entries[tab] as Entry;

function canonical(state: State): State {
	const onCustom = state.tab < 2 && atOnce(state, state.tab).row === OPTIONS.length;
	return {
		...state,
		quietUntil: 0,
		scroll: 0,
		notice: "",
		back: onCustom ? state.back : 0,
		reviewRow: state.tab === FORM.length ? state.reviewRow : 0,
		// On multi-select the text counts whenever there is one.
		entries: state.entries.map((entry, i) => (i === 1 ? { ...entry, typed: false } : entry)),
	};
}

/** The number of a canonical state: its parts as digits. */
function numberOf(state: State): number {
	let number = 0;
	const digit = (base: number, value: number | boolean | string) => {
		const at = typeof value === "string" ? TEXTS.indexOf(value) : Number(value);
		assert.ok(at >= 0 && at < base, `${value} is no digit of base ${base}`);
		number = number * base + at;
	};
	digit(3, state.tab);
	digit(4, state.reviewRow);
	digit(4, state.back);
	digit(2, state.note);
	for (const flag of [state.noting, state.collapsed, state.asking]) digit(2, flag);
	for (const { row, choices, draft, typed, note } of state.entries) {
		digit(4, row);
		digit(
			4,
			choices.reduce((mask, choice) => mask + 2 ** choice, 0),
		);
		digit(2, draft);
		digit(2, typed);
		digit(2, note);
	}
	return number;
}

/** Every key that does something in a place, and in texts the two that matter: typing and not. */
function keysIn(state: State): Key[] {
	const place = placeOf(state);
	const keys: Key[] = [{ move: "none", at: NOW }];
	for (const { keys: bound, moves } of KEYS) {
		const move = moves[place];
		if (!move) continue;
		const digits = bound.length === 9 ? [1, 2, 3, 4, 5] : [1];
		for (const digit of digits) keys.push({ move, at: NOW, digit });
	}
	// The first question's note stays empty: with the second's and the form's, half the states do.
	if (place === "text" || (place === "note" && state.tab > 0))
		for (const text of TEXTS) keys.push({ move: "edit", at: NOW, text });
	return keys;
}

// -- What holds for each move -----------------------------------------------------------------

const told = (state: State, { move, digit, text }: Key) =>
	`${move} ${text ?? digit} in ${JSON.stringify({ ...state, questions: [] })}`;

/** Whether an entry says the same, wherever its focus stands. */
const isSame = (a: Entry, b: Entry) =>
	a === b || (a.choices.join() === b.choices.join() && a.typed === b.typed);

function assertMove(before: State, key: Key, after: State): void {
	const edits = key.move === "edit" && before.tab;
	const everything = edits === FORM.length;
	if (before.note !== after.note && !everything)
		assert.fail(`a text changed: ${told(before, key)}`);
	before.entries.forEach((entry, tab) => {
		const now = atOnce(after, tab);
		const draft = entry.draft === now.draft || (edits === tab && !before.noting);
		const note = entry.note === now.note || (edits === tab && before.noting);
		if (!draft || !note) assert.fail(`a text changed: ${told(before, key)}`);
	});
	if (MOVES[key.move].decides) {
		const repeated = press(before, { ...key, repeat: true });
		const early = press({ ...before, quietUntil: NOW + 1 }, key);
		if (repeated.state !== before || repeated.end || early.end)
			assert.fail(`a held or early key decided: ${told(before, key)}`);
		return;
	}
	if (key.move === "edit") return;
	if (!before.entries.every((entry, tab) => isSame(entry, atOnce(after, tab))))
		assert.fail(`what stands changed: ${told(before, key)}`);
}

/** What is sent is something, and what is declined was asked for. */
function assertEnd(state: State, key: Key, end: string): void {
	const something = replies(state).some(
		({ choices, text, note }) => choices.length > 0 || text + note !== "",
	);
	if (end === "answered" && !something && state.note === "")
		assert.fail(`answered with nothing: ${told(state, key)}`);
	if (end === "declined" && !state.asking && (something || state.note !== ""))
		assert.fail(`declined without asking: ${told(state, key)}`);
}

// -- The search -------------------------------------------------------------------------------

interface Found {
	states: State[];
	/** For each state the numbers of those it was reached from. */
	from: number[][];
	answered: number[];
	declined: number[];
	moves: Set<Move>;
}

function search(): Found {
	const start = canonical(opened(FORM, 0));
	const ids = new Map([[numberOf(start), 0]]);
	const found: Found = {
		states: [start],
		from: [[]],
		answered: [],
		declined: [],
		moves: new Set(),
	};
	for (let id = 0; id < found.states.length; id++) {
		const state = found.states[id] as State;
		for (const key of keysIn(state)) {
			found.moves.add(key.move);
			const pressed = press(state, key);
			assertMove(state, key, pressed.state);
			if (pressed.end) {
				assertEnd(pressed.state, key, pressed.end);
				found[pressed.end].push(id);
				continue;
			}
			if (pressed.state === state) continue;
			const next = canonical(pressed.state);
			const number = numberOf(next);
			const known = ids.get(number);
			if (known !== undefined) found.from[known]?.push(id);
			else {
				ids.set(number, found.states.length);
				found.states.push(next);
				found.from.push([id]);
			}
		}
	}
	return found;
}

/** The states from which none of the ends can be reached. */
function stuck({ states, from }: Found, ends: readonly number[]): State[] {
	const reaches = new Uint8Array(states.length);
	const open = [...ends];
	for (const end of open) reaches[end] = 1;
	for (let id = open.pop(); id !== undefined; id = open.pop())
		for (const before of from[id] ?? [])
			if (!reaches[before]) {
				reaches[before] = 1;
				open.push(before);
			}
	return states.filter((_, id) => !reaches[id]);
}

test("no state of a small form is a dead end, and none loses a text", (t) => {
	const found = search();
	const { states, moves } = found;
	t.diagnostic(`${states.length} states, ${found.from.flat().length} ways between them`);
	for (const end of ["answered", "declined"] as const) {
		const [state] = stuck(found, found[end]);
		if (state) assert.fail(`never ${end}: ${JSON.stringify({ ...state, questions: [] })}`);
	}
	assert.deepEqual([...moves].sort(), Object.keys(MOVES).sort());
});
