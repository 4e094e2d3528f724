// One dialog driven key by key without a terminal, and everything that must hold after every key
// whatever was asked, pressed or resized. properties.test.ts walks a bounded number of ways, and
// fuzz.ts walks on.
import assert from "node:assert/strict";
import { type Runtime, Session } from "node:inspector";
import { type Component, type KeybindingsConfig, visibleWidth } from "@mariozechner/pi-tui";
import {
	type Entry,
	isTyping,
	type Move,
	openDialog,
	placeOf,
	recognise,
	type State,
} from "../../dialog.ts";
import {
	type Answer,
	answersFrom,
	DECLINED,
	display,
	envelope,
	type Outcome,
	type Question,
	type Result,
} from "../../index.ts";
import { fakeHost, turn } from "./fake-host.ts";
import { shown, testTheme } from "./frame.ts";
import { bytes, keyLine } from "./keys.ts";

// npm names an editor to whatever it runs, and a walk must not start one.
delete process.env.VISUAL;
delete process.env.EDITOR;

// -- Looking inside ---------------------------------------------------------------------------

const session = new Session();
session.connect();

function post<T>(method: string, params: object): T {
	let found: unknown;
	session.post(method, params, (error, result) => {
		if (error) throw error;
		found = result;
	});
	return found as T;
}

interface Properties {
	privateProperties?: { name: string; value: Runtime.RemoteObject }[];
}

/**
 * The private fields of an object, through the debugger's door. So the shipped class needs none of
 * its own, and a test can hold its state against what it shows.
 */
function inside(object: object): { read(name: string): unknown; close(): void } {
	const hatch: { value?: unknown } = { value: object };
	Object.assign(globalThis, { hatch });
	const { result } = post<{ result: Runtime.RemoteObject }>("Runtime.evaluate", {
		expression: "globalThis.hatch.value",
		objectGroup: "walk",
	});
	return {
		read(name) {
			const { privateProperties = [] } = post<Properties>("Runtime.getProperties", {
				objectId: result.objectId,
				ownProperties: true,
			});
			const field = privateProperties.find((property) => property.name === name);
			if (!field) throw new Error(`no private field is called ${name}`);
			if (field.value.objectId === undefined) return field.value.value;
			Object.assign(globalThis, { hatch });
			post("Runtime.callFunctionOn", {
				objectId: field.value.objectId,
				functionDeclaration: "function () { globalThis.hatch.value = this; }",
			});
			return hatch.value;
		},
		close: () => post("Runtime.releaseObjectGroup", { objectGroup: "walk" }),
	};
}

// -- Steps ------------------------------------------------------------------------------------

/** How a terminal may report a key. */
export type Encoding = "legacy" | "kitty" | "repeat" | "release" | "modifyOtherKeys";

export type Act =
	| { sort: "key"; key: string; encoding: Encoding }
	/** A whole bracketed paste, as the host hands it on. */
	| { sort: "paste"; text: string }
	/** Bytes that are no key of anybody's: reports, half a paste, nonsense. */
	| { sort: "report" | "fragment" | "garbage"; data: string }
	| { sort: "resize"; columns: number; rows: number }
	| { sort: "focus"; focused: boolean }
	| { sort: "invalidate" };

export interface Step {
	/** Milliseconds that pass before it. */
	wait: number;
	act: Act;
}

const CODES: Record<string, number> = { enter: 13, tab: 9, esc: 27, space: 32, backspace: 127 };
const MODIFIERS: Record<string, number> = { shift: 1, alt: 2, ctrl: 4 };

/** xterm's older way to tell modified keys apart; keys without a code keep their own bytes. */
function otherKey(key: string): string | undefined {
	const parts = key.length === 1 ? [key] : key.split("+");
	const name = parts.pop() ?? "";
	const modifiers = 1 + parts.reduce((sum, part) => sum + (MODIFIERS[part] ?? 0), 0);
	const code = CODES[name] ?? (name.length === 1 ? name.charCodeAt(0) : undefined);
	return code === undefined ? undefined : `\x1b[27;${modifiers};${code}~`;
}

