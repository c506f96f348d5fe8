import { PRIVATE } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { SearchGate } from '@pressroom/common/search/search';
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import { type KeyOwner, requireArticle } from '../api-keys.ts';
import { CACHED_UNDER, subjectsOfChange } from '../cache-subjects.ts';
import { success, successPage } from '../envelope.ts';
import {
  type ArticleRules,
  actorOf,
  checkBody,
  idempotencyKey,
  logWrite,
  MOVED,
  ownerOf,
  replyBySlug,
  replyToReader,
  requireDesk,
  requireReader,
  writerOf,
  writtenHeaders,
} from '../requests.ts';
import { publishes, type Reviews } from '../review.ts';
import type { Site } from '../site.ts';
import type { ContentTables } from '../tables.ts';
import type { ReadArticle } from './detail.ts';
import { areForWriters } from './filters.ts';
import { ArticleList } from './list.ts';
import { PICTURE_MEMBERS, type Pictured } from './pictures.ts';
import {
  ADDED_TO_FIELDS,
  type ArticleCreate,
  type ArticleDetail,
  type ArticleDetailQuery,
  type AuthorOfArticle,
  articleCreate,
  articleCreatedAnswer,
  articleDetailAnswer,
  articleDetailQuery,
  articleListAnswer,
  articleListQuery,
  articlePatch,
  articlePatchAnswer,
  articlePath,
  articlePut,
  articlePutAnswer,
  articleSlugPath,
  deletedAnswer,
  FOR_WRITERS,
  hasContent,
  LIST_MEMBERS,
  type ListedArticle,
  type ListedMember,
  OPEN_COMMENTS,
} from './schema.ts';
import { searchArticles } from './search.ts';
import { type ShownSeries, seriesOf } from './series.ts';
import type { ArticleStore } from './store.ts';

/** The dependencies of the operations on articles. */
export interface ArticleParts {
  articles: ArticleStore;
  /** Lists are read from it; it may be a replica. */
  readDb: Kysely<ContentTables>;
  gate: SearchGate<ContentTables>;
  cache: RepresentationCache;
  /** The site that shows the articles, if the settings name it. */
  site: () => Promise<Site | undefined>;
  rules: ArticleRules;
  reviews: Pick<Reviews, 'refuseUnapproved' | 'writerOf'>;
  /**
   * Called after each commit: this replica must not serve anything about these subjects, or about anything if
   * there are none, that it read before.
   */
  changed: (subjects?: ReadonlySet<string>) => void;
}

const TAGS = ['articles'];
const FOUND = 'Articles found';
const DETAIL_PROBLEMS = problemResponses(400, 401, 403, 404, 429, 503);
export const CREATE_PROBLEMS = problemResponses(400, 401, 403, 409, 413, 415, 422, 429, 500, 503);
export const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503);

/** The operations on articles: public reads, writes with a key (`docs/spec/content.md`, "Endpoints"). */
export function articleOperations(parts: ArticleParts) {
  return { ...reads(parts), create: creation(parts), ...updates(parts), remove: removal(parts) };
}

