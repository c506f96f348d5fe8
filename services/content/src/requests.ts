import {
  type Loaded,
  PRIVATE,
  type ReplyOf,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { type DeskKeys, isDeskKey } from '@pressroom/common/desk/desk-key';
import { type DeskPerson, deskPersonOf, PERSON_HEADER } from '@pressroom/common/desk/person';
import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { type CheckedRequest, onEveryRequest } from '@pressroom/common/http/every-request';
import { bodiless, type Guard, type Server, withoutApiKeys } from '@pressroom/common/http/operation';
import { type Allowance, addressKey } from '@pressroom/common/http/rate-limit';
import {
  forbidden,
  invalidRequest,
  Problem,
  unauthorized,
  validationProblem,
} from '@pressroom/common/problems/problem';
import type { FastifyRequest, FastifySchema } from 'fastify';
import {
  insufficient,
  type KeyOwner,
  type KeyVerifier,
  mayWriteAll,
  type Permitted,
  requireArticle,
  requireScope,
  type Scope,
  showsDrafts,
  type TooManyWrongKeys,
} from './api-keys.ts';
import type { Reader } from './articles/detail.ts';
import type { ExtraSchema } from './articles/extra-schema.ts';
import type { Extra } from './articles/schema.ts';
import type { Writer } from './articles/store.ts';
import { type Actor, deskPrefix } from './envelope.ts';
import { contentFaults, type HtmlInspector, TOO_SHORT } from './html/html-inspector.ts';
import { MovedSlug } from './slug.ts';
import type { TermKind } from './terms/kinds.ts';

/**
 * The sender of a request: an anonymous client, the owner of a valid key, a client with an invalid key, or
 * one whose key is not looked up.
 */
type Sender =
  | { kind: 'anonymous' }
  | { kind: 'owner'; owner: KeyOwner }
  | { kind: 'refused' }
  | ({ kind: 'unverified' } & TooManyWrongKeys);

const ANONYMOUS: Sender = { kind: 'anonymous' };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link identifySenders} before anything else looks at the request. */
    sender: Sender;
  }
}

type SentRequest = CheckedRequest & Pick<FastifyRequest, 'sender'>;

/** The headers that a key may be in. */
export const KEY_HEADERS = ['x-api-key', 'authorization'];

/**
 * The key that a request carries: `X-API-Key`, else `Authorization: Bearer`. An empty header counts as
 * absent.
 */
function keyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const given = headers['x-api-key'];
  if (given) return String(given);
  return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1];
}

/**
 * Identifies the sender of each request before the request is counted.
 *
 * @param deskKeys the keys of the desk, whose people may do everything
 */
export function identifySenders(app: Server, verifier: KeyVerifier, deskKeys: DeskKeys): void {
  app.decorateRequest('sender', null as never);
  onEveryRequest<SentRequest>(app, (request, _reply, done) => {
    request.sender = ANONYMOUS;
    const key = keyOf(request);
    if (key === undefined) return done();
    if (isOfDesk(request) && isDeskKey(key, deskKeys)) {
      request.sender = { kind: 'owner', owner: deskOwner(deskPersonOf(request.headers)) };
      return done();
    }
    return void verifier.verify(key, addressKey(request)).then((found) => {
      request.sender = senderOf(found);
      done();
    }, done);
  });
}

/**
 * The desk always names a person, which the proxy takes from what it passes on, and asks without any proxy:
 * its key opens nothing at the public door.
 */
function isOfDesk({ headers }: CheckedRequest): boolean {
  return PERSON_HEADER in headers && headers['x-forwarded-host'] === undefined;
}

/** Returns a person at the desk in the form of a key's owner. */
function deskOwner({ name, scope, author, account }: DeskPerson): KeyOwner {
  return {
    prefix: deskPrefix(name),
    name,
    scope,
    category_id: null,
    // A writer who is no author yet has no articles.
    author_id: scope === 'write' ? (author ?? NOBODY) : null,
    own_author: author,
    account,
    expires_at: null,
  };
}

/** The id of no author. */
const NOBODY = 0;

function senderOf(found: KeyOwner | TooManyWrongKeys | undefined): Sender {
  if (found === undefined) return { kind: 'refused' };
  if ('retryAfterSeconds' in found) return { kind: 'unverified', ...found };
  return { kind: 'owner', owner: found };
}

