// The mechanical part of the house rules and of DESIGN.md, as functions from text to problems.
// tidy.test.ts and design.test.ts apply them to the project, harness.test.ts to small fixtures.
import ts from "typescript";

/** A file under test, parsed once. */
export interface Source {
	name: string;
	text: string;
	lines: string[];
	tree: ts.SourceFile;
}

export function source(name: string, text: string): Source {
	const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
	return { name, text, lines: text.replace(/\n$/, "").split("\n"), tree };
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
	see(node);
	ts.forEachChild(node, (child) => visit(child, see));
}

function lineOf({ tree }: Source, position: number): number {
	return tree.getLineAndCharacterOfPosition(position).line + 1;
}

interface Comment {
	line: number;
	lastLine: number;
	text: string;
}

/** All comments. Before a token there is nothing else but white space, so a pattern finds them. */
function comments(file: Source): Comment[] {
	const found: Comment[] = [];
	const search = (node: ts.Node): void => {
		if (ts.isJSDoc(node)) return;
		const children = node.getChildren(file.tree);
		for (const child of children) search(child);
		const bare = children.length === 0;
		const trivia = bare ? file.text.slice(node.getFullStart(), node.getStart(file.tree)) : "";
		for (const { 0: text, index } of trivia.matchAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g)) {
			const start = node.getFullStart() + index;
			const lastLine = lineOf(file, start + text.length);
			found.push({ line: lineOf(file, start), lastLine, text });
		}
	};
	search(file.tree);
	return found;
}

// -- House rules ------------------------------------------------------------------------------

export function tooLong(file: Source, limit: number): string[] {
	const { length } = file.lines;
	return length > limit ? [`${file.name} has ${length} lines, more than ${limit}`] : [];
}

/** Lines over the limit of columns; a tab counts two, as Biome counts it. */
export function tooWide(file: Source, limit: number): string[] {
	return file.lines.flatMap((line, at) => {
		const columns = line.replaceAll("\t", "  ").length;
		return columns > limit ? [`${file.name}:${at + 1} has ${columns} columns`] : [];
	});
}

export function longFunctions(file: Source, limit: number): string[] {
	const problems: string[] = [];
	visit(file.tree, (node) => {
		if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return;
		const first = lineOf(file, node.getStart());
		const length = lineOf(file, node.getEnd()) - first + 1;
		if (length > limit) problems.push(`${file.name}:${first} is a function of ${length} lines`);
	});
	return problems;
}

/** The share of comment lines among the lines that are not blank, in percent. */
export function density(file: Source): number {
	const commented = new Set<number>();
	for (const { line, lastLine, text } of comments(file)) {
		// A remark behind code does not make its line a comment.
		const alone = file.lines[line - 1]?.trimStart().startsWith(text.slice(0, 2));
		for (let at = line; alone && at <= lastLine; at++) commented.add(at);
	}
	const filled = file.lines.filter((line) => line.trim() !== "").length;
	const blank = [...commented].filter((at) => file.lines[at - 1]?.trim() === "").length;
	return (100 * (commented.size - blank)) / filled;
}

export function sparse(file: Source, [least, most]: readonly [number, number]): string[] {
	const share = density(file);
	if (share >= least && share <= most) return [];
	return [`${file.name} is ${share.toFixed(1)} % comments, not ${least} to ${most} %`];
}

const UNWANTED: [RegExp, string][] = [
	[/(biome|eslint|prettier|c8|v8|istanbul|node:coverage)[- ](ignore|disable)/, "an ignore comment"],
	[/@ts-(ignore|expect-error|nocheck)/, "an ignore comment"],
	[/\b(TODO|FIXME|XXX|HACK)\b/, "a note to self"],
	[/\b(issue|bug|PR|pull request|GH)[ -]#?\d+|(?<!paste )#\d+/i, "an issue number"],
];

export function unwanted(file: Source): string[] {
	const problems: string[] = [];
	visit(file.tree, (node) => {
		if (node.kind !== ts.SyntaxKind.AnyKeyword) return;
		problems.push(`${file.name}:${lineOf(file, node.getStart())} has an any`);
	});
	for (const comment of comments(file)) {
		for (const [pattern, what] of UNWANTED) {
			if (pattern.test(comment.text)) problems.push(`${file.name}:${comment.line} has ${what}`);
		}
	}
	return problems;
}

/** Tests that are switched off, or that switch the others off. */
export function muted(file: Source): string[] {
	const problems: string[] = [];
	visit(file.tree, (node) => {
		if (!ts.isPropertyAccessExpression(node)) return;
		if (!/^(test|it|describe|suite|t)$/.test(node.expression.getText())) return;
		if (!/^(only|skip|todo)$/.test(node.name.text)) return;
		problems.push(`${file.name}:${lineOf(file, node.getStart())} uses ${node.getText()}`);
	});
	return problems;
}

/** The modules a file loads at run time, in order. */
export function loads(file: Source): string[] {
	const found: string[] = [];
	visit(file.tree, (node) => {
		const typesOnly =
			(ts.isImportDeclaration(node) &&
				node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) ||
			(ts.isExportDeclaration(node) && node.isTypeOnly);
		if (typesOnly) return;
		const dynamic =
			ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
		const from =
			ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
				? node.moduleSpecifier
				: dynamic
					? node.arguments[0]
					: undefined;
		if (from) found.push(ts.isStringLiteralLike(from) ? from.text : from.getText());
	});
	return found;
}

/** `node:*` in the list allows every built-in module. */
export function foreign(file: Source, allowed: readonly string[]): string[] {
	return loads(file)
		.map((name) => (name.startsWith("node:") ? "node:*" : name))
		.filter((name) => !allowed.includes(name))
		.map((name) => `${file.name} loads ${name}`);
}

// -- DESIGN.md --------------------------------------------------------------------------------

/** The numbered banners of a source file: `// -- 3. Results ----` gives `3. Results`. */
export function banners(file: Source): string[] {
	return file.lines.flatMap((line) => /^\/\/ -- ([A-Z]?\d+\. .+?) -*$/.exec(line)?.[1] ?? []);
}

/** The text outside of fenced blocks and HTML comments. */
function prose(markdown: string): string {
	return markdown.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, "").replace(/<!--[\s\S]*?-->/g, "");
}

