import { createHash } from 'node:crypto';
import { codePoints, instant } from '@pressroom/common/fields/fields';
import { because, type Reason, Refusal } from '@pressroom/moving/reasons';
import { type Identity, type SlugOf, truncateAtWord } from '@pressroom/moving/source-entry';
import { z } from 'zod';
import {
  type ArticleCreate,
  articleCreate,
  type Extra,
  eachDetailMember,
  shownCorrections,
} from '../articles/schema.ts';
import type { ImportedColumns } from '../articles/store.ts';
import { SLUG_PATTERN, slugify } from '../slug.ts';
import type { TermKind } from '../terms/kinds.ts';

const time = instant('must be a time with its offset, such as 2016-02-29T18:00:00Z');

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const slug = z.string().max(100).regex(SLUG_PATTERN, 'must be words of a–z and 0–9 joined by -');

/** Takes null, which exports write for absent members, as absent. */
const absent = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const own = {
  id: z.int32().positive().optional(),
  created_at: time.nullish(),
  updated_at: time.nullish(),
  former_slugs: absent(z.array(slug)),
};

/** Members that categories, tags and series have, and those of authors. */
const described = { description: z.string().nullish() };
const placed = { ...described, picture: z.string().nullish(), position: z.int().nullish() };
const portrayed = {
  bio: z.string().nullish(),
  picture: z.string().nullish(),
  links: z.array(z.object({ label: z.string().optional(), url: z.string() })).optional(),
};

const named = { name: z.string(), slug: slug.optional() };

/** A category, tag or author: the name or slug, or both. */
const namedCategory = z.union([z.string(), z.strictObject({ ...named, ...placed })]);
const namedTerm = z.union([z.string(), z.strictObject({ ...named, ...described })]);
const namedAuthor = z.union([z.string(), z.strictObject({ ...named, ...portrayed })]);

/** A category, tag, author or series as an article names it, or as a line of its own has it. */
export interface ImportedTerm {
  name: string;
  slug?: string | undefined;
  /** The other members of its kind; absent where not set. */
  more: Readonly<Record<string, unknown>>;
}

const articleLine = z
  .strictObject({
    type: z.literal('article').optional(),
    ...own,
    source: z.string().nullish(),
    title: z.string(),
    html: z.string().optional(),
    content: z.string().optional(),
    excerpt: z.string().nullish(),
    byline: z.string().nullish(),
    author: z.string().nullish(),
    is_published: z.boolean().optional(),
    published_at: time.nullish(),
    category: namedCategory.nullish(),
    category_id: z.int().nullish(),
    tags: absent(z.array(namedTerm)),
    authors: absent(z.array(namedAuthor)),
    series: z.strictObject({ ...named, position: z.int32().positive() }).nullish(),
    featured_image: z.string().nullish(),
    ...eachDetailMember(z.string().nullish()),
    extra: z.custom<Extra>(isObject, 'must be an object').nullish(),
    corrections: absent(shownCorrections),
    slug: absent(z.string()),
    slug_is_given: z.boolean().optional(),
    publish_at: time.nullish(),
    unpublish_at: time.nullish(),
    release: slug.nullish(),
  })
  .refine(({ html, content }) => (html === undefined) !== (content === undefined), {
    path: ['html'],
    message: 'is required: the article as HTML, as html or content',
  })
  .refine(({ category, category_id }) => category == null || category_id == null, {
    path: ['category'],
    message: 'does not go with category_id',
  });

const releaseLine = z.strictObject({
  type: z.literal('release'),
  name: slug,
  publish_at: time.nullish(),
  published_at: time.nullish(),
  created_at: time.nullish(),
});

const termLine = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('category'), ...own, ...named, ...placed }),
  z.strictObject({ type: z.literal('tag'), ...own, ...named, ...described }),
  z.strictObject({ type: z.literal('author'), ...own, ...named, ...portrayed }),
  z.strictObject({ type: z.literal('series'), ...own, ...named, ...described }),
]);

export interface LineOptions {
  truncate: boolean;
  /** True to restore an export: ids, slugs and times are kept. */
  exact: boolean;
  /** True to take them as they are, without the API's rules: for whoever runs the server. */
  unchecked: boolean;
  /** The author of articles that name none. */
  author?: string | undefined;
}

