import { PRIVATE } from '@pressroom/common/caching/conditional';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_LIFETIME_S } from './session/device-token.ts';
import { LIFETIME_S } from './session/store.ts';

/** The session's cookie (`docs/spec/wire.md`, "Session"). */
export const SESSION_COOKIE = 'gallery_session';

/** How the cookies of a service are sent. */
export interface CookieStyle {
  /** Whether browsers send the cookies over https alone. */
  secure: boolean;
}

/** Shows that someone has logged in from this browser before (`docs/spec/wire.md`, "Login throttle"). */
const DEVICE_COOKIE = 'gallery_device';

/** The attributes that every cookie of the service has. */
function cookieAttributes({ secure }: CookieStyle) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const;
}

/** The token that a request carries; undefined without the cookie. */
export function sessionToken({ cookies }: FastifyRequest): string | undefined {
  return cookies[SESSION_COOKIE];
}

/** Gives the browser the token of its session. */
export function setSessionCookie(reply: FastifyReply, style: CookieStyle, token: string): void {
  reply.header('cache-control', PRIVATE);
  reply.setCookie(SESSION_COOKIE, token, { ...cookieAttributes(style), maxAge: LIFETIME_S });
}

/** Removes the token of an ended session from the browser. */
export function clearSessionCookie(reply: FastifyReply, style: CookieStyle): void {
  reply.clearCookie(SESSION_COOKIE, cookieAttributes(style));
}

/** The device token that a request carries; undefined without the cookie. */
export function deviceToken({ cookies }: FastifyRequest): string | undefined {
  return cookies[DEVICE_COOKIE];
}

/** Gives the browser the token of a device. */
export function setDeviceCookie(reply: FastifyReply, style: CookieStyle, token: string): void {
  // Only the login reads it.
  const attributes = { ...cookieAttributes(style), path: '/api/login', maxAge: DEVICE_LIFETIME_S };
  reply.setCookie(DEVICE_COOKIE, token, attributes);
}
