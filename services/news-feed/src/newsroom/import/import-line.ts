import { anyText, requiredText, text, webUrl } from '@pressroom/common/fields/text';
import { parseJsonLine } from '@pressroom/common/files/json-lines';
import { z } from 'zod';
import { resetRecords } from '../../codex-resets/schema.ts';
import { shanghaiTimestamp } from '../../shanghai-calendar.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { canonicalUrl } from '../editing/canonical-url.ts';
import { expectation, invalidLine } from './line-fault.ts';

/** The longest title, in characters. */
const MAX_TITLE = 1000;

/** The longest summary, digest or reason, in characters. */
const MAX_TEXT = 100_000;

/** The error message for scores. */
const SCORE = 'must be a number from 0 to 100';

/** The longest canonical URL, in bytes: the limit of the unique index. */
const MAX_CANONICAL_URL = 2048;

/** The id of an item: a path segment of the item's page. */
const itemId = z
  .string('must be a string')
  .regex(/^[!-.0-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters other than /')
  .refine((value) => value !== '.' && value !== '..', 'must not be . or ..');

/** A `publicId`: it is a path segment. */
const storyId = z
  .string('must be a string')
  .regex(/^[A-Za-z0-9._~-]{1,128}$/, 'must be 1 to 128 of the characters A–Z a–z 0–9 . _ ~ -')
  .refine((value) => value !== '.' && value !== '..', 'must not be . or ..');

/** The address of the original article. */
const originalUrl = webUrl(4000).refine(
  (value) => !URL.canParse(value) || Buffer.byteLength(canonicalUrl(value)) <= MAX_CANONICAL_URL,
  `must be at most ${MAX_CANONICAL_URL} characters long without its tracking parameters`,
);

/** A point in time with its offset, to the millisecond; finer digits are dropped. */
const time = z.iso
  .datetime({ offset: true, error: 'must be a time with its offset, such as 2026-11-20T08:00:00Z' })
  .refine((value) => new Date(value).getTime() >= 0, 'must not be before 1970')
  .transform((value) => new Date(value));

const reference = z.strictObject({ publicId: storyId, relation: requiredText(200) });

/**
 * An item: upserted by its id, or by its canonical URL if it does not have one. An absent member keeps its
 * value.
 */
function itemLine({ categories, directions }: Vocabulary) {
  return z.strictObject({
    type: z.literal('item'),
    id: itemId.optional(),
    title: requiredText(MAX_TITLE),
    originalTitle: text(MAX_TITLE).nullable().optional(),
    summary: text(MAX_TEXT).nullable().optional(),
    source: z.strictObject({ name: requiredText(200), firstParty: z.boolean().optional() }),
    links: z.strictObject({ original: originalUrl }),
    publishedAt: time,
    discoveredAt: time.optional().describe('For a new item, defaults to the time of the import.'),
    category: z
      .enum(categories, `must be one of ${categories.join(', ')}`)
      .nullable()
      .optional(),
    score: z.number(SCORE).min(0, SCORE).max(100, SCORE).nullable().optional(),
    selected: z.boolean().optional(),
    reason: text(MAX_TEXT).nullable().optional(),
    directions: z.array(z.enum(directions, `must be one of ${directions.join(', ')}`)).optional(),
    story: storyId.nullable().optional().describe('The `publicId` of an existing story.'),
  });
}

const storyLine = z.strictObject({
  type: z.literal('story'),
  publicId: storyId,
  title: requiredText(MAX_TITLE),
  status: z.enum(['active', 'settled'], 'must be active or settled').optional(),
  digest: text(MAX_TEXT).nullable().optional(),
  storyline: z.array(reference).max(100).optional(),
  related: z.array(reference).max(100).optional(),
});

const mergeLine = z.strictObject({ type: z.literal('merge'), from: storyId, into: storyId });

const withdrawLine = z.strictObject({ type: z.literal('withdraw'), id: itemId });

/** Times in reset records are stored as they are shown. */
const shanghaiTime = time.transform(shanghaiTimestamp);
const resets = resetRecords({
  time: shanghaiTime,
  text: anyText(),
  url: webUrl(4000),
  id: z.string('must be a string').regex(/^[!-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters'),
});

/** The event is nested in a separate member, because it has its own `type`. */
const resetEventLine = z.strictObject({
  type: z.literal('reset-event'),
  event: resets.event.partial({ label: true }),
});

/** The action `withdraw` removes its events from the answers. */
const resetActivityLine = z.strictObject({ type: z.literal('reset-activity'), activity: resets.activity });

/** The state of the monitoring of the reset sources. */
const resetStateLine = z.strictObject({
  type: z.literal('reset-state'),
  checkedAt: shanghaiTime.nullable().optional(),
  outage: resets.outage.nullable().optional(),
  monitor: resets.monitor.nullable().optional(),
});

/** The schema of an import line, discriminated by `type`. */
export function importLine(vocabulary: Vocabulary) {
  return z.discriminatedUnion(
    'type',
    [
      itemLine(vocabulary),
      storyLine,
      mergeLine,
      withdrawLine,
      resetEventLine,
      resetActivityLine,
      resetStateLine,
    ],
    'must be item, story, merge, withdraw, reset-event, reset-activity or reset-state',
  );
}

/** A parsed line. */
export type ImportLine = z.infer<ReturnType<typeof importLine>>;

/** A line of one type. */
export type LineOf<Type extends ImportLine['type']> = Extract<ImportLine, { type: Type }>;

/**
 * A parser for import lines; it throws a `Failure` whose message says everything that is wrong with a line.
 */
export function importLineReader(vocabulary: Vocabulary): (text: string | undefined) => ImportLine {
  const schema = importLine(vocabulary);
  return (text) => parse(schema, parseJsonLine(text));
}

/** The members of an item that an editor may change, named as in an item's line. */
function itemChange(vocabulary: Vocabulary) {
  return itemLine(vocabulary)
    .pick({
      title: true,
      originalTitle: true,
      summary: true,
      category: true,
      score: true,
      selected: true,
      reason: true,
      directions: true,
      story: true,
    })
    .partial();
}

/** A change of an item. */
export type ItemChange = z.infer<ReturnType<typeof itemChange>>;

/** A parser for changes; it throws a `Failure` whose message says everything that is wrong with a change. */
export function itemChangeReader(vocabulary: Vocabulary): (change: unknown) => ItemChange {
  const schema = itemChange(vocabulary);
  return (change) => parse(schema, change);
}

/** The JSON Schema (2020-12) of a line, for `import --schema`. */
export function importLineJsonSchema(vocabulary: Vocabulary): object {
  return z.toJSONSchema(importLine(vocabulary), { io: 'input', unrepresentable: 'any' });
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value, { error: expectation });
  if (result.success) return result.data;
  throw invalidLine(value, result.error.issues);
}
