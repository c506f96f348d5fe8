import {
  anyText,
  hasText,
  idMember,
  idParameter,
  instant,
  integerParameter,
  isStorable,
  NOT_STORABLE,
  onOneLine,
  requiredText,
  searchText,
  text,
  webUrl,
} from '@pressroom/common/fields/fields';
import { sql } from 'kysely';
import { z } from 'zod';
import { envelope, keyMember, pagedEnvelope } from '../envelope.ts';
import { MIN_CONTENT } from '../html/html-inspector.ts';
import { newSlug, slugMember, slugParameter } from '../slug.ts';
import { filterParameters, writersParameters } from './filters.ts';
import { shownPicture } from './pictures.ts';
import { shownSeries } from './series.ts';

/** Data of a site about an article, besides its members. */
export type Extra = Record<string, unknown>;

/** The most bytes of it as JSON without white space, in UTF-8. */
const MOST_BYTES = 16_384;

/** Depth of nested objects and lists, the outermost counted. */
const MOST_LEVELS = 32;

/** The smallest number but 0: PostgreSQL writes numbers without exponents. */
const LEAST = 1e-20;

const MOST_FAULTS = 20;

interface Fault {
  path: string[];
  message: string;
  code: string;
}

/** Finds the faults that keep a value from being stored and returned as it was sent. */
function* faultsIn(value: unknown, path: string[]): Generator<Fault> {
  if (typeof value === 'string' && !isStorable(value)) {
    yield { path, message: NOT_STORABLE, code: 'invalid_characters' };
  }
  if (typeof value === 'number' && value !== 0) {
    const size = Math.abs(value);
    const message = `must be 0, or from ${LEAST} to ${Number.MAX_SAFE_INTEGER}, with or without a sign: write another number as text`;
    if (!(size >= LEAST && size <= Number.MAX_SAFE_INTEGER)) yield { path, message, code: 'invalid_value' };
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length === MOST_LEVELS) {
    yield { path: [], message: `must be nested at most ${MOST_LEVELS} deep`, code: 'too_deep' };
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || !isStorable(name)) {
      const message =
        'has a member whose name cannot be kept (__proto__, or one with a NUL character or half a surrogate pair)';
      yield { path, message, code: 'invalid_characters' };
    } else yield* faultsIn(member, [...path, name]);
  }
}

/** The first faults of an object. */
function firstFaults(value: object): Fault[] {
  const faults = faultsIn(value, []).take(MOST_FAULTS).toArray();
  if (faults.length > 0) return faults;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= MOST_BYTES) return [];
  return [
    {
      path: [],
      message: `must be at most ${MOST_BYTES} bytes long as JSON, and has ${bytes}`,
      code: 'too_long',
    },
  ];
}

/** The member `extra` of a body. */
const extraMember = z
  .unknown()
  .superRefine((value, context) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      context.addIssue({
        code: 'custom',
        message: 'must be an object, or null',
        params: { code: 'invalid_type' },
      });
      return;
    }
    for (const { path, message, code } of firstFaults(value)) {
      context.addIssue({ code: 'custom', path, message, params: { code } });
    }
  })
  .describe(
    `Additional data of the site, as the JSON Schema in \`CONTENT_EXTRA_SCHEMA\` allows it; at most ${MOST_BYTES} bytes, and nested ${MOST_LEVELS} deep.`,
  )
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<Extra, Extra>;

/** The member `extra` of an answer. */
export const shownExtra = z.record(z.string(), z.unknown()).nullable();

const timestamp = z.iso.datetime({ offset: true });

const content = anyText()
  .describe(
    `HTML made of the allowed elements and attributes, with at least ${MIN_CONTENT} characters of text.`,
  )
  .meta({ minLength: MIN_CONTENT });

const isPublished = z.boolean('must be true or false');

/** Additions to the document's members: a detail without one is as ever, and a PUT without it leaves it. */
const addedMembers = {
  social_title: onOneLine(text(255))
    .nullable()
    .describe('What cards of networks show instead of the title; null: the title.'),
  social_description: text(500).nullable().describe('Instead of the summary.'),
  social_image: webUrl(500).nullable().describe('Instead of `featured_image`.'),
};

type AddedMember = keyof typeof addedMembers;

const ADDED_MEMBERS = Object.keys(addedMembers) as AddedMember[];