/** Facts about a row in its old place that no request can set. */
export interface Past {
  id?: number | undefined;
  created_at?: Date | undefined;
  updated_at?: Date | undefined;
  former_slugs: readonly string[];
}

export interface ImportedArticle {
  type: 'article';
  source: string;
  /** Identifies it for good, so that importing it again creates nothing; undefined if its id does. */
  key: string | undefined;
  /** The keys that it may have been given under other spellings of its addresses. */
  otherKeys: readonly string[];
  /** The keys that earlier versions kept, also for other articles. */
  formerKeys: readonly string[];
  /** The id that it had where it was exported. */
  ownId: number | undefined;
  /** The slug that it is to have, and whether it had it elsewhere. */
  wanted: { slug: string; isGiven: boolean };
  body: Omit<ArticleCreate, 'tags'> & { author: string };
  category: ImportedTerm | undefined;
  tags: readonly ImportedTerm[];
  authors: readonly ImportedTerm[];
  series: { term: ImportedTerm; position: number } | undefined;
  past: Past & ImportedColumns;
  notes: readonly Reason[];
}

/** A category, tag, author or series to import. */
export interface ImportedTermLine {
  type: TermKind['noun'];
  term: ImportedTerm;
  past: Past;
  notes: readonly Reason[];
}

export interface ImportedRelease {
  type: 'release';
  release: { name: string; publish_at: Date | null; published_at: Date | null; created_at?: Date };
}

/** Reads a line. Throws an error that says what is wrong with it. */
export function readImportLine(
  line: unknown,
  identity: Identity | undefined,
  options: LineOptions,
): ImportedArticle | ImportedTermLine | ImportedRelease {
  const type = typeof line === 'object' && line !== null && 'type' in line ? line.type : 'article';
  if (options.exact && !options.unchecked) refuseHighId(line);
  if (type === 'category' || type === 'tag' || type === 'author' || type === 'series') {
    const { id, created_at, updated_at, former_slugs, type: _, ...term } = parsed(termLine, line);
    const past = pastOf({ id, created_at, updated_at, former_slugs }, options);
    const notes: Reason[] = [];
    return { type, term: fittedTerm(type, termOf(term), options, notes), past, notes };
  }
  if (type === 'release') {
    const { created_at, publish_at = null, published_at = null, name } = parsed(releaseLine, line);
    return { type, release: { name, publish_at, published_at, ...(created_at && { created_at }) } };
  }
  return readArticle(parsed(articleLine, line), identity, options);
}

/** The highest id that a file may ask for at the desk: new rows get higher ones, and need room. */
const MOST_ID = 2 ** 30;

function refuseHighId(line: unknown): void {
  if (typeof line === 'object' && line !== null && 'id' in line && Number(line.id) > MOST_ID)
    throw new Refusal('value_refused', 'id', `id: must be at most ${MOST_ID}`);
}

function readArticle(
  { source, category, tags = [], authors = [], series, ...line }: z.infer<typeof articleLine>,
  identity: Identity | undefined,
  options: LineOptions,
): ImportedArticle {
  const { type: _, id, created_at, updated_at, former_slugs, published_at, slug_is_given, ...rest } = line;
  const { publish_at, unpublish_at, release, ...members } = rest;
  const past = pastOf({ id, created_at, updated_at, former_slugs, published_at }, options);
  const notes: Reason[] = [];
  const termsOf = (
    kind: 'tag' | 'author',
    named: readonly z.infer<typeof namedTerm | typeof namedAuthor>[],
  ) => atMost(kind, named, options, notes).map((one) => fittedTerm(kind, termOf(one), options, notes));
  const writers = termsOf('author', authors);
  const names = writers.map(({ name }) => name).join(', ');
  // Nothing is lost: the article has the authors themselves.
  const author = (options.unchecked ? names : [...names].slice(0, 255).join('')) || undefined;
  const body = bodyOf({ author, ...members }, options, notes);
  const schedule = {
    ...(publish_at != null && { publish_at }),
    ...(unpublish_at != null && { unpublish_at }),
    ...(release != null && { release }),
  };
  if (body.is_published && !options.unchecked && Number(published_at) > Date.now())
    throw new Refusal('in_future');
  const lacksDate = body.is_published && !options.exact && published_at == null;
  const earliest = lacksDate ? past.created_at : undefined;
  const isUndated = lacksDate && earliest === undefined;
  if (lacksDate) notes.push(earliest ? because('date_assumed', earliest.toISOString()) : because('undated'));
  const itself = [source ?? '', body.title, body.content];
  // Two articles may have everything else in common.
  const differing = Object.entries({
    slug: identity?.slug ?? members.slug,
    published: published_at?.toISOString(),
    ...(identity === undefined && { id, created: created_at?.toISOString(), address: members.canonical_url }),
  }).flatMap(([name, value]) => (value == null ? [] : [name, String(value)]));
  return {
    type: 'article',
    source: source ?? '',
    key: past.id === undefined ? keyOf([...(identity?.parts ?? itself), ...differing]) : undefined,
    otherKeys:
      past.id === undefined ? (identity?.others ?? []).map((parts) => keyOf([...parts, ...differing])) : [],
    formerKeys: past.id === undefined ? (identity?.former ?? [itself]).map(keyOf) : [],
    ownId: id,
    wanted: {
      slug: body.slug ?? identity?.slug ?? slugify(body.title, 'article'),
      isGiven: (members.slug ?? identity?.slug) !== undefined,
    },
    body: options.exact ? body : { ...body, ...schedule, is_published: body.is_published && !isUndated },
    category: category == null ? undefined : fittedTerm('category', termOf(category), options, notes),
    tags: termsOf('tag', tags),
    authors: writers,
    series: series == null ? undefined : seriesOf(series, options, notes),
    past: {
      ...past,
      ...(options.exact && schedule),
      published_at: published_at ?? earliest,
      slug_is_given,
    },
    notes,
  };
}

