import { setTimeout as delay } from 'node:timers/promises';
import cookie from '@fastify/cookie';
import { PRIVATE } from '@pressroom/common/caching/conditional';
import { addressKey } from '@pressroom/common/http/rate-limit';
import type { Server } from '@pressroom/common/http/server';
import { forbidden, Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemResponses } from '../problems.ts';
import type { Account } from './account.ts';
import { doneAnswer, loginBody } from './schema.ts';
import { LIFETIME_S, type SessionStore } from './store.ts';
import type { LoginThrottle } from './throttle.ts';

/** The session's cookie (`docs/spec/wire.md`, "Session"). */
export const SESSION_COOKIE = 'gallery_session';

/** A failed login takes at least so long, in ms. */
const FAILURE_MS = 500;

/** The largest body of a login, in bytes: anybody may send one. */
const LOGIN_BODY_LIMIT = 32 * 1024;

/** What login, logout and the guard need. */
export interface SessionRoutes {
  account: Account;
  sessions: SessionStore;
  throttle: LoginThrottle;
  /** Whether the cookie is for https alone. */
  secureCookie: boolean;
}

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const TAGS = ['session'];

/** Reads cookies, and refuses with 403 whatever changes state on behalf of another site's page. */
export async function readCookies(app: Server): Promise<void> {
  await app.register(cookie);
  app.addHook('onRequest', (request, _reply, done) => {
    done(isForeign(request) ? forbidden('this request comes from a page of another origin') : undefined);
  });
}

/** True for a request that may change something and that a page of another origin has sent (RFC 6454). */
function isForeign({ method, headers, host }: FastifyRequest): boolean {
  if (SAFE_METHODS.has(method) || headers.origin === undefined) return false;
  const { origin } = headers;
  return !URL.canParse(origin) || new URL(origin).host !== host.toLowerCase();
}

/** `/api/login`, for anybody; `/api/logout` is {@link addLogout}. */
export function addLogin(app: Server, routes: SessionRoutes): void {
  const { account, sessions, throttle } = routes;
  app.post(
    '/api/login',
    {
      bodyLimit: LOGIN_BODY_LIMIT,
      schema: {
        tags: TAGS,
        summary: 'Log in',
        body: loginBody,
        response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 413, 415, 429, 500, 503) },
      },
    },
    async (request, reply) => {
      const until = performance.now() + FAILURE_MS;
      const { username, password } = request.body;
      account.assertConfigured();
      await Promise.all([sessions.removeExpired(), throttle.removeExpired()]);
      const attempt = await throttle.begin(addressKey(request), username);
      if (!(await account.isRight(username, password))) {
        await delayUntil(until);
        request.log.warn({ address: request.ip }, 'login_failed');
        throw new Problem(401, 'unauthorized', 'the username or the password is wrong');
      }
      await attempt.succeeded();
      await endSession(request, sessions);
      setSessionCookie(reply, routes, await sessions.create(account.fingerprint));
      return { success: true as const };
    },
  );
}

/** `/api/logout`, behind the guard. */
export function addLogout(app: Server, routes: SessionRoutes): void {
  app.post(
    '/api/logout',
    {
      schema: {
        tags: TAGS,
        summary: 'Log out',
        security: SESSION_SECURITY,
        response: { 200: doneAnswer, ...problemResponses(401, 403, 500, 503) },
      },
    },
    async (request, reply) => {
      await endSession(request, routes.sessions);
      clearSessionCookie(reply, routes);
      return { success: true as const };
    },
  );
}

/** Lets only requests with a session through to the routes that are added to `app` afterwards: others are 401. */
export function guardSession(app: Server, routes: SessionRoutes): void {
  const { account, sessions } = routes;
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', PRIVATE);
    const token = request.cookies[SESSION_COOKIE];
    if (token !== undefined && (await sessions.use(token, account.fingerprint))) return;
    if (token !== undefined) clearSessionCookie(reply, routes);
    throw new Problem(401, 'unauthorized', 'log in first: this needs the session cookie', {
      headers: { 'www-authenticate': `Cookie cookie-name="${SESSION_COOKIE}"` },
    });
  });
}

/** The security requirement of what the guard protects, for the OpenAPI description. */
export const SESSION_SECURITY: Record<string, string[]>[] = [{ session: [] }];

async function endSession(request: FastifyRequest, sessions: SessionStore): Promise<void> {
  const token = request.cookies[SESSION_COOKIE];
  if (token !== undefined) await sessions.delete(token);
}

function setSessionCookie(reply: FastifyReply, { secureCookie }: SessionRoutes, token: string): void {
  reply.header('cache-control', PRIVATE);
  reply.setCookie(SESSION_COOKIE, token, { ...attributes(secureCookie), maxAge: LIFETIME_S });
}

function clearSessionCookie(reply: FastifyReply, { secureCookie }: SessionRoutes): void {
  reply.clearCookie(SESSION_COOKIE, attributes(secureCookie));
}

function attributes(secure: boolean) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const;
}

/** Timers may be early by a fraction of a millisecond. */
async function delayUntil(time: number): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) {
    await delay(Math.ceil(left));
  }
}
