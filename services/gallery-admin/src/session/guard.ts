import { PRIVATE } from '@pressroom/common/caching/conditional';
import type { Guard, Server } from '@pressroom/common/http/operation';
import { forbidden, invalidRequest, Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../people/people-store.ts';
import type { Account } from './logins.ts';
import type { Site } from './passkeys.ts';
import { DEVICE_LIFETIME_S, LIFETIME_S, type SessionStore, type UsedSession } from './store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard before the body is read. */
    person: Person;
  }
}

/** Somebody who is logged in. */
interface Person {
  /** Null for the account of the environment. */
  id: string | null;
  name: string;
  role: Role;
  /** The author of content that the person is, if any. */
  author: number | null;
  session: string;
  /** True if they have proved their identity within the last 15 minutes. */
  isFresh: boolean;
}

interface GuardParts<Permission> {
  account: Account;
  sessions: SessionStore;
  cookies: CookieStyle;
  roles: Readonly<Record<Role, readonly Permission[]>>;
  /** True if people who logged in with a password may only set up a second factor while they have none. */
  requiresFactor: boolean;
}

/** Requirements of a route besides a permission, and exceptions for it. */
interface Needs {
  /** True if the person has to have proved their identity just now. */
  fresh?: boolean;
  /** True if somebody who has yet to set up a second factor may call it. */
  withoutFactor?: boolean;
}

/**
 * Requires a session of a person who may do this; other requests get 401 or 403 before the body is read.
 * Shared caches must not store answers behind it, nor other sites' pages load them.
 */
export function guardOf<Permission extends string>({
  account,
  sessions,
  cookies,
  roles,
  requiresFactor,
}: GuardParts<Permission>): (permission: Permission, needs?: Needs) => Guard {
  const admit = async (request: FastifyRequest, permission: Permission, needs: Needs) => {
    const token = sessionToken(request, cookies);
    const used = token === undefined ? undefined : await sessions.use(token, account.fingerprint);
    if (used === undefined) {
      throw new Problem(401, 'unauthorized', 'log in first: this request needs the session cookie', {
        headers: { 'www-authenticate': `Cookie cookie-name="${sessionCookieName(cookies)}"` },
      });
    }
    request.person = personOf(used, account);
    const { 'desk-account': expected } = request.headers;
    if (expected !== undefined && expected !== (request.person.id ?? 'environment')) {
      const detail = 'somebody else has logged in here since: Desk-Account names another account';
      throw new Problem(403, 'logged_in_as_another', detail);
    }
    if (!roles[request.person.role].includes(permission)) {
      throw new Problem(403, 'role_forbids', `the role ${request.person.role} may not do this`);
    }
    // Providers, and the proxy in front, ask for as much as the site wants.
    const isAlone = used.person?.has_factor === false && used.way === null;
    if (requiresFactor && isAlone && !needs.withoutFactor) {
      throw new Problem(403, 'second_factor_setup_required', 'set up a passkey or an app for codes first');
    }
    if (needs.fresh && !request.person.isFresh) throw confirmationRequired();
  };
  return (permission, needs = {}) => ({
    security: [{ session: [] }],
    check: async (request, reply) => {
      reply.headers({ 'cache-control': PRIVATE, 'cross-origin-resource-policy': 'same-origin' });
      await admit(request, permission, needs).catch((error: unknown) => {
        const isOver = error instanceof Problem && error.status === 401;
        if (isOver && sessionToken(request, cookies) !== undefined) clearSessionCookie(reply, cookies);
        throw error;
      });
    },
    recheck: (request) => admit(request, permission, needs),
  });
}

function personOf({ id: session, person, is_fresh: isFresh }: UsedSession, account: Account): Person {
  if (person === null) return { id: null, name: account.name, role: 'owner', author: null, session, isFresh };
  const { id, name, role, author_id: author } = person;
  return { id, name, role, author, session, isFresh };
}

/** The id of who is logged in. Throws 409 for the account of the environment, which its settings change. */
export function personal({ person }: FastifyRequest): string {
  if (person.id !== null) return person.id;
  const detail = 'this account is changed by ADMIN_USERNAME and ADMIN_PASSWORD on the server';
  throw new Problem(409, 'account_of_environment', detail);
}

/**
 * Requires a person to have proved their identity just now; the contract exempts the account of the
 * environment.
 */
export function requireFresh({ person }: FastifyRequest): void {
  if (person.id !== null && !person.isFresh) throw confirmationRequired();
}

export function confirmationRequired(): Problem {
  const detail = 'show again who you are: by POST /api/me/confirm, or a login, within the last 15 minutes';
  return new Problem(403, 'confirmation_required', detail);
}

export interface CookieStyle {
  /** True to have browsers send the cookies over https alone. */
  secure: boolean;
}

/** The session's cookie (`docs/spec/wire.md`, "Session"). */
const SESSION_COOKIE = 'gallery_session';

/** Shows that someone has logged in from this browser before (`docs/spec/wire.md`, "Login throttle"). */
const DEVICE_COOKIE = 'gallery_device';

