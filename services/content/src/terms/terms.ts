import { PRIVATE, writePrecondition } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { idParameter, onOneLine, requiredText } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { SearchGate } from '@pressroom/common/search/search';
import { z } from 'zod';
import { requireAnyCategory } from '../api-keys.ts';
import { type FilterValues, filterParameters } from '../articles/filters.ts';
import { articleListItem, deletedAnswer, includeOf, pageParameters } from '../articles/schema.ts';
import { CACHED_UNDER } from '../cache-subjects.ts';
import { envelope, type Page, pagedEnvelope, success, successPage } from '../envelope.ts';
import {
  actorOf,
  logWrite,
  MOVED,
  ownerOf,
  replyBySlug,
  replyToReader,
  writtenHeaders,
} from '../requests.ts';
import { newSlug, slugMember, slugParameter } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import { capitalized, type TermKind } from './kinds.ts';
import type { TermPage, TermStore } from './store.ts';

const timestamp = z.iso.datetime({ offset: true });

const times = { created_at: timestamp, updated_at: timestamp };

/** The members that every kind of terms has. */
export const term = z.object({ id: z.int(), name: z.string(), slug: z.string(), ...times });

/** A term with its number of published articles. */
const countedTerm = term.extend({ article_count: z.int().describe('Published articles.') });

const termArticle = articleListItem
  .omit({ category: true })
  .extend({ alt_text: z.string().nullable() })
  .meta({ id: 'TermArticle', description: 'An article in the list of its category, tag, author or series.' });

/** A term without the members that only its kind has. */
export type Term = z.infer<typeof term>;

export type CountedTerm = z.infer<typeof countedTerm>;

/** A term with a page of its published articles. */
export type TermDetail = Term & { articles: z.infer<typeof termArticle>[] };

/** A term as the answer to a write shows it. */
export type WrittenTerm = Pick<Term, 'id' | 'name' | 'slug'>;

/** The values of a `POST`; those that only its kind has are not in the type. */
export interface TermCreate {
  name: string;
  slug?: string | undefined;
}

/** The values of a `PUT` or `PATCH`. */
export type TermChange = Partial<TermCreate>;

const termPath = z.object({ id: idParameter() });

/** Query string of a list with pages. */
const termPageQuery = z.strictObject({
  ...pageParameters,
  q: requiredText(100)
    .optional()
    .describe('Those with this text in their names, in any case; names that begin with it first.'),
});

/** Path of one term by its slug. */
const termSlugPath = z.object({ slug: slugParameter() });

/** The filters of the articles of a term. */
export type TermFilters = Omit<FilterValues, TermKind['filter']['name']>;

/** The bodies and answers of the operations on a kind of terms. */
export function termSchemas({ noun, one, filter, written, shown, included }: TermKind) {
  const slug = slugMember().describe(
    `If omitted, a new ${noun} gets one from its name, and another keeps its own.`,
  );
  const own: { category_id?: true; tag?: true; author_slug?: true; series?: true } = { [filter.name]: true };
  const named = { name: onOneLine(requiredText(100)), slug: slug.optional() };
  const more = z.object(included?.written ?? {}).partial().shape;
  const put = z.strictObject(withMembers(named, { ...written, ...more }));
  const members = { ...z.object(written).partial().shape, ...more };
  const create = z.strictObject(
    withMembers(
      { ...named, slug: newSlug().describe('If omitted or null, it is made from the name.') },
      members,
    ),
  );
  const patch = z
    .strictObject(withMembers(named, members))
    .partial()
    .refine((body) => Object.keys(body).length > 0, {
      message: 'must have at least one member',
      params: { code: 'required' },
    })
    .meta({ minProperties: 1 });
  const { id, name, slug: shownSlug, ...dates } = term.shape;
  const identity = { id, name, slug: shownSlug };
  const ofRequest = z.object(included?.shown ?? {}).partial().shape;
  const listed = withMembers(identity, { ...shown, ...ofRequest });
  const changes = {
    id,
    ...z.object({ ...withMembers({ name, slug: shownSlug }, { ...shown, ...ofRequest }) }).partial().shape,
  };
  const countedTermSchema = z
    .object({ ...listed, article_count: countedTerm.shape.article_count, ...dates })
    .meta({
      id: capitalized(noun),
      description: `${capitalized(one)} with the number of its published articles.`,
    });
  const names = Object.keys(included?.shown ?? {});
  const include = { include: includeOf(names).optional() };
  const plainQuery = z.strictObject({ ...pageParameters, ...filterParameters }).omit(own);
  const detailQuery = plainQuery.extend(include);
  return {
    /** Query string of a list without pages. */
    listQuery: z.strictObject(include),
    /** Query string of the detail. */
    detailQuery: names.length === 0 ? (plainQuery as typeof detailQuery) : detailQuery,
    create,
    put,
    patch,
    listItems: z.array(countedTermSchema),
    detailAnswer: pagedEnvelope(
      z.object({ ...listed, ...dates, articles: z.array(termArticle) }).meta({
        id: `${capitalized(noun)}Page`,
        description: `${capitalized(one)} with a page of its articles.`,
      }),
    ),
    /** Answer of `POST` and `PUT`. */
    writtenAnswer: envelope(z.object(identity).meta({ id: `Written${capitalized(noun)}` })),
    /** Answer of `PATCH`: `id` and exactly what changed; `updated_at`, which always changes, is left out. */
    patchAnswer: envelope(z.object(changes)),
  };
}

