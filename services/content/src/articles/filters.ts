import { anyText, idParameter, instant, requiredText } from '@pressroom/common/fields/fields';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { idOfSlug, SLUG_PATTERN, slugMember } from '../slug.ts';

/** The sort keys of lists: a time, the title, or the place in a series. */
export type SortKey = 'published_at' | 'updated_at' | 'title' | 'series_position';

/** A value in a query, or the placeholder for one. */
type Value = RawBuilder<unknown>;

/**
 * A filter of the lists of articles: its parameter, the statements, the totals and what drops cached lists
 * follow from it. `list-plan.ts` decides how filters combine.
 */
interface Filter {
  /** The parameter of the query, described unless its name says enough. */
  readonly parameter: z.ZodType;
  /** Set if it reveals data that only holders of a key see: feeds and the lists of a term do not have it. */
  readonly forWriters?: true;
  /** The condition on a row of `content.article as article`. */
  readonly matches: (value: Value) => RawBuilder<unknown>;
  /**
   * The times by which an index has its articles in order: the compared columns, then `is_published`, the
   * time, `desc`, and the article's id, `desc`.
   */
  readonly orderedBy?: readonly SortKey[];
  /** The time that the condition is a range of: lists in this order begin or end there. */
  readonly rangeOf?: SortKey;
  /**
   * A SELECT of `id`, `is_published` and `published_at` of its articles, each at most once. Absent if
   * `matches` says it all; a relation of many to many has copies of these columns, kept by a trigger.
   */
  readonly rows?: (value: Value) => RawBuilder<unknown>;
  /** The kind and id by which `content.list_count` has its total; without it, articles are counted. */
  readonly counted?: { readonly kind: string; readonly id: (value: Value) => Value };
  /** The kind of the subjects that a change of its articles names, with each value; any change if absent. */
  readonly subject?: string;
}

/** The most members of a list in a parameter. */
const MOST_LISTED = 100;

/** The most addresses of a folder of media that are considered. */
const MOST_OF_FOLDER = 10_000;

/** Schema of a list separated by commas, each of whose members names an article. */
function listOf(member: RegExp, plural: string) {
  const one = member.source.replace(/^\^|\$$/g, '');
  const expected = `must be 1 to ${MOST_LISTED} ${plural} separated by commas`;
  return z
    .string()
    .regex(new RegExp(`^${one}(,${one}){0,${MOST_LISTED - 1}}$`), expected)
    .transform((value) => value.split(','))
    .describe(`Up to ${MOST_LISTED} ${plural}, separated by commas.`);
}

/** Parses paths of media, and returns every spelling of each. */
function mediaParameter() {
  const path = '[^\\n]{1,1024}';
  return anyText()
    .regex(
      new RegExp(`^${path}(\\n${path}){0,${MOST_LISTED - 1}}$`),
      `must be 1 to ${MOST_LISTED} paths, one on a line`,
    )
    .transform((value) => value.split('\n').flatMap(spellingsOf))
    .describe(
      'Files of the gallery by their paths, and folders with `/` at the end, up to 100, one on a line: articles with an address of any.',
    );
}

