import type { IncomingHttpHeaders } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import replyFrom from '@fastify/reply-from';
import { type ContentClient, contentClient } from '@pressroom/client';
import { NEWSROOM_OWNER_ROUTES, NEWSROOM_ROUTES } from '@pressroom/common/desk/newsroom-routes';
import { type DeskPerson, personHeaders } from '@pressroom/common/desk/person';
import { type Guard, operation, type RouteLine, type Server } from '@pressroom/common/http/operation';
import { notFound, Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GalleryConfig } from './config.ts';
import { ROLES } from './people/people-store.ts';
import { note, problemResponses } from './problems.ts';
import { confirmationRequired } from './session/guard.ts';
import type { GallerySettings } from './settings.ts';
import type { Deed } from './trail.ts';

const section = z.object({
  state: z
    .enum(['ready', 'unavailable', 'refused', 'not_configured'])
    .describe('`refused`: it has another `DESK_KEY`.'),
});

/** The answer that says what there is at the desk. */
const deskAnswer = z.object({
  success: z.literal(true),
  data: z.object({
    person: z.string().describe('The person who is logged in, as histories name them.'),
    role: z.enum(ROLES),
    sections: z.object({ content: section, newsroom: section }),
    media: z.object({
      publicPrefixes: z.array(z.string()).describe('The folders whose files anybody may read at `/media/`.'),
    }),
    siteName: z.string().nullable().describe('The name of the site; null while content does not answer.'),
    site: z
      .object({ url: z.string(), articlePath: z.string() })
      .nullable()
      .describe('The site that shows the articles, and the path of the page of one there.'),
  }),
});

/** The sections of the desk: an addition to `docs/spec/gallery-admin.md`. */
export function deskOperations({
  config,
  settings,
  sections,
}: {
  config: GalleryConfig;
  settings: GallerySettings;
  sections: { content: Section; newsroom: Section };
}) {
  const read = operation({
    schema: {
      tags: ['desk'],
      operationId: 'readDesk',
      summary: 'Say which sections the desk has, and how they are',
      description:
        'Below `/api/desk/content/` and `/api/desk/newsroom/` are routes of those services, as they describe them.',
      response: { 200: deskAnswer, ...problemResponses(400, 401, 503) },
    },
    handler: async ({ person }) => {
      const [{ published }, content, newsroom, site] = await Promise.all([
        settings.current(),
        stateOf(sections.content),
        stateOf(sections.newsroom),
        siteOf(config),
      ]);
      return {
        success: true as const,
        data: {
          person: person.name,
          role: person.role,
          sections: { content: { state: content }, newsroom: { state: newsroom } },
          media: { publicPrefixes: [...published.prefixes] },
          ...site,
        },
      };
    },
  });
  return { read };
}

/** The site of content's settings; while that does not answer, of those here. */
async function siteOf(config: GalleryConfig) {
  const { CONTENT_SITE_URL: ownUrl = null, CONTENT_ARTICLE_PATH: ownPath } = config;
  const own = ownUrl === null ? null : { url: ownUrl, articlePath: ownPath };
  const client = config.DESK_KEY === undefined ? undefined : contentFor(config);
  const signal = AbortSignal.timeout(PROBE_MS);
  const known = await client?.get('/api/site', { signal }).catch(() => undefined);
  if (known === undefined) return { siteName: null, site: own };
  const { name, url, article_path: path } = known.data;
  const site = url.value === null ? own : { url: url.value, articlePath: path.value ?? ownPath };
  return { siteName: name.value, site };
}

/** A part of the desk that another service does the work of. */
export interface Section {
  readonly name: 'content' | 'newsroom';
  /**
   * The address of the service, and the key by which it knows the desk; undefined if they are not configured.
   */
  readonly service: { readonly url: string; readonly key: string } | undefined;
  readonly routes: readonly ProxiedRoute[];
  /** The paths that pass where a route's path ends in `*`. */
  readonly resources?: RegExp;
  /** A path that shows whether it answers and knows the desk. */
  readonly probe: string;
}

export type SectionState = 'ready' | 'unavailable' | 'refused' | 'not_configured';

const PROBE_MS = 2000;

export function sectionsOf({ CONTENT_URL, NEWSROOM_URL, DESK_KEY: key }: GalleryConfig): {
  content: Section;
  integrations: Section;
  newsroom: Section;
  newsroomSettings: Section;
} {
  const at = (url: string | undefined) => (url === undefined || key === undefined ? undefined : { url, key });
  const content = {
    name: 'content',
    service: at(CONTENT_URL),
    probe: '/api/articles?status=all&fields=id&per_page=1',
  } as const;
  const newsroom = { name: 'newsroom', service: at(NEWSROOM_URL), probe: '/api/vocabulary' } as const;
  return {
    content: { ...content, routes: CONTENT_ROUTES, resources: CONTENT_RESOURCES },
    integrations: { ...content, routes: OWNER_ROUTES },
    newsroom: { ...newsroom, routes: NEWSROOM_ROUTES },
    newsroomSettings: { ...newsroom, routes: NEWSROOM_OWNER_ROUTES },
  };
}

