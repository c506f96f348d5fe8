import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { personOf } from '@pressroom/common/desk/person';
import {
  Failure,
  type FieldFault,
  invalid,
  RULE_CODES,
  SOURCE_CODES,
  sourceCodeOf,
} from '@pressroom/common/failures/failure';
import { anyText, idParameter, integerParameter, onOneLine, text } from '@pressroom/common/fields/fields';
import { bodiless, NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { SecretBox } from '@pressroom/common/secrets/secret-box';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { LEFT_OUT_CODES } from '../../reading/feed.ts';
import { writeOpml } from '../../reading/opml.ts';
import type { Reader } from '../../reading/reader.ts';
import { accessInput } from '../../reading/source-access.ts';
import { faultsOfPatterns } from '../../reading/source-rules.ts';
import { checkSettings, IDENTITIES, type SourceSettings, sourceUrl } from '../../reading/source-settings.ts';
import {
  addListed,
  addSource,
  droppedEntries,
  editSource,
  findSource,
  listSources,
  newEntries,
  pauseSource,
  refusedEntries,
  removeSource,
  restoreSource,
  resumeSource,
  type Source,
  sourceCounts,
  sourcesAfter,
  tryRules,
} from '../../reading/sources.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../words.ts';
import { type TryParts, trySource } from '../../work/try-source.ts';
import { type EditorParts, timestamp, toWire } from './editors.ts';

/** Path of a source. */
export const sourcePath = z.object({ id: idParameter() });

const sourcesQuery = z.strictObject({
  limit: integerParameter(1, 100).default(50),
  cursor: integerParameter(1).optional().describe('`nextCursor` of the page before.'),
  state: z
    .enum(['active', 'failing', 'paused', 'gone'], 'must be active, failing, paused or gone')
    .optional()
    .describe('`failing`: it is active, and was not read when that was last tried.'),
});

const source = z
  .object({
    id: z.int(),
    url: z.string(),
    givenUrl: z.string(),
    name: z.string(),
    isNamed: z.boolean(),
    category: z.string().nullable(),
    directions: z.array(z.string()),
    firstParty: z.boolean(),
    weight: z.number(),
    select: z.string(),
    readPages: z.boolean(),
    textSelector: z.string().nullable().describe('Where the text of its articles is on their pages (CSS).'),
    unmatchedPages: z
      .int()
      .describe('The pages in a row, up to the last one read, on which `textSelector` found no text.'),
    images: z.boolean(),
    identity: z.enum(IDENTITIES).describe('What tells its entries apart.'),
    rules: z.array(z.string()),
    stoppedRules: z
      .array(z.object({ rule: z.string(), reason: z.string(), code: z.enum(RULE_CODES) }))
      .describe('Rules that took too long and are not applied until the rules are saved again.'),
    page: z
      .string()
      .nullable()
      .describe('The place where its page lists articles; null for a feed or a sitemap.'),
    userAgent: z.string().nullable(),
    timeoutSeconds: z.int().nullable(),
    timeZone: z.string().nullable().describe('Of dates that say none.'),
    proxy: z.string().nullable().describe('The name of the proxy that it is asked through.'),
    basicAuth: z.object({ username: z.string() }).nullable().describe('Its password is never shown.'),
    headers: z.array(z.object({ name: z.string() })).describe('Their values are never shown.'),
    state: z.enum(['active', 'paused', 'gone']),
    createdAt: timestamp,
    nextPollAt: timestamp,
    intervalSeconds: z.number(),
    lastPolledAt: timestamp.nullable(),
    lastSuccessAt: timestamp.nullable(),
    lastChangeAt: timestamp.nullable(),
    failures: z.int(),
    failingSince: timestamp.nullable(),
    lastError: z.string().nullable(),
    lastErrorCode: z.enum(SOURCE_CODES).nullable().describe('What `lastError` says, for programs.'),
    offeredUrl: z
      .string()
      .nullable()
      .describe('The feed that a page names which the source answers instead of its own.'),
    unusableEntries: z.int(),
    unreadEntries: z.int(),
    repeatedEntries: z.int(),
    leftOut: z
      .array(
        z.object({
          title: z.string(),
          reason: z.string(),
          code: z.enum(LEFT_OUT_CODES).nullable().describe('What `reason` says, for programs.'),
        }),
      )
      .describe('The first entries of its feed that are not read, and why.'),
    emptyReads: z.int(),
    day: z.int().describe('New entries in 24 hours.'),
    pending: z.int().describe('Entries that wait to be edited.'),
    refused: z.int().describe('Entries that cannot be items.'),
    days: z.array(z.int()).describe('New entries in each of the last 14 times 24 hours, the latest last.'),
  })
  .meta({ id: 'Source', description: 'A source, and how it is.' });

const sourcesAnswer = z.object({ sources: z.array(source), nextCursor: z.string().nullable() });

const sourceAnswer = source;

const sourceDetailAnswer = source.extend({
  proxies: z.array(z.string()).describe('The names of the proxies that it could be asked through.'),
  refusedEntries: z.array(z.object({ title: z.string().nullable(), reason: z.string().nullable() })),
});

const url = text(4000);
const settings = {
  name: text(1000).describe("Empty: the feed's own title."),
  category: text(100).describe('Empty: the editor decides on each item.'),
  directions: z.array(text(100), 'must be a list of directions').max(100),
  firstParty: z.boolean('must be true or false'),
  weight: z.number('must be a number'),
  select: text(100),
  readPages: z.boolean('must be true or false'),
  textSelector: text(1000).describe(
    'Where the text of an article is on its page (CSS), where pages are read; empty: it is found without.',
  ),
  images: z.boolean('must be true or false'),
  identity: z
    .enum(IDENTITIES, `must be one of ${IDENTITIES.join(', ')}`)
    .describe(
      'What tells its entries apart. `auto`: id, else address, and what the rules for all sources see in them; ' +
        '`guid`: the id alone; `link`: the address alone; `both`: id and address together; `content`: title and ' +
        'text. An entry without an id is told by its address. What is known stays known under another one.',
    ),
  rules: z.array(text(1000), 'must be a list of rules').max(1000),
  page: z
    .union([text(1000), z.literal(false)], 'must be selectors, auto, or false')
    .describe('`auto`: its articles are found.'),
};

/** Body of `POST`. */
const sourceCreate = z
  .strictObject({ ...settings })
  .extend({
    title: onOneLine(text(200)).describe(
      "The feed's own title, as a try found it: what a source without a name is called until it is read.",
    ),
  })
  .partial()
  .extend({ url });

/** Body of `PATCH`. */
const sourcePatch = z
  .strictObject({ ...settings, ...accessInput, url })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

const sourceTry = z.strictObject({
  url,
  proxy: accessInput.proxy.optional(),
  page: text(1000).optional(),
  textSelector: text(1000)
    .optional()
    .describe("To read the page of the first entry: its text's place (CSS); empty: it is found without."),
});

/** The most entries that a try shows. */
const MOST_TRIED = 200;

const triedAnswer = z.object({
  url: z.string().describe('The address that answered.'),
  title: z.string().nullable(),
  entries: z
    .array(
      z.object({
        title: z.string(),
        url: z.string(),
        publishedAt: timestamp.nullable(),
        summary: z.string().nullable(),
      }),
    )
    .describe(`The first ${MOST_TRIED}.`),
  count: z.int().describe('The number of entries.'),
  leadsTo: z.array(z.string()).describe('The addresses that are read instead.'),
  firstPage: z
    .object({
      isRead: z.boolean().describe('False: `robots.txt` forbids it, or it cannot be read.'),
      text: z.string().nullable().describe('Null: no text was found.'),
    })
    .optional()
    .describe('The page of the first entry, if `textSelector` was given.'),
});

const droppedAnswer = z.object({
  entries: z.array(z.object({ title: z.string().nullable(), rule: z.string(), discoveredAt: timestamp })),
});

const rulesTry = z.strictObject({ rules: settings.rules });

const rulesTriedAnswer = z.object({
  entries: z.array(
    z.object({
      title: z.string(),
      droppedBy: z.string().nullable(),
      category: z.string().nullable(),
      points: z.number(),
    }),
  ),
});

const opmlImport = z.strictObject({ opml: anyText() });

const opmlImportedAnswer = z.object({
  added: z.int(),
  known: z.int(),
  refused: z.array(z.object({ url: z.string(), reason: z.string() })),
});

const TAGS = ['sources'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503);

/** Time limit for trying a source, in ms: less than the desk waits. */
const TRY_MS = 50_000;

/** Dependencies of the operations on sources; `trying` is the worker's own. */
type SourceParts = EditorParts & {
  trying: TryParts;
  secrets?: SecretBox | undefined;
  /** The names of the proxies that sources can be asked through. */
  proxies: readonly string[];
};

/** The operations on sources: each does what a command of `newsroom sources` does. */
export function sourceOperations(parts: SourceParts) {
  return { ...reads(parts), ...writes(parts), ...states(parts), ...tries(parts), ...files(parts) };
}

function sourceOf({ db }: SourceParts, id: number): Promise<Source> {
  return findSource(db, String(id));
}

async function shown({ db, clock }: SourceParts, source: Source): Promise<z.input<typeof sourceAnswer>> {
  const [one] = await shownSources(db, [source], clock());
  return one as z.input<typeof sourceAnswer>;
}

/** Headers of an answer to a write of a source. */
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
    handler: async ({ query: { limit, cursor = 0, state } }) => {
      const found = await sourcesAfter(db, cursor, limit + 1, state);
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
          const { proxies } = parts;
          const value = { ...(await shown(parts, source)), proxies: [...proxies], refusedEntries: refused };
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
      const { url, title, ...settings } = request.body;
      await checkMembers({ url, ...settings }, vocabulary, trying.reader);
      const { id, added } = await addSource(db, url, settings, clock(), title);
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
      await checkMembers(settingsIn(request.body), vocabulary, trying.reader);
      checkProxy(request.body.proxy, parts.proxies);
      const { id } = await sourceOf(parts, request.params.id);
      await editSource(db, id, request.body, clock(), {
        actor: personOf(request.headers),
        secrets: parts.secrets,
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
    handler: async ({ body: { url: given, page, textSelector, proxy } }) => {
      const settings = { ...(page && { page }), ...(textSelector && { textSelector }) };
      await checkMembers({ url: given, ...settings }, vocabulary, trying.reader);
      checkProxy(proxy, parts.proxies);
      const signal = AbortSignal.timeout(TRY_MS);
      const asked = { page: page || null, textSelector, proxy: proxy || null };
      const tried = await trySource(trying, sourceUrl(given), asked, signal).catch((error: unknown) => {
        throw unreadable(error, signal) ?? error;
      });
      const { url, title, entries, leadsTo, firstPage } = tried;
      const listed = entries.slice(0, MOST_TRIED);
      return {
        url,
        title,
        entries: toWire(
          listed.map(({ title, url, publishedAt, summary }) => ({ title, url, publishedAt, summary })),
        ),
        count: entries.length,
        leadsTo: [...leadsTo],
        ...(firstPage && { firstPage }),
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

/** Returns the failure of a source whose address is at fault; undefined if something else is. */
function unreadable(error: unknown, signal: AbortSignal): Failure | undefined {
  const isTheirs = error instanceof Failure && error.kind !== 'unavailable';
  if (!isTheirs && !signal.aborted) return undefined;
  const reason = isTheirs ? error.message : `it did not answer within ${TRY_MS / 1000} s`;
  const code = isTheirs ? (sourceCodeOf(error.code) ?? 'source_unreadable') : 'source_too_slow';
  return new Failure('invalid', reason, {
    code: 'source_unreadable',
    faults: [{ field: 'url', code, message: reason }],
  });
}

/** The settings that `checkMembers` checks: the schema has checked the others. */
function settingsIn(body: z.infer<typeof sourcePatch>) {
  const checked = Object.entries(body).filter(([name]) => !(name in accessInput));
  return Object.fromEntries(checked) as Omit<typeof body, keyof typeof accessInput>;
}

function checkProxy(proxy: string | undefined, known: readonly string[]): void {
  if (!proxy || known.includes(proxy)) return;
  const message = `must be one of those that NEWS_PROXIES names: ${known.join(', ') || 'it names none'}`;
  throw invalid([{ field: 'proxy', code: 'invalid', message }]);
}

/**
 * Checks the settings that an editor gives a source.
 *
 * @throws Failure `invalid` with every error and the member that it is in
 */
async function checkMembers(
  { url, rules = [], ...settings }: SourceSettings & { url?: string | undefined },
  vocabulary: Vocabulary,
  reader: Reader,
): Promise<void> {
  const check = (given: SourceSettings) => checkSettings(given, vocabulary);
  const faults = [
    ...(url === undefined ? [] : faultsOf('url', () => sourceUrl(url))),
    ...rules.flatMap((rule, index) => faultsOf(`rules.${index}`, () => check({ rules: [rule] }))),
    ...Object.entries(settings).flatMap(([name, value]) => faultsOf(name, () => check({ [name]: value }))),
  ];
  if (faults.length === 0) faults.push(...faultsOf('rules', () => check({ rules })));
  if (faults.length === 0) {
    const wrong = await faultsOfPatterns(reader, rules);
    faults.push(
      ...wrong.map(
        ({ index, message }): FieldFault => ({ field: `rules.${index}`, code: 'invalid', message }),
      ),
    );
  }
  if (faults.length > 0) throw invalid(faults);
}

function faultsOf(field: string, check: () => unknown): FieldFault[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ field, code: 'invalid', message: error.message }];
  }
}

/** Returns sources as the desk shows them, with the counts of their entries. */
async function shownSources(db: Kysely<NewsTables>, sources: readonly Source[], now: Date) {
  const ids = sources.map(({ id }) => id);
  const counts = new Map((await sourceCounts(db, now, ids)).map((count) => [count.source_id, count]));
  const days = await newEntries(db, now, ids);
  return sources.map((source) => {
    const { day = 0, pending = 0, refused = 0 } = counts.get(source.id) ?? {};
    return toWire({
      ...settingsOf(source),
      ...healthOf(source),
      day,
      pending,
      refused,
      days: days.get(source.id) ?? [],
    });
  });
}

function settingsOf(source: Source) {
  return {
    id: source.id,
    url: source.url,
    givenUrl: source.given_url,
    name: source.name,
    isNamed: source.is_named,
    category: source.category,
    directions: source.directions,
    firstParty: source.first_party,
    weight: source.weight,
    select: source.select_rule,
    readPages: source.reads_pages,
    textSelector: source.text_selector,
    images: source.takes_images,
    identity: source.identity,
    rules: source.rules,
    page: source.list_selectors,
    userAgent: source.user_agent,
    timeoutSeconds: source.timeout_seconds,
    timeZone: source.time_zone,
    proxy: source.proxy,
    basicAuth: source.basic_user === null ? null : { username: source.basic_user },
    headers: source.header_names.map((name) => ({ name })),
    state: source.state,
  };
}

function healthOf(source: Source) {
  return {
    createdAt: source.created_at,
    nextPollAt: source.next_poll_at,
    intervalSeconds: source.interval_seconds,
    lastPolledAt: source.last_polled_at,
    lastSuccessAt: source.last_success_at,
    lastChangeAt: source.last_change_at,
    failures: source.failures,
    failingSince: source.failing_since,
    lastError: source.last_error,
    lastErrorCode: source.last_error === null ? null : (sourceCodeOf(source.last_error_code) ?? null),
    offeredUrl: source.offered_url,
    stoppedRules: source.stopped_rules.map((stopped) => ({ code: 'rule_unusable' as const, ...stopped })),
    unusableEntries: source.unusable_entries,
    unreadEntries: source.unread_entries,
    repeatedEntries: source.repeated_entries,
    leftOut: source.left_out.map(({ code: given, ...entry }) => ({
      ...entry,
      code: LEFT_OUT_CODES.find((code) => code === given) ?? null,
    })),
    emptyReads: source.empty_reads,
    unmatchedPages: source.unmatched_pages,
  };
}
