import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { parse } from 'fast-querystring';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isTracking } from '../fields/fields.ts';
import {
  invalidRequest,
  PROBLEM_MEDIA_TYPE,
  Problem,
  type ProblemDocument,
  type ProblemExtension,
  problemDocument,
} from '../problems/problem.ts';
import { onEveryRequest, requestId } from './every-request.ts';
import type { Server } from './operation.ts';

/** Longer than any allowed path parameter, so that a route, not the router, refuses it. */
export const MAX_SEGMENT_LENGTH = 4096;

/**
 * The target of a request whose path cannot be read: without a route, it is treated like any unknown path.
 */
const NOWHERE = '/(unreadable)';

function pathFault(path: string): string | undefined {
  if (path.length > MAX_SEGMENT_LENGTH && path.split('/').some(({ length }) => length > MAX_SEGMENT_LENGTH))
    return 'a segment of the path is too long';
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return 'the path is not percent-encoded UTF-8 (RFC 3986)';
  }
}

/**
 * The requests whose path cannot be decoded. The router would refuse them before any hook, so they would not
 * be counted, denied or answered like others. Instead they are routed to an unknown path and refused there,
 * after the hooks that count and deny requests.
 */
export class UnreadablePaths {
  readonly #faults = new WeakMap<IncomingMessage, string>();

  /**
   * The URL used to route a request. For Fastify's `rewriteUrl`, which keeps the original as `originalUrl`.
   */
  routableUrl(request: IncomingMessage): string {
    const { url = '/' } = request;
    if (!url.includes('%') && url.length <= MAX_SEGMENT_LENGTH) return url;
    const [path = ''] = url.split(/[?#]/, 1);
    const fault = pathFault(path);
    if (fault === undefined) return url;
    this.#faults.set(request, fault);
    return NOWHERE;
  }

  problem(request: IncomingMessage): Problem | undefined {
    const fault = this.#faults.get(request);
    return fault === undefined ? undefined : invalidRequest(fault);
  }
}

/** The parameters of a query string: each a text, or a list if it occurs more than once. */
type Parameters = Readonly<Record<string, unknown>>;

/** Represents the parameters of a query string that cannot be read. */
class UnreadableQuery {
  readonly fault: string;

  constructor(fault: string) {
    this.fault = fault;
  }
}

/** True for text that is percent-encoded UTF-8, or needs no encoding (RFC 3986, section 2.1). */
function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The error in `text`; undefined if every member has a name and can be decoded. */
function queryFault(text: string): string | undefined {
  for (const member of text.split('&')) {
    if (member === '') return 'it has an empty parameter; remove the extra "&"';
    const equals = member.indexOf('=');
    const name = equals === -1 ? member : member.slice(0, equals);
    if (name === '') return 'it has a value without a name';
    if (!isDecodable(name)) return 'the name of a parameter is not percent-encoded UTF-8 (RFC 3986)';
    if (!isDecodable(member)) return `"${decodeURIComponent(name)}" is not percent-encoded UTF-8 (RFC 3986)`;
  }
  return undefined;
}

/**
 * Parses a query string. If it cannot be read, returns a marker that {@link queryProblem} refuses: parsing
 * happens before all hooks, when no answer can be sent yet.
 */
export function readQueryString(text: string): Parameters | UnreadableQuery {
  const fault = text === '' ? undefined : queryFault(text);
  return fault === undefined ? parse(text) : new UnreadableQuery(fault);
}

/**
 * The problem of a query string that cannot be read (`docs/spec/wire.md`, "All three services"): a different
 * spelling would be a different entry in every cache on the way.
 */
export function queryProblem(query: unknown): Problem | undefined {
  return query instanceof UnreadableQuery ? invalidRequest(`query string: ${query.fault}`) : undefined;
}

/**
 * A host name, an IPv4 address or an IPv6 address in brackets, with or without a port (RFC 3986, section
 * 3.2.2).
 */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Sends problem documents where Node would answer with an empty body or not at all: a request without `Host`,
 * with two, or with an invalid one is 400 (RFC 9112, section 3.2; the server needs `requireHostHeader: false`
 * and `joinDuplicateHeaders: true`). An expectation other than `100-continue` is ignored, as RFC 9110,
 * section 10.1.1 permits.
 */
export function requireHost(app: Server): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  onEveryRequest(app, ({ raw }, _reply, done) => {
    const { host } = raw.headers;
    if (host !== undefined && HOST.test(host)) return done();
    if (host !== undefined) return done(invalidRequest('the Host header must contain exactly one host'));
    return done(raw.httpVersion === '1.0' ? undefined : invalidRequest('the request has no Host header'));
  });
}

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
 * True if JSON has more values than any request needs: parsing and checking hundreds of thousands of small
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
    // RFC 9110, section 12.5.3: the header lists the accepted codings.
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

type Schema = z.core.$ZodType & z.ZodType;

/**
 * Makes the body of every route added afterwards refuse members unknown to its schema, at any depth:
 * otherwise a misspelt name would be silently dropped. An object that accepts any members says so itself
 * (`z.looseObject`).
 */
export function refuseUnknownMembers(app: Server): void {
  app.addHook('onRoute', (route) => {
    const body = route.schema?.body;
    if (body instanceof z.ZodType) route.schema = { ...route.schema, body: strictly(body) };
  });
}

/** `schema` with every object in it strict; itself if nothing has to change. */
export function strictly(schema: Schema): Schema {
  if (schema instanceof z.ZodObject) return strictObject(schema);
  if (schema instanceof z.ZodUnion) {
    const options = (schema.options as Schema[]).map(strictly);
    const isSame = options.every((option, index) => option === schema.options[index]);
    return isSame ? schema : changed(schema, { options });
  }
  if (schema instanceof z.ZodArray) return inside(schema, 'element', schema.element as Schema);
  if (schema instanceof z.ZodPipe) return inside(schema, 'in', schema.in as Schema);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  ) {
    return inside(schema, 'innerType', schema.def.innerType as Schema);
  }
  return schema;
}