function reads({ articles, readDb, gate, cache, site }: ArticleParts) {
  const withMembers = async <Shown extends Pictured & { id: number }>(
    shown: Shown[],
    include: readonly string[] = [],
  ) => {
    const ids = shown.map(({ id }) => id);
    const tags = include.includes('tags') ? await articles.terms('tags', ids) : undefined;
    const authors = include.includes('authors') ? await articles.terms('authors', ids) : undefined;
    const extras = include.includes('extra') ? await articles.extras(ids) : undefined;
    const schedules = include.includes('schedule') ? await articles.schedules(ids) : undefined;
    const copies = include.includes('working_copy') ? await articles.workingCopies(ids) : undefined;
    const reviews = include.includes('review') ? await articles.reviews(ids) : undefined;
    const assignees = include.includes('assignee') ? await articles.assignees(ids) : undefined;
    const comments = include.includes(OPEN_COMMENTS) ? await articles.openComments(ids) : undefined;
    const pictures = include.includes('picture') ? await articles.pictures(shown) : undefined;
    return shown.map((article, index) => ({
      ...article,
      ...(tags && { tags: tags.get(article.id) ?? [] }),
      ...(authors && { authors: authors.get(article.id) ?? [] }),
      ...(extras && { extra: extras.get(article.id) ?? null }),
      ...(schedules && { schedule: schedules.get(article.id) }),
      ...(copies && { working_copy: copies.get(article.id) ?? null }),
      ...(reviews && { review: reviews.get(article.id) ?? null }),
      ...(assignees && { assignee: assignees.get(article.id) ?? null }),
      ...(comments && { open_comments: comments.get(article.id) ?? 0 }),
      ...(pictures && { picture: pictures[index] ?? null }),
    }));
  };
  const detail = async (
    { article, own, extra, terms = {} }: ReadArticle,
    { include = [] }: ArticleDetailQuery,
  ) => {
    const place = { id: article.id, categories: [article.category?.id ?? null] };
    const [known = article] = await withMembers([article], include);
    const others = Object.entries({ ...terms, extra }).filter(([member]) => member in known);
    const shown = { ...known, ...Object.fromEntries(others) };
    const authorsOf = async () =>
      terms.authors ?? (await articles.terms('authors', [article.id])).get(article.id) ?? [];
    const most = relatedIn(include);
    const isLinked = include.includes('jsonld');
    const [series, authors] = await Promise.all([
      isLinked || include.includes('series') ? seriesOf(readDb, article.id) : null,
      isLinked ? authorsOf() : [],
    ]);
    const value = {
      ...shown,
      ...(include.includes('series') && { series }),
      ...(isLinked && { jsonld: jsonLdOf(article, { authors, series }, await site()) }),
      ...(most > 0 && { related: await related(article.id, most, include) }),
    };
    const hasOthers = most > 0 || series !== null;
    const subjects = hasOthers ? CACHED_UNDER.articleWithOthers(place) : CACHED_UNDER.article(place);
    return { value: success('Article found', value), own, subjects: subjectsWith(subjects, include) };
  };
  const related = async (id: number, most: number, include: readonly string[]) =>
    withMembers(await articles.related(id, most), include.filter(isPicture));
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listArticles',
      summary: 'List articles, newest first unless sorted otherwise',
      description:
        'Filters combine. Numbered pages suit a site; `cursor` (empty at first) walks through a whole' +
        ' list and misses nothing. With `q`, only articles that have every word. Drafts, and what' +
        ' else readers do not see, take a key.',
      querystring: articleListQuery,
      response: { 200: articleListAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) => {
      const {
        page = 1,
        per_page: perPage,
        status,
        sort,
        cursor,
        fields = LIST_MEMBERS,
        q,
        highlight,
        include,
        ...filters
      } = request.query;
      if (include?.includes(OPEN_COMMENTS)) requireDesk(request);
      if (status !== 'published' || isForWriters(include) || areForWriters(filters)) requireReader(request);
      const added = ADDED_TO_FIELDS.filter((name) => include?.includes(name));
      const named = added.length === 0 ? fields : [...new Set([...fields, ...added])];
      const read = include?.some(isPicture) ? [...new Set([...named, ...PICTURE_MEMBERS])] : named;
      const shown = async (found: ListedArticle[]) => {
        const all = await withMembers(found, include);
        return read === named ? all : all.map((article) => withoutUnasked(article, named));
      };
      if (q !== undefined || sort === 'relevance') {
        const search = {
          q: q ?? '',
          order: sort === 'relevance' ? sort : 'newest',
          highlights: highlight === '1',
        } as const;
        return replyToReader(request, reply, cache, async () => {
          const place = { page, perPage };
          const found = await searchArticles(gate, { status, filters }, search, read, place);
          return {
            value: successPage(FOUND, await shown(found.articles), place, found.total),
            subjects: subjectsWith(CACHED_UNDER.search(filters), include),
          };
        });
      }
      const scope = { status, sort, filters };
      const subjects = subjectsWith(CACHED_UNDER.list(filters), include);
      return replyToReader(request, reply, cache, async () => {
        if (cursor === undefined && !hasContent(fields)) {
          const list = await new ArticleList(read).page(readDb, scope, { page, perPage });
          const value = successPage(FOUND, await shown(list.articles), { page, perPage }, list.total);
          return { value, subjects };
        }
        const walked = await new ArticleList(read).walk(readDb, scope, { cursor: cursor ?? '', perPage });
        const { data, meta, ...rest } = successPage(
          FOUND,
          await shown(walked.articles),
          { ...walked, perPage },
          walked.total,
        );
        return { value: { ...rest, data, meta: { ...meta, next_cursor: walked.next } }, subjects };
      });
    },
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getArticle',
      summary: 'Read an article; drafts only with a key',
      description:
        'A draft is 404 without a key, unless `preview` has a token of it. `related_articles` are up' +
        ' to five published articles of the same category, those whose titles share most words first;' +
        ' `include=related:5` adds those that share tags, authors or the category, with what a card shows.' +
        ' The `ETag` is for `If-None-Match` here and `If-Match` of a write.',
      params: articlePath,
      querystring: articleDetailQuery,
      response: { 200: articleDetailAnswer, ...NOT_MODIFIED, ...DETAIL_PROBLEMS },
    },
    handler: (request, reply) => {
      if (isForWriters(request.query.include)) requireReader(request);
      return replyToReader(
        request,
        reply,
        cache,
        async (reader) => detail(await articles.read(request.params.id, reader), request.query),
        request.query.preview,
      );
    },
    config: { secretQuery: true },
  });
  const readBySlug = operation({
    schema: {
      tags: TAGS,
      operationId: 'getArticleBySlug',
      summary:
        'Read an article by its slug, as by its id; a slug that it had before leads to the current one',
      description:
        'The answer is that of the article’s id. A former slug is 308 to the current one, in one hop.' +
        ' This is the way for a site whose addresses have slugs.',
      params: articleSlugPath,
      querystring: articleDetailQuery,
      response: { 200: articleDetailAnswer, ...NOT_MODIFIED, ...MOVED, ...DETAIL_PROBLEMS },
    },
    handler: (request, reply) => {
      if (isForWriters(request.query.include)) requireReader(request);
      return replyBySlug(
        request,
        reply,
        cache,
        async (reader) => detail(await articles.readBySlug(request.params.slug, reader), request.query),
        request.query.preview,
      );
    },
    config: { secretQuery: true },
  });
  return { list, read, readBySlug };
}

