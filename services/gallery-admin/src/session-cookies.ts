import { PRIVATE } from '@pressroom/common/caching/conditional';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_LIFETIME_S } from './session/device-token.ts';
import { LIFETIME_S } from './session/store.ts';

/** How the cookies of a service are sent. */
export interface CookieStyle {
  /** Whether browsers send the cookies over https alone. */
  secure: boolean;
}

/** The session's cookie (`docs/spec/wire.md`, "Session"). */
const SESSION_COOKIE = 'gallery_session';

/** Shows that someone has logged in from this browser before (`docs/spec/wire.md`, "Login throttle"). */
const DEVICE_COOKIE = 'gallery_device';

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
