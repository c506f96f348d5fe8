import { PRIVATE } from '@pressroom/common/caching/conditional';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Identities } from '../people/identities.ts';
import { personEmail } from '../people/people.ts';
import { note, problemResponses } from '../problems.ts';
import { knownAs, UNCONFIRMED } from './logins.ts';
import type { OidcProvider } from './oidc-providers.ts';
import { beginSession, doneAnswer, logLogin, type SessionParts } from './session.ts';

interface ProxyLoginParts extends SessionParts {
  providers: readonly OidcProvider[];
  identities: Identities;
  /** The header in which a proxy says whose request it is. */
  header: string | undefined;
}

const methodsAnswer = z.object({
  success: z.literal(true),
  data: z.object({
    passwords: z.boolean().describe('True if people may log in with a password.'),
    providers: z.array(z.object({ id: z.string(), name: z.string() })).describe('Of single sign-on.'),
    proxy: z.string().nullable().describe('Whom the proxy in front has let in; null if it says nobody.'),
  }),
});

/** Lists the ways to log in, and trusts a proxy that has done it already. */
export function proxyLoginOperations(parts: ProxyLoginParts) {
  const { providers, identities, header, takesPasswords } = parts;
  const methods = operation({
    schema: {
      tags: ['session'],
      operationId: 'readLoginMethods',
      summary: 'Say by which ways one logs in, besides a passkey',
      description:
        'Passwords, providers of single sign-on, and the address that an authenticating proxy has' +
        ' sent. It takes no session.',
      response: { 200: methodsAnswer, ...problemResponses(400) },
    },
    handler: async (request, reply) => {
      reply.header('cache-control', PRIVATE);
      return {
        success: true as const,
        data: {
          passwords: takesPasswords,
          providers: providers.map(({ id, name }) => ({ id, name })),
          proxy: emailOf(request, header) ?? null,
        },
      };
    },
  });
  const login = operation({
    schema: {
      tags: ['session'],
      operationId: 'logInByProxy',
      summary: 'Log in as whom the proxy in front has let in',
      description:
        'Only where `LOGIN_PROXY_HEADER` is set, and only through a proxy that `TRUST_PROXY` names.',
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: doneAnswer, ...problemResponses(400, 403, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const email = emailOf(request, header);
      if (email === undefined) {
        throw new Problem(403, 'no_proxy_login', 'no proxy that TRUST_PROXY names says who this is');
      }
      const person = await identities.withEmail(email);
      if (person === undefined || person.removed_at !== null || !person.active) {
        request.log.warn({ address: request.ip, way: 'proxy' }, 'login_failed');
        note(request, { action: 'login_failed', object: { way: 'proxy' } });
        throw new Problem(403, 'unknown_person', 'nobody at this desk has the e-mail address of this login');
      }
      // The proxy does not say when somebody has shown who they are, as they can here if they have a way to.
      const confirmed_at = person.can_log_in ? UNCONFIRMED : undefined;
      const known = { ...knownAs(person), way: 'proxy', confirmed_at };
      await beginSession(request, reply, parts, known);
      logLogin(request, known, { way: 'proxy' });
      return { success: true as const };
    },
  });
  return { methods, login };
}

/** The e-mail address that a trusted proxy names, once; what anybody else says is as good as nothing. */
function emailOf({ raw, server }: FastifyRequest, header: string | undefined): string | undefined {
  const { trustProxy } = server.everyRequest;
  const peer = raw.socket.remoteAddress;
  if (header === undefined || trustProxy === false || peer === undefined || !trustProxy(peer, 0))
    return undefined;
  const [value, ...more] = raw.headersDistinct[header.toLowerCase()] ?? [];
  return more.length > 0 ? undefined : personEmail.safeParse(value).data;
}
