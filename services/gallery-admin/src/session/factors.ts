import { PRIVATE } from '@pressroom/common/caching/conditional';
import { Failure } from '@pressroom/common/failures/failure';
import { onOneLine, requiredText, text } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Identities } from '../people/identities.ts';
import type { PeopleStore } from '../people/people-store.ts';
import { logWrite, note, problemResponses } from '../problems.ts';
import { type Codes, removeTotp, renewRecoveryCodes, wrongCode } from './codes.ts';
import { personal, siteOf } from './guard.ts';
import { type Account, knownAs } from './logins.ts';
import type { OidcProvider } from './oidc-providers.ts';
import { addPasskey, type Passkeys, removePasskey } from './passkeys.ts';
import {
  beginSession,
  callerOf,
  doneAnswer,
  failSlowly,
  logLogin,
  type SessionParts,
  tooManyAttempts,
} from './session.ts';

const base64url = z
  .string()
  .max(16 * 1024, 'is too long')
  .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');

const credentialMembers = {
  id: base64url,
  rawId: base64url,
  type: z.literal('public-key'),
};

/** `RegistrationResponseJSON` of WebAuthn; browsers send more members, which are ignored. */
const createdCredential = z
  .looseObject({
    ...credentialMembers,
    response: z.looseObject({
      clientDataJSON: base64url,
      attestationObject: base64url,
      transports: z
        .array(z.string().regex(/^[a-z-]{1,32}$/))
        .max(10)
        .default([]),
    }),
  })
  .transform(({ id, rawId, type, response: { clientDataJSON, attestationObject, transports } }) => ({
    ...{ id, rawId, type, clientExtensionResults: {} },
    response: { clientDataJSON, attestationObject, transports },
  }));

/** `AuthenticationResponseJSON` of WebAuthn, likewise. */
const usedCredential = z
  .looseObject({
    ...credentialMembers,
    response: z.looseObject({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: base64url.nullish(),
    }),
  })
  .transform(({ id, rawId, type, response }) => {
    const { clientDataJSON, authenticatorData, signature, userHandle } = response;
    return {
      ...{ id, rawId, type, clientExtensionResults: {} },
      response: { clientDataJSON, authenticatorData, signature, ...(userHandle && { userHandle }) },
    };
  });

/** The name by which its owner knows a passkey. */
const passkeyName = onOneLine(requiredText(100))
  .transform((value) => value.normalize('NFC').trim())
  .pipe(requiredText(100));

/** A new passkey as a browser made it. */
export const newPasskey = z.strictObject({ name: passkeyName, credential: createdCredential });

const code = requiredText(100);

const confirmation = z
  .strictObject({ password: text(1024), code, credential: usedCredential })
  .partial()
  .refine((body) => Object.keys(body).length === 1, 'must have one of password, code and credential')
  .meta({ minProperties: 1, maxProperties: 1 });

const answer = <Data extends z.ZodType>(data: Data) => z.object({ success: z.literal(true), data });

/** The options for a browser's authenticator. */
export const optionsAnswer = answer(
  z.object({ options: z.looseObject({}).describe('The options of WebAuthn, as JSON.') }),
);

const timestamp = z.iso.datetime({ offset: true });

const factorsAnswer = answer(
  z.object({
    hasPassword: z.boolean(),
    passkeys: z.array(
      z.object({ id: z.uuid(), name: z.string(), createdAt: timestamp, lastUsedAt: timestamp.nullable() }),
    ),
    accounts: z
      .array(
        z.object({
          id: z.uuid(),
          provider: z.string().nullable().describe('Its id; null if it is no longer in use.'),
          name: z.string().nullable().describe('Of the provider; null likewise.'),
          issuer: z.string(),
          linkedAt: timestamp,
        }),
      )
      .describe('Of providers of single sign-on.'),
    totpSince: timestamp.nullable().describe('When the app was set up; null without one.'),
    recoveryCodes: z.int().describe('The number of codes left.'),
    confirmed: z
      .boolean()
      .describe('True if the person has proved their identity within the last 15 minutes.'),
  }),
);

const codesAnswer = answer(
  z.object({ recoveryCodes: z.array(z.string()).describe('Shown only once; each works once.') }),
);

const passkeyPath = z.object({ id: z.uuid('must be the id of a passkey') });

/** The largest body with a credential, in bytes. */
const CREDENTIAL_BYTES = 64 * 1024;

