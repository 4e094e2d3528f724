// The bytes a terminal sends for a key, by the key's name.

const LEGACY: Record<string, string> = {
	enter: "\r",
	tab: "\t",
	"shift+tab": "\x1b[Z",
	esc: "\x1b",
	space: " ",
	backspace: "\x7f",
	delete: "\x1b[3~",
	up: "\x1b[A",
	down: "\x1b[B",
	right: "\x1b[C",
	left: "\x1b[D",
	home: "\x1b[H",
	end: "\x1b[F",
	pageUp: "\x1b[5~",
	pageDown: "\x1b[6~",
	// No older form tells it from Enter.
	"shift+enter": "\x1b[13;2u",
	"ctrl+-": "\x1f",
	"ctrl+]": "\x1d",
};

const CODES: Record<string, number> = { enter: 13, tab: 9, esc: 27, space: 32, backspace: 127 };
const EVENTS: Record<string, number> = { kitty: 1, repeat: 2, release: 3 };
const MODIFIERS: Record<string, number> = { shift: 1, alt: 2, ctrl: 4 };

function kitty(key: string, event: number): string {
	const parts = key.length === 1 ? [key] : key.split("+");
	const name = parts.pop() ?? "";
	const modifiers = 1 + parts.reduce((sum, part) => sum + (MODIFIERS[part] ?? 0), 0);
	const code = CODES[name] ?? (name.length === 1 ? name.codePointAt(0) : undefined);
	if (code !== undefined) return `\x1b[${code};${modifiers}:${event}u`;
	const legacy = /^\x1b\[(\d*)([A-Z~])$/.exec(LEGACY[name] ?? "");
	if (!legacy) throw new Error(`no key is called "${key}"`);
	return `\x1b[${legacy[1] || 1};${modifiers}:${event}${legacy[2]}`;
}

/**
 * What a terminal sends: `enter`, `shift+tab`, `ctrl+c`, `alt+enter`, `a`; `paste:TEXT` as one
 * bracketed paste; `kitty:`, `repeat:` and `release:` before a key for the newer protocol's
 * events; `raw:BYTES` for anything else.
 */
export function bytes(name: string): string {
	const [, kind, rest = ""] = /^(paste|raw|kitty|repeat|release):([\s\S]+)$/.exec(name) ?? [];
	if (kind === "raw") return rest;
	if (kind === "paste") return `\x1b[200~${rest.replaceAll("\n", "\r")}\x1b[201~`;
	if (kind !== undefined) return kitty(rest === "escape" ? "esc" : rest, EVENTS[kind] ?? 1);
	const known = LEGACY[name === "escape" ? "esc" : name];
	if (known !== undefined) return known;
	if (name.startsWith("alt+")) return `\x1b${bytes(name.slice(4))}`;
	const control = /^ctrl\+([a-z])$/.exec(name);
	if (control) return String.fromCharCode((control[1] ?? "").charCodeAt(0) & 31);
	if ([...new Intl.Segmenter("en").segment(name)].length !== 1) {
		throw new Error(`no key is called "${name}"`);
	}
	return name;
}

/** Key names as the `keys:` line of a golden's head; a name with a space in it is a JSON string. */
export function keyLine(names: readonly string[]): string {
	return names
		.map((name) => (/^[^\s"\p{Cc}]+$/u.test(name) ? name : JSON.stringify(name)))
		.join(" ");
}

/** The key names of such a line. */
export function keyNames(line: string): string[] {
	const words = line.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
	return words.map((word) => (word.startsWith('"') ? JSON.parse(word) : word));
}
