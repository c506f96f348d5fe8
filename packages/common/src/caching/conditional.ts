import { hash } from 'node:crypto';
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type {
  ContextConfigDefault,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { Failure } from '../failures/failure.ts';
import type { RouteOptions } from '../http/every-request.ts';
import type { RepresentationCache } from './representation-cache.ts';

/** The media type of every JSON answer. */
const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** `Cache-Control` of answers that belong to one reader, and of every error. */
export const PRIVATE = 'private, no-store';

/** Time for which a loaded value may be served from a cache. */
interface Validity {
  /** When it changes with the clock; if absent, only when the data change. */
  readonly expiresAt?: Date | undefined;
  /** All that it depends on, as the service names changes; without subjects, any change invalidates it. */
  readonly subjects?: readonly string[] | undefined;
}

/** A loaded value of the type that the operation's schema of 200 describes. */
export interface LoadedValue<Value> extends Validity {
  readonly value: Value;
  /** The part that belongs to the resource itself, if writes may name it in `If-Match`. */
  readonly own?: unknown;
}

/** A loaded document that is already written, in another media type than JSON. */
export interface LoadedDocument extends Validity {
  readonly text: string;
  readonly mediaType: string;
}

/** The value that a GET of an operation loads, as its schema of 200 describes it. */
export type Loaded<Schema> = Schema extends { response: { 200: infer Described } }
  ? Described extends z.ZodType
    ? LoadedValue<z.output<Described>>
    : LoadedDocument
  : LoadedValue<unknown>;

/** The reply of an operation with this schema. */
export type ReplyOf<Schema extends FastifySchema> = FastifyReply<
  RouteGenericInterface,
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  ContextConfigDefault,
  Schema,
  ZodTypeProvider
>;

export interface ConditionalAnswer<Schema> {
  /** The value of `Cache-Control`. */
  cacheControl: string;
  /** The value of `Vary`, where the answer depends on more than its URL. */
  vary?: string | undefined;
  /** Caches the finished representation; omit it when answers differ by reader. */
  cache?: RepresentationCache | undefined;
  /** The cache key; the URL if absent. */
  key?: string | undefined;
  /** Loads what is shown. Throws if it does not exist. */
  load: () => Promise<Loaded<Schema>>;
}

/**
 * Answers a GET or HEAD with a validator: the whole representation, or 304 when `If-None-Match` names it (RFC
 * 9110, section 13.1.2). The body is the loaded value, serialized by the route's response schema unless it
 * is already written.
 */
export function replyConditionally<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  { cacheControl, vary, cache, key = request.url, load }: ConditionalAnswer<NoInfer<Schema>>,
): void | Promise<void> {
  const known = cache?.get(key);
  if (known !== undefined) return send(request, reply, known);
  const headers = ['cache-control', cacheControl, ...(vary === undefined ? [] : ['vary', vary])];
  const make = async () => finish(reply, await load(), headers);
  const loading = cache === undefined ? make() : cache.load(key, make);
  return loading.then((answer) => send(request, reply, answer));
}

/** The answer with what was loaded. */
function finish(
  reply: FastifyReply,
  loaded: LoadedValue<unknown> | LoadedDocument,
  headers: readonly string[],
): Answer {
  const { expiresAt, subjects } = loaded;
  const { url, config } = reply.routeOptions;
  const route = { url, config };
  if ('text' in loaded) {
    return answerOf({ ...represent(loaded.text, expiresAt), subjects }, loaded.mediaType, headers, route);
  }
  const { value, own } = loaded;
  const state = own === undefined ? undefined : stateOf(own);
  const representation = { ...represent(serialize(reply, value), expiresAt, state), subjects };
  return answerOf(representation, JSON_MEDIA_TYPE, headers, route);
}

/**
 * Checks a write against the state it would replace, so that two editors cannot overwrite each other
 * unnoticed: throws `outdated` if the request has an `If-Match` that does not name the current state of the
 * resource, or an `If-None-Match` that names it, or is `*` (RFC 9110, sections 13.1.1 and 13.1.2). Takes the
 * value that {@link LoadedValue.own} of the GET would have, undefined where there is nothing yet. Undefined
 * if the request has neither.
 */