interface FactorParts extends SessionParts {
  people: PeopleStore;
  account: Account;
  passkeys: Passkeys;
  codes: Codes;
  providers: readonly OidcProvider[];
  identities: Identities;
}

const ME = ['me'];

/** Second factors, and logins with a passkey: an addition to `docs/spec/gallery-admin.md`. */
export function factorOperations(parts: FactorParts) {
  return { ...passkeyLogin(parts), ...confirmOperations(parts), ...ownFactors(parts), ...ownCodes(parts) };
}

function passkeyLogin(parts: FactorParts) {
  const { passkeys, people, logins, cookies } = parts;
  const loginOptions = operation({
    schema: {
      tags: ['session'],
      operationId: 'passkeyLoginOptions',
      summary: 'Begin a login with a passkey',
      description:
        '`options` are for `navigator.credentials.get` (WebAuthn). The challenge is good for 5' +
        ' minutes, once.',
      response: { 200: optionsAnswer, ...problemResponses(400, 403, 429, 503) },
    },
    handler: async (request, reply) => {
      const site = siteOf(request, cookies);
      const { address } = callerOf(request, cookies);
      reply.header('cache-control', PRIVATE);
      const options = await passkeys.requestOptions(site, 'login', null, address);
      return { success: true as const, data: { options: { ...options } } };
    },
  });
  const logIn = operation({
    bodyLimit: CREDENTIAL_BYTES,
    schema: {
      tags: ['session'],
      operationId: 'passkeyLogin',
      summary: 'Log in with a passkey, which says who it is',
      description: 'Nobody types a name: the passkey has it. Attempts count as those of passwords do.',
      body: z.strictObject({ credential: usedCredential }),
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 413, 415, 429, 503) },
    },
    handler: (request, reply) =>
      failSlowly(async () => {
        const { credential } = request.body;
        const site = siteOf(request, cookies);
        const holder = await people.holderOf(credential.id);
        const login = holder?.email ?? 'passkey';
        const proven = await logins.prove(callerOf(request, cookies), login, () =>
          verifyPasskey(request, async () => {
            if (holder === undefined) return undefined;
            await passkeys.check(site, 'login', { person: holder.id, asked: null }, credential);
            return knownAs(holder);
          }),
        );
        const { lane } = proven;
        if (proven.outcome === 'throttled') throw tooManyAttempts(proven.retryAfterS);
        if (proven.outcome === 'failed') {
          request.log.warn({ address: request.ip, lane, by: 'passkey' }, 'login_failed');
          note(request, { action: 'login_failed', object: { lane, by: 'passkey' } });
          throw new Problem(
            401,
            'unauthorized',
            'this passkey is not known here, or took too long; try again',
          );
        }
        await beginSession(request, reply, parts, proven.found);
        logLogin(request, proven.found, { lane, by: 'passkey' });
        return { success: true as const };
      }),
  });
  return { loginOptions, logIn };
}

/** Returns undefined if the passkey was refused; the log says why. */
async function verifyPasskey<T>(
  request: FastifyRequest,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'passkey_refused') throw error;
    request.log.warn({ err: error }, 'passkey_refused');
    return undefined;
  }
}