/** Adds the members of a kind; the type keeps to those that every kind has. */
function withMembers<Shape extends z.ZodRawShape>(shape: Shape, members: TermKind['written']): Shape {
  return { ...shape, ...members };
}

/** The dependencies of the operations on a kind of terms. */
interface TermParts {
  kind: TermKind;
  terms: TermStore;
  /** Limits the searches for parts of names. */
  gate: SearchGate<ContentTables>;
  cache: RepresentationCache;
  /** Called after each commit: this replica must not serve anything that it read before. */
  changed: () => void;
}

const DETAIL_PROBLEMS = problemResponses(400, 403, 404, 429, 503);
const CREATE_PROBLEMS = problemResponses(400, 401, 403, 409, 413, 415, 422, 429, 500, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503);

/**
 * The operations on a kind of terms: public reads, writes with a key (`docs/spec/content.md`, "Endpoints").
 */
export function termOperations(parts: TermParts) {
  const words = { ...parts.kind, Noun: capitalized(parts.kind.noun), schemas: termSchemas(parts.kind) };
  return { ...reads(parts, words), ...writes(parts, words) };
}

/** A kind with the words and schemas that follow from it. */
interface Words extends TermKind {
  Noun: Capitalize<TermKind['noun']>;
  schemas: ReturnType<typeof termSchemas>;
}

function reads({ terms, gate, cache }: TermParts, { noun, Noun, plural, one, filter, schemas }: Words) {
  const tags = [plural];
  const list = operation({
    schema: {
      tags,
      operationId: `list${capitalized(plural)}`,
      summary: `List all ${plural} with their numbers of published articles`,
      description: 'Those with a `position` come first, the least before all, then the others by name.',
      querystring: schemas.listQuery,
      response: {
        200: envelope(schemas.listItems),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        return {
          value: success(`${capitalized(plural)} found`, await terms.list(request.query.include)),
          subjects: CACHED_UNDER.terms,
        };
      }),
  });
  const listPage = operation({
    schema: {
      tags,
      operationId: `list${capitalized(plural)}`,
      summary: `List ${plural} by name, with their numbers of published articles`,
      description:
        'With `q`, names that contain it, regardless of case; those that begin with it come first.',
      querystring: termPageQuery,
      response: {
        200: pagedEnvelope(schemas.listItems),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 429, 503),
      },
    },
    handler: (request, reply) => {
      const { page: number, per_page: perPage, q } = request.query;
      const page = { page: number, perPage };
      return replyToReader(request, reply, cache, async () => {
        const { terms: found, total } = await (q === undefined
          ? terms.page(page)
          : terms.search(gate, page, q));
        return {
          value: successPage(`${capitalized(plural)} found`, found, page, total),
          subjects: CACHED_UNDER.terms,
        };
      });
    },
  });
  const detail = ({ term, own, total }: TermPage, page: Page) => {
    const value = successPage(`${Noun} found`, term, page, total);
    return { value, own, subjects: CACHED_UNDER.term({ [filter.name]: term[filter.by] }) };
  };
  const read = operation({
    schema: {
      tags,
      operationId: `get${Noun}`,
      summary: `Read ${one} with a page of its published articles, newest first`,
      description:
        '`per_page` and `page` are those of its articles, which the filters of `GET /api/articles`' +
        ' narrow. Its members are in `data`, the articles in `data.articles`.',
      params: termPath,
      querystring: schemas.detailQuery,
      response: { 200: schemas.detailAnswer, ...NOT_MODIFIED, ...DETAIL_PROBLEMS },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { page, filters, include } = partsOf(request.query);
        return detail(await terms.read(request.params.id, filters, page, include), page);
      }),
  });
  const readBySlug = operation({
    schema: {
      tags,
      operationId: `get${Noun}BySlug`,
      summary: `Read ${one} by its slug, as by its id; a slug that the ${noun} had before leads to the current one`,
      description: 'The answer is that of the id. A former slug is 308 to the current one, in one hop.',
      params: termSlugPath,
      querystring: schemas.detailQuery,
      response: { 200: schemas.detailAnswer, ...NOT_MODIFIED, ...MOVED, ...DETAIL_PROBLEMS },
    },
    handler: (request, reply) =>
      replyBySlug(request, reply, cache, async () => {
        const { page, filters, include } = partsOf(request.query);
        return detail(await terms.readBySlug(request.params.slug, filters, page, include), page);
      }),
  });
  return { list, listPage, read, readBySlug };
}