/**
 * Returns the view of a reader: everything with a key, only published articles without one, or with one of
 * the scope `published`. Throws 403 for an invalid key.
 */
function readerOf({ sender }: FastifyRequest): Reader {
  refuseWrong(sender);
  return { seesDrafts: sender.kind === 'owner' && showsDrafts(sender.owner) };
}

/** Throws 403 for an invalid key, and 429 if too many wrong keys keep it from being looked up. */
function refuseWrong(sender: Sender): void {
  if (sender.kind === 'refused') throw forbidden('the API key is invalid, expired or revoked');
  if (sender.kind !== 'unverified') return;
  const { retryAfterSeconds: seconds } = sender;
  const detail = `too many API keys from this address were wrong; try again in ${seconds} s`;
  throw new Problem(429, 'rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}

/** The path of what is asked at nearly every letter that somebody types. */
export const SUGGESTIONS = '/api/articles/suggest';

const OF_SUGGESTIONS = new RegExp(`^${SUGGESTIONS}(\\?|$)`);

/** The path of what asks other sites. */
export const EXTERNAL_LINKS = '/api/articles/links/external';

const OF_EXTERNAL_LINKS = new RegExp(`^${EXTERNAL_LINKS}(\\?|$)`);

/**
 * Returns the rate limit that a request counts against: its key's owner's, else its address's; by themselves
 * suggestions have twice as much, and links to other sites a 50th (`docs/spec/wire.md`, "Rate").
 */
export function allowanceOf(limits: { anonymous: number; key: number }): (request: SentRequest) => Allowance {
  return (request) => {
    const { key, max } =
      request.sender.kind === 'owner'
        ? { key: `key:${request.sender.owner.prefix}`, max: limits.key }
        : { key: addressKey(request), max: limits.anonymous };
    if (OF_SUGGESTIONS.test(request.url)) return { key: `suggest:${key}`, max: 2 * max };
    if (OF_EXTERNAL_LINKS.test(request.url)) return { key: `links:${key}`, max: Math.ceil(max / 50) };
    return { key, max };
  };
}

function keyRequired() {
  return unauthorized('an API key is required: send it in X-API-Key or as Authorization: Bearer');
}

/** The owner of the key that a request carries. Throws 401 without a key, 403 for an invalid one. */
export function ownerOf({ sender }: FastifyRequest): KeyOwner {
  refuseWrong(sender);
  if (sender.kind !== 'owner') throw keyRequired();
  return sender.owner;
}

/**
 * Requires a key that shows what readers do not see. Throws as {@link ownerOf}, and 403 for a lesser scope.
 */
export function requireReader(request: FastifyRequest): void {
  requireScope(ownerOf(request), 'read');
}

/** True if an answer belongs to the holder of a key, whatever it shows. */
function hasKey({ sender }: FastifyRequest): boolean {
  return sender.kind === 'owner';
}

/** Returns the sender of a request with a valid key, for the audit trail. Throws as {@link ownerOf}. */
export function actorOf(request: FastifyRequest): Actor {
  const { prefix: key, account = null } = ownerOf(request);
  return { key, account, requestId: withoutApiKeys(request.id), address: request.ip };
}

/**
 * Requires a valid key with a scope, before the body is read: 401 without a key, 403 with an invalid one or
 * one that may do less. Rules that depend on the article are left to {@link requireArticle}.
 */
export function keyWith(scope: Scope): Guard {
  return {
    check: async (request) => requireScope(ownerOf(request), scope),
    security: [{ apiKey: [scope] }, { bearer: [scope] }],
  };
}

/** Requires somebody at the desk, with a scope; `what` is for people alone. */
function atDesk(scope: Scope, what: string): Guard {
  return {
    check: async (request) => requireDesk(request, scope, what),
    security: [{ apiKey: [scope] }, { bearer: [scope] }],
  };
}

const CONVERSATIONS = 'comments are read and written at the desk, by people';

/** Throws as {@link ownerOf}, and 403 with `what` for a key, or for a lesser scope. */
export function requireDesk(request: FastifyRequest, scope: Scope = 'read', what = CONVERSATIONS): void {
  const owner = ownerOf(request);
  if (!owner.prefix.startsWith(deskPrefix(''))) throw insufficient(what);
  requireScope(owner, scope);
}

/** A key makes no other, which would outlive it. */
export const OWNER_AT_DESK = atDesk('full', 'API keys are managed at the desk, or by `content keys`');

/** A key that writes everything still says nothing of where the site is. */
export const SETTINGS_AT_DESK = atDesk('full', 'the settings of the site are kept at the desk');

/** Programs have no part in the desk's conversations. */
export const AT_DESK = atDesk('read', CONVERSATIONS);

/** Open to everyone; readers with a key may see more. */
export const ANYBODY: Guard = { security: [{}, { apiKey: [] }, { bearer: [] }] };

/** `Cache-Control` of public answers (`docs/spec/wire.md`, "Content"). */
const PUBLIC = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60';

/** The last segment of a path, with or without a query string after it. */
const LAST_SEGMENT = /[^/?]+(?=\?|$)/;

/** Headers that a read depends on in addition to its URL. */
const VARY = 'X-API-Key, Authorization';

/**
 * Answers a read. An anonymous read may come from the cache and may be cached by anyone; a read with a key,
 * or with the token of a preview, is private. Throws 403 for an invalid key.
 */
export function replyToReader<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  cache: RepresentationCache,
  load: (reader: Reader) => Promise<Loaded<NoInfer<Schema>>>,
  preview?: string,
) {
  const reader = { ...readerOf(request), preview };
  return replyConditionally(request, reply, {
    cacheControl: lifetimeFor(request, preview),
    vary: VARY,
    cache: isPrivate(request, preview) ? undefined : cache,
    load: () => load(reader),
  });
}

/** Answers a read that needs a key. */
export function replyPrivately<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  load: () => Promise<Loaded<NoInfer<Schema>>>,
) {
  return replyConditionally(request, reply, { cacheControl: PRIVATE, vary: VARY, cache: undefined, load });
}