/** Shows that a login at a provider was begun in this browser (`docs/spec/wire.md`, "Single sign-on"). */
const LOGIN_COOKIE = 'gallery_login';

/**
 * The name that a cookie is given. With the prefix, browsers take it from this host alone, over https (RFC
 * 6265bis, section 4.1.3): a neighbouring subdomain, such as the store's, cannot plant one.
 */
function nameOf(cookie: string, { secure }: CookieStyle): string {
  return secure ? `__Host-${cookie}` : cookie;
}

/** The name of the session's cookie. */
export function sessionCookieName(style: CookieStyle): string {
  return nameOf(SESSION_COOKIE, style);
}

function read({ cookies }: FastifyRequest, style: CookieStyle, cookie: string): string | undefined {
  return cookies[nameOf(cookie, style)];
}

/** The attributes that every cookie of the service has. */
function cookieAttributes({ secure }: CookieStyle) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const;
}

/** The token that a request carries; undefined without the cookie. */
export function sessionToken(request: FastifyRequest, style: CookieStyle): string | undefined {
  return read(request, style, SESSION_COOKIE);
}

/** Gives the browser the token of its session. */
export function setSessionCookie(reply: FastifyReply, style: CookieStyle, token: string): void {
  reply.header('cache-control', PRIVATE);
  clearFormer(reply, style, SESSION_COOKIE);
  reply.setCookie(sessionCookieName(style), token, { ...cookieAttributes(style), maxAge: LIFETIME_S });
}

/** Removes the token of an ended session from the browser. */
export function clearSessionCookie(reply: FastifyReply, style: CookieStyle): void {
  clearFormer(reply, style, SESSION_COOKIE);
  reply.clearCookie(sessionCookieName(style), cookieAttributes(style));
}

/** Removes the cookie that a browser has under the name without a prefix, which anyone beside may plant. */
function clearFormer(reply: FastifyReply, style: CookieStyle, cookie: string): void {
  if (!style.secure || reply.request.cookies[cookie] === undefined) return;
  reply.clearCookie(cookie, cookieAttributes(style));
}

/** The device token that a request carries; undefined without the cookie. */
export function deviceToken(request: FastifyRequest, style: CookieStyle): string | undefined {
  return read(request, style, DEVICE_COOKIE);
}

/** Gives the browser the token of a device. */
export function setDeviceCookie(reply: FastifyReply, style: CookieStyle, token: string): void {
  // Only the login reads it, but the prefix goes with the path of everything.
  const path = style.secure ? '/' : '/api/login';
  const attributes = { ...cookieAttributes(style), path, maxAge: DEVICE_LIFETIME_S };
  reply.setCookie(nameOf(DEVICE_COOKIE, style), token, attributes);
}

/** The cookie that proves that a login was begun in this browser; undefined without it. */
export function loginCookie(request: FastifyRequest, style: CookieStyle): string | undefined {
  return read(request, style, LOGIN_COOKIE);
}

/** Marks the browser in which a login begins; it shows this when the provider sends it back. */
export function setLoginCookie(
  reply: FastifyReply,
  style: CookieStyle,
  browser: string,
  maxAge: number,
): void {
  reply.header('cache-control', PRIVATE);
  const attributes = { ...cookieAttributes(style), sameSite: 'lax', maxAge } as const;
  reply.setCookie(nameOf(LOGIN_COOKIE, style), browser, attributes);
}

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** `Sec-Fetch-Site` of browsers' requests of the service's own pages or of a person; others send none. */
const OWN_SITES = new Set<unknown>(['same-origin', 'none', undefined]);

/** True if another site's page has led the browser here. */
export function isFromElsewhere({ headers }: FastifyRequest): boolean {
  return !OWN_SITES.has(headers['sec-fetch-site']);
}

/** Refuses with 403 any change requested by another site's page. */
export function refuseForeignPages(app: Server, style: CookieStyle): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    if (SAFE_METHODS.has(method)) return done();
    if (isFromElsewhere(request)) return done(forbidden('this request comes from another site'));
    if (headers.origin === undefined) return done();
    const own = ownOrigin(request, style);
    if (own !== undefined && URL.parse(headers.origin)?.origin === own) return done();
    done(forbidden(`this request comes from a page of another origin${own ? ` than ${own}` : ''}`));
  });
}

/** The site of the page that sends a request, for passkeys. Throws 400 where no browser could be. */
export function siteOf(request: FastifyRequest, style: CookieStyle): Site {
  const origin = ownOrigin(request, style);
  if (origin === undefined) throw invalidRequest('Host is no host name');
  return { origin, host: new URL(origin).hostname };
}

/**
 * The origin (RFC 6454) at which browsers reach the service: over https if its cookies are for that alone,
 * else by the scheme that a trusted proxy tells. `Host` may include the default port of its scheme.
 */
export function ownOrigin({ protocol, host }: FastifyRequest, { secure }: CookieStyle): string | undefined {
  return URL.parse(`${secure || protocol === 'https' ? 'https' : 'http'}://${host}`)?.origin;
}
