import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { personOf } from '@pressroom/common/desk/person';
import { Failure } from '@pressroom/common/failures/failure';
import { bodiless, NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { z } from 'zod';
import { FetchFault } from '../../fetching/fetch-fault.ts';
import { writeOpml } from '../../sources/opml.ts';
import {
  addSource,
  droppedEntries,
  editSource,
  findSource,
  listSources,
  pauseSource,
  refusedEntries,
  removeSource,
  restoreSource,
  resumeSource,
  type Source,
  sourcesAfter,
} from '../../sources/source-store.ts';
import { sourceUrl } from '../../sources/source-url.ts';
import { addListed } from '../../work/add-listed.ts';
import { tryRules } from '../../work/try-rules.ts';
import { type TryParts, trySource } from '../../work/try-source.ts';
import type { EditorParts } from '../editors.ts';
import { toWire } from '../wire.ts';
import {
  droppedAnswer,
  MOST_TRIED,
  opmlImport,
  opmlImportedAnswer,
  rulesTriedAnswer,
  rulesTry,
  sourceAnswer,
  sourceCreate,
  sourceDetailAnswer,
  sourcePatch,
  sourcePath,
  sourcesAnswer,
  sourcesQuery,
  sourceTry,
  triedAnswer,
} from './schema.ts';
import { checkMembers } from './setting-faults.ts';
import { settingsOf, shownSources } from './shown-sources.ts';

const TAGS = ['sources'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503);

/** How long a source that is tried may take, in ms: less than the desk waits. */
const TRY_MS = 50_000;

/** What the operations on sources work with; `trying` is the worker's own. */
export type SourceParts = EditorParts & { trying: TryParts };

/** The operations on sources: each does what a command of `newsroom sources` does. */
export function sourceOperations(parts: SourceParts) {
  return { ...reads(parts), ...writes(parts), ...states(parts), ...tries(parts), ...files(parts) };
}

/** A source by its id. */
function sourceOf({ db }: SourceParts, id: number): Promise<Source> {
  return findSource(db, String(id));
}

async function shown({ db, clock }: SourceParts, source: Source): Promise<z.input<typeof sourceAnswer>> {
  const [one] = await shownSources(db, [source], clock());
  return one as z.input<typeof sourceAnswer>;
}

/** The headers of an answer that shows what a write has made of a source. */
const headersOf = (source: Source) => ({ 'cache-control': PRIVATE, etag: writtenTag(settingsOf(source)) });

function reads(parts: SourceParts) {
  const { db, clock } = parts;
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listSources',
      summary: 'List the sources and how they are, in the order in which they were added',
      querystring: sourcesQuery,
      response: { 200: sourcesAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async ({ query: { limit, cursor = 0 } }) => {
      const found = await sourcesAfter(db, cursor, limit + 1);
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return {
        sources: await shownSources(db, page, clock()),
        nextCursor: last === undefined ? null : String(last.id),
      };
    },
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSource',
      summary: 'Read everything about a source',
      params: sourcePath,
      response: { 200: sourceDetailAnswer, ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: PRIVATE,
        load: async () => {
          const source = await sourceOf(parts, request.params.id);
          const refused = await refusedEntries(db, source.id);
          const value = { ...(await shown(parts, source)), refusedEntries: refused };
          return { value, own: settingsOf(source) };
        },
      }),
  });
  const dropped = operation({
    schema: {
      tags: TAGS,
      operationId: 'listDroppedEntries',
      summary: 'List the newest 200 entries that the rules of a source have dropped, and by which rule',
      params: sourcePath,
      response: { 200: droppedAnswer, ...READ_PROBLEMS },
    },
    handler: async ({ params }) => {
      const { id } = await sourceOf(parts, params.id);
      const entries = await droppedEntries(db, id);
      return {
        entries: toWire(
          entries.map(({ discovered_at: discoveredAt, ...entry }) => ({ ...entry, discoveredAt })),
        ),
      };
    },
  });
  return { list, read, dropped };
}

function writes(parts: SourceParts) {
  const { db, vocabulary, clock, trying } = parts;
  const add = operation({
    schema: {
      tags: TAGS,
      operationId: 'addSource',
      summary: 'Add a feed, a page that names its feed, or a sitemap; the worker reads it at once',
      description: 'A source that is known already is returned with 200, and left as it is.',
      body: sourceCreate,
      responseHeaders: { 200: ['ETag'], 201: ['ETag'] },
      response: {
        200: sourceAnswer,
        201: sourceAnswer,
        ...problemResponses(400, 401, 403, 413, 415, 422, 503),
      },
    },
    handler: async (request, reply) => {
      const { url, ...settings } = request.body;
      await checkMembers(request.body, vocabulary, trying.reader);
      const { id, added } = await addSource(db, url, settings, clock());
      const source = await sourceOf(parts, id);
      return reply
        .code(added ? 201 : 200)
        .headers({ ...headersOf(source), ...(added && { location: `/api/sources/${id}` }) })
        .send(await shown(parts, source));
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'editSource',
      summary: 'Change a source; an empty text removes a name or category',
      params: sourcePath,
      body: sourcePatch,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: sourceAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const condition = writePrecondition(request);
      await checkMembers(request.body, vocabulary, trying.reader);
      const { id } = await sourceOf(parts, request.params.id);
      await editSource(db, id, request.body, clock(), {
        actor: personOf(request.headers),
        ...(condition && { precondition: (source) => condition(settingsOf(source)) }),
      });
      const source = await sourceOf(parts, id);
      return reply.headers(headersOf(source)).send(await shown(parts, source));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'removeSource',
      summary: 'Remove a source; its items stay, and for a while it can be restored',
      params: sourcePath,
      response: { 204: bodiless('It is removed.'), ...READ_PROBLEMS },
    },
    handler: async (request, reply) => {
      await removeSource(db, (await sourceOf(parts, request.params.id)).id);
      return reply.code(204).send(null);
    },
  });
  return { add, change, remove };
}