type ArticleMembers = Omit<
  z.infer<typeof articleLine>,
  | 'type'
  | 'source'
  | 'category'
  | 'tags'
  | 'authors'
  | 'series'
  | 'slug_is_given'
  | 'published_at'
  | 'publish_at'
  | 'unpublish_at'
  | 'release'
  | keyof typeof own
>;

/** The body of a create, which has to meet the API's rules unless an export is restored as it is. */
function bodyOf(
  { html, content, byline, author, excerpt, is_published = true, ...rest }: ArticleMembers,
  { exact, unchecked, truncate, author: otherwise }: LineOptions,
  notes: Reason[],
): ImportedArticle['body'] {
  // As published, a byline has the line breaks of the page's source.
  const named = exact ? author : (byline ?? author)?.replaceAll(/\s+/g, ' ').trim() || otherwise;
  if (named == null) throw new Refusal('no_author');
  const body = {
    ...rest,
    content: html ?? content ?? '',
    excerpt: excerpt ?? null,
    author: named,
    is_published,
  };
  if (unchecked) return body;
  const { author: fits = named, ...checked } = parsed(
    articleCreate,
    truncate ? fitted('article', body, notes) : body,
  );
  return { ...checked, author: fits };
}

/** The most tags and authors of an article that the API takes. */
const MOST = { tag: 50, author: 20 };

function atMost<Named>(
  kind: 'tag' | 'author',
  named: readonly Named[],
  { unchecked, truncate }: LineOptions,
  notes: Reason[],
): readonly Named[] {
  const [most, several] = [MOST[kind], `${kind}s`];
  if (unchecked || named.length <= most) return named;
  if (!truncate)
    throw new Refusal(
      'value_refused',
      several,
      `${several}: must be at most ${most} ${several}; --truncate keeps the first ${most}`,
    );
  const left = named.slice(most).map((one) => termOf(one as string).name);
  notes.push(because('terms_left_out', left.join(', '), several, most));
  return named.slice(0, most);
}

function fittedTerm(
  kind: ImportedTermLine['type'],
  { name, slug, more }: ImportedTerm,
  { truncate, unchecked }: LineOptions,
  notes: Reason[],
): ImportedTerm {
  if (!truncate || unchecked) return { name, slug, more };
  const { name: fits = name, ...rest } = fitted(kind, { name, ...more }, notes);
  return { name: fits, slug, more: rest };
}

function seriesOf(
  { position, ...named }: NonNullable<z.infer<typeof articleLine>['series']>,
  options: LineOptions,
  notes: Reason[],
): ImportedArticle['series'] {
  return { term: fittedTerm('series', termOf(named), options, notes), position };
}

/**
 * The times at which a row was created and changed. A row that gives only some of them has been the same
 * since the latest of these.
 */