/** The name of an act in test/support/keys.ts, so that a violation can be replayed. */
function nameOf(act: Act): string {
	if (act.sort === "paste") return `paste:${act.text}`;
	if (act.sort !== "key") return "data" in act ? `raw:${act.data}` : "";
	if (act.encoding === "legacy") return act.key;
	if (act.encoding !== "modifyOtherKeys") return `${act.encoding}:${act.key}`;
	const other = otherKey(act.key);
	return other === undefined ? act.key : `raw:${other}`;
}

/** What reaches `handleInput`: one sequence, an empty one for an act that is no input. */
function dataOf(act: Act): string {
	const name = nameOf(act);
	return name === "" || name === "raw:" || name === "paste:" ? "" : bytes(name);
}

export interface Form {
	questions: readonly Question[];
	columns: number;
	rows: number;
	keybindings: KeybindingsConfig;
}

// -- Invariants of a frame --------------------------------------------------------------------

/** Paint, and the cursor marks of the two generations. */
export const ALLOWED = /\x1b\[[\d;]*m|\x1b_pi:(?:c|fc|\/fc)\x07/g;
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
/** What reorders the text of a line behind the reader's back. */
const DECEIVING = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]|\p{Cs}/u;
const MARK = "\x1b_pi:c\x07";

/** Fails on text that must not be on a screen, in an event or in a result. */
export function assertSafe(text: string, what: string): void {
	if (CONTROL.test(text.replaceAll("\n", ""))) assert.fail(`control in ${what}: ${shown(text)}`);
	if (DECEIVING.test(text)) assert.fail(`deceiving character in ${what}: ${JSON.stringify(text)}`);
}

const POINTER = testTheme.fg("accent", "→");
/** With fewer columns nothing is laid out, and keys only lead out. */
const MIN_COLUMNS = 20;

function assertFrame(lines: readonly string[], state: State, walk: Walk): void {
	const { columns } = walk;
	const rows = Math.max(3, walk.rows - 4);
	if (lines.length > rows) assert.fail(`${lines.length} rows where ${rows} fit`);
	for (const line of lines) {
		const width = visibleWidth(line);
		if (width > columns) assert.fail(`${width} columns where ${columns} fit: ${shown(line)}`);
		const text = line.replace(ALLOWED, "");
		if (text.includes("\n")) assert.fail(`a line break in a line: ${shown(line)}`);
		assertSafe(text, "a frame");
	}
	const cursors = lines.join("\n").split(MARK).length - 1;
	const place = placeOf(state);
	const typing = isTyping(place) && walk.dialog.focused;
	if (cursors > 1) assert.fail(`${cursors} cursors`);
	if (!typing && cursors > 0) assert.fail(`a cursor in place ${place}`);
	if (typing && columns >= MIN_COLUMNS && cursors !== 1) assert.fail(`no cursor in ${place}`);
	// Without the host's focus the cursor is merely drawn, in a row below the pointer's, perhaps.
	const unfocused = isTyping(place) && !walk.dialog.focused;
	if (columns < MIN_COLUMNS || place === "folded" || cursors === 1 || unfocused) return;
	// Before it there is one column, for a sign. No text of the model's can be painted so.
	const pointed = lines.filter((line) => {
		const before = line.indexOf(`${POINTER} `);
		return before >= 0 && visibleWidth(line.slice(0, before)) === 1;
	});
	if (pointed.length !== 1) assert.fail(`${pointed.length} rows with the pointer in ${place}`);
}

// -- Invariants of a key ----------------------------------------------------------------------

/** Keys of pi-tui's editor that may leave it empty. */
const ERASERS = [
	"tui.editor.deleteCharBackward",
	"tui.editor.deleteCharForward",
	"tui.editor.deleteWordBackward",
	"tui.editor.deleteWordForward",
	"tui.editor.deleteToLineStart",
	"tui.editor.deleteToLineEnd",
	"tui.editor.undo",
	"tui.editor.yankPop",
] as const;

/** Moves that lead out of something, which may be made unseen. */
const LEADING: readonly Move[] = ["leave", "leaveNote", "decline", "expand"];

const texts = (state: State) =>
	[...state.entries.flatMap(({ draft, note }) => [draft, note]), state.note].join("\0");
const choices = (state: State) => JSON.stringify(state.entries.map((entry) => entry.choices));

