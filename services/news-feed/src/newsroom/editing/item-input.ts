import { requiredText, text, webUrl } from '@pressroom/common/fields/fields';
import { z } from 'zod';
import { imageUrl, MAX_IMAGE_URL } from '../../image.ts';
import { languageTag } from '../../language-tag.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { canonicalUrl } from './canonical-url.ts';
import { itemId, MAX_TEXT, MAX_TITLE, storyId } from './fields.ts';
import { checked } from './input-fault.ts';

/** The error message for scores. */
const SCORE = 'must be a number from 0 to 100';

/** The longest canonical URL, in bytes: the limit of the unique index. */
const MAX_CANONICAL_URL = 2048;

/** The address of the original article. */
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
  alt: requiredText(MAX_TITLE).optional().describe('What it shows, for those who do not see it.'),
});

const language = z
  .string('must be a string')
  .refine((value) => languageTag(value) !== undefined, 'must be a language tag (BCP 47), such as pt-BR')
  .transform((value) => languageTag(value) ?? value)
  .meta({ maxLength: 35 });

/**
 * The schema of an item's values: it is upserted by its id, or by its canonical URL if it does not have one.
 * An absent member keeps its value.
 *
 * @param time how points in time are given
 */
export function itemInput<Time extends z.ZodType<Date>>({ categories, directions }: Vocabulary, time: Time) {
  return z.strictObject({
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
    image: image.nullable().optional(),
    language: language.nullable().optional().describe('Of the original article.'),
    story: storyId.nullable().optional().describe('The `publicId` of an existing story.'),
  });
}

/** A time as the program has it. */
const given = z.date().refine((value) => value.getTime() >= 0, 'must not be before 1970');

/** The values of an item. */
export type ItemInput = z.infer<ReturnType<typeof itemInput>>;

/** Checks the values of an item; throws a `Failure` whose message says everything that is wrong with them. */
export type CheckItem = (values: z.input<ReturnType<typeof itemInput>>) => ItemInput;

/** What checks the values of items that the program makes. */
export function itemChecker(vocabulary: Vocabulary): CheckItem {
  const schema = itemInput(vocabulary, given);
  return (values) => checked(schema, values);
}

/** The members of an item that an editor may change, named as its input. */
export function itemChange(vocabulary: Vocabulary) {
  return itemInput(vocabulary, given)
    .pick({
      title: true,
      originalTitle: true,
      summary: true,
      category: true,
      score: true,
      selected: true,
      reason: true,
      directions: true,
      image: true,
      language: true,
      story: true,
    })
    .partial();
}

/** A change of an item. */
export type ItemChange = z.infer<ReturnType<typeof itemChange>>;

/** A parser for changes; it throws a `Failure` whose message says everything that is wrong with a change. */
export function itemChangeReader(vocabulary: Vocabulary): (change: unknown) => ItemChange {
  const schema = itemChange(vocabulary);
  return (change) => checked(schema, change);
}
