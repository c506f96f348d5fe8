import type { Guard } from '@pressroom/common/http/operation';
import { type Allowance, addressKey } from '@pressroom/common/http/rate-limit';
import type { Server } from '@pressroom/common/http/server';
import { forbidden, unauthorized } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import type { KeyOwner } from './api-keys/store.ts';
import type { KeyVerifier } from './api-keys/verifier.ts';
import type { Reader } from './articles/store.ts';

/** Who sends a request: nobody known, the owner of a valid key, or somebody with a key that is not. */
export type Sender = { kind: 'anonymous' } | { kind: 'owner'; owner: KeyOwner } | { kind: 'refused' };

const ANONYMOUS: Sender = { kind: 'anonymous' };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link identifySenders} before anything else looks at the request. */
    sender: Sender;
  }
}

/** The key that a request carries: `X-API-Key`, else `Authorization: Bearer`. An empty header carries none. */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const given = headers['x-api-key'];
  if (given) return String(given);
  return /^Bearer +(\S.*)$/i.exec(headers.authorization ?? '')?.[1];
}

/** Finds out who sends each request, before it is counted. */
export function identifySenders(app: Server, verifier: KeyVerifier): void {
  app.decorateRequest('sender', null as never);
  app.addHook('onRequest', (request, _reply, done) => {
    request.sender = ANONYMOUS;
    const key = keyOf(request);
    if (key === undefined) return done();
    return void verifier.verify(key).then((owner) => {
      request.sender = owner === undefined ? { kind: 'refused' } : { kind: 'owner', owner };
      done();
    }, done);
  });
}

/** What a reader may see: all with a key, what is published without one. Throws 403 for a key that opens nothing. */
export function readerOf({ sender }: FastifyRequest): Reader {
  if (sender.kind === 'refused') throw keyRefused();
  return { seesDrafts: sender.kind === 'owner' };
}

function keyRefused() {
  return forbidden('the API key is invalid, expired or revoked');
}

/** Whom a request counts against: its key's owner, else its address (`docs/spec/wire.md`, "Rate"). */
export function allowanceOf(limits: {
  anonymous: number;
  key: number;
}): (request: FastifyRequest) => Allowance {
  return (request) =>
    request.sender.kind === 'owner'
      ? { key: `key:${request.sender.owner.prefix}`, max: limits.key }
      : { key: addressKey(request), max: limits.anonymous };
}

async function requireKey(request: FastifyRequest): Promise<void> {
  ownerOf(request);
}

function keyRequired() {
  return unauthorized('this needs an API key: send it in X-API-Key or as Authorization: Bearer');
}

/** The owner of the key that a request carries. Throws 401 without a key, 403 for one that opens nothing. */
export function ownerOf({ sender }: FastifyRequest): KeyOwner {
  if (sender.kind === 'refused') throw keyRefused();
  if (sender.kind === 'anonymous') throw keyRequired();
  return sender.owner;
}

/** Whoever has a valid key: 401 without one, 403 with a wrong one, before the body is read. */
export const KEY_HOLDER: Guard = { check: requireKey, security: [{ apiKey: [] }, { bearer: [] }] };

/** Anybody; those with a key may see more. */
export const ANYBODY: Guard = { security: [{}, { apiKey: [] }, { bearer: [] }] };
