import { PRIVATE } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { idParameter, integerParameter, onOneLine, requiredText } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { SearchGate } from '@pressroom/common/search/search';
import { z } from 'zod';
import { requireAnyCategory } from '../api-keys.ts';
import { deletedAnswer } from '../articles/schema.ts';
import { CACHED_UNDER } from '../cache-subjects.ts';
import { cursorEnvelope, envelope, success, successCursorPage } from '../envelope.ts';
import { actorOf, logWrite, ownerOf, replyToReader } from '../requests.ts';
import type { ContentTables } from '../tables.ts';
import { MOST_CHARACTERS, siteAddress, targetAddress } from './addresses.ts';
import { nginxMaps } from './nginx.ts';
import { checked, type RedirectStore, type ResolvedRedirect, SOURCES, STATUSES } from './store.ts';

const status = z.literal(STATUSES, 'must be 301, 302 or 410');

/** A redirect as answers show it. */
export const redirect = z
  .object({
    id: z.int(),
    from: z
      .string()
      .describe(
        'A path of the site, perhaps with its query, in one spelling: no slash at its end, NFC, unescaped.',
      ),
    to: z.string().nullable().describe('A path of the site or a web address; null for 410.'),
    status,
    source: z
      .enum(SOURCES)
      .describe('A person, an import, a slug that changed, or an address pattern that changed.'),
    answer: z
      .union([
        z.object({ status: z.literal([301, 302]), location: z.string() }),
        z.object({ status: z.literal(410), location: z.null() }),
      ])
      .nullable()
      .describe('What a site answers, after all redirects that follow; null where they lead in a circle.'),
    updated_at: z.iso.datetime({ offset: true }).nullable().describe('Null for that of a slug or a pattern.'),
  })
  .meta({ id: 'Redirect' });

/** An address in a request, in its one spelling. */
function address(spelling: (text: string) => string | undefined, expected: string) {
  return onOneLine(requiredText(MOST_CHARACTERS)).transform((text, context) => {
    const spelt = spelling(text);
    if (spelt !== undefined) return spelt;
    context.addIssue({ code: 'custom', message: expected, params: { code: 'invalid_format' } });
    return z.NEVER;
  });
}

const from = address(siteAddress, 'must be a path of the site, such as /old-news').meta({
  description: 'A path of the site, perhaps with its query. One without a query is for all queries.',
});

const to = address(
  targetAddress,
  'must be a path of the site, such as /news, or an address that begins with https://',
).nullable();

const redirectBody = z.strictObject({
  from,
  to: to.optional().describe('A path of the site or a web address; null or left out for 410.'),
  status: status.default(301),
});

const redirectChange = z
  .strictObject({ from, to, status })
  .partial()
  .refine((body) => Object.keys(body).length > 0, {
    message: 'must have at least one member',
    params: { code: 'required' },
  })
  .meta({ minProperties: 1 });

const MOST_CURSOR = 2 ** 52;
const CURSOR = 'must be meta.next_cursor of the page before';

/** The id of a redirect: negative for that of a former pattern. */
const cursor = z
  .string(CURSOR)
  .regex(/^-?[1-9]\d{0,15}$/, CURSOR)
  .transform(Number)
  .refine((value) => value >= -MOST_CURSOR && value <= MOST_CURSOR, CURSOR)
  .meta({ type: 'integer', minimum: -MOST_CURSOR, maximum: MOST_CURSOR });

const listQuery = z.strictObject({
  from: from.optional().describe('The redirect that a request for this address gets: none, or one.'),
  q: requiredText(100).optional().describe('Those with this text in an address.'),
  per_page: integerParameter(1, 1000).default(100),
  cursor: cursor.optional().describe('`meta.next_cursor` of the page before.'),
});

const redirectPath = z.object({ id: idParameter() });

/** The dependencies of the operations on redirects. */
interface RedirectParts {
  /** Those of the site as its settings are now. */
  redirects: () => Promise<RedirectStore>;
  /** Limits the searches. */
  gate: SearchGate<ContentTables>;
  cache: RepresentationCache;
  /** Called after each commit: this replica must not serve anything that it read before. */
  changed: (subjects?: ReadonlySet<string>) => void;
}