/** A path as addresses may have it: as it is, or percent-encoded in one of the usual ways. */
export function spellingsOf(path: string): string[] {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const spellings = [path, encodeURI(path), encoded, encoded.replace(/[!'()*]/g, percentEncoded)];
  const inLowerCase = spellings.map((one) => one.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  return [...new Set([...spellings, ...inLowerCase])].flatMap((one) => [one, one.replaceAll('&', '&amp;')]);
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function timeParameter(description: string) {
  const expected = 'must be a time with an offset, such as 2026-11-23T08:00:00Z (a + is written %2B)';
  return instant(expected).describe(description);
}

/**
 * The filters of lists. A new one is an entry here and an index in a migration, whose orders are its
 * `orderedBy`; if it is `counted`, also triggers that count (`list.sql`), and if it has a `subject`,
 * its place in `content.announce_articles`.
 */
const FILTERS = {
  category_id: {
    parameter: idParameter(),
    matches: (value) => sql`article.category_id = ${value}`,
    orderedBy: ['published_at', 'updated_at'],
    counted: { kind: 'category', id: (value) => value },
    subject: 'category',
  },
  category: {
    parameter: slugMember().describe('The slug of a category, or one that it had before.'),
    matches: (value) => sql`article.category_id = ${idOfSlug('category', value)}`,
    orderedBy: ['published_at', 'updated_at'],
    counted: { kind: 'category', id: (value) => idOfSlug('category', value) },
  },
  tag: {
    parameter: slugMember().describe('The slug of a tag, or one that it had before.'),
    matches: (value) => sql`${idOfSlug('tag', value)} = any(article.tag_ids)`,
    rows: (value) => sql`select article_id as id, is_published, published_at from content.article_tag
      where tag_id = ${idOfSlug('tag', value)}`,
    orderedBy: ['published_at'],
    counted: { kind: 'tag', id: (value) => idOfSlug('tag', value) },
  },
  author_slug: {
    parameter: slugMember().describe('The slug of an author, or one that they had before.'),
    matches: (value) => sql`${idOfSlug('author', value)} = any(article.author_ids)`,
    rows: (value) => sql`select article_id as id, is_published, published_at from content.article_author
      where author_id = ${idOfSlug('author', value)}`,
    orderedBy: ['published_at'],
    counted: { kind: 'author', id: (value) => idOfSlug('author', value) },
  },
  series: {
    parameter: slugMember().describe('The slug of a series, or one that it had before.'),
    matches: (value) => sql`article.series_id = ${idOfSlug('series', value)}`,
    orderedBy: ['published_at', 'series_position'],
    counted: { kind: 'series', id: (value) => idOfSlug('series', value) },
  },
  author: {
    parameter: requiredText(255).describe('The `author` with which the article was last written.'),
    matches: (value) => sql`article.author = ${value}`,
    orderedBy: ['published_at'],
  },
  ids: {
    parameter: listOf(/[1-9][0-9]{0,9}/, 'ids'),
    matches: (value) => sql`article.id = any(${value}::bigint[])`,
    subject: 'article',
  },
  slug: {
    parameter: listOf(SLUG_PATTERN, 'slugs'),
    matches: (value) => sql`article.id in (
      select id from content.article where slug = any(${value}::text[])
      union all select id from content.former_slug where resource = 'article' and slug = any(${value}::text[]))`,
  },
  media: {
    parameter: mediaParameter(),
    // The second part is for folders: some have a path in every article.
    matches: (value) => sql`article.id in (
      select article_id from content.article_media where path = any(${value}::text[])
      union all (select article_id from content.article_media join unnest(${value}::text[]) as folder
        on folder like '%/' and path > folder and path < rtrim(folder, '/') || '0' limit ${sql.lit(MOST_OF_FOLDER)}))`,
  },
  published_after: {
    parameter: timeParameter('Excludes this time.'),
    matches: (value) => sql`article.published_at > ${value}`,
    rangeOf: 'published_at',
  },
  published_before: {
    parameter: timeParameter('Excludes this time.'),
    matches: (value) => sql`article.published_at < ${value}`,
    rangeOf: 'published_at',
  },
  updated_since: {
    parameter: timeParameter('Includes this time.'),
    matches: (value) => sql`article.updated_at >= ${value}`,
    rangeOf: 'updated_at',
  },
  review: {
    // An enum would be filled in by the page at /docs, whose first request then took a key.
    parameter: z
      .string()
      .regex(/^(submitted|returned|approved)$/, 'must be submitted, returned or approved')
      .describe('Drafts whose review stands so: `submitted`, `returned` or `approved`; needs a key.'),
    matches: (value) => sql`article.id in (select article_id from content.review where state = ${value})`,
    forWriters: true,
  },
  responsible: {
    parameter: idParameter().describe(
      'The id of an author: what is by them or assigned to them; needs a key.',
    ),
    matches: (value) => sql`article.id in (
      select article_id from content.article_author where author_id = ${value}
      union all select article_id from content.assignment where author_id = ${value})`,
    forWriters: true,
  },
} as const satisfies Record<string, Filter>;

export type FilterName = keyof typeof FILTERS;

type Parameters<Name extends FilterName> = {
  [One in Name]: z.ZodOptional<(typeof FILTERS)[One]['parameter']>;
};

/** Names of the filters that take a key. */
type WritersName = {
  [Name in FilterName]: (typeof FILTERS)[Name] extends { forWriters: true } ? Name : never;
}[FilterName];

function parametersOf(isForWriters: boolean) {
  const named = (Object.keys(FILTERS) as FilterName[]).filter(
    (name) => (filterOf(name).forWriters === true) === isForWriters,
  );
  return Object.fromEntries(named.map((name) => [name, FILTERS[name].parameter.optional()]));
}

export const filterParameters = parametersOf(false) as Parameters<Exclude<FilterName, WritersName>>;

/** Parameters of the filters that reveal data for holders of a key alone. */
export const writersParameters = parametersOf(true) as Parameters<WritersName>;

/** The filters that a request sets, with their values. */
export type FilterValues = z.output<z.ZodObject<Parameters<FilterName>>>;

export function filterOf(name: FilterName): Filter {
  return FILTERS[name];
}

export function filtersOf(values: FilterValues): FilterName[] {
  return (Object.keys(FILTERS) as FilterName[]).filter((name) => values[name] !== undefined);
}

/** True if one of these filters takes a key. */
export function areForWriters(values: FilterValues): boolean {
  return filtersOf(values).some((name) => filterOf(name).forWriters === true);
}