export function writePrecondition({ headers }: FastifyRequest): ((own: unknown) => void) | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return (own) => {
    const state = own === undefined ? undefined : stateOf(own);
    if (ifMatch !== undefined && (state === undefined || !namesState(ifMatch, state))) {
      throw new Failure(
        'outdated',
        'the resource has changed since you read it; read it again and repeat the change',
      );
    }
    if (ifNoneMatch !== undefined && state !== undefined && namesStateWeakly(ifNoneMatch, state)) {
      throw new Failure(
        'outdated',
        'there is one already, as If-None-Match says; read it, and change that with If-Match',
      );
    }
  };
}

/** Writes an answer with what the checks of the request have added. */
function send({ raw }: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  const headers = Object.entries(reply.getHeaders()).flat();
  reply.hijack();
  writeAnswer(raw, reply.raw, answer, headers as string[]);
}

/** Fastify's types do not say what a serializer returns; ours, zod's, return text. */
function serialize(reply: FastifyReply, value: unknown): string {
  return reply.serialize(value as Record<string, unknown>) as string;
}

/** A representation with all that its answers say of it. */
export interface Answer extends Representation {
  /** The headers of a 200, as lines, besides its length. */
  readonly head: string;
  /** Headers of a 304. */
  readonly unchanged: string;
  /** The length of the body, in bytes. */
  readonly length: string;
  /** Its route, for the log and the metrics. */
  readonly routeOptions: RouteOptions;
}

/** Prepares the answers of a representation; `headers` are names and values in turn. */
function answerOf(
  representation: Representation,
  mediaType: string,
  headers: readonly string[],
  routeOptions: RouteOptions,
): Answer {
  const { body, etag } = representation;
  const unchanged = headerLines(['etag', etag, ...headers]);
  const head = unchanged + headerLines(['content-type', mediaType]);
  return { ...representation, head, unchanged, length: String(Buffer.byteLength(body)), routeOptions };
}

/**
 * A finished answer: its body and the strong validator that was computed from its bytes (RFC 9110, section
 * 8.8.3).
 */
export interface Representation {
  /** Its bytes or, if it is short and in ASCII, its text. */
  readonly body: Buffer | string;
  readonly etag: string;
  /** When it expires, in ms since 1970; if absent, only when the data change. */
  readonly expiresAt?: number | undefined;
  /** Subjects that it depends on, as the service names changes; if absent, any change invalidates it. */
  readonly subjects?: readonly string[] | undefined;
}

/**
 * The most bytes that are sent as text. Node sends text in one piece with the headers, bytes as a second
 * piece; longer text costs more to encode for each answer than that saves, and text that is not ASCII
 * from 2 KiB on.
 */
const MAX_TEXT_BYTES = 12_288;

/**
 * Finishes `text` as a representation: a body and a strong entity tag, equal only for equal bytes. `state`
 * (base64url) is appended to the tag if a representation shows more than the resource itself; see {@link
 * namesState}.
 */
export function represent(text: string, expiresAt?: Date, state?: string): Representation {
  const bytes = Buffer.from(text);
  const digest = hash('sha256', bytes, 'base64url').slice(0, 27);
  const etag = state === undefined ? `"${digest}"` : `"${digest}.${state}"`;
  const isAscii = bytes.length === text.length;
  const body = isAscii && bytes.length <= MAX_TEXT_BYTES ? text : bytes;
  return { body, etag, expiresAt: expiresAt?.getTime() };
}

/**
 * The members of an `If-Match` or `If-None-Match` list (RFC 9110, section 8.8.3); anything else in the list
 * is ignored.
 */
const ENTITY_TAG = /(?:^|,)[ \t]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/g;

/**
 * Evaluates `If-None-Match` by weak comparison (RFC 9110, section 13.1.2): true means 304 for GET and HEAD.
 */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  for (const [, , tag] of ifNoneMatch.matchAll(ENTITY_TAG)) {
    if (tag === etag) return true;
  }
  return false;
}

/** Evaluates `If-Match` by strong comparison (RFC 9110, section 13.1.1): whether it names this tag. */
export function isNamed(ifMatch: string, etag: string | undefined): boolean {
  if (ifMatch.trim() === '*') return true;
  return [...ifMatch.matchAll(ENTITY_TAG)].some(([, weak, tag]) => weak === undefined && tag === etag);
}

/** The state of a resource's own members, for its entity tag: equal only for equal values. */
export function stateOf(own: unknown): string {
  return hash('sha256', JSON.stringify(own), 'base64url').slice(0, 27);
}

/**
 * The tag of a resource in the answer to its write, for the `If-Match` of the next one. It is the tag of no
 * representation, so `If-None-Match` never takes it for one that was read.
 */