function assertKey(before: State, after: State, act: Act, walk: Walk): void {
	const place = placeOf(before);
	const data = dataOf(act);
	const bindings = walk.keybindings;
	const encoding = act.sort === "key" ? act.encoding : undefined;
	if (encoding === "release" && before !== after) assert.fail("a release changed the state");
	const quiet = walk.now < before.quietUntil;
	const leads = LEADING.includes(recognise(place, data, bindings)?.move ?? "none");
	const unseen = walk.columns < MIN_COLUMNS && !leads && !before.asking;
	if (unseen && before !== after) assert.fail(`${shown(data)} acted where nothing is seen`);
	// Nonsense may be some terminal's way to say Enter.
	const isKey = act.sort === "key" || (act.sort === "garbage" && recognise(place, data, bindings));
	const harmless = quiet || encoding === "repeat" || !isKey;
	if ((harmless || isTyping(place)) && choices(before) !== choices(after))
		assert.fail(`${act.sort} chose in ${place}`);
	if (harmless && walk.outcome) assert.fail(`${act.sort} ended the dialog in ${place}`);
	if (texts(before) === texts(after)) return;
	if (quiet) assert.fail("a key typed in the quiet time");
	if (!isTyping(place)) assert.fail(`${act.sort} changed a text in ${place}`);
	if (act.sort === "report") assert.fail(`a report was typed: ${shown(data)}`);
	assertEdit(before, after, data, walk);
}