function strictObject(schema: z.ZodObject): Schema {
  const members = Object.entries(schema.shape as Record<string, Schema>);
  const shape = Object.fromEntries(members.map(([name, member]) => [name, strictly(member)]));
  const isSame = members.every(([name, member]) => shape[name] === member);
  const { catchall } = schema.def;
  return isSame && catchall !== undefined
    ? schema
    : changed(schema, { shape, catchall: catchall ?? z.never() });
}

function inside(schema: Schema, place: string, inner: Schema): Schema {
  const strict = strictly(inner);
  return strict === inner ? schema : changed(schema, { [place]: strict });
}

/** A copy with another definition, which keeps the checks and the description of the original. */
function changed(schema: Schema, definition: object): Schema {
  return schema.clone({ ...schema.def, ...definition } as never, { parent: true });
}

/** Node's HTTP server error for a request that it cannot read. */
interface UnreadableFault extends Error {
  code: string;
}

/** Errors with a specific answer; all others are 400. */
const ANSWERS: Record<string, [status: number, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive; send it again'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are larger than this service accepts'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are larger than this service accepts'],
};

/** Time to send an answer before its connection is closed, in ms. */
const DELIVERY_MS = 5_000;

/** The log name of a request that could not be read and so has no id. */
const UNREAD = { headers: {} } as IncomingMessage;

/**
 * Makes the handler for requests that are not valid HTTP: it sends a problem document with an id and headers
 * like any other error, then closes the connection, because the next bytes cannot be interpreted (RFC 9112,
 * section 2.2).
 *
 * @param headers the headers of every answer
 */
export function answerUnreadable(
  log: FastifyBaseLogger,
  headers: Readonly<Record<string, string>>,
  extend?: ProblemExtension,
) {
  const constant = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const waiting = new WeakSet<Socket>();
  return function answer(fault: UnreadableFault, socket: Socket): void {
    if (waiting.has(socket)) return;
    if (isAnsweredEarly(socket)) return void endAfterAnswer(socket);
    const earlier = answerOfEarlier(socket);
    if (earlier !== undefined) {
      waiting.add(socket);
      earlier.once('finish', () => {
        waiting.delete(socket);
        answer(fault, socket);
      });
      return;
    }
    if (!socket.writable || fault.code === 'ECONNRESET' || isAnswerBegun(socket))
      return void socket.destroy();
    const [status, detail] = ANSWERS[fault.code] ?? [400, 'this is not a valid HTTP/1.1 request'];
    const problem = new Problem(status, status === 413 ? 'payload_too_large' : 'invalid_request', detail);
    const document = problemDocument(problem, requestId(UNREAD));
    const event = { requestId: document.requestId, status, address: socket.remoteAddress, fault: fault.code };
    log.info(event, 'request_unreadable');
    socket.end(response(document, constant, extend));
    socket.destroySoon();
  };
}

