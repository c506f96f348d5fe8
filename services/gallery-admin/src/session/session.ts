import { setTimeout as delay } from 'node:timers/promises';
import { text } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { addressKey } from '@pressroom/common/http/rate-limit';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { logWrite, note, problemResponses } from '../problems.ts';
import {
  type CookieStyle,
  clearSessionCookie,
  deviceToken,
  sessionToken,
  setDeviceCookie,
  setSessionCookie,
} from './guard.ts';
import type { Caller, Known, Logins } from './logins.ts';
import type { EndedSession, SessionStore } from './store.ts';

/** The body of a login; the username is counted and compared in its composed form (NFC). */
const loginBody = z.strictObject({
  username: text(255)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 })
    .transform((value) => value.normalize('NFC')),
  password: text(1024)
    .refine((value) => value !== '', 'must not be empty')
    .meta({ minLength: 1 }),
  code: text(100).optional().describe('Of an app (TOTP) or for recovery, where one is asked for.'),
});

/** The response of operations that only confirm. */
export const doneAnswer = z.object({ success: z.literal(true) });

const logoutAnswer = doneAnswer.extend({
  data: z
    .object({ logoutUrl: z.string().describe('The address for logging out of the provider, too.') })
    .optional()
    .describe('After single sign-on, where the provider has such a place.'),
});

/** The minimum duration of a failed or refused login, in ms. */
const FAILURE_MS = 500;

/** The largest body of a login, in bytes, because anyone may send one. */
const LOGIN_BODY_LIMIT = 32 * 1024;

export interface SessionParts {
  logins: Logins;
  sessions: SessionStore;
  cookies: CookieStyle;
  /** True if people may log in with a password. */
  takesPasswords: boolean;
}

const TAGS = ['session'];

/** Login and logout (`docs/spec/wire.md`, "Session"). */
export function sessionOperations(parts: SessionParts & { logoutUrl: LogoutUrl }) {
  return { login: loginOperation(parts), logout: logoutOperation(parts) };
}

/** The address for logging out at the provider by which somebody came in; undefined where there is none. */
type LogoutUrl = (request: FastifyRequest, ended: EndedSession) => Promise<string | undefined>;

function loginOperation(parts: SessionParts) {
  const { logins, cookies, takesPasswords } = parts;
  const wrongLogin = takesPasswords
    ? 'wrong username or password'
    : 'wrong username or password; people log in here without a password';
  return operation({
    bodyLimit: LOGIN_BODY_LIMIT,
    schema: {
      tags: TAGS,
      operationId: 'login',
      summary: 'Log in',
      description:
        'The answer sets the cookie of the session, which lasts 12 hours from its last use and 7 days' +
        ' at most. A person with a second factor sends `code` too. Five wrong passwords from one' +
        ' address within 15 minutes are 429 for the rest of them.',
      body: loginBody,
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 413, 415, 429, 500, 503) },
    },
    handler: (request, reply) =>
      failSlowly(async () => {
        const login = await logins.attempt(callerOf(request, cookies), request.body);
        if (login.outcome === 'throttled') throw tooManyAttempts(login.retryAfterS);
        if (login.outcome === 'code_required') throw codeRequired();
        const { lane } = login;
        if (login.outcome === 'code_wrong') {
          logWrite(request, 'second_factor_failed', { lane }, knownPerson(login.known));
          throw new Problem(401, 'second_factor_wrong', 'this code is wrong, or was used');
        }
        if (login.outcome === 'failed') {
          request.log.warn({ address: request.ip, lane }, 'login_failed');
          note(request, { action: 'login_failed', object: { lane } });
          throw new Problem(401, 'unauthorized', wrongLogin);
        }
        const { known, code } = login;
        await beginSession(request, reply, parts, known);
        logLogin(request, known, { lane, ...(code && { code }) });
        if (code === 'recovery_code') {
          logWrite(request, 'recovery_code_used', { person: known.person_id }, knownPerson(known));
        }
        return { success: true as const };
      }),
  });
}

/** Lets nobody know sooner that a login was refused; a client that repeats it would keep the process busy. */
export async function failSlowly<T>(logIn: () => Promise<T>): Promise<T> {
  const until = performance.now() + FAILURE_MS;
  try {
    return await logIn();
  } catch (error) {
    await delayUntil(until);
    throw error;
  }
}

/** Begins the session of somebody who has shown who they are, in place of the one that the browser had. */
export async function beginSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { logins, sessions, cookies }: SessionParts,
  known: Known,
): Promise<void> {
  await endSession(sessions, sessionToken(request, cookies));
  const begun = await logins.begin(known, callerOf(request, cookies));
  setSessionCookie(reply, cookies, begun.session);
  setDeviceCookie(reply, cookies, begun.device);
}

/** Records a login, with how it was made. */
export function logLogin(request: FastifyRequest, known: Known, how: object): void {
  const written = { username: known.name, ...how, address: request.ip };
  logWrite(request, 'login_succeeded', written, knownPerson(known));
}

function codeRequired(): Problem {
  const detail =
    'the password is right: send it with the code of your app, or a recovery code, or use a passkey';
  return new Problem(401, 'second_factor_required', detail);
}

function knownPerson({ name, person_id: id }: Known) {
  return { name, id };
}

export function callerOf(request: FastifyRequest, cookies: CookieStyle): Caller {
  return {
    address: addressKey(request),
    deviceToken: deviceToken(request, cookies),
    browser: request.headers['user-agent'],
    isGone: () => request.socket.destroyed,
  };
}

export function tooManyAttempts(seconds: number): Problem {
  const detail = `too many failed logins in 15 minutes; try again in ${seconds} s`;
  return new Problem(429, 'rate_limited', detail, { headers: { 'retry-after': String(seconds) } });
}

function logoutOperation({ sessions, cookies, logoutUrl }: SessionParts & { logoutUrl: LogoutUrl }) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'logout',
      summary: 'Log out',
      description:
        'The session ends at once. `logoutUrl` leads to the provider that it came from, to log out' +
        ' there too.',
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: logoutAnswer, ...problemResponses(401, 403, 500, 503) },
    },
    handler: async (request, reply) => {
      const ended = await endSession(sessions, sessionToken(request, cookies));
      clearSessionCookie(reply, cookies);
      const url = ended && (await logoutUrl(request, ended));
      return { success: true as const, ...(url !== undefined && { data: { logoutUrl: url } }) };
    },
  });
}

async function endSession(
  sessions: SessionStore,
  token: string | undefined,
): Promise<EndedSession | undefined> {
  return token === undefined ? undefined : sessions.delete(token);
}

/** Timers may be early by a fraction of a millisecond. */
async function delayUntil(time: number): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
    await delay(Math.ceil(left));
  }
}