/** One text changed: the one that was being edited, and by a key that edits. */
function assertEdit(before: State, after: State, data: string, walk: Walk): void {
	const place = placeOf(before);
	const move = recognise(place, data, walk.keybindings)?.move;
	const old = textOf(before);
	const rest = (state: State, field: string) => texts(withText(state, before, field));
	if (rest(before, "") !== rest(after, "")) assert.fail("a key changed a text out of sight");
	// A line feed is a new line, though it still reads as Enter.
	const newLine = data === "\n" || walk.keybindings.matches(data, "tui.input.newLine");
	const editing = move === undefined || newLine || move === "clear";
	const breaks = (move === "send" || move === "closeNote") && old.includes("\\");
	if (!editing && !breaks) assert.fail(`the move ${move} changed ${JSON.stringify(old)}`);
	const gone = old.trim() !== "" && textOf(after, before) === "";
	const erases = ERASERS.some((id) => walk.keybindings.matches(data, id));
	const other = /^\x1b\[(?:127|8|3|57349)?(?:;\d+)?(?::\d+)?[u~]$/.test(data);
	if (gone && move !== "clear" && !erases && !other)
		assert.fail(`${shown(data)} made ${JSON.stringify(old)} disappear`);
}

/** The text being edited in one state, as another has it. */
function textOf(state: State, place: State = state): string {
	if (place.tab === place.questions.length) return state.note;
	const entry = state.entries[place.tab] as Entry;
	return place.noting ? entry.note : entry.draft;
}

function withText(state: State, place: State, text: string): State {
	if (place.tab === place.questions.length) return { ...state, note: text };
	const field = place.noting ? { note: text } : { draft: text };
	const entries = state.entries.map((old, i) => (i === place.tab ? { ...old, ...field } : old));
	return { ...state, entries };
}

// -- Invariants of the end --------------------------------------------------------------------

export function assertOutcome(questions: readonly Question[], outcome: Outcome): Answer[] {
	const answers = answersFrom(questions, outcome.replies);
	assert.deepEqual(JSON.parse(JSON.stringify(outcome)), outcome);
	const result: Result = { answers, cancelled: outcome.end !== "answered" };
	assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
	for (const answer of answers) {
		const question = questions[answer.questionIndex];
		const labels = question?.options.map((option) => option.label) ?? [];
		if (answer.kind === "option") assert.ok(labels.includes(answer.answer ?? ""));
		const { selected = [] } = answer;
		assert.deepEqual(
			selected,
			labels.filter((label) => selected.includes(label)),
		);
		assert.equal(answer.kind === "multi", selected.length > 0);
	}
	const text = envelope(outcome.note === "" ? result : { ...result, globalNote: outcome.note });
	assert.equal(text.toWellFormed().includes("\ufffd") || text.isWellFormed(), true);
	assert.equal(text === DECLINED, outcome.end !== "answered");
	return answers;
}

type Keybindings = Parameters<typeof recognise>[2];

// -- The walk ---------------------------------------------------------------------------------

export class Walk {
	readonly keybindings: Keybindings;
	readonly dialog: ReturnType<typeof openDialog>;
	columns: number;
	rows: number;
	now = 1_000_000;
	outcome: Outcome | undefined;
	/** The dialog's own state after the last step. */
	state: State;
	keys = 0;
	readonly #form: Form;
	readonly #host: ReturnType<typeof fakeHost>;
	readonly #inside: ReturnType<typeof inside>;
	readonly #editors: Map<string, Editing>;
	readonly #way: Step[] = [];
	#steps = 0;
	#steady: { about: string; height: number } | undefined;

	constructor(form: Form) {
		this.#form = form;
		this.columns = form.columns;
		this.rows = form.rows;
		this.#host = fakeHost({ keybindings: form.keybindings });
		this.keybindings = this.#host.keybindings as unknown as Keybindings;
		this.#host.resize(form.columns, form.rows);
		const ask = { questions: form.questions, display, now: () => this.now };
		const host = { tui: this.#host.tui, theme: testTheme, keybindings: this.keybindings };
		this.dialog = openDialog(ask, host, (outcome) => {
			if (this.outcome) assert.fail("finished twice");
			this.outcome = outcome;
		});
		this.dialog.focused = true;
		this.#inside = inside(this.dialog);
		this.#editors = this.#inside.read("#editors") as Map<string, Editing>;
		// No host gives a key to a dialog that it has not painted.
		this.dialog.render(this.columns);
		this.state = this.#read();
	}

	#read(): State {
		return this.#inside.read("#state") as State;
	}

	/** Does one step and checks everything. A violation is reported with the way to it. */
	async step(step: Step): Promise<void> {
		this.#way.push(step);
		try {
			await this.#take(step);
		} catch (error) {
			throw new Error(`${(error as Error).message}\n${this.report()}`, { cause: error });
		}
	}

	/** The way so far, as the head of a file for `npm run play`; below it what a head cannot say. */
	report(): string {
		const { questions, keybindings } = this.#form;
		const names = this.#way.map(({ act }) => nameOf(act)).filter((name) => name !== "");
		const steps = this.#way.map(({ wait, act }) => {
			if (act.sort === "resize") return `${wait} (${act.columns}x${act.rows})`;
			if (act.sort === "focus") return `${wait} (${act.focused ? "" : "un"}focused)`;
			return `${wait} ${nameOf(act) || act.sort}`;
		});
		return [
			`violation, ${this.columns}x${this.rows}`,
			`call: ${JSON.stringify({ questions })}`,
			`keybindings: ${JSON.stringify(keybindings)}`,
			`keys: ${keyLine(names)}`,
			`steps: from ${this.#form.columns}x${this.#form.rows} ${JSON.stringify(steps)}`,
		].join("\n");
	}

	close(): void {
		this.dialog.dispose();
		this.#inside.close();
	}

	async #take({ wait, act }: Step): Promise<void> {
		this.now += wait;
		if (act.sort === "resize") this.#resize(act.columns, act.rows);
		if (act.sort === "focus") this.dialog.focused = act.focused;
		if (act.sort === "invalidate") this.dialog.invalidate();
		const data = dataOf(act);
		const before = this.state;
		const ended = this.outcome;
		if (data !== "") {
			this.keys++;
			this.dialog.handleInput(data);
			// An editor of the user's own cannot be started here, and says so a little later.
			await turn();
			this.state = this.#read();
		}
		const after = this.state;
		if (ended && (before !== after || this.outcome !== ended)) assert.fail("a key after the end");
		if (!ended && data !== "") assertKey(before, after, act, this);
		if (this.outcome && !ended) assertOutcome(this.#form.questions, this.outcome);
		this.#look(after);
	}

	/** Renders; the dialog catches its own exceptions, which is a violation too. */
	#render(): string[] {
		const lines = this.dialog.render(this.columns);
		if (this.outcome?.end === "failed") assert.fail("an exception was caught");
		return lines;
	}

	#resize(columns: number, rows: number): void {
		this.columns = columns;
		this.rows = rows;
		this.#host.resize(columns, rows);
	}

	#look(state: State): void {
		const lines = this.#render();
		assertFrame(lines, state, this);
		this.#assertSteady(lines.length, state);
		const again = this.#render();
		if (again === lines) assert.fail("the same array twice");
		assert.deepEqual(again, lines);
		again.push("not a line of the dialog");
		if (this.#steps++ % 8 === 0) {
			this.dialog.invalidate();
			assert.deepEqual(this.#render(), lines);
			this.#lookElsewhere(lines);
			if (this.#read() !== state) assert.fail("rendering changed the state");
		}
		for (const [name, editor] of this.#editors) {
			const [field, tab] = name.split(" ");
			const entry = state.entries[Number(tab)];
			const text = field === "draft" ? entry?.draft : (entry?.note ?? state.note);
			if (editor.getExpandedText() !== text) assert.fail(`the editor's ${name} is not the state's`);
		}
	}

	/** Moving the focus through the rows of a question does not make the dialog jump. */
	#assertSteady(height: number, state: State): void {
		const place = placeOf(state);
		const inRows = place === "single" || place === "multi" || place === "next";
		const about = `${this.columns}x${this.rows} ${state.tab} ${texts(state)} ${choices(state)}`;
		const old = this.#steady;
		if (inRows && old?.about === about && old.height !== height)
			assert.fail(`the focus made ${old.height} rows ${height}`);
		this.#steady = inRows ? { about, height } : undefined;
	}

	/** Other sizes in between leave no trace. */
	#lookElsewhere(lines: string[]): void {
		const { columns, rows } = this;
		for (const width of [1, 22, columns + 40]) {
			this.#resize(width, rows);
			assertFrame(this.#render(), this.state, this);
		}
		this.#resize(columns, rows);
		// pi-tui's editor keeps the window it scrolled to where a text took more rows than it shows.
		const scrolled = isTyping(placeOf(this.state)) && !/^.{0,8}$/.test(textOf(this.state));
		const again = this.#render();
		if (!scrolled) assert.deepEqual(again, lines);
	}
}

