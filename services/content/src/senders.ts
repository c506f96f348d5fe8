import { type DeskKeys, isDeskKey } from '@pressroom/common/desk/desk-key';
import { personOf } from '@pressroom/common/desk/person';
import { PERSON_HEADER } from '@pressroom/common/desk/person-header';
import type { EarlyRequest } from '@pressroom/common/http/early-request';
import { onEveryRequest } from '@pressroom/common/http/every-request';
import type { Guard } from '@pressroom/common/http/operation';
import { type Allowance, addressKey } from '@pressroom/common/http/rate-limit';
import type { Server } from '@pressroom/common/http/server';
import { withoutApiKeys } from '@pressroom/common/log/hidden-keys';
import { forbidden, Problem, unauthorized } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { requireScope, type Scope, showsDrafts } from './api-keys/scope.ts';
import type { KeyOwner } from './api-keys/store.ts';
import type { KeyVerifier, TooManyWrongKeys } from './api-keys/verifier.ts';
import type { Reader } from './articles/detail.ts';
import { type Actor, deskPrefix } from './written-by.ts';

/**
 * Who sends a request: an anonymous client, the owner of a valid key, a client with an invalid key, or one
 * whose key is not looked up.
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

/** A request whose sender is identified. */
type SentRequest = EarlyRequest & Pick<FastifyRequest, 'sender'>;

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
      request.sender = { kind: 'owner', owner: deskOwner(personOf(request.headers)) };
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
function isOfDesk({ headers }: EarlyRequest): boolean {
  return PERSON_HEADER in headers && headers['x-forwarded-host'] === undefined;
}

/** Somebody at the desk, as the owner of a key. */
function deskOwner(name: string): KeyOwner {
  return { prefix: deskPrefix(name), name, scope: 'full', category_id: null, expires_at: null };
}

function senderOf(found: KeyOwner | TooManyWrongKeys | undefined): Sender {
  if (found === undefined) return { kind: 'refused' };
  if ('retryAfterSeconds' in found) return { kind: 'unverified', ...found };
  return { kind: 'owner', owner: found };
}

/**
 * What a reader may see: everything with a key, only published articles without one, or with one of the scope
 * `published`. Throws 403 for an invalid key.
 */
export function readerOf({ sender }: FastifyRequest): Reader {
  refuseWrong(sender);
  return { seesDrafts: sender.kind === 'owner' && showsDrafts(sender.owner) };
}

/** Throws 403 for an invalid key, and 429 for one that is not looked up. */
function refuseWrong(sender: Sender): void {
  if (sender.kind === 'refused') throw forbidden('the API key is invalid, expired or revoked');
  if (sender.kind !== 'unverified') return;
  const { retryAfterSeconds: seconds } = sender;
  const detail = `too many API keys from this address were wrong; try again in ${seconds} s`;
  throw new Problem(429, 'rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}

/**
 * Whose rate limit a request counts against: its key's owner, else its address (`docs/spec/wire.md`, "Rate").
 */
export function allowanceOf(limits: { anonymous: number; key: number }): (request: SentRequest) => Allowance {
  return (request) =>
    request.sender.kind === 'owner'
      ? { key: `key:${request.sender.owner.prefix}`, max: limits.key }
      : { key: addressKey(request), max: limits.anonymous };
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

/** Whether an answer belongs to the holder of a key, whatever it shows. */
export function hasKey({ sender }: FastifyRequest): boolean {
  return sender.kind === 'owner';
}

/** Who sends a request with a valid key, for the audit trail. Throws as {@link ownerOf}. */
export function actorOf(request: FastifyRequest): Actor {
  const { prefix: key } = ownerOf(request);
  return { key, requestId: withoutApiKeys(request.id), address: request.ip };
}

/**
 * Requires a valid key with a scope, before the body is read: 401 without a key, 403 with an invalid one or
 * one that may do less. What the article decides is checked with {@link requireArticle}.
 */
export function keyWith(scope: Scope): Guard {
  return {
    check: async (request) => requireScope(ownerOf(request), scope),
    security: [{ apiKey: [scope] }, { bearer: [scope] }],
  };
}

/** Open to everyone; readers with a key may see more. */
export const ANYBODY: Guard = { security: [{}, { apiKey: [] }, { bearer: [] }] };
