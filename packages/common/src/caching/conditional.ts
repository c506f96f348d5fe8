import type { IncomingMessage, ServerResponse } from 'node:http';
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
import { type Answer, answerOf } from './answer.ts';
import { namesState, namesStateWeakly, represent, stateOf } from './entity-tag.ts';
import type { RepresentationCache } from './representation-cache.ts';
import { writeAnswer } from './write-answer.ts';

/** The media type of every JSON answer. */
const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/** `Cache-Control` of answers that belong to one reader, and of every error. */
export const PRIVATE = 'private, no-store';

/** How long a loaded value may be served from a cache. */
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

/** What a GET of an operation loads: what its schema of 200 describes. */
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

/** How a GET is answered. */
export interface ConditionalAnswer<Schema> {
  /** The value of `Cache-Control`. */
  cacheControl: string;
  /** The value of `Vary`, where the answer depends on more than its URL. */
  vary?: string | undefined;
  /** Where the finished representation is cached; omit it when answers differ by reader. */
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

/** Writes an answer as those from memory are written. */
function send({ raw }: FastifyRequest, reply: FastifyReply, answer: Answer): void {
  const headers = Object.entries(reply.getHeaders()).flat();
  reply.hijack();
  writeAnswer(raw, reply.raw, answer, headers as string[]);
}

/** Fastify's types do not say what a serializer returns; ours, zod's, return text. */
function serialize(reply: FastifyReply, value: unknown): string {
  return reply.serialize(value as Record<string, unknown>) as string;
}