function isPrivate(request: FastifyRequest, preview: string | undefined): boolean {
  return hasKey(request) || preview !== undefined;
}

function lifetimeFor(request: FastifyRequest, preview: string | undefined): string {
  return isPrivate(request, preview) ? PRIVATE : PUBLIC;
}

/** The 308 of a former slug, for the OpenAPI description. */
export const MOVED = { 308: bodiless('Its slug has changed: `Location` is its address.') } as const;

/**
 * Answers a read by slug like {@link replyToReader}; where `load` throws {@link MovedSlug}, with 308 to the
 * same read by the current slug, whatever its conditions (RFC 9110, section 13.2.1).
 */
export async function replyBySlug<Schema extends FastifySchema>(
  request: FastifyRequest,
  reply: ReplyOf<Schema>,
  cache: RepresentationCache,
  load: (reader: Reader) => Promise<Loaded<NoInfer<Schema>>>,
  preview?: string,
) {
  try {
    await replyToReader(request, reply, cache, load, preview);
  } catch (error) {
    if (!(error instanceof MovedSlug)) throw error;
    const location = request.url.replace(LAST_SEGMENT, error.slug);
    const headers = { 'cache-control': lifetimeFor(request, preview), vary: VARY };
    reply.headers(headers).redirect(location, 308);
  }
  return reply;
}

type Noun =
  | 'article'
  | 'preview'
  | 'release'
  | 'working_copy'
  | 'review'
  | 'assignment'
  | 'comment'
  | 'hook'
  | 'api_key'
  | 'redirect'
  | 'site'
  | 'import'
  | TermKind['noun'];

type WriteEvent =
  | `${Noun}_${'created' | 'updated' | 'deleted' | 'restored' | 'merged' | 'erased'}`
  | 'trash_emptied'
  | 'content_exported';

/**
 * The headers of the answer to a write: it is not cached, and its `ETag` is for the `If-Match` of the next
 * write.
 *
 * @param own what {@link Stateful.own} of the GET would have
 */
export function writtenHeaders(own: object): Record<'cache-control' | 'etag', string> {
  return { 'cache-control': PRIVATE, etag: writtenTag(own) };
}

/** Logs who wrote what, by the public prefix of the key. */
export function logWrite(
  request: FastifyRequest,
  event: WriteEvent,
  object: { [Name in Noun | 'articles']?: number | string },
): void {
  const requestId = withoutApiKeys(request.id);
  request.log.info({ requestId, key: ownerOf(request).prefix, ...object }, event);
}

/**
 * Returns the writer of an article, and the checks of the article that the request finds: that the key may
 * change it, as it is and as `body` makes it, and `If-Match`.
 */
