import { PRIVATE } from '@pressroom/common/caching/conditional';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIFETIME_S } from './session/store.ts';

/** The session's cookie (`docs/spec/wire.md`, "Session"). */
export const SESSION_COOKIE = 'gallery_session';

/** How the cookies of a service are sent. */
export interface CookieStyle {
  /** Whether browsers send the cookies over https alone. */
  secure: boolean;
}

/** The attributes that every cookie of the service has. */
export function cookieAttributes({ secure }: CookieStyle) {
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

/** Takes the token of a session that has ended from the browser. */
export function clearSessionCookie(reply: FastifyReply, style: CookieStyle): void {
  reply.clearCookie(SESSION_COOKIE, cookieAttributes(style));
}