function eachAddedMember<Value>(value: Value) {
  return Object.fromEntries(ADDED_MEMBERS.map((name) => [name, value])) as Record<AddedMember, Value>;
}

/** `members` without those of {@link addedMembers} that are null. */
export function withoutUnset<Members extends Partial<Record<AddedMember, string | null>>>(members: Members) {
  const set = ADDED_MEMBERS.flatMap((name) => (members[name] == null ? [] : [[name, members[name]]]));
  const rest = Object.entries(members).filter(([name]) => !Object.hasOwn(addedMembers, name));
  return Object.fromEntries([...rest, ...set]) as Omit<Members, AddedMember> &
    Partial<Record<AddedMember, string>>;
}

/** Optional members that lists show only when asked to: statements, answers, copies and files follow. */
const detailMembers = {
  ...addedMembers,
  alt_text: text(255).nullable(),
  meta_title: onOneLine(text(255)).nullable(),
  meta_description: text(320).nullable(),
  canonical_url: webUrl(500).nullable(),
};

type DetailMember = keyof typeof detailMembers;

/** The names of {@link detailMembers}. */
export const DETAIL_MEMBERS = Object.keys(detailMembers) as DetailMember[];

/** {@link detailMembers}, each with `value`. */
export function eachDetailMember<Value>(value: Value) {
  return Object.fromEntries(DETAIL_MEMBERS.map((name) => [name, value])) as Record<DetailMember, Value>;
}

/** Members that are optional on create, and null if unset. */
const optionalMembers = {
  excerpt: text(500).nullable(),
  category_id: idMember('must be the id of a category, or null').nullable(),
  featured_image: webUrl(500).nullable(),
  ...detailMembers,
};

/** The names of the members that are optional on create, and null if unset. */
export const OPTIONAL_MEMBERS = Object.keys(optionalMembers) as (keyof typeof optionalMembers)[];

/** The most corrections of an article. */
const MOST_CORRECTIONS = 50;

const correction = z
  .object({ at: timestamp, text: z.string().describe('Text, never HTML.') })
  .meta({ id: 'Correction', description: 'What was wrong in an article, and when it was put right.' });

/** A correction as it is kept and shown; `at` is UTC. */
export type Correction = z.infer<typeof correction>;

/** The corrections of an answer. */
export const shownCorrections = z.array(correction);

/** The member `corrections` of a body. */
const corrections = z
  .array(
    z.strictObject({
      at: instant('must be a time with an offset, such as 2026-11-23T08:00:00Z'),
      text: requiredText(1000),
    }),
    'must be a list of corrections, or null',
  )
  .max(MOST_CORRECTIONS, `must be at most ${MOST_CORRECTIONS} corrections`)
  .transform((given): Correction[] | null => {
    const inUtc = given.map(({ at, text }) => ({ at: at.toISOString(), text }));
    const inOrder = inUtc.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
    return inOrder.length === 0 ? null : inOrder;
  })
  .nullable()
  .describe('All corrections in place of those before, in any order; null or an empty list for none.');

const author = onOneLine(requiredText(255)).describe(
  'Defaults to the name of the API key. Of an article with `authors`: their names; another text takes them from it.',
);

/** The most tags of an article. */
const MOST_TAGS = 50;

const tags = z
  .array(slugMember(), 'must be a list of slugs of tags')
  .max(MOST_TAGS, `must be at most ${MOST_TAGS} tags`)
  .describe('The slugs of tags that exist, in the order in which the article shows them.');

/** The most authors of an article. */
const MOST_AUTHORS = 20;

const authors = z
  .array(
    z.union([slugMember(), idMember('')], 'must be the slug or the id of an author'),
    'must be a list of slugs or ids of authors',
  )
  .max(MOST_AUTHORS, `must be at most ${MOST_AUTHORS} authors`)
  .describe('The slugs or ids of authors that exist, in the order in which the article shows them.');
/** A time in a body at which something happens. */
export const timeAhead = instant(
  'must be null or a time with an offset, such as 2026-11-23T18:00:00+01:00',
).nullable();

/** The name of a release in a body or a path. */
export const releaseName = slugMember();