function confirmOperations({ passkeys, people, logins, account, sessions, cookies }: FactorParts) {
  const confirmOptions = operation({
    schema: {
      tags: ME,
      operationId: 'confirmOptions',
      summary: 'Begin a confirmation with a passkey',
      description: '`options` are for `navigator.credentials.get`, and allow passkeys of this person alone.',
      response: { 200: optionsAnswer, ...problemResponses(400, 401, 403, 409, 503) },
    },
    handler: async (request) => {
      const site = siteOf(request, cookies);
      const { address } = callerOf(request, cookies);
      const options = await passkeys.requestOptions(site, 'confirm', personal(request), address);
      return { success: true as const, data: { options: { ...options } } };
    },
  });
  const checkIdentity = async (request: FastifyRequest, body: z.output<typeof confirmation>) => {
    const caller = callerOf(request, cookies);
    if (body.password !== undefined) {
      const { id } = request.person;
      const username = id === null ? account.name : (await people.read(id)).email;
      const proven = await logins.check(caller, { username, password: body.password });
      return proven.outcome === 'right' && proven.found.person_id !== id
        ? { ...proven, outcome: 'failed' as const }
        : proven;
    }
    const id = personal(request);
    const { email } = await people.read(id);
    const { code: shown, credential } = body;
    if (shown === undefined) {
      const site = siteOf(request, cookies);
      return logins.prove(caller, email, () =>
        verifyPasskey(request, async () => {
          if (credential === undefined) return undefined;
          await passkeys.check(site, 'confirm', { person: id, asked: id }, credential);
          return true;
        }),
      );
    }
    const seen: { retryAfterS?: number } = {};
    const proven = await logins.prove(caller, email, async (visitor) => {
      const found = await logins.takeCode(visitor, id, shown);
      if (found === 'wrong') return undefined;
      if ('retryAfterS' in found) seen.retryAfterS = found.retryAfterS;
      return found;
    });
    const { retryAfterS } = seen;
    return retryAfterS === undefined ? proven : { ...proven, outcome: 'throttled' as const, retryAfterS };
  };
  const confirm = operation({
    bodyLimit: CREDENTIAL_BYTES,
    schema: {
      tags: ME,
      operationId: 'confirm',
      summary: 'Show again who one is, for what takes that',
      description:
        'One of `password`, `code` and `credential`. It is good for 15 minutes, in this session. A' +
        ' wrong one counts as a failed login.',
      body: confirmation,
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 503) },
    },
    handler: async (request) => {
      const [by = ''] = Object.keys(request.body);
      const proven = await checkIdentity(request, request.body);
      if (proven.outcome === 'throttled') throw tooManyAttempts(proven.retryAfterS);
      if (proven.outcome === 'failed') {
        logWrite(request, 'confirmation_failed', { by });
        throw wrong(by);
      }
      await sessions.confirm(request.person.session);
      logWrite(request, 'session_confirmed', { by });
      return { success: true as const };
    },
  });
  return { confirmOptions, confirm };
}

function wrong(by: string): Problem | Failure {
  if (by === 'code') return wrongCode();
  if (by === 'password') return new Problem(403, 'wrong_password', 'the password is wrong');
  return new Problem(403, 'passkey_refused', 'this passkey was not taken; try again');
}

function ownFactors({ passkeys, people, codes, providers, identities, cookies }: FactorParts) {
  const read = operation({
    schema: {
      tags: ME,
      operationId: 'readFactors',
      summary: 'Say what one logs in with',
      description:
        'Passkeys, an app for codes, linked accounts; `confirmed` tells whether changes of them are' +
        ' allowed now.',
      response: { 200: factorsAnswer, ...problemResponses(401, 403, 404, 503) },
    },
    handler: async ({ person: { id, isFresh: confirmed } }) => {
      if (id === null) {
        const none = { passkeys: [], accounts: [], totpSince: null, recoveryCodes: 0 };
        return { success: true as const, data: { hasPassword: true, ...none, confirmed } };
      }
      const [{ has_password }, rows, linked, { since, recoveryCodes }] = await Promise.all([
        people.read(id),
        passkeys.list(id),
        identities.list(id),
        codes.read(id),
      ]);
      const data = {
        hasPassword: has_password,
        passkeys: rows.map(({ id: passkey, name, created_at, last_used_at }) => ({
          ...{ id: passkey, name },
          createdAt: created_at.toISOString(),
          lastUsedAt: last_used_at?.toISOString() ?? null,
        })),
        accounts: linked.map(({ id: account, issuer, linked_at }) => {
          const provider = providers.find((one) => one.issuer === issuer);
          const { id: of = null, name = null } = provider ?? {};
          return { id: account, provider: of, name, issuer, linkedAt: linked_at.toISOString() };
        }),
        totpSince: since?.toISOString() ?? null,
        recoveryCodes,
        confirmed,
      };
      return { success: true as const, data };
    },
  });
  const passkeyOptions = operation({
    schema: {
      tags: ME,
      operationId: 'passkeyOptions',
      summary: 'Begin to make a passkey',
      description:
        '`options` are for `navigator.credentials.create`. The challenge is good for 5 minutes, once.',
      response: { 200: optionsAnswer, ...problemResponses(400, 401, 403, 404, 409, 503) },
    },
    handler: async (request) => {
      const holder = await people.read(personal(request));
      const { address } = callerOf(request, cookies);
      const site = siteOf(request, cookies);
      const options = await passkeys.creationOptions(site, 'register', holder, address);
      return { success: true as const, data: { options: { ...options } } };
    },
  });
  const add = operation({
    bodyLimit: CREDENTIAL_BYTES,
    schema: {
      tags: ME,
      operationId: 'addPasskey',
      summary: 'Keep a passkey that was made; all other sessions end',
      description:
        'The `credential` is what `navigator.credentials.create` returned for the options. A person' +
        ' has at most 20.',
      body: newPasskey,
      response: {
        201: answer(z.object({ id: z.uuid() })),
        ...problemResponses(400, 401, 403, 404, 409, 413, 415, 503),
      },
    },
    handler: async (request, reply) => {
      const person = personal(request);
      const { name, credential } = request.body;
      const made = await passkeys.made(siteOf(request, cookies), 'register', person, credential);
      const id = await people.changeFactors(person, request.person.session, (tx) =>
        addPasskey(tx, person, name, made),
      );
      logWrite(request, 'passkey_added', { person, passkey: id, name });
      return reply.code(201).send({ success: true as const, data: { id } });
    },
  });
  const remove = operation({
    schema: {
      tags: ME,
      operationId: 'removePasskey',
      summary: 'Remove one of one’s passkeys; all other sessions end',
      description: 'The only way in stays: 409 `last_way_in`.',
      params: passkeyPath,
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 503) },
    },
    handler: async (request) => {
      const person = personal(request);
      const { id } = request.params;
      await people.changeFactors(person, request.person.session, (tx) => removePasskey(tx, person, id));
      logWrite(request, 'passkey_removed', { person, passkey: id });
      return { success: true as const };
    },
  });
  const rename = operation({
    schema: {
      tags: ME,
      operationId: 'renamePasskey',
      summary: 'Give one of one’s passkeys another name',
      description: 'No session ends. A passkey of somebody else is 404, as one that is not there.',
      params: passkeyPath,
      body: z.strictObject({ name: passkeyName }),
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 503) },
    },
    handler: async (request) => {
      const person = personal(request);
      const { id } = request.params;
      const { name } = request.body;
      await passkeys.rename(person, id, name);
      logWrite(request, 'passkey_renamed', { person, passkey: id, name });
      return { success: true as const };
    },
  });
  return { read, passkeyOptions, add, rename, remove };
}

