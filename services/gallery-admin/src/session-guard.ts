import { PRIVATE } from '@pressroom/common/caching/conditional';
import type { Guard } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { Account } from './session/account.ts';
import type { SessionStore } from './session/store.ts';
import { type CookieStyle, clearSessionCookie, sessionCookieName, sessionToken } from './session-cookies.ts';

/** What the guard needs to look up sessions. */
export interface GuardParts {
  account: Account;
  sessions: SessionStore;
  cookies: CookieStyle;
}

/**
 * Requires a session; other requests get 401 before the body is read. Shared caches must not store answers
 * behind it, nor other sites' pages load them.
 */
export function sessionHolder({ account, sessions, cookies }: GuardParts): Guard {
  return {
    security: [{ session: [] }],
    check: async (request, reply) => {
      reply.headers({ 'cache-control': PRIVATE, 'cross-origin-resource-policy': 'same-origin' });
      const token = sessionToken(request, cookies);
      if (token !== undefined && (await sessions.use(token, account.fingerprint))) return;
      if (token !== undefined) clearSessionCookie(reply, cookies);
      throw new Problem(401, 'unauthorized', 'log in first: this request needs the session cookie', {
        headers: { 'www-authenticate': `Cookie cookie-name="${sessionCookieName(cookies)}"` },
      });
    },
  };
}
