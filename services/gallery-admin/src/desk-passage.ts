import type { IncomingHttpHeaders } from 'node:http';
import replyFrom from '@fastify/reply-from';
import type { Guard } from '@pressroom/common/http/operation';
import type { Server } from '@pressroom/common/http/server';
import { notFound, Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { PASSED_BYTES } from './desk/passed-routes.ts';
import type { Section } from './desk/section.ts';

/** How long a service may take to connect, and to answer, in ms: sources that are tried are slow. */
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

/** What a segment of a path that is passed on never is: it could lead elsewhere. */
const LEADS_AWAY = /^\.{1,2}$|[/\\\p{C}]/u;

/** Passes the routes of sections on to their services, below `/api/desk/`, and nothing else. */
export async function passRequests(app: Server, sections: readonly Section[], guard: Guard): Promise<void> {
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
      for (const [method, path, bodyLimit = PASSED_BYTES] of section.routes) {
        passing.route({
          method,
          url: `/api/desk/${section.name}${path}`,
          bodyLimit,
          ...(guard.check && { preParsing: guard.check }),
          // Tokens of previews, and what is searched for, are not logged.
          config: { secretQuery: true },
          schema: { hide: true, querystring: z.looseObject({}) },
          handler: (request, reply) => pass(section, path, request, reply),
        });
      }
    }
  });
}

function pass({ name, service }: Section, path: string, request: FastifyRequest, reply: FastifyReply) {
  if (service === undefined) {
    const setting = name === 'content' ? 'CONTENT_URL' : 'NEWSROOM_URL';
    throw new Problem(404, 'not_configured', `this takes ${setting} and DESK_KEY in the settings`);
  }
  const { origin, pathname } = new URL(service.url);
  const target = `${pathname.replace(/\/$/, '')}/api${filled(path, request.params as Record<string, string>)}`;
  const { body } = request;
  return reply.from(target, {
    getUpstream: () => origin,
    // Writes are not repeated, and a read that fails is for the page to repeat.
    retryDelay: () => null,
    ...(Buffer.isBuffer(body) &&
      body.length > 0 && { body, contentType: request.headers['content-type'] ?? '' }),
    rewriteRequestHeaders: (_request, headers) => ({
      ...only(headers, ASKED),
      ...service.headers,
      // The address in the trail is that of the person.
      'x-forwarded-for': request.ip,
      'x-request-id': request.id,
    }),
    rewriteHeaders: (headers) => ({ ...only(headers, ANSWERED), ...moved(headers, name) }),
    onResponse: (_request, answer, { statusCode, stream }) => {
      if (statusCode !== 401 && statusCode !== 403) return answer.send(stream);
      stream.destroy();
      // A 401 would have the page ask for the password.
      return answer.send(unavailable(name, `${name} refuses the desk: DESK_KEY must be the same in both`));
    },
    onError: (answer, { error }) => {
      if ('statusCode' in error && error.statusCode === 504) {
        const detail = `${name} has not answered in time; it may still do what was asked`;
        return answer.send(new Problem(504, 'upstream_timeout', detail, { cause: error }));
      }
      return answer.send(unavailable(name, `${name} does not answer right now; try again`, error));
    },
  });
}

/**
 * A path with its parameters, each of which stays one segment. Throws 404 for one that could lead elsewhere.
 */
function filled(path: string, params: Record<string, string>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? '';
    if (value === '' || LEADS_AWAY.test(value)) throw notFound('there is nothing at this path');
    return encodeURIComponent(value);
  });
}

function only(headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  );
}

/** Where a service says that something is, as the browser finds it. */
function moved({ location }: IncomingHttpHeaders, name: string): IncomingHttpHeaders {
  return location?.startsWith('/api/')
    ? { location: `/api/desk/${name}${location.slice('/api'.length)}` }
    : {};
}

function unavailable(name: string, detail: string, cause?: unknown): Problem {
  return new Problem(503, `${name}_unavailable`, detail, { headers: { 'retry-after': '5' }, cause });
}