function ownCodes({ people, codes }: FactorParts) {
  const begin = operation({
    schema: {
      tags: ME,
      operationId: 'beginTotp',
      summary: 'Make the secret for an app; it holds once a code of it was shown',
      description: 'RFC 6238: SHA-1, 6 digits, 30 s. `POST /api/me/totp/confirm` with a code of it takes it.',
      response: {
        200: answer(z.object({ secret: z.string().describe('In base32.'), uri: z.string() })),
        ...problemResponses(401, 403, 404, 409, 503),
      },
    },
    handler: async (request) => ({
      success: true as const,
      data: await codes.begin(await people.read(personal(request))),
    }),
  });
  const take = operation({
    schema: {
      tags: ME,
      operationId: 'confirmTotp',
      summary: 'Show a code of the app, which holds from now on; all other sessions end',
      description: 'The answer has ten recovery codes, each good once. They are not shown again.',
      body: z.strictObject({ code }),
      response: { 200: codesAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 503) },
    },
    handler: async (request) => {
      const person = personal(request);
      const recoveryCodes = await people.changeFactors(person, request.person.session, async (tx) => {
        await codes.confirm(tx, person, request.body.code);
        return renewRecoveryCodes(tx, person);
      });
      logWrite(request, 'totp_set', { person });
      return { success: true as const, data: { recoveryCodes } };
    },
  });
  const remove = operation({
    schema: {
      tags: ME,
      operationId: 'removeTotp',
      summary: 'Do without codes of an app; all other sessions end',
      description: 'The recovery codes go with it.',
      response: { 200: doneAnswer, ...problemResponses(401, 403, 404, 409, 503) },
    },
    handler: async (request) => {
      const person = personal(request);
      await people.changeFactors(person, request.person.session, (tx) => removeTotp(tx, person));
      logWrite(request, 'totp_removed', { person });
      return { success: true as const };
    },
  });
  const renew = operation({
    schema: {
      tags: ME,
      operationId: 'renewRecoveryCodes',
      summary: 'Make new recovery codes in place of those before; all other sessions end',
      description: 'The answer has ten, each good once. They are not shown again.',
      response: { 200: codesAnswer, ...problemResponses(401, 403, 404, 409, 503) },
    },
    handler: async (request) => {
      const person = personal(request);
      const recoveryCodes = await people.changeFactors(person, request.person.session, (tx) =>
        renewRecoveryCodes(tx, person),
      );
      logWrite(request, 'recovery_codes_made', { person });
      return { success: true as const, data: { recoveryCodes } };
    },
  });
  return { beginTotp: begin, confirmTotp: take, removeTotp: remove, renewCodes: renew };
}