/**
 * Node keeps the current answer on its socket under a private name; a second one must not be written into it.
 */
type Answering = Socket & { _httpMessage?: ServerResponse | null };

/** The answer still due to a request that came whole: answers keep their order (RFC 9112, 9.3.2). */
function answerOfEarlier({ _httpMessage: answer }: Answering): ServerResponse | undefined {
  return answer?.req.complete ? answer : undefined;
}

function isAnswerBegun(socket: Answering): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Bytes after an answer do not matter, but the answer may still be in transit. */
function endAfterAnswer(socket: Answering): void {
  const answer = socket._httpMessage;
  if (answer?.writableEnded === false) answer.once('finish', () => socket.end());
  else socket.end();
  const timer = setTimeout(() => socket.destroy(), DELIVERY_MS);
  socket.once('close', () => clearTimeout(timer));
}

function response(document: ProblemDocument, constant: string[], extend?: ProblemExtension): string {
  const body = JSON.stringify({ ...document, ...extend?.(document) });
  return [
    `HTTP/1.1 ${document.status} ${document.title}`,
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    `x-request-id: ${document.requestId}`,
    ...constant,
    '',
    body,
  ].join('\r\n');
}

/** An idle connection is still read for this long after its last answer, in ms. */
const SILENCE_MS = 5_000;

/** Total time that it is read, in ms. */
const LINGER_MS = 30_000;

/** Key on a connection for the request that was answered before its body had arrived. */
const answeredEarly = Symbol('answeredEarly');

type Connection = Socket & { [answeredEarly]?: IncomingMessage };

/**
 * Handles a response that comes before the body of its request, such as the refusal of a sender or of a body
 * that is too large. If the connection ends after it, remaining bytes are first read and dropped for a while:
 * many clients send everything before they read, and bytes arriving at a closed connection reset it, so that
 * the answer is lost (RFC 9112, section 9.6). Call it before the head is written.
 */
export function prepareEarlyAnswer(response: ServerResponse, status: number): void {
  const { req } = response;
  if (!owesBody(req)) return;
  (req.socket as Connection)[answeredEarly] = req;
  linger(req);
  if (status === 413) response.setHeader('connection', 'close');
}

/**
 * True while a connection receives the rest of a request that has been answered and must not be answered
 * again.
 */
function isAnsweredEarly(connection: Connection): boolean {
  return connection[answeredEarly]?.complete === false;
}

/** True while an announced body has not completely arrived. */
function owesBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Delays the end of the connection until the client has sent all of `request`, is silent, or sends for too
 * long. Node calls `destroySoon` when the last answer of a connection has been queued.
 */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  const close = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.complete) return close();
    socket.end();
    request.resume();
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    request.once('end', () => hangUp(socket));
  };
}

/** Everything has been read, so nothing can reset the connection. */
function hangUp(socket: Socket): void {
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}

/**
 * The address without what networks add to an address that people share (`fbclid`, `utm_source`); relative,
 * so that it is right behind any proxy. Undefined if nothing was added.
 *
 * @param url path and query string
 * @param isUnwanted whether a parameter of this name is left out
 */
export function withoutTracking(url: string, isUnwanted = isTracking): string | undefined {
  const at = url.indexOf('?');
  if (at === -1) return undefined;
  const members = url
    .slice(at + 1)
    .split('&')
    .filter((member) => member !== '');
  const own = members.filter((member) => !isUnwanted(nameOf(member)));
  if (own.length === members.length) return undefined;
  const file = url.slice(url.lastIndexOf('/', at) + 1, at);
  return `./${file}${own.length === 0 ? '' : `?${own.join('&')}`}`;
}

/** The decoded name of a member of a query string; as it is if it cannot be decoded. */
function nameOf(member: string): string {
  const [name = ''] = member.split('=', 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Leads readers of a shared address to its own one; in addresses of the API it is refused like any other
 * unknown parameter. To be called when requests have been counted.
 */
export function redirectSharedAddresses(app: Server, isUnwanted = isTracking): void {
  // Not async: what is refused at once is answered before the next bytes are read.
  app.addHook('onRequest', (request, reply, done) => {
    const isReached = !request.is404 && isShared(request);
    const address = isReached ? withoutTracking(request.url, isUnwanted) : undefined;
    if (address === undefined) return done();
    // Each share has its own parameters, so that no cache would answer with this twice.
    reply.header('cache-control', 'private, no-store').redirect(address, 301);
  });
}

function isShared({ method, url }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.startsWith('/api/');
}