/** The parts of a query string: a page, filters, and members to add. */
function partsOf({
  page,
  per_page: perPage,
  include,
  ...filters
}: TermFilters & { page: number; per_page: number; include?: readonly string[] | undefined }) {
  return { page: { page, perPage }, filters, include };
}

function writes({ terms, changed }: TermParts, { noun, Noun, plural, one, schemas }: Words) {
  const tags = [plural];
  const create = operation({
    schema: {
      tags,
      operationId: `create${Noun}`,
      summary: `Create ${one}`,
      description:
        'Without `slug` it gets one from the name. A slug that another has, or had, is 409 `slug_taken`.',
      responseHeaders: { 201: ['ETag'] },
      body: schemas.create,
      response: { 201: schemas.writtenAnswer, ...CREATE_PROBLEMS },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { term, own } = await terms.create(request.body, actorOf(request));
      changed();
      logWrite(request, `${noun}_created`, { [noun]: term.id });
      const headers = { ...writtenHeaders(own), location: `/api/${plural}/${term.id}` };
      return reply
        .code(201)
        .headers(headers)
        .send(success(`${Noun} created`, term));
    },
  });
  const replace = operation({
    schema: {
      tags,
      operationId: `replace${Noun}`,
      summary: `Replace ${one}; if the slug is omitted, it is kept`,
      description:
        'A former slug leads to the new one. With the `ETag` of a read in `If-Match`, a write of another' +
        ' state is 412.',
      params: termPath,
      responseHeaders: { 200: ['ETag'] },
      body: schemas.put,
      response: { 200: schemas.writtenAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { term, own } = await terms.update(
        request.params.id,
        request.body,
        actorOf(request),
        writePrecondition(request),
      );
      changed();
      logWrite(request, `${noun}_updated`, { [noun]: term.id });
      return reply.headers(writtenHeaders(own)).send(success(`${Noun} updated`, term));
    },
  });
  const change = operation({
    schema: {
      tags,
      operationId: `update${Noun}`,
      summary: `Change some members of ${one}`,
      description:
        'Returns `id` and exactly the members that changed. `updated_at` always changes and is left out.',
      params: termPath,
      responseHeaders: { 200: ['ETag'] },
      body: schemas.patch,
      response: { 200: schemas.patchAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { changes, own } = await terms.update(
        request.params.id,
        request.body,
        actorOf(request),
        writePrecondition(request),
      );
      changed();
      logWrite(request, `${noun}_updated`, { [noun]: changes.id });
      return reply.headers(writtenHeaders(own)).send(success(`${Noun} updated`, changes));
    },
  });
  const remove = operation({
    schema: {
      tags,
      operationId: `delete${Noun}`,
      summary: `Delete ${one}; 409 while it contains articles, drafts included`,
      description:
        'Move its articles first; tags and authors can be merged into another. Its slugs are free again.',
      params: termPath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 409, 412, 429, 503) },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      await terms.delete(request.params.id, actorOf(request), writePrecondition(request));
      changed();
      logWrite(request, `${noun}_deleted`, { [noun]: request.params.id });
      return reply.header('cache-control', PRIVATE).send(success(`${Noun} deleted`, null));
    },
  });
  return { create, replace, change, remove };
}