interface Editing extends Component {
	getExpandedText(): string;
}

/** A key by its id, as the user has bound it, or by its name; pressed after a rest. */
function pressed(walk: Walk, key: string): Step {
	const bound = key.includes(".") ? (walk.keybindings.getKeys(key as never)[0] ?? "") : key;
	// The older encoding has no bytes for some keys a user may bind.
	const encoding = bound.startsWith("ctrl+") && bound.length > 6 ? "kitty" : "legacy";
	return { wait: 400, act: { sort: "key", key: bound === "escape" ? "esc" : bound, encoding } };
}

/** Esc gets everybody out of everywhere. */
export async function leave(walk: Walk): Promise<void> {
	for (let i = 0; i < 6 && !walk.outcome; i++) await walk.step(pressed(walk, "tui.select.cancel"));
	if (!walk.outcome) assert.fail(`six times Esc did not end it\n${walk.report()}`);
}

/** The key by which a user who wants to answer gets on from a state. */
function nextKey(state: State): string {
	const entry = state.entries[state.tab];
	const empty = state.entries.every(({ choices }) => choices.length === 0);
	switch (placeOf(state)) {
		case "folded":
			return "ctrl+]";
		case "asking":
			return "u";
		case "note":
		case "text":
			return "tui.select.cancel";
		case "multi":
			// `j` passes the row of the typed answer, which an arrow would enter.
			return entry?.choices.includes(entry.row) ? "j" : "space";
		case "review":
			if (empty) return "1";
			return state.reviewRow === state.questions.length ? "tui.select.confirm" : "k";
		case "next":
			return entry?.choices.length === 0 ? "k" : "tui.select.confirm";
		case "single":
			return "tui.select.confirm";
	}
}

/** From wherever it is, the walk ends with an answer. */
export async function answer(walk: Walk): Promise<void> {
	if (walk.columns < MIN_COLUMNS) {
		const act: Act = { sort: "resize", columns: MIN_COLUMNS, rows: walk.rows };
		await walk.step({ wait: 0, act });
	}
	for (let i = 0; i < 80 && !walk.outcome; i++) await walk.step(pressed(walk, nextKey(walk.state)));
	if (walk.outcome?.end !== "answered") assert.fail(`no answer was reached\n${walk.report()}`);
}