/** True if a request includes members that only holders of a key see. */
function isForWriters(include: readonly string[] = []): boolean {
  return FOR_WRITERS.some((member) => include.includes(member));
}

function isPicture(member: string): boolean {
  return member === 'picture';
}

/** An article of a list without the members that only its picture is made of. */
function withoutUnasked<Shown extends Pictured>(article: Shown, fields: readonly ListedMember[]): Shown {
  const shown = { ...article };
  for (const name of PICTURE_MEMBERS) if (!fields.includes(name)) delete shown[name];
  return shown;
}

/** The subjects of an answer with the members that are asked for. */
function subjectsWith<Named>(subjects: Named[], include: readonly string[] = []) {
  return include.some(isPicture) ? [...subjects, ...CACHED_UNDER.pictures] : subjects;
}

/** The number of related articles asked for: that of the last `related:N`, 0 without one. */
function relatedIn(include: readonly string[]): number {
  return Number(include.findLast((member) => member.startsWith('related:'))?.slice('related:'.length) ?? 0);
}

function creation(parts: ArticleParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'createArticle',
      summary: 'Create an article',
      description:
        'With an Idempotency-Key (1–255 visible ASCII characters), the same request within 24 hours creates nothing' +
        ' and returns the article of the first one with `Idempotent-Replayed: true`; a different body is 422' +
        ' `idempotency_key_reused`. Each API key has separate idempotency keys.',
      requestHeaders: ['Idempotency-Key'],
      responseHeaders: { 201: ['ETag', 'Idempotent-Replayed'] },
      body: articleCreate,
      response: { 201: articleCreatedAnswer, ...CREATE_PROBLEMS },
    },
    attachValidation: true,
    handler: async (request, reply) => {
      await checkBody(request, parts.rules);
      const { article, headers } = await createArticle(parts, request, request.body);
      return reply.code(201).headers(headers).send(success('Article created', article));
    },
  });
}

/** Creates what a request asks for, once its body is checked, and returns the headers of the answer too. */
export async function createArticle(
  { articles, reviews, changed }: Pick<ArticleParts, 'articles' | 'reviews' | 'changed'>,
  request: FastifyRequest,
  body: ArticleCreate & { is_short?: boolean },
) {
  const owner = ownerOf(request);
  // A new article is theirs who write it.
  requireArticle(owner, { ...body, author_ids: [owner.author_id ?? 0] });
  if (publishes(body)) reviews.refuseUnapproved(owner);
  const key = idempotencyKey(request);
  const { article, own, repeated } = await articles.create(
    { ...body, ...bylineOf(body, owner) },
    actorOf(request),
    key === undefined ? undefined : { sender: owner.prefix, key, body },
  );
  // The first one may have reached another replica, whose notification may still be on its way.
  changed(
    repeated ? undefined : subjectsOfChange({ id: article.id, categories: [body.category_id ?? null] }),
  );
  if (!repeated) logWrite(request, 'article_created', { article: article.id });
  const headers = {
    ...writtenHeaders(own),
    location: `/api/articles/${article.id}`,
    ...(repeated && { 'idempotent-replayed': 'true' }),
  };
  return { article, headers };
}