export function writtenTag(own: unknown): string {
  return `"written.${stateOf(own)}"`;
}

/**
 * Evaluates `If-Match` against a resource that exists: whether one of its strong tags (RFC 9110, section
 * 13.1.1) is of this state of the resource, whatever else its representation showed.
 */
export function namesState(ifMatch: string, state: string): boolean {
  return names(ifMatch, state, false);
}

/** Evaluates the `If-None-Match` of a write like {@link namesState}, by weak comparison (section 13.1.2). */
function namesStateWeakly(ifNoneMatch: string, state: string): boolean {
  return names(ifNoneMatch, state, true);
}

function names(list: string, state: string, isWeak: boolean): boolean {
  if (list.trim() === '*') return true;
  for (const [, weak, tag] of list.matchAll(ENTITY_TAG)) {
    if ((isWeak || weak === undefined) && tag?.endsWith(`.${state}"`)) return true;
  }
  return false;
}

/**
 * Answers a GET or HEAD, whoever has it: the whole representation, or 304 when `If-None-Match` names it (RFC
 * 9110, section 13.1.2).
 *
 * @param headers those of this answer alone, names and values in turn
 */
export function writeAnswer(
  { method, headers: { 'if-none-match': known } }: IncomingMessage,
  response: ServerResponse,
  { head, unchanged, length, body, etag }: Answer,
  headers: string[],
): void {
  const prepared = response as PreparedResponse;
  if (isNotModified(known, etag)) return void prepared.writePrepared(304, unchanged, headers).end();
  headers.push('content-length', length);
  prepared.writePrepared(200, head, headers).end(method === 'HEAD' ? undefined : body);
}

/** The lines of headers, of which names and values are given in turn. */
export function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (const [index, text] of headers.entries()) lines += index % 2 === 0 ? `${text}: ` : `${text}\r\n`;
  return lines;
}

/** A response of {@link responsesWith}. */
export interface PreparedResponse extends ServerResponse {
  /**
   * Writes a head that nothing has been set of: the constant headers, `lines` as they are, of which nothing
   * may come from a request, and a list of others, names and values in turn. Node would check and copy each
   * of the former for each answer.
   */
  writePrepared(status: number, lines: string, others: string[]): this;
}

/** Node's last step of writing a head, which its types leave out. */
interface HeadWriter extends ServerResponse {
  _storeHeader(statusLine: string, headers: unknown): void;
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** The arguments of `writeHead` after the status: a reason, headers, both or neither. */
type Head = [headers?: Headers] | [reason?: string, headers?: Headers];

/**
 * Makes the class of a server's responses (`http.createServer`, "ServerResponse"): each sends the headers
 * `constant`, with lower-case names, unless it sets them itself. No 304 describes a body
 * (`docs/spec/wire.md`, "All three services").
 *
 * @param prepare called before the head of each response is written
 */
export function responsesWith(
  constant: Readonly<Record<string, string>>,
  prepare?: (response: ServerResponse, status: number) => void,
): typeof ServerResponse {
  const entries = Object.entries(constant);
  const constantLines = headerLines(entries.flat());
  const Response = ServerResponse as unknown as new (request: IncomingMessage) => HeadWriter;
  class WithConstantHeaders extends Response {
    #lines = '';

    override writeHead(status: number, ...head: Head): this {
      const [headers] = head;
      prepare?.(this, status);
      if (status === 304) describeNoBody(this, headers);
      for (const [name, value] of entries) if (!this.hasHeader(name)) this.setHeader(name, value);
      return super.writeHead(status, ...(head as [Headers?]));
    }

    writePrepared(status: number, lines: string, others: string[]): this {
      prepare?.(this, status);
      this.#lines = constantLines + lines;
      return super.writeHead(status, others);
    }

    // Not documented, but the only place where lines can be added that Node need not check again.
    override _storeHeader(statusLine: string, headers: unknown): void {
      super._storeHeader(statusLine + this.#lines, headers);
    }
  }
  return WithConstantHeaders as unknown as typeof ServerResponse;
}

/** A 304 has no body to describe (RFC 9110, section 15.4.5). */
function describeNoBody(response: ServerResponse, headers: Head[number]): void {
  response.removeHeader('content-type');
  if (isObject(headers) && headers['content-type'] !== undefined) delete headers['content-type'];
}

function isObject(headers: Head[number]): headers is OutgoingHttpHeaders {
  return typeof headers === 'object' && !Array.isArray(headers);
}