/** The members that plan when an article is public; those that are left out stay. */
const scheduleMembers = {
  publish_at: timeAhead
    .describe('When the draft is published; null cancels. It takes the article out of its release.')
    .optional(),
  unpublish_at: timeAhead.describe('When the article becomes a draft again.').optional(),
  release: releaseName
    .nullable()
    .describe('The name of a release, with which the draft is published instead of at a separate time.')
    .optional(),
};

/** Body of `PUT`: every member, null for optional ones that are unset (`docs/spec/wire.md`, "Content"). */
export const articlePut = z.strictObject({
  title: onOneLine(requiredText(255)),
  content,
  ...optionalMembers,
  ...z.object(addedMembers).partial().shape,
  is_published: isPublished,
  author: author.optional(),
  slug: slugMember()
    .describe('If omitted, it follows the title until the first publication, and then stays.')
    .optional(),
  tags: tags.optional(),
  authors: authors.optional(),
  extra: extraMember.nullable().optional(),
  corrections: corrections.optional(),
  ...scheduleMembers,
});

/** Body of `POST`. */
export const articleCreate = articlePut
  .partial()
  .required({ title: true, content: true })
  .extend({ slug: newSlug().describe('If omitted or null, it is made from the title.') });

const NO_MEMBER = { message: 'must have at least one member', params: { code: 'required' } };

/** Body of `PATCH`: the members that change, at least one. */
export const articlePatch = articlePut
  .partial()
  .refine((body) => Object.keys(body).length > 0, NO_MEMBER)
  .meta({ minProperties: 1 });

/** The limits of a draft before its publication. */
const draftMembers = {
  title: onOneLine(text(255))
    .overwrite((title) => (hasText(title) ? title : ''))
    .describe('May be empty until the draft is published or planned.'),
  content: anyText().describe('HTML made of the allowed elements and attributes, with a text of any length.'),
};

const NOT_OF_DRAFTS = { is_published: true, publish_at: true, unpublish_at: true, release: true } as const;

/** Body of `POST /api/drafts`. */
export const draftCreate = articleCreate.omit(NOT_OF_DRAFTS).extend(draftMembers);

/** Body of `PATCH /api/drafts/{id}`. */
export const draftPatch = articlePut
  .omit(NOT_OF_DRAFTS)
  .extend(draftMembers)
  .partial()
  .refine((body) => Object.keys(body).length > 0, NO_MEMBER)
  .meta({ minProperties: 1 });

/** The values of a `POST`. */
export type ArticleCreate = z.infer<typeof articleCreate>;

/** The values of a `PUT` or `PATCH`. */
export type ArticleChange = z.infer<typeof articlePatch>;

/** A term as articles name it. */
export const termReference = z
  .object({ id: z.int(), name: z.string(), slug: z.string() })
  .meta({ id: 'TermReference', description: 'A category, a tag or an author, as articles name it.' });

/** A tag of an article; with the id of the article's category, the same members. */
export type TagOfArticle = z.infer<typeof termReference>;

const authorOfArticle = termReference
  .extend({ picture: z.string().nullable() })
  .meta({ id: 'AuthorReference', description: 'An author, as articles name them.' });

export type AuthorOfArticle = z.infer<typeof authorOfArticle>;

/** The tags and authors of an article, by their member. */
const termsOfArticle = { tags: z.array(termReference), authors: z.array(authorOfArticle) };

/** The same and more, where they are asked for. */
const includedMembers = {
  tags: termsOfArticle.tags.optional().describe('With `include=tags`.'),
  authors: termsOfArticle.authors.optional().describe('With `include=authors`.'),
  extra: shownExtra.optional().describe('With `include=extra`.'),
  picture: shownPicture
    .nullable()
    .optional()
    .describe('With `include=picture`; null without a `featured_image`.'),
};

export const articleListItem = z.object({
  id: z.int(),
  title: z.string(),
  slug: z.string(),
  excerpt: z.string().nullable(),
  featured_image: z.string().nullable(),
  category: termReference.nullable(),
  author: z.string(),
  published_at: timestamp.nullable(),
});

const schedule = z
  .object({
    publish_at: timestamp.nullable(),
    unpublish_at: timestamp.nullable(),
    release: z.string().nullable(),
  })
  .meta({ id: 'Schedule' });

const scheduleOfArticle = schedule
  .optional()
  .describe(
    'With `include=schedule`, which needs a key. The time of an article in a release is its release’s.',
  );

