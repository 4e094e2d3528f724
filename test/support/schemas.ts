// What the tool takes and gives as JSON schemas. Those of what it gives let unknown fields pass,
// because details and events grow by optional fields.
import { type TSchema, Type } from "@sinclair/typebox";
import * as events from "../../events.ts";
import { MESSAGES, parameters, type Result } from "../../index.ts";

/** A schema that lets nothing pass but what has this type. */
const ofType = <T>(schema: TSchema & { static: T }): TSchema => schema;

/** Text that is there: what would be empty is left out. */
const some = (description: string) => Type.String({ minLength: 1, description });

const base = {
	questionIndex: Type.Integer({ minimum: 0, description: "Counts the questions of the call." }),
	question: some("The question as it was shown."),
	notes: Type.Optional(some("The note on this question.")),
};

const option = Type.Object(
	{
		...base,
		kind: Type.Literal("option"),
		answer: some("The label of the option."),
		preview: Type.Optional(some("Of the option that was chosen, if it has one.")),
	},
	{ description: "An option was chosen." },
);

const custom = Type.Object(
	{ ...base, kind: Type.Literal("custom"), answer: some("The text as it was typed.") },
	{ description: "An answer was typed." },
);

const noted = Type.Object(
	{
		...base,
		kind: Type.Literal("custom"),
		answer: Type.Null(),
		notes: some("The note on this question."),
	},
	{ description: "Only a note was written." },
);

const multi = Type.Object(
	{
		...base,
		kind: Type.Literal("multi"),
		answer: Type.Null(),
		selected: Type.Array(some("A label."), {
			minItems: 1,
			uniqueItems: true,
			description: "In the order of the call.",
		}),
		custom: Type.Optional(some("What was typed besides.")),
	},
	{ description: "Options were checked." },
);

const details = Type.Object({
	answers: Type.Array(Type.Union([option, custom, noted, multi]), {
		description: "In the order of the questions; an open question has none.",
	}),
	cancelled: Type.Boolean({ description: "False for what was sent, true for everything else." }),
	globalNote: Type.Optional(some("The note on the whole questionnaire.")),
	error: Type.Optional(
		Type.Union(
			(Object.keys(MESSAGES) as (keyof typeof MESSAGES)[]).map((code) => Type.Literal(code)),
			{ description: "Why nobody was asked." },
		),
	),
});

const prompt = Type.Object({
	questions: Type.Array(
		Type.Object({
			question: some("The full question."),
			header: some("Its short name."),
			multiSelect: Type.Boolean(),
			options: Type.Array(
				Type.Object({
					label: some("Unique in its question."),
					description: Type.String(),
					hasPreview: Type.Boolean({ description: "The preview itself is not sent." }),
				}),
				{ minItems: 2 },
			),
		}),
		{ minItems: 1, maxItems: 4 },
	),
});

const blocked = Type.Object({
	active: Type.Boolean({ description: "Whether the questionnaire waits for input." }),
});

const aborted = Type.Object({ aborted: Type.Literal(true) });

/** The schemas by the names of their files. */
export const SCHEMAS = {
	call: parameters as TSchema,
	details: ofType<Result>(details),
	prompt: ofType<events.AskUserPromptEventPayload>(prompt),
	blocked: ofType<events.AskUserBlockedEventPayload>(blocked),
	aborted: ofType<events.AskUserAbortedEventPayload>(aborted),
};

/** Which schema the payload of a channel holds to. */
export const PAYLOADS: Record<string, TSchema> = {
	[events.ASK_USER_PROMPT_EVENT]: SCHEMAS.prompt,
	[events.ASK_USER_BLOCKED_EVENT]: SCHEMAS.blocked,
	[events.ASK_USER_ABORTED_EVENT]: SCHEMAS.aborted,
};