/** The numbered headings whose number has the given prefix, of any level. */
export function headings(markdown: string, prefix: string): string[] {
	const heading = new RegExp(`^#{1,6} (${prefix}\\d+\\. .+?)\\s*$`, "gm");
	return [...prose(markdown).matchAll(heading)].map((match) => match[1] ?? "");
}

/** Banners and headings are the same list, and count from one. */
export function sections(file: Source, markdown: string, prefix: string): string[] {
	const [inSource, inText] = [banners(file), headings(markdown, prefix)];
	const miscounted = inSource.filter((name, at) => !name.startsWith(`${prefix}${at + 1}. `));
	return [
		...(inSource.length === 0 ? [`${file.name} has no numbered banner`] : []),
		...miscounted.map((name) => `${file.name}: "${name}" is out of order`),
		...inSource.filter((name) => !inText.includes(name)).map((name) => `no heading "${name}"`),
		...inText.filter((name) => !inSource.includes(name)).map((name) => `no banner "${name}"`),
	];
}

/** The ids of the rules a text states, as in `**V3** …`. */
export function stated(markdown: string): string[] {
	return [...prose(markdown).matchAll(/\*\*([A-Z]+\d+)\*\*/g)].map((match) => match[1] ?? "");
}

/** The ids at the beginning of test titles, as in `test("V3 V4 …")`, or of a table's `rule`. */
export function tested(file: Source): string[] {
	const ids: string[] = [];
	visit(file.tree, (node) => {
		const title =
			ts.isCallExpression(node) && /(^|\.)(test|it|describe|suite)$/.test(node.expression.getText())
				? node.arguments[0]
				: ts.isPropertyAssignment(node) && node.name.getText() === "rule"
					? node.initializer
					: undefined;
		if (!title) return;
		const text = title.getText().replace(/^["'`]/, "");
		const leading = /^(?:[A-Z]+\d+(?:[ ,:]+|["'`]$))+/.exec(text)?.[0] ?? "";
		ids.push(...(leading.match(/[A-Z]+\d+/g) ?? []));
	});
	return ids;
}

/** Every rule has a test and every test with an id has its rule. */
export function rules(markdown: string, tests: readonly Source[]): string[] {
	const [inText, inTests] = [stated(markdown), tests.flatMap(tested)];
	return [
		...inText.filter((id, at) => inText.indexOf(id) < at).map((id) => `${id} is stated twice`),
		...inText.filter((id) => !inTests.includes(id)).map((id) => `no test begins with ${id}`),
		...[...new Set(inTests)].filter((id) => !inText.includes(id)).map((id) => `no rule is ${id}`),
	];
}

const QUOTE = /(<!-- golden: (\S+)( screen)? -->\n+)(`{3,})([^\n`]*)\n([\s\S]*?)^\4$/gm;

/** Of a frame only what the user sees: the rows in the box, without the box. */
const screenOf = (frame: string) =>
	[...frame.matchAll(/^│(.*)│$/gm)].map(([, row = ""]) => `${row.trimEnd()}\n`).join("");

/**
 * The text with each quoted golden renewed: a fenced block below `<!-- golden: NAME -->`, or of a
 * frame its screen alone below `<!-- golden: NAME screen -->`.
 */
export function requote(markdown: string, golden: (name: string) => string): string {
	return markdown.replace(QUOTE, (_, mark: string, name: string, screen, __, language: string) => {
		const text = screen ? screenOf(golden(name)) : golden(name);
		const inner = [...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length);
		const fence = "`".repeat(Math.max(3, ...inner.map((length) => length + 1)));
		return `${mark}${fence}${language}\n${text}${fence}`;
	});
}

/** The marks that no fenced block follows, so that a typing error is not a silent pass. */
export function strayQuotes(markdown: string): string[] {
	const quoted = [...markdown.matchAll(QUOTE)].map((match) => match[2]);
	const marked = [...markdown.matchAll(/<!-- golden: (\S+)(?: screen)? -->/g)].map(
		(match) => match[1],
	);
	return marked.length === quoted.length
		? []
		: marked
				.filter((name) => !quoted.includes(name))
				.map((name) => `no fenced block follows the mark of ${name}`);
}