function pastOf(
  {
    id,
    created_at,
    updated_at,
    published_at,
    former_slugs = [],
  }: {
    id?: number | undefined;
    created_at?: Date | null | undefined;
    updated_at?: Date | null | undefined;
    published_at?: Date | null | undefined;
    former_slugs?: string[] | undefined;
  },
  { exact }: LineOptions,
): Past {
  const isPast = (time: Date | null | undefined) => time != null && (exact || time <= new Date());
  const created = [created_at, published_at, updated_at].find(isPast) ?? undefined;
  const times = [created, published_at].filter(isPast).map(Number);
  const latest = times.length > 0 ? new Date(Math.max(...times)) : undefined;
  const updated = [updated_at, latest].find(isPast) ?? undefined;
  return { id: exact ? id : undefined, created_at: created, updated_at: updated, former_slugs };
}

function termOf(
  term: z.infer<typeof namedCategory> | z.infer<typeof namedTerm> | z.infer<typeof namedAuthor>,
): ImportedTerm {
  if (typeof term === 'string') return { name: term, more: {} };
  const { name, slug, ...rest } = term;
  return { name, slug, more: Object.fromEntries(Object.entries(rest).filter(([, value]) => value != null)) };
}

/** The name under which an imported article is remembered (`articles/idempotency.ts`). */
function keyOf(identity: readonly string[]): string {
  return `import-${createHash('sha256').update(JSON.stringify(identity)).digest('base64url')}`;
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [first] = error.issues;
  const sentence = error.issues.map(explained).join('; ');
  if (first?.code === 'unrecognized_keys')
    throw new Refusal('unknown_members', first.keys.join(', '), sentence);
  throw new Refusal('value_refused', first?.path.join('.') || 'line', sentence);
}

function explained(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys')
    return `unknown members: ${issue.keys.join(', ')}; take them out or name them in --ignore`;
  const advice =
    issue.code === 'custom' && issue.params?.code === 'too_long' ? '; --truncate shortens it' : '';
  return `${issue.path.join('.') || 'line'}: ${issue.message}${advice}`;
}

/** The most characters of the texts that can be shortened (`docs/spec/content.md`, "Limits"). */
const TEXTS = {
  article: {
    ...{ title: 255, excerpt: 500, alt_text: 255, meta_title: 255, meta_description: 320 },
    ...{ social_title: 255, social_description: 500, author: 255 },
  },
  category: { name: 100, description: 500 },
  tag: { name: 100, description: 500 },
  author: { name: 100, bio: 2000 },
  series: { name: 100, description: 500 },
} as const;

/** Addresses lead nowhere when they are shortened. */
const ADDRESSES = ['featured_image', 'canonical_url', 'social_image', 'picture'] as const;
const MOST_OF_ADDRESS = 500;

const MOST_OF_SLUG = 100;

/** The members with those shortened, or left out, that are too long; `notes` tells which. */
function fitted<Members extends object>(
  kind: keyof typeof TEXTS,
  members: Members,
  notes: Reason[],
): Members {
  const changed: Record<string, unknown> = {};
  const of = (name: string) => {
    const value: unknown = Object.entries(members).find(([one]) => one === name)?.[1];
    return typeof value === 'string' ? value : '';
  };
  const named = (name: string) => `${kind === 'article' ? '' : `${kind} `}${name}`;
  for (const [name, most] of Object.entries(TEXTS[kind])) {
    if (codePoints(of(name)) <= most) continue;
    changed[name] = truncateAtWord(of(name), most);
    notes.push(because('shortened', named(name), most));
  }
  for (const name of ADDRESSES) {
    if (codePoints(of(name)) <= MOST_OF_ADDRESS) continue;
    changed[name] = null;
    notes.push(because('too_long_left_out', named(name), MOST_OF_ADDRESS));
  }
  if (codePoints(of('slug')) > MOST_OF_SLUG) {
    changed.slug = slugify(of('slug'), kind);
    notes.push(because('shortened', named('slug'), MOST_OF_SLUG));
  }
  return { ...members, ...changed };
}

export const sourceSlug: SlugOf = (name) => {
  const text = name.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) =>
    // The last letter may be cut off in the middle.
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8').replaceAll('\ufffd', ''),
  );
  if (SLUG_PATTERN.test(text) && text.length <= 100) return { given: text };
  const made = slugify(text, '');
  return made === '' ? {} : { made };
};