const workingCopyOfArticle = z
  .object({ saved_at: timestamp, is_current: z.boolean(), key: keyMember })
  .meta({ id: 'WorkingCopyState' })
  .nullable()
  .optional()
  .describe(
    'With `include=working_copy`, which needs a key: who has saved changes that readers do not see yet, and when; null if there are none.',
  );

/** The desk's decision about a draft. */
export const reviewState = z.enum(['submitted', 'returned', 'approved']);

export type ReviewState = z.infer<typeof reviewState>;

const deskMembers = {
  review: z
    .object({ state: reviewState, changed_at: timestamp, key: keyMember })
    .nullable()
    .optional()
    .describe('With `include=review`, which needs a key: where its review stands; null if it is under none.'),
  assignee: termReference
    .nullable()
    .optional()
    .describe('With `include=assignee`, which needs a key: the author to whom it is assigned, if it is.'),
};

const openComments = z
  .int()
  .optional()
  .describe('With `include=open_comments`, at the desk alone: how many comments are not resolved.');

/** An article as others name it. */
export const articleReference = z
  .object({ id: z.int(), title: z.string(), slug: z.string() })
  .meta({ id: 'ArticleReference', description: 'An article, as others name it.' });

const articleDetail = articleListItem.extend({
  content: z.string().describe('HTML, byte for byte as written.'),
  ...eachDetailMember(z.string().nullable()),
  ...eachAddedMember(z.string().optional().describe('Absent where it is unset.')),
  is_published: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
  related_articles: z
    .array(articleReference)
    .describe(
      'Up to 5 articles of the same category: those with the most title words in common first, then the newest.',
    ),
  corrections: shownCorrections.optional().describe('The newest last; absent without any.'),
});

export type ArticleDetail = z.infer<typeof articleDetail>;

const articleStatus = z.enum(['published', 'draft', 'all'], 'must be published, draft or all');

/** A publication state, or all of them. */
export type ArticleStatus = z.infer<typeof articleStatus>;

/** The most articles of a page of a list. */
export const MOST_PER_PAGE = 100;

/** `page` and `per_page` of a list. */
export const pageParameters = {
  page: integerParameter(1).default(1),
  per_page: integerParameter(1, MOST_PER_PAGE).default(20),
};

export const listedMembers = articleDetail
  .omit({ related_articles: true, corrections: true })
  .extend(eachAddedMember(z.string().nullable()));

/** The name of a member that lists can show. */
export type ListedMember = keyof typeof listedMembers.shape;

const MEMBERS = Object.keys(listedMembers.shape) as ListedMember[];

/** The members that a list shows unless others are asked for. */
export const LIST_MEMBERS = Object.keys(articleListItem.shape) as (keyof typeof articleListItem.shape)[];

/** An article of a list with what its picture shows. */
const nestedArticle = articleListItem
  .extend({ alt_text: z.string().nullable(), picture: includedMembers.picture })
  .meta({ id: 'ArticleCard', description: 'An article with what a card of it shows.' });

/** The members that the lists of other resources show, as far as they show articles. */
export const NESTED_MEMBERS = [...LIST_MEMBERS, 'alt_text'] as const;

const MEMBER = `(${MEMBERS.join('|')})`;

const fields = z
  .string()
  .max(500)
  .regex(
    new RegExp(`^(full|${MEMBER}(,${MEMBER})*)$`),
    `must be full, or names of members separated by commas: ${MEMBERS.join(', ')}`,
  )
  .transform((names) =>
    MEMBERS.filter((name) => name === 'id' || names === 'full' || names.split(',').includes(name)),
  )
  .describe(
    'The members to show: names separated by commas, to which `id` is added, or `full` for all. With `content`, a list is read by `cursor` instead of `page`, and a page may be shorter than `per_page`.',
  );

const articleSort = z.enum(['newest', 'oldest', 'updated', 'updated_asc', 'title', 'title_desc', 'series']);

/** The order of a list: by publication, the last change or the title, either way, or as in its series. */
export type ArticleSort = z.infer<typeof articleSort>;

/** Values of the parameter: the orders of lists, and that of searches. */
const SORTS = [...articleSort.options, 'relevance'] as const;

/** The members that only holders of a key see. */
export const FOR_WRITERS = ['schedule', 'working_copy', 'review', 'assignee'] as const;

/** The member of lists that only people at the desk see. */
export const OPEN_COMMENTS = 'open_comments';