export function writerOf(request: FastifyRequest, body: Permitted): Writer {
  const [owner, condition] = [ownerOf(request), writePrecondition(request)];
  const actor = actorOf(request);
  if (condition === undefined && mayWriteAll(owner)) return { actor };
  return {
    actor,
    precondition: (own, article) => {
      requireArticle(owner, article);
      requireArticle(owner, { ...article, ...body });
      condition?.(own);
    },
  };
}

/** The format of an `Idempotency-Key`. */
const PATTERN = /^[\x21-\x7e]{1,255}$/;

/**
 * The `Idempotency-Key` of a request (IETF draft "The Idempotency-Key HTTP Header Field"), with which a
 * create can be repeated without creating a second article. Throws 400 if it is malformed.
 */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && PATTERN.test(given)) return given;
  throw invalidRequest('header: Idempotency-Key must be 1 to 255 visible ASCII characters');
}

/**
 * Checks the body of an article write against its schema, and its members against the rules for them, and
 * reports all errors together.
 * The operation has `attachValidation`, so the request must not be used before this has resolved.
 *
 * @throws Problem for a request that cannot be read
 * @throws Failure `invalid` with every error, with code `unsafe_html` if all are of that kind
 */
export async function checkBody(request: FastifyRequest, rules: ArticleRules): Promise<void> {
  refuseFaults(await bodyFaults(request, rules));
}

/**
 * Like {@link checkBody}, but the text may have any length. Resolves to true if it is too short to be
 * published.
 */
export async function checkDraft(request: FastifyRequest, rules: ArticleRules): Promise<boolean> {
  return refuseAllButShort(await bodyFaults(request, rules));
}

/** Refuses an article that has faults, unless its text is just too short: then it returns true. */
export function refuseAllButShort(faults: FieldFault[]): boolean {
  const others = faults.filter((fault) => fault !== TOO_SHORT);
  refuseFaults(others);
  return others.length < faults.length;
}

async function bodyFaults(request: FastifyRequest, rules: ArticleRules): Promise<FieldFault[]> {
  const { validationError, body } = request;
  const problem = validationError && validationProblem(validationError, request, 422);
  if (validationError !== undefined && problem?.errors === undefined) throw problem ?? validationError;
  const faults = problem?.errors ?? [];
  const content = memberOf(body, 'content');
  const extra = memberOf(body, 'extra');
  const readable = {
    ...(typeof content === 'string' && { content }),
    ...(!faults.some(({ field }) => /^extra\b/.test(field)) && { extra: extra as Extra }),
  };
  return [...faults, ...(await articleFaults(rules, readable, ownerOf(request).prefix))];
}

/**
 * Refuses an article that has faults.
 *
 * @throws Failure `invalid` with every error, with code `unsafe_html` if all are of that kind
 */
export function refuseFaults(faults: FieldFault[]): void {
  if (faults.length === 0) return;
  if (faults.some(({ code }) => code !== 'unsafe_html')) throw invalid(faults);
  const messages = faults.map(({ message }) => message).join('; ');
  throw new Failure('invalid', `content: ${messages}`, { code: 'unsafe_html', faults });
}

/** Throws a category that does not exist as a fault of `category_id`, and other errors as they are. */
export function refuseCategory(error: unknown): never {
  if (!(error instanceof Failure && error.kind === 'missing')) throw error;
  throw invalid([{ field: 'category_id', code: 'not_found', message: error.message }]);
}

/** A member of a body that may be anything. */
function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return undefined;
  return (body as Record<string, unknown>)[name];
}

/** The checks of articles' members that no schema of the API describes. */
export interface ArticleRules {
  inspector: HtmlInspector;
  extraSchema: ExtraSchema | undefined;
}

/** The members that are checked, as far as they are given. */
interface Checked {
  content?: string | undefined;
  extra?: Extra | null | undefined;
}

/**
 * Every error in the HTML and the `extra` of an article.
 *
 * @param owner the owner of the key that sent it: owners take turns
 * @throws Failure `unavailable` if too many articles are being inspected
 */
export async function articleFaults(
  { inspector, extraSchema }: ArticleRules,
  { content, extra }: Checked,
  owner: string,
): Promise<FieldFault[]> {
  const ofContent = content === undefined ? [] : await contentFaults(inspector, content, owner);
  return [...ofContent, ...((extra && (await extraSchema?.faults(extra, owner))) ?? [])];
}