function states(parts: SourceParts) {
  const changing = (
    operationId: string,
    summary: string,
    set: (db: EditorParts['db'], id: number, now: Date) => Promise<void>,
  ) =>
    operation({
      schema: {
        tags: TAGS,
        operationId,
        summary,
        params: sourcePath,
        responseHeaders: { 200: ['ETag'] },
        response: { 200: sourceAnswer, ...WRITE_PROBLEMS },
      },
      handler: async (request, reply) => {
        const { id } = request.params;
        await set(parts.db, id, parts.clock());
        const source = await sourceOf(parts, id);
        return reply.headers(headersOf(source)).send(await shown(parts, source));
      },
    });
  return {
    pause: changing('pauseSource', 'Stop reading a source', pauseSource),
    resume: changing('resumeSource', 'Read a paused or failing source again, at once', resumeSource),
    restore: changing(
      'restoreSource',
      'Bring a removed source back as it was; one that is there stays as it is',
      restoreSource,
    ),
  };
}

function tries(parts: SourceParts) {
  const { db, vocabulary, trying } = parts;
  const attempt = operation({
    schema: {
      tags: TAGS,
      operationId: 'trySource',
      summary: 'Read a source once, with the limits of the worker, and keep nothing',
      body: sourceTry,
      response: { 200: triedAnswer, ...problemResponses(400, 401, 403, 413, 415, 422, 503) },
    },
    handler: async ({ body: { url: given, page } }) => {
      await checkMembers({ url: given, ...(page && { page }) }, vocabulary, trying.reader);
      const signal = AbortSignal.timeout(TRY_MS);
      const tried = await trySource(trying, sourceUrl(given), page || null, signal).catch(
        (error: unknown) => {
          throw unreadable(error, signal) ?? error;
        },
      );
      const { url, title, entries, leadsTo } = tried;
      const listed = entries.slice(0, MOST_TRIED);
      return {
        url,
        title,
        entries: toWire(
          listed.map(({ title, url, publishedAt, summary }) => ({ title, url, publishedAt, summary })),
        ),
        count: entries.length,
        leadsTo: [...leadsTo],
      };
    },
  });
  const rules = operation({
    schema: {
      tags: TAGS,
      operationId: 'trySourceRules',
      summary: 'Show what rules would do to the last 200 entries of a source, and change nothing',
      params: sourcePath,
      body: rulesTry,
      response: { 200: rulesTriedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async ({ params, body }) => {
      await checkMembers(body, vocabulary, trying.reader);
      const { id } = await sourceOf(parts, params.id);
      const entries = await tryRules({ db, reader: trying.reader }, id, body.rules);
      return {
        entries: entries.map(({ droppedBy = null, category = null, ...entry }) => ({
          ...entry,
          droppedBy,
          category,
        })),
      };
    },
  });
  return { attempt, rules };
}

function files({ db, vocabulary, clock, trying }: SourceParts) {
  const opml = operation({
    schema: {
      tags: TAGS,
      operationId: 'exportSources',
      summary: 'Write the sources as OPML',
      response: {
        200: { description: 'OPML 2.0.', content: { 'text/x-opml': { schema: z.string() } } },
        ...problemResponses(400, 401, 403, 404, 503),
      },
    },
    handler: async (_request, reply) => {
      const text = writeOpml(await listSources(db), vocabulary, clock());
      return reply
        .type('text/x-opml; charset=utf-8')
        .header('content-disposition', 'attachment; filename="sources.opml"')
        .send(text);
    },
  });
  const addOpml = operation({
    schema: {
      tags: TAGS,
      operationId: 'importSources',
      summary: 'Add the feeds of an OPML file',
      body: opmlImport,
      response: { 200: opmlImportedAnswer, ...problemResponses(400, 401, 403, 413, 415, 422, 503) },
    },
    handler: async ({ body }) => {
      const feeds = await trying.reader.read('the OPML file', 'opml', body.opml);
      return addListed(db, feeds, { vocabulary, reader: trying.reader, now: clock() });
    },
  });
  return { opml, addOpml };
}

/** Why a source cannot be one, as its address is at fault; undefined if something else is. */
function unreadable(error: unknown, signal: AbortSignal): Failure | undefined {
  const isTheirs = error instanceof FetchFault || (error instanceof Failure && error.kind !== 'unavailable');
  if (!isTheirs && !signal.aborted) return undefined;
  const reason = isTheirs ? error.message : `it did not answer within ${TRY_MS / 1000} s`;
  return new Failure('invalid', reason, {
    code: 'source_unreadable',
    faults: [{ field: 'url', code: 'source_unreadable', message: reason }],
  });
}
