import { requiredText, text, webUrl } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import {
  canonicalUrl,
  categoryName,
  correctionNote,
  imageUrl,
  itemId,
  LARGEST_FILE,
  languageTag,
  MAX_IMAGE_URL,
  MAX_TEXT,
  MAX_TITLE,
  MOST_CREDITS,
  storyId,
} from '../fields.ts';
import type { ItemTable } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import { parseInput } from './parse-input.ts';

const SCORE = 'must be a number from 0 to 100';

/** The longest canonical URL, in bytes: the limit of the unique index. */
const MAX_CANONICAL_URL = 2048;

const originalUrl = webUrl(4000).refine(
  (value) => !URL.canParse(value) || Buffer.byteLength(canonicalUrl(value)) <= MAX_CANONICAL_URL,
  `must be at most ${MAX_CANONICAL_URL} characters long without its tracking parameters`,
);

const SIZE = 'must be a whole number of pixels from 1 to 99,999';
const pixels = z.int(SIZE).min(1, SIZE).max(99_999, SIZE).optional();

const image = z.strictObject({
  url: webUrl(MAX_IMAGE_URL).refine(
    (value) => imageUrl(value) !== undefined && !value.includes('#'),
    'must be a public https address without a fragment',
  ),
  width: pixels,
  height: pixels,
  alt: requiredText(MAX_TITLE).optional().describe('Alternative text, for readers who do not see it.'),
});

const language = z
  .string('must be a string')
  .refine((value) => languageTag(value) !== undefined, 'must be a language tag (BCP 47), such as pt-BR')
  .transform((value) => languageTag(value) ?? value)
  .meta({ maxLength: 35 });

const names = (most: number) => z.array(requiredText(MOST_CREDITS.name)).min(1).max(most).nullable();

const amount = (most: number, expected: string) =>
  z.int(expected).min(1, expected).max(most, expected).optional();

const enclosure = z.strictObject({
  url: webUrl(MOST_CREDITS.url),
  type: z.string('must be a string').regex(/^[a-z]+\/[a-z\d][a-z\d.+-]{0,98}$/, 'must be a media type'),
  length: amount(LARGEST_FILE.length, 'must be a number of bytes, from 1').describe('In bytes.'),
  duration: amount(LARGEST_FILE.duration, 'must be a number of seconds, from 1').describe('In seconds.'),
});

/** A member of an item, or of its origin, under its wire name. */
interface Member {
  column: keyof ItemTable;
  /** Schema of the member in answers of the editing API. */
  shown?: z.ZodType;
  /** Schema of the values that editors may give it. */
  input?: (vocabulary: Vocabulary) => z.ZodType;
  /** The value of a new item that is given none. */
  initial?: unknown;
  /** Option of `newsroom item edit`: the name of its value, and a description. */
  flag?: readonly [value: string, about?: string];
}

const shownTime = z.string().meta({ format: 'date-time' });

/**
 * The members of an item: the newsroom's columns, input, answers and edits follow from them. `api/item.ts`
 * has what the public sees.
 */
