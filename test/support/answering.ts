// What the user of a conformance case does, in the words of the call, and how a host's user would
// do it: as replies to a client's dialogs, or as the keys of a terminal.

/** What is done about one question. Several at once are done in the order of these fields. */
export interface Act {
	/** A note is written on the question. */
	note?: string;
	/** The option with this label is chosen. */
	choose?: string;
	/** The options with these labels are checked, in this order. */
	check?: readonly string[];
	/** This is typed as an answer. */
	type?: string;
	/** The question is left open. */
	skip?: true;
	/** The whole questionnaire is dismissed. */
	dismiss?: true;
	/** The call is aborted while the question is open. */
	abort?: true;
	/** The host's dialog breaks. */
	fail?: true;
}

/** As much of a call as can be answered. */
export interface Asked {
	questions: readonly { multiSelect?: boolean; options: readonly { label: string }[] }[];
}

/** Everything the user does: question by question, and then the note on all of it. */
export interface Answering {
	call: Asked;
	acts: readonly Act[];
	note: string | undefined;
}

// -- A client's dialogs -----------------------------------------------------------------------

/** The rows every question or form has besides its own; two of them are reserved labels. */
const ROWS = { custom: "Type something.", next: "Next", submit: "Submit" };

type Step = { row: string; text?: string } | "dismiss" | "abort" | "fail";

function stepsOf(act: Act, multiSelect: boolean): Step[] {
	const labels = [...(act.choose === undefined ? [] : [act.choose]), ...(act.check ?? [])];
	const steps: Step[] = labels.map((row) => ({ row }));
	if (act.type !== undefined) steps.push({ row: ROWS.custom, text: act.type });
	const last = (["dismiss", "abort", "fail"] as const).find((end) => act[end]);
	if (last) return [...steps, last];
	return multiSelect ? [...steps, { row: ROWS.next }] : steps;
}

/** A row without its box and its number. */
const bare = (row: string) => row.replace(/^(?:\[.\] )?(?:\d+\. )?/, "");

/** The row of a label, whatever an implementation writes behind it. */
function rowOf(rows: readonly string[], label: string): string {
	const row =
		rows.find((text) => bare(text) === label) ??
		rows.find((text) => bare(text).startsWith(`${label} — `)) ??
		rows.find((text) => bare(text).startsWith(`${label} `));
	if (row === undefined) throw new Error(`no row is "${label}" in ${JSON.stringify(rows)}`);
	return row;
}

/** A client's user, who takes one step for each dialog and says what could not be done. */
export function client({ call, acts }: Answering, abort: () => void) {
	const left = acts.flatMap((act, i) => stepsOf(act, call.questions[i]?.multiSelect === true));
	if (acts.length > 1) left.push({ row: ROWS.submit });
	const trouble: string[] = [];
	let typed: string | undefined;

	function take(rows: readonly string[]): string | undefined | Promise<undefined> {
		const step = left.shift();
		if (step === undefined) throw new Error(`nothing is left to answer ${JSON.stringify(rows)}`);
		if (step === "dismiss") return undefined;
		if (step === "fail") return Promise.reject(new Error("the client is gone"));
		if (step === "abort") {
			abort();
			// The host closes the dialog, as far as it was given the signal.
			return new Promise(() => {});
		}
		typed = step.text;
		return rowOf(rows, step.row);
	}

	return {
		trouble,
		select(_title: string, rows: readonly string[]) {
			try {
				return take(rows);
			} catch (error) {
				trouble.push((error as Error).message);
				throw error;
			}
		},
		input(title: string) {
			const text = typed;
			typed = undefined;
			if (text === undefined) trouble.push(`nothing is left to type for ${JSON.stringify(title)}`);
			return text;
		},
	};
}

// -- A terminal's keys ------------------------------------------------------------------------

const written = (text: string) => [`paste:${text}`, "enter"];
const noteKeys = (note: string | undefined) => (note === undefined ? [] : ["n", ...written(note)]);

/** From the first row on; the row for a typed answer is the one after the options. */
function actKeys({ choose, check, type, dismiss }: Act, labels: readonly string[]): string[] {
	const keys: string[] = [];
	let row = 0;
	const press = (label: string, key: string) => {
		const to = labels.indexOf(label);
		if (to < 0) throw new Error(`no option is "${label}"`);
		keys.push(...Array<string>(Math.abs(to - row)).fill(to > row ? "down" : "up"), key);
		row = to;
	};
	if (choose !== undefined) press(choose, "enter");
	for (const label of check ?? []) press(label, "space");
	if (type !== undefined) keys.push(`${labels.length + 1}`, ...written(type));
	else if (check) keys.push(...Array<string>(labels.length - row + 1).fill("down"));
	// With something to lose, the first Esc only asks.
	return dismiss ? [...keys, "esc", "esc"] : keys;
}

/** The keys, by their names in keys.ts, of a user of this package's dialog. */
export function keysOf({ call: { questions }, acts, note }: Answering): string[] {
	const keys: string[] = [];
	const open = new Set(questions.keys());
	let tab = 0;
	const go = (to: number) => {
		keys.push(...Array<string>(Math.abs(to - tab)).fill(to > tab ? "tab" : "shift+tab"));
		tab = to;
	};
	for (const [i, { multiSelect, options }] of questions.entries()) {
		const act = acts[i] ?? { skip: true };
		go(i);
		const labels = options.map(({ label }) => label);
		keys.push(...noteKeys(act.note), ...actKeys(act, labels));
		if (act.dismiss) return keys;
		if (act.skip) continue;
		if (multiSelect) keys.push("enter");
		// An answer leads to the next question that is still open, and at last to the review.
		open.delete(i);
		tab = [...open].find((other) => other > i) ?? [...open][0] ?? questions.length;
	}
	if (questions.length === 1) return keys;
	go(questions.length);
	return [...keys, ...noteKeys(note), "enter"];
}