/** Says whether a service answers and knows the desk. */
export async function stateOf({ service, probe }: Section): Promise<SectionState> {
  if (service === undefined) return 'not_configured';
  try {
    const { status, body } = await fetch(service.url + probe, {
      headers: personHeaders(service.key),
      redirect: 'error',
      signal: AbortSignal.timeout(PROBE_MS),
    });
    await body?.cancel();
    if (status === 401 || status === 403) return 'refused';
    return status === 200 || status === 429 ? 'ready' : 'unavailable';
  } catch {
    return 'unavailable';
  }
}

/** A route of a service that the desk may use. */
type ProxiedRoute = readonly [method: RouteLine[0], path: string, operationId?: string];

/** The largest body that is passed on, in bytes: what content accepts. */
const PASSED_BYTES = 2 * 2 ** 20;

/** An import is larger. */
const IMPORT_BYTES = 8 * 2 ** 20;

const CONTENT_ROUTES = (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map(
  (method): ProxiedRoute => [method, '/api/*'],
);

/** Keys, which open content to programs, hooks, which tell programs about it, and the site: for owners. */
const OWNER_ROUTES = CONTENT_ROUTES.flatMap(([method]): ProxiedRoute[] =>
  ['keys', 'hooks', 'site'].flatMap((resource): ProxiedRoute[] => [
    [method, `/api/${resource}`],
    [method, `/api/${resource}/*`],
  ]),
);

/** The parts of content that the desk edits; content itself judges who may. */
const CONTENT_RESOURCES =
  /^\/api\/(articles|authors|categories|drafts|embeds|exports|imports|redirects|releases|reviews|schedule|series|tags|trash)(\/|$)/;

/** Deletion from there is final. */
const ERASED = /^\/api\/trash(\/|$)/;

/** Timeouts for connecting and for the answer, in ms: trying a source is slow. */
const CONNECT_MS = 3000;
const ANSWER_MS = 60_000;

/** The headers of a request that a service gets. */
const ASKED = [
  'accept',
  'content-type',
  'content-length',
  'content-encoding',
  'if-match',
  'if-none-match',
  'idempotency-key',
];

/** The headers of an answer that the browser gets; `Cache-Control` is that of the session. */
const ANSWERED = [
  'content-type',
  'content-disposition',
  'etag',
  'retry-after',
  'idempotent-replayed',
  'allow',
];

/** Segments that could lead a path that is passed on elsewhere. */
const LEADS_AWAY = /^\.{1,2}$|[/\\\p{C}]/u;

/** For whom the desk asks a service, and with which scope. */
export type AskerOf = (request: FastifyRequest, section: Section['name']) => Promise<DeskPerson>;

/**
 * A client of the content service, for a person or else for the desk itself; without a key for anybody, and
 * undefined without a content service.
 */
export function contentFor(
  { CONTENT_URL: baseUrl, DESK_KEY: key }: Pick<GalleryConfig, 'CONTENT_URL' | 'DESK_KEY'>,
  person?: DeskPerson,
): ContentClient | undefined {
  if (baseUrl === undefined) return undefined;
  return contentClient({
    baseUrl,
    headers: key === undefined ? {} : personHeaders(key, person),
    // A key is never carried elsewhere.
    fetch: (url, init) => fetch(url, { ...init, redirect: 'error' }),
    retry: { attempts: 1, patience: 0 },
  });
}

/** Passes the routes of sections on to their services, below `/api/desk/`, and nothing else. */
export async function passRequests(
  app: Server,
  sections: readonly Section[],
  guardOf: (method: ProxiedRoute[0]) => Guard,
  askerOf: AskerOf,
): Promise<void> {
  await app.register(async (passing) => {
    await passing.register(replyFrom, {
      disableCache: true,
      disableRequestLogging: true,
      destroyAgent: true,
      undici: {
        connect: { timeout: CONNECT_MS },
        headersTimeout: ANSWER_MS,
        bodyTimeout: ANSWER_MS,
      },
    });
    // As they came: what they say is for the service to judge.
    passing.removeAllContentTypeParsers();
    passing.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    for (const section of sections) {
      for (const route of section.routes) {
        const [method, path] = route;
        const guard = guardOf(method);
        passing.route({
          method,
          url: path.replace('/api', `/api/desk/${section.name}`),
          bodyLimit: path === '/api/import' ? IMPORT_BYTES : PASSED_BYTES,
          ...(guard.check && { preParsing: guard.check }),
          ...(guard.recheck && method !== 'GET' && { preHandler: guard.recheck }),
          // Tokens of previews and search words are not logged.
          config: { secretQuery: true },
          schema: { hide: true, querystring: z.looseObject({}) },
          handler: async (request, reply) =>
            pass(section, route, request, reply, await askerOf(request, section.name)),
        });
      }
    }
  });
}

function pass(
  { name, service, resources }: Section,
  [, path, operationId]: ProxiedRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  asker: DeskPerson,
) {
  const asked = filled(path, request.params as Record<string, string>);
  if (resources?.test(asked) === false) throw nothingThere();
  // By what is passed on, however it was written.
  if (request.method === 'DELETE' && ERASED.test(asked) && !request.person.isFresh)
    throw confirmationRequired();
  if (service === undefined) throw notConfigured(name);
  const { origin, pathname } = new URL(service.url);
  const target = pathname.replace(/\/$/, '') + asked;
  const { body } = request;
  const deed = deedOf(name, operationId, request);
  return reply.from(target, {
    getUpstream: () => origin,
    // Writes are not repeated, and a read that fails is for the page to repeat.
    retryDelay: () => null,
    ...(Buffer.isBuffer(body) &&
      body.length > 0 && { body, contentType: request.headers['content-type'] ?? '' }),
    rewriteRequestHeaders: (_request, headers) => ({
      ...only(headers, ASKED),
      ...personHeaders(service.key, asker),
      // The address in the trail is that of the person.
      'x-forwarded-for': request.ip,
      'x-request-id': request.id,
    }),
    rewriteHeaders: (headers) => ({ ...only(headers, ANSWERED), ...moved(headers, name) }),
    onResponse: (_request, answer, { statusCode, stream }) => {
      if (deed !== undefined && statusCode < 300 && operationId === 'changeSettings') {
        void textOf(stream)
          .then((body) => {
            note(request, { ...deed, object: changesIn(body) });
            return answer.send(body);
          })
          .catch((error: unknown) => answer.send(notAnswering(name, error)));
        return;
      }
      if (deed !== undefined && statusCode < 300) note(request, deed);
      if (statusCode !== 401 && statusCode !== 403) {
        answer.send(stream);
        return;
      }
      // The service says itself what a person may not do; a refused key is not theirs, and a 401 would have
      // the page ask for the password.
      const refused = unavailable(name, `${name} refuses the desk: DESK_KEY must be the same in both`, {
        reason: 'key_refused',
      });
      void textOf(stream).then(
        (body) => answer.send(statusCode === 403 && isAboutPerson(body) ? body : refused),
        (error: unknown) => answer.send(notAnswering(name, error)),
      );
    },
    onError: (answer, { error }) => {
      if ('statusCode' in error && error.statusCode === 504) {
        const detail = `${name} has not answered in time; it may still do what was asked`;
        return answer.send(new Problem(504, 'upstream_timeout', detail, { cause: error }));
      }
      return answer.send(notAnswering(name, error));
    },
  });
}

/** True if a refusal names the missing right; the refusal of a key is `forbidden`. */
function isAboutPerson(body: string): boolean {
  const code = /"code":"(\w+)"/.exec(body)?.[1];
  return code !== undefined && code !== 'forbidden';
}

/** The deed to enter in the trail for a write or an export of the news; content keeps a trail itself. */
function deedOf(
  name: Section['name'],
  operationId: string | undefined,
  request: FastifyRequest,
): Deed | undefined {
  if (name === 'content' || operationId === undefined || TRIED.has(operationId)) return undefined;
  if (request.method === 'GET' && operationId !== 'exportSources') return undefined;
  const action = `news_${operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  return { action, object: { ...(request.params as Record<string, string>) } };
}

const changedSettings = z.object({ changed: z.looseObject({}).default({}) });

/** What a change of settings changed, before and after, as its answer says it. */
function changesIn(body: string): object {
  return changedSettings.parse(JSON.parse(body)).changed;
}

/** Operations that change nothing, although they are POSTs. */
const TRIED = new Set(['trySource', 'trySourceRules']);

/**
 * A path with its parameters, each of which stays one segment; `*` is the rest of the path. Throws 404 for
 * one that could lead elsewhere.
 */
function filled(path: string, params: Record<string, string>): string {
  return path.replaceAll(/:(\w+)|\*/g, (matched, name: string = matched) => {
    const value = params[name] ?? '';
    const segments = name === '*' ? value.split('/') : [value];
    if (segments.some((one) => one === '' || LEADS_AWAY.test(one))) throw nothingThere();
    return segments.map(encodeURIComponent).join('/');
  });
}

function nothingThere(): Problem {
  return notFound('there is nothing at this path');
}

function only(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

/** Maps the `Location` of a service to the desk's address. */
function moved({ location }: IncomingHttpHeaders, name: string): IncomingHttpHeaders {
  return location?.startsWith('/api/')
    ? { location: `/api/desk/${name}${location.slice('/api'.length)}` }
    : {};
}

export function notConfigured(name: Section['name']): Problem {
  const setting = name === 'content' ? 'CONTENT_URL' : 'NEWSROOM_URL';
  return new Problem(404, 'not_configured', `this takes ${setting} and DESK_KEY in the settings`);
}

export function notAnswering(name: Section['name'], cause: unknown): Problem {
  return unavailable(name, `${name} does not answer right now; try again`, { cause });
}

function unavailable(
  name: Section['name'],
  detail: string,
  why: { reason: 'key_refused' } | { cause: unknown },
): Problem {
  return new Problem(503, `${name}_unavailable`, detail, { headers: { 'retry-after': '5' }, ...why });
}
