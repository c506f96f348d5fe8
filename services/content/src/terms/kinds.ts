import { onOneLine, requiredText, text, webUrl } from '@pressroom/common/fields/fields';
import { z } from 'zod';

type Members = Readonly<Record<string, z.ZodType>>;

/** A kind of terms, by which articles are grouped. */
export interface TermKind {
  /** In log lines and error codes, capitalized in the names of operations; also the table's name. */
  noun: 'category' | 'tag' | 'author' | 'series';
  plural: 'categories' | 'tags' | 'authors' | 'series';
  one: string;
  table: 'content.category' | 'content.tag' | 'content.author' | 'content.series';
  /** The filter of the articles of a term, and the member that it takes. */
  filter: { name: 'category_id'; by: 'id' } | { name: 'tag' | 'author_slug' | 'series'; by: 'slug' };
  /** The order in which its articles are shown. */
  sort: 'newest' | 'series';
  /** The foreign key that keeps a term while articles have it. */
  articleKey: string;
  /** The members besides `name` and `slug`, as they are written; `PUT` requires them, `POST` does not. */
  written: Members;
  /** The same members as they are shown. */
  shown: Members;
  /** Members that may always be left out of a write, and that lists and details show with `include`. */
  included?: { written: Members; shown: Members };
}

/** `text` with a capital first letter. */
export function capitalized<Text extends string>(text: Text): Capitalize<Text> {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}` as Capitalize<Text>;
}

const DESCRIBED = {
  written: { description: text(500).nullable() },
  shown: { description: z.string().nullable() },
};

const MOST_POSITION = 100_000;

/** An article has at most one category. */
export const CATEGORIES: TermKind = {
  noun: 'category',
  plural: 'categories',
  one: 'a category',
  table: 'content.category',
  filter: { name: 'category_id', by: 'id' },
  sort: 'newest',
  articleKey: 'article_category_id_fkey',
  ...DESCRIBED,
  included: {
    written: {
      picture: webUrl(500).nullable(),
      position: z
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .max(MOST_POSITION, `must be at most ${MOST_POSITION}`)
        .nullable()
        .describe('Its place in the list: categories with one come first, those with the least before all.'),
    },
    shown: { picture: z.string().nullable(), position: z.int().nullable() },
  },
};

/** An article has any number of tags. */
export const TAGS = {
  ...DESCRIBED,
  noun: 'tag',
  plural: 'tags',
  one: 'a tag',
  table: 'content.tag',
  filter: { name: 'tag', by: 'slug' },
  sort: 'newest',
  articleKey: 'article_tag_tag_id_fkey',
} as const satisfies TermKind;

/** An article is in one series at most, which has its articles in an order. */
export const SERIES = {
  ...DESCRIBED,
  noun: 'series',
  plural: 'series',
  one: 'a series',
  table: 'content.series',
  filter: { name: 'series', by: 'slug' },
  sort: 'series',
  articleKey: 'article_series_id_fkey',
} as const satisfies TermKind;

/** The most links of an author. */
const MOST_LINKS = 20;

const links = z
  .array(
    z.strictObject({
      label: onOneLine(requiredText(100)).optional(),
      url: webUrl(500)
        .refine((url) => /^https:/i.test(url), {
          message: 'must be an https URL',
          params: { code: 'invalid_format' },
        })
        .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]:' }),
    }),
    'must be a list of {"label", "url"}',
  )
  .max(MOST_LINKS, `must be at most ${MOST_LINKS} links`);

/** An article has any number of authors, whose names are then its `author`. */
export const AUTHORS = {
  noun: 'author',
  plural: 'authors',
  one: 'an author',
  table: 'content.author',
  filter: { name: 'author_slug', by: 'slug' },
  sort: 'newest',
  articleKey: 'article_author_author_id_fkey',
  written: {
    bio: text(2000).nullable().describe('Plain text.'),
    picture: webUrl(500).nullable(),
    links: links.describe('Other pages of the author, in this order.'),
  },
  shown: {
    bio: z.string().nullable(),
    picture: z.string().nullable(),
    links: z.array(z.object({ label: z.string().optional(), url: z.string() })),
  },
} as const satisfies TermKind;