/** Returns the author of an article that names none: the owner of the key, as the author that they are. */
function bylineOf(
  { author, authors }: Partial<Pick<Parameters<ArticleStore['create']>[0], 'author' | 'authors'>>,
  { name, author_id: own }: KeyOwner,
) {
  const names = own && author === undefined && authors === undefined ? { authors: [own] } : {};
  return { author: author ?? name, ...names };
}

function updates({ articles, rules, reviews, changed }: ArticleParts) {
  const replace = operation({
    schema: {
      tags: TAGS,
      operationId: 'replaceArticle',
      summary: 'Replace an article; send every member, with null for optional ones that are unset',
      description:
        'Members of the create table that are left out are 422; tags, authors, `extra`, `slug` and' +
        ' plans stay unless given. Send the `ETag` of the article in `If-Match`, and an article that' +
        ' somebody else has changed meanwhile is 412.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: articlePut,
      response: { 200: articlePutAnswer, ...WRITE_PROBLEMS },
    },
    attachValidation: true,
    handler: async (request, reply) => {
      await checkBody(request, rules);
      const { body, params } = request;
      const writer = reviews.writerOf(request, body);
      const { article, own, place } = await articles.update(params.id, body, writer);
      changed(subjectsOfChange(place));
      logWrite(request, 'article_updated', { article: article.id });
      return reply.headers(writtenHeaders(own)).send(success('Article updated', article));
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'updateArticle',
      summary: 'Change some members of an article',
      description:
        'Returns `id` and exactly the members that changed. `updated_at` always changes and is left out.',
      params: articlePath,
      responseHeaders: { 200: ['ETag'] },
      body: articlePatch,
      response: { 200: articlePatchAnswer, ...WRITE_PROBLEMS },
    },
    attachValidation: true,
    handler: async (request, reply) => {
      await checkBody(request, rules);
      const { body, params } = request;
      const writer = reviews.writerOf(request, body);
      const { changes, own, place } = await articles.update(params.id, body, writer);
      changed(subjectsOfChange(place));
      logWrite(request, 'article_updated', { article: place.id });
      return reply.headers(writtenHeaders(own)).send(success('Article updated', changes));
    },
  });
  return { replace, change };
}

function removal({ articles, changed }: ArticleParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteArticle',
      summary: 'Delete an article',
      description:
        'It is 404 at once, with its revisions, and can be restored for 30 days' +
        ' (`CONTENT_TRASH_DAYS`) by `POST /api/articles/{id}/restore`. Until then, slugs of what was' +
        ' published are given to nothing else.',
      params: articlePath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      const place = await articles.delete(request.params.id, writerOf(request, {}));
      changed(subjectsOfChange(place));
      logWrite(request, 'article_deleted', { article: place.id });
      return reply.header('cache-control', PRIVATE).send(success('Article deleted', null));
    },
  });
}

/**
 * An article as schema.org's `NewsArticle`, for the `application/ld+json` of its page. Without a site it
 * names neither a publisher nor, unless it has a canonical one, an address.
 */
function jsonLdOf(
  article: ArticleDetail,
  { authors, series }: { authors: readonly AuthorOfArticle[]; series: ShownSeries | null },
  site: Site | undefined,
): Record<string, unknown> {
  const url = article.canonical_url ?? site?.page('article', article);
  const time = (at: string) => site?.time(at) ?? at;
  const image = article.featured_image ?? article.social_image;
  return {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: article.title,
    description: article.meta_description ?? article.excerpt ?? undefined,
    image: image == null ? undefined : [image],
    datePublished: article.published_at == null ? undefined : time(article.published_at),
    dateModified: time(article.updated_at),
    author:
      authors.length === 0
        ? [{ '@type': 'Person', name: article.author }]
        : authors.map((author) => personOf(author, site)),
    articleSection: article.category?.name,
    isPartOf: series === null ? undefined : { '@type': 'CreativeWorkSeries', name: series.name },
    position: series?.position,
    correction: article.corrections?.map(({ at, text }) => ({
      '@type': 'CorrectionComment',
      text,
      datePublished: time(at),
    })),
    inLanguage: site?.language,
    url,
    mainEntityOfPage: url,
    publisher: site && {
      '@type': 'Organization',
      name: site.name,
      url: site.url,
      logo: site.logo === undefined ? undefined : { '@type': 'ImageObject', url: site.logo },
    },
  };
}

function personOf(author: AuthorOfArticle, site: Site | undefined) {
  return {
    '@type': 'Person',
    name: author.name,
    url: site?.page('author', author),
    image: author.picture ?? undefined,
  };
}