export const ITEM_MEMBERS = {
  title: {
    column: 'title',
    shown: z.string(),
    input: () => requiredText(MAX_TITLE),
    flag: ['text'],
  },
  originalTitle: {
    column: 'original_title',
    shown: z.string().nullable(),
    input: () => text(MAX_TITLE).nullable(),
    initial: null,
    flag: ['text'],
  },
  summary: {
    column: 'summary',
    shown: z.string().nullable(),
    input: () => text(MAX_TEXT).nullable(),
    initial: null,
    flag: ['text'],
  },
  sourceName: { column: 'source_name', shown: z.string() },
  firstParty: { column: 'source_first_party', shown: z.boolean(), initial: false },
  originalUrl: { column: 'original_url', shown: z.string() },
  publishedAt: { column: 'published_at', shown: shownTime },
  discoveredAt: { column: 'discovered_at', shown: shownTime },
  category: {
    column: 'category',
    shown: z.string().nullable(),
    input: (vocabulary: Vocabulary) => categoryName(vocabulary).nullable(),
    initial: null,
    flag: ['name'],
  },
  score: {
    column: 'score',
    shown: z.number().nullable(),
    input: () => z.number(SCORE).min(0, SCORE).max(100, SCORE).nullable(),
    initial: null,
    flag: ['number', '0 to 100'],
  },
  selected: {
    column: 'selected',
    shown: z.boolean(),
    input: () => z.boolean(),
    initial: false,
  },
  reason: {
    column: 'reason',
    shown: z.string().nullable().describe('Why it was selected.'),
    input: () => text(MAX_TEXT).nullable(),
    initial: null,
    flag: ['text', 'why it was selected'],
  },
  directions: {
    column: 'directions',
    shown: z.array(z.string()),
    input: ({ directions }: Vocabulary) =>
      z.array(z.enum(directions, `must be one of ${directions.join(', ')}`)),
    initial: [],
    flag: ['names', 'separated by commas'],
  },
  image: {
    column: 'image',
    shown: z
      .object({
        url: z.string(),
        width: z.int().optional(),
        height: z.int().optional(),
        alt: z.string().optional(),
      })
      .nullable(),
    input: () => image.nullable(),
    initial: null,
    flag: ['url', 'the address of its picture'],
  },
  language: {
    column: 'language',
    shown: z.string().nullable(),
    input: () => language.nullable().describe('Of the original article.'),
    initial: null,
    flag: ['tag', 'that of the original article, such as pt-BR'],
  },
  authors: {
    column: 'authors',
    shown: z.array(z.string()).nullable(),
    input: () => names(MOST_CREDITS.authors).describe('Who wrote it.'),
    initial: null,
    flag: ['names', 'who wrote it, separated by commas'],
  },
  tags: {
    column: 'tags',
    shown: z.array(z.string()).nullable(),
    input: () => names(MOST_CREDITS.tags).describe('What its source files it under.'),
    initial: null,
    flag: ['names', 'what its source files it under, separated by commas'],
  },
  enclosures: {
    column: 'enclosures',
    shown: z
      .array(
        z.object({
          url: z.string(),
          type: z.string(),
          length: z.int().optional(),
          duration: z.int().optional(),
        }),
      )
      .nullable(),
    input: () =>
      z.array(enclosure).min(1).max(MOST_CREDITS.enclosures).nullable().describe('Its recordings and files.'),
    initial: null,
  },
  correction: {
    column: 'correction',
    shown: z.string().nullable(),
    input: () => correctionNote,
    initial: null,
    flag: ['text', 'what was wrong with it, for its readers'],
  },
  story: {
    column: 'story',
    input: () => storyId.nullable().describe('The `publicId` of an existing story.'),
    initial: null,
    flag: ['publicId'],
  },
} as const satisfies Record<string, Member>;

type Members = typeof ITEM_MEMBERS;

type Inputs = {
  [Name in keyof Members as Members[Name] extends { input: unknown } ? Name : never]: Members[Name] extends {
    input: (vocabulary: Vocabulary) => infer Schema;
  }
    ? Schema
    : never;
};

type Shown = {
  [Name in keyof Members as Members[Name] extends { shown: unknown } ? Name : never]: Members[Name] extends {
    shown: infer Schema;
  }
    ? Schema
    : never;
};

/** Maps each member's definition. */
function eachMember(of: (member: Member) => unknown): object {
  const entries = Object.entries<Member>(ITEM_MEMBERS).map(([name, member]) => [name, of(member)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Schema of an item in answers of the editing API, without its id and its story. */
export const shownItem = eachMember(({ shown }) => shown) as Shown;

/** The schema of a change of an item; an absent member keeps its value. */
export function itemChange(vocabulary: Vocabulary) {
  return z.strictObject(eachMember(({ input }) => input?.(vocabulary)) as Inputs).partial();
}

/**
 * The schema of an item's values: it is upserted by its id, or by its canonical URL if it does not have one.
 * An absent member keeps its value.
 *
 * @param time how points in time are given
 */
export function itemInput<Time extends z.ZodType<Date>>(vocabulary: Vocabulary, time: Time) {
  const { title: _, originalTitle, summary, ...others } = itemChange(vocabulary).shape;
  return z.strictObject({
    id: itemId.optional(),
    title: ITEM_MEMBERS.title.input(),
    originalTitle,
    summary,
    source: z.strictObject({ name: requiredText(200), firstParty: z.boolean().optional() }),
    links: z.strictObject({ original: originalUrl }),
    publishedAt: time,
    discoveredAt: time.optional().describe('For a new item, defaults to the time of the import.'),
    ...others,
  });
}

/** A time as the program has it. */
const given = z.date().refine((value) => value.getTime() >= 0, 'must not be before 1970');

export type ItemInput = z.infer<ReturnType<typeof itemInput>>;

/** Checks the values of an item; throws a `Failure` whose message says everything that is wrong with them. */
export type CheckItem = (values: z.input<ReturnType<typeof itemInput>>) => ItemInput;

/** Creates the check of items that the program itself makes. */
export function itemChecker(vocabulary: Vocabulary): CheckItem {
  const schema = itemInput(vocabulary, given);
  return (values) => parseInput(schema, values);
}

export type ItemChange = z.infer<ReturnType<typeof itemChange>>;

/** A parser for changes; it throws a `Failure` whose message says everything that is wrong with a change. */
export function itemChangeReader(vocabulary: Vocabulary): (change: unknown) => ItemChange {
  const schema = itemChange(vocabulary);
  return (change) => parseInput(schema, change);
}