/** Members of an article that `include` adds to those of a list; a detail and a card always have them. */
export const ADDED_TO_FIELDS = ['category', 'alt_text'] as const;

/** The most articles of `include=related:N`. */
export const MOST_RELATED = 10;

/** The parameter that adds members to an answer; `shown` is what a person reads of `names`. */
export function includeOf<const Name extends string>(names: readonly Name[], shown = names.join(', ')) {
  return z
    .string()
    .transform((value) => value.split(','))
    .pipe(z.array(z.enum(names, `must be names separated by commas, of ${shown}`)))
    .describe(`Members to add, separated by commas: ${shown}.`)
    .meta({ type: 'string', pattern: `^(${names.join('|')})(,(${names.join('|')}))*$` });
}

export const searchParameter = searchText
  .optional()
  .describe(
    'Every word must be in the title, the excerpt or the text, in upper or lower case. A search is counted to 1000, which is also how far its pages reach.',
  );

export const articleListQuery = z
  .strictObject({
    ...pageParameters,
    page: pageParameters.page.unwrap().optional().meta({ default: 1, description: 'Not with `cursor`.' }),
    ...filterParameters,
    ...writersParameters,
    status: articleStatus.default('published').describe('Values other than `published` need a key.'),
    sort: z
      .enum(SORTS, `must be ${SORTS.join(', ')}`)
      .default('newest')
      .describe(
        '`relevance` is for searches: words in the title, then in title and excerpt, then anywhere. `series` is the order of the series of the filter.',
      ),
    q: searchParameter,
    highlight: z
      .enum(['0', '1'], 'must be 0 or 1')
      .default('0')
      .describe('`1` adds to each article of a search the parts that have words of it.'),
    fields: fields.optional(),
    include: includeOf([
      ...ADDED_TO_FIELDS,
      'tags',
      'authors',
      'extra',
      'picture',
      ...FOR_WRITERS,
      OPEN_COMMENTS,
    ]).optional(),
    cursor: z
      .string()
      // One of a list by title has a title in it.
      .max(4096)
      .optional()
      .describe(
        'Walks the list without missing an article: empty for the first page, then the `meta.next_cursor` of the page before, until that is null.',
      ),
  })
  .refine(({ page, cursor }) => page === undefined || cursor === undefined, {
    path: ['page'],
    message: 'does not go with cursor: leave it out',
  })
  .refine(({ page = 1, fields }) => page === 1 || !hasContent(fields), {
    path: ['page'],
    message: 'does not go with the content in fields: use cursor',
  })
  .refine(
    ({ q, sort }) => (q === undefined ? sort !== 'relevance' : sort === 'newest' || sort === 'relevance'),
    {
      path: ['sort'],
      message: 'must be newest or relevance with q, and not relevance without',
    },
  )
  .refine(({ sort, series }) => sort !== 'series' || series !== undefined, {
    path: ['sort'],
    message: 'series needs the filter series',
  })
  .refine(({ q, cursor, fields }) => q === undefined || (cursor === undefined && !hasContent(fields)), {
    path: ['q'],
    message: 'does not go with cursor, nor with the content in fields',
  })
  .refine(({ q, highlight }) => q !== undefined || highlight === '0', {
    path: ['highlight'],
    message: 'needs q',
  });

/** True if a list with these members is read by cursor, because content has no bounded size. */
export function hasContent(fields: readonly ListedMember[] | undefined): boolean {
  return fields?.includes('content') === true;
}

export const articlePath = z.object({ id: idParameter() });

/** Path of one article by its slug. */
export const articleSlugPath = z.object({ slug: slugParameter() });

/** A part of a text, and where it has words of the search. */
const highlight = z
  .object({
    member: z.enum(['title', 'excerpt', 'tags', 'author', 'content']),
    text: z.string().describe('Text, never HTML: escape it like any other.'),
    matches: z
      .array(z.object({ offset: z.int().nonnegative(), length: z.int().positive() }))
      .describe('The ranges of the searched words in `text`, in UTF-16 code units, in order.'),
  })
  .meta({ id: 'Highlight' });

/** A part of a text, and where it has words of the search. */
export type Highlight = z.infer<typeof highlight>;

