import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../failures/failure.ts';
import { isNotModified, namesState, type Representation, represent, stateOf } from './entity-tag.ts';
import type { RepresentationCache } from './representation-cache.ts';

/** The media type of every JSON answer. */
const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** `Cache-Control` of answers that belong to one reader, and of every error. */
export const PRIVATE = 'private, no-store';

/** How a GET is answered. */
export interface ConditionalAnswer {
  /** The value of `Cache-Control`. */
  cacheControl: string;
  /** The value of `Vary`, where the answer depends on more than its URL. */
  vary?: string | undefined;
  /** Where the finished representation is cached; omit it when answers differ by reader. */
  cache?: RepresentationCache | undefined;
  /** The cache key; the URL if absent. */
  key?: string | undefined;
  /**
   * Loads the value that the route's response schema describes, or a {@link WrittenDocument}: as a {@link
   * Perishable} if it changes with the clock, as a {@link Stateful} if writes may name it in `If-Match`.
   * Throws if it does not exist.
   */
  load: () => Promise<unknown>;
}

/** A loaded value that is valid until `expiresAt`; if undefined, until the data change. */
export class Perishable {
  readonly value: unknown;
  readonly expiresAt: Date | undefined;

  constructor(value: unknown, expiresAt: Date | undefined) {
    this.value = value;
    this.expiresAt = expiresAt;
  }
}

/** A loaded value and the part that belongs to the resource itself, which alone decides about `If-Match`. */
export class Stateful {
  readonly value: unknown;
  readonly own: unknown;

  constructor(value: unknown, own: unknown) {
    this.value = value;
    this.own = own;
  }
}

/** A loaded value, possibly {@link Stateful}, that changes only when one of its subjects does. */
export class About {
  readonly value: unknown;
  readonly subjects: readonly string[];

  constructor(value: unknown, subjects: readonly string[]) {
    this.value = value;
    this.subjects = subjects;
  }
}

/** A loaded value that is already written, in another media type than JSON. */
export class WrittenDocument {
  readonly text: string;
  readonly mediaType: string;

  constructor(text: string, mediaType: string) {
    this.text = text;
    this.mediaType = mediaType;
  }
}

/**
 * Answers a GET or HEAD with a validator: the whole representation, or 304 when `If-None-Match` names it (RFC
 * 9110, section 13.1.2). The body is the loaded value, serialized by the route's response schema unless it
 * is already written.
 */
export function replyConditionally(
  request: FastifyRequest,
  reply: FastifyReply,
  { cacheControl, vary, cache, key = request.url, load }: ConditionalAnswer,
): void | Promise<void> {
  const known = cache?.get(key);
  if (known !== undefined) return send(request, reply, known);
  const headers = { 'cache-control': cacheControl, ...(vary !== undefined && { vary }) };
  const make = async () => {
    const { value: loaded, subjects } = about(await load());
    if (loaded instanceof Stateful) {
      const { value, own } = loaded;
      return { ...represent(serialize(reply, value), undefined, stateOf(own)), headers, subjects };
    }
    const { value, expiresAt } = loaded instanceof Perishable ? loaded : new Perishable(loaded, undefined);
    if (!(value instanceof WrittenDocument))
      return { ...represent(serialize(reply, value), expiresAt), headers, subjects };
    return { ...represent(value.text, expiresAt), headers, mediaType: value.mediaType, subjects };
  };
  const loading = cache === undefined ? make() : cache.load(key, make);
  return loading.then((representation) => send(request, reply, representation));
}

/** A loaded value that is not {@link About} something depends on everything. */
function about(loaded: unknown): { value: unknown; subjects: readonly string[] | undefined } {
  return loaded instanceof About ? loaded : { value: loaded, subjects: undefined };
}

/**
 * Answers from `cache` before anything else is done for the request: its URL was validated when the
 * representation was made. Add it after the hooks that identify, count and refuse requests.
 *
 * @param mayRead tells whether a request may get cached answers; all may if absent
 */
export function answerFromCache(
  app: Pick<FastifyInstance, 'addHook'>,
  cache: RepresentationCache,
  mayRead: (request: FastifyRequest) => boolean = () => true,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const known = isRead && mayRead(request) ? cache.get(request.url) : undefined;
    if (known === undefined) return done();
    return send(request, reply, known);
  });
}

/**
 * Checks a write against the state it would replace: throws `outdated` if the request has an `If-Match` that
 * does not name the current state of the resource (RFC 9110, section 13.1.1), so that two editors cannot
 * overwrite each other unnoticed. Takes the value that {@link Stateful.own} of the GET would have. Undefined
 * if the request has no `If-Match`.
 */
export function writePrecondition(request: FastifyRequest): ((own: unknown) => void) | undefined {
  const ifMatch = request.headers['if-match'];
  if (ifMatch === undefined) return undefined;
  return (own) => {
    if (namesState(ifMatch, stateOf(own))) return;
    throw new Failure(
      'outdated',
      'the resource has changed since you read it; read it again and repeat the change',
    );
  };
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, etag, mediaType = JSON_MEDIA_TYPE, headers = {} }: Representation,
): void {
  reply.header('etag', etag).headers(headers);
  if (isNotModified(request.headers['if-none-match'], etag)) reply.code(304).send();
  else reply.header('content-type', mediaType).send(body);
}

/** Fastify's types do not say what a serializer returns; ours, zod's, return text. */
function serialize(reply: FastifyReply, value: unknown): string {
  return reply.serialize(value as Record<string, unknown>) as string;
}