const TAGS = ['redirects'];
const READ_PROBLEMS = problemResponses(400, 403, 429, 503);
const CREATE_PROBLEMS = problemResponses(400, 401, 403, 409, 413, 415, 422, 429, 503);
const CHANGED = new Set(CACHED_UNDER.redirects);

/** The operations on redirects: public reads, writes with a key. */
export function redirectOperations(parts: RedirectParts) {
  return { ...reads(parts), ...writes(parts) };
}

function reads({ redirects, gate, cache }: RedirectParts) {
  const subjects = CACHED_UNDER.redirects;
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listRedirects',
      summary: 'List where old addresses lead, the newest first, or find the redirect from one address',
      description:
        '`from` gives at most one. Those of slugs and of address patterns that articles and terms had are among them.',
      querystring: listQuery,
      response: { 200: cursorEnvelope(redirect, z.int()), ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { from, q, per_page: perPage, cursor } = request.query;
        const store = await redirects();
        const found = await (from !== undefined
          ? store.find(from)
          : q === undefined
            ? store.list(perPage, cursor)
            : store.search(gate, perPage, cursor, q));
        const page = { cursorOf: ({ id }: ResolvedRedirect) => id, shown };
        return { value: successCursorPage('Redirects found', found, perPage, page), subjects };
      }),
  });
  const nginx = operation({
    schema: {
      tags: TAGS,
      operationId: 'getNginxRedirects',
      summary: 'The redirects as a file that nginx includes in its `http` block, the newest 100,000',
      description: 'For sites that nginx serves without asking content; load it again when it has changed.',
      response: {
        200: { description: 'The file.', content: { 'text/plain': { schema: z.string() } } },
        ...NOT_MODIFIED,
        ...READ_PROBLEMS,
      },
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const text = nginxMaps(await (await redirects()).all());
        return { text, mediaType: 'text/plain; charset=utf-8', subjects };
      }),
  });
  return { list, nginx };
}

function writes({ redirects, changed }: RedirectParts) {
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createRedirect',
      summary: 'Lead an address elsewhere; it goes before that of a slug',
      description: '409 if there is one from this address already.',
      body: redirectBody,
      response: { 201: envelope(redirect), ...CREATE_PROBLEMS },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { to = null, ...body } = request.body;
      const made = await (await redirects()).create(checked({ ...body, to }), actorOf(request));
      changed(CHANGED);
      logWrite(request, 'redirect_created', { redirect: made.id });
      return reply
        .code(201)
        .headers({
          'cache-control': PRIVATE,
          location: `/api/redirects?from=${encodeURIComponent(made.from)}`,
        })
        .send(success('Redirect created', shown(made)));
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'updateRedirect',
      summary: 'Change some members of a redirect, other than that of a slug or a pattern',
      description: 'A redirect from a former slug changes with its article or term alone.',
      params: redirectPath,
      body: redirectChange,
      response: { 200: envelope(redirect), ...CREATE_PROBLEMS, ...problemResponses(404) },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { id } = request.params;
      const changedOne = await (await redirects()).update(id, request.body, actorOf(request));
      changed(CHANGED);
      logWrite(request, 'redirect_updated', { redirect: id });
      return reply.header('cache-control', PRIVATE).send(success('Redirect updated', shown(changedOne)));
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteRedirect',
      summary: 'Remove a redirect, other than that of a slug or a pattern',
      description: 'Its address is not found afterwards, unless something has it.',
      params: redirectPath,
      response: { 200: deletedAnswer, ...problemResponses(400, 401, 403, 404, 429, 503) },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { id } = request.params;
      await (await redirects()).remove(id, actorOf(request));
      changed(CHANGED);
      logWrite(request, 'redirect_deleted', { redirect: id });
      return reply.header('cache-control', PRIVATE).send(success('Redirect deleted', null));
    },
  });
  return { create, change, remove };
}

function shown({ updated_at, ...redirect }: ResolvedRedirect) {
  return { ...redirect, updated_at: updated_at?.toISOString() ?? null };
}