/** An article of a list: those of its members that are asked for. */
const listedArticle = listedMembers
  .partial()
  .required({ id: true })
  .extend({
    highlights: z.array(highlight).optional().describe('With `highlight=1`.'),
    ...includedMembers,
    schedule: scheduleOfArticle,
    working_copy: workingCopyOfArticle,
    ...deskMembers,
    open_comments: openComments,
  })
  .meta({
    id: 'ArticleListItem',
    description:
      'An article of a list. With `fields`, it has `id` and the members that these name, and no others.',
  });

/** An article of a list, with these members. */
export type ListedArticle<Member extends ListedMember = ListedMember> = Pick<
  z.infer<typeof listedMembers>,
  Member
>;

export const articleListAnswer = pagedEnvelope(z.array(listedArticle));

const INCLUDED = [
  'jsonld',
  'series',
  'tags',
  'authors',
  'extra',
  'picture',
  ...ADDED_TO_FIELDS,
  ...FOR_WRITERS,
] as const;

const RELATED = Array.from({ length: MOST_RELATED }, (_, index) => `related:${index + 1}`);

export const articleDetailQuery = z.strictObject({
  preview: z
    .string()
    .max(100)
    .optional()
    .describe('The token of a preview, which shows its article, published or not, as last saved.'),
  include: includeOf(
    [...INCLUDED, ...RELATED],
    `${INCLUDED.join(', ')}, and related:1 to related:${MOST_RELATED}`,
  ).optional(),
});

export type ArticleDetailQuery = z.infer<typeof articleDetailQuery>;

const article = articleDetail
  .extend({
    ...includedMembers,
    schedule: scheduleOfArticle,
    working_copy: workingCopyOfArticle,
    ...deskMembers,
    series: shownSeries
      .nullable()
      .optional()
      .describe('With `include=series`: its place in the series that it is in; null if it is in none.'),
    related: z
      .array(nestedArticle)
      .optional()
      .describe(
        'With `include=related:N`: up to N other published articles that share tags, authors or the category. What fewer articles have counts more; then the newest come first.',
      ),
    jsonld: z
      .looseObject({})
      .optional()
      .describe('With `include=jsonld`: a NewsArticle of schema.org, for structured data of its page.'),
  })
  .meta({ id: 'Article', description: 'An article, whole.' });

export const articleDetailAnswer = envelope(article);

/** Answer of `POST`. */
export const articleCreatedAnswer = envelope(
  z.object({ id: z.int(), title: z.string(), slug: z.string(), is_published: z.boolean() }),
);

/** Answer of `PUT`. */
export const articlePutAnswer = envelope(z.object({ id: z.int(), title: z.string(), slug: z.string() }));

/** Members of an article that a `PATCH` may change, by itself or as a consequence. */
const articleChanges = articleDetail
  .omit({ id: true, category: true, related_articles: true, created_at: true, updated_at: true })
  .extend({
    category_id: z.int().nullable(),
    ...eachAddedMember(z.string().nullable()),
    ...termsOfArticle,
    extra: shownExtra,
    corrections: shownCorrections.nullable(),
    ...schedule.shape,
  })
  .partial()
  .extend({ id: z.int() })
  .meta({
    id: 'ArticleChanges',
    description: 'The members that a change of an article has changed, and no others.',
  });

/** The text of a revision: the category by its id, tags and authors by their slugs. */
export const revisedArticle = articleChanges
  .omit({ id: true, publish_at: true, unpublish_at: true, release: true })
  .required()
  .extend({
    tags: z.array(z.string()),
    authors: z.array(z.string()),
    corrections: shownCorrections.optional(),
  });

/** The changes that a `PATCH` made. */
export type ArticleChanges = z.infer<typeof articleChanges>;

/** Answer of `PATCH`: `id` and exactly what changed; `updated_at`, which always changes, is left out. */
export const articlePatchAnswer = envelope(articleChanges);

/** Answer of `DELETE`. */
export const deletedAnswer = envelope(z.null());

/** The author of an article as clients see it: the names of its authors if it has any. */
export const SHOWN_AUTHOR = sql<string>`case when author_ids = '{}' then author
  else coalesce(content.author_names(author_ids), author) end`.as('author');

/** The category of an article as clients see it; null if it does not have one. */
export function categoryOf(id: number | null, name: string | null, slug: string | null) {
  return id === null || name === null || slug === null ? null : { id, name, slug };
}
