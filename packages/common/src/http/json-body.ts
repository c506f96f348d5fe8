import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { invalidRequest, Problem } from '../problems/problem.ts';
import type { Server } from './server.ts';

/**
 * Reads JSON bodies as Fastify does, and refuses bytes that are not UTF-8 (RFC 8259, section 8.1) instead of
 * quietly replacing them: what is stored is what was sent. Other media types, charsets and codings are not
 * accepted. On a route without a body, an empty body is ignored whatever its `Content-Type`. A member named
 * `__proto__` is left to the schemas, which reject it by name and never copy it.
 */
export function readJsonBodies(app: Server): void {
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.removeAllContentTypeParsers();
  // A stream that ended before it was read never says so again: Fastify would wait for it.
  app.addHook('preParsing', (_request, _reply, payload, done) => {
    done(null, (payload as Readable).readableEnded ? Readable.from([]) : payload);
  });
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) return done(null, undefined);
    const unsupported = unsupportedForm(request);
    if (unsupported !== undefined) return done(unsupported);
    if (!isUtf8(body)) return done(invalidRequest('the body is not UTF-8'));
    if (hasTooManyValues(body)) return done(invalidRequest(`the body has more than ${MAX_VALUES} values`));
    return parse(request, body.toString('utf8'), done);
  });
}

/** The largest body of an operation completes an upload of 10,000 parts, and has 30,004 values. */
const MAX_VALUES = 50_000;

/** Bytes that come before or between values, and those that begin, end and escape text. */
const [COMMA, BRACE, BRACKET, QUOTE, BACKSLASH] = Buffer.from(',{["\\');

/**
 * Whether JSON has more values than any request needs: to parse and check hundreds of thousands of small
 * ones takes seconds, in which no other request is answered.
 */
function hasTooManyValues(body: Buffer): boolean {
  if (body.length <= MAX_VALUES) return false;
  let values = 1;
  let isText = false;
  for (let at = 0; at < body.length && values <= MAX_VALUES; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  }
  return values > MAX_VALUES;
}

/** A charset of a media type (RFC 9110, section 8.3.2). */
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/gi;

/** 415 for JSON that is compressed or not in UTF-8; undefined if it can be read. */
function unsupportedForm({ headers }: FastifyRequest): Problem | undefined {
  const coding = headers['content-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'identity') {
    // By RFC 9110, section 12.5.3 the header lists the accepted codings.
    return unsupported('send the body uncompressed, without Content-Encoding', {
      'accept-encoding': 'identity',
    });
  }
  // Readers take one or the other of several charsets.
  const charsets = (headers['content-type'] ?? '').matchAll(CHARSET);
  const isReadable = charsets.every(([, charset = '']) => /^utf-?8$/i.test(charset));
  return isReadable ? undefined : unsupported('send the body in UTF-8');
}

function unsupported(detail: string, headers: Record<string, string> = {}): Problem {
  return new Problem(415, 'unsupported_media_type', detail, { headers });
}
