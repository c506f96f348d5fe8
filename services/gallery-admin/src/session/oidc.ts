import { PRIVATE } from '@pressroom/common/caching/conditional';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import { Failure, reasonOf as messageOf } from '@pressroom/common/failures/failure';
import { bodiless, operation } from '@pressroom/common/http/operation';
import { addressKey } from '@pressroom/common/http/rate-limit';
import { notFound, Problem } from '@pressroom/common/problems/problem';
import type { SecretBox } from '@pressroom/common/secrets/secret-box';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationResponseError } from 'openid-client';
import { z } from 'zod';
import type { AuthorLinks } from '../people/author-links.ts';
import { type Identities, insertIdentity, removeIdentity } from '../people/identities.ts';
import { invitationHash, type PeopleStore } from '../people/people-store.ts';
import { SignOn, SignOnRefused } from '../people/sign-on.ts';
import { logWrite, note, problemResponses } from '../problems.ts';
import { BEGUN_FOR_S, type BegunLogins, browserOf, type Purpose, type Returned } from './begun-logins.ts';
import { isFromElsewhere, loginCookie, ownOrigin, personal, setLoginCookie } from './guard.ts';
import type { KnownAddresses } from './login-throttle.ts';
import { type Account, knownAs, UNCONFIRMED } from './logins.ts';
import { CLOCK_S, isUnreachable, type OidcProvider, type Vouched } from './oidc-providers.ts';
import { beginSession, doneAnswer, logLogin, type SessionParts, tooManyAttempts } from './session.ts';
import type { EndedSession } from './store.ts';

interface OidcParts extends SessionParts {
  providers: readonly OidcProvider[];
  begun: BegunLogins;
  people: PeopleStore;
  identities: Identities;
  authors: AuthorLinks;
  account: Account;
  addresses: KnownAddresses;
  box: SecretBox;
}

const TAGS = ['session'];

const providerPath = z.object({ provider: z.string().max(31, 'must be the id of a provider') });

const providerBody = z.strictObject({ provider: z.string().max(31, 'must be the id of a provider') });

const answer = <Data extends z.ZodType>(data: Data) => z.object({ success: z.literal(true), data });

const begunAnswer = answer(
  z.object({ location: z.string().describe('The page of the provider where the login goes on.') }),
);

/** The largest body that anyone may send without a session. */
const BODY_LIMIT = 16 * 1024;

/** The longest ID token that is kept: it comes back in the address with which somebody logs out. */
const MAX_ID_TOKEN = 4096;

/** Answers of providers that are looked at at once, and how many may wait; they hold up no passwords. */
const RETURNS = {
  places: 8,
  placesOfOne: 2,
  waiting: { pieces: 64, owners: 512, refusal: 'too many logins at once; try again' },
};

/** Single sign-on by OpenID Connect (`docs/spec/wire.md`, "Single sign-on"). */
export function oidcOperations(parts: OidcParts) {
  return { ...loginOperations(parts), ...identityOperations(parts) };
}

function loginOperations(parts: OidcParts) {
  const { providers, people } = parts;
  const begin = beginningOf(parts);
  const login = operation({
    config: { secretQuery: true },
    schema: {
      tags: TAGS,
      operationId: 'beginSignOn',
      summary: 'Go to a provider to log in',
      description:
        'A browser goes here by a link: 303 to the provider (OpenID Connect, authorization code with' +
        ' PKCE). `to` is the place in the desk to come back to.',
      params: providerPath,
      querystring: z.looseObject({ to: z.string().max(2000).optional().describe('A place in the desk.') }),
      responseHeaders: { 303: ['Location', 'Set-Cookie'] },
      response: {
        303: bodiless('To the provider, or back to the desk with `sign_in`, which says why not.'),
        ...problemResponses(400, 404, 503),
      },
    },
    handler: async (request, reply) => {
      const provider = providerOf(providers, request.params.provider);
      const purpose = { ...TO_LOG_IN, target: placeOf(request.query.to) };
      // Whoever comes from another site logs in at the desk, by a click.
      if (isFromElsewhere(request)) return back(reply, purpose.target, undefined);
      try {
        return leave(reply, await begin(request, reply, provider, purpose));
      } catch (error) {
        return back(reply, purpose.target, codeOf(request, provider, error));
      }
    },
  });
  const accept = operation({
    bodyLimit: BODY_LIMIT,
    schema: {
      tags: TAGS,
      operationId: 'beginSignOnWithInvitation',
      summary: 'Go to a provider to accept an invitation',
      description:
        '`location` is where the browser goes next. The account there becomes that of the invited' +
        ' person, whatever its address.',
      params: providerPath,
      body: z.strictObject({ invitation: z.string().max(100, 'must be at most 100 characters long') }),
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: begunAnswer, ...problemResponses(400, 403, 404, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const provider = providerOf(providers, request.params.provider);
      const { invitation } = request.body;
      await people.invited(invitation);
      const purpose = { ...TO_LOG_IN, invitation_hash: invitationHash(invitation) };
      return { success: true as const, data: { location: await begin(request, reply, provider, purpose) } };
    },
  });
  return { login, accept, callback: callbackOperation(parts) };
}

function callbackOperation(parts: OidcParts) {
  const { providers, begun, people, identities, account, cookies } = parts;
  const lanes = new FairQueue(RETURNS);
  const signOn = new SignOn(people, identities, account);
  return operation({
    config: { secretQuery: true },
    schema: {
      tags: TAGS,
      operationId: 'endSignOn',
      summary: 'Come back from a provider',
      description:
        'The provider sends the browser here: 303 to the desk, with the cookie of the session, or' +
        ' with `sign_in`, which says why there is none.',
      params: providerPath,
      querystring: z.looseObject({}),
      responseHeaders: { 303: ['Location', 'Set-Cookie'] },
      response: {
        303: bodiless('To the desk; `sign_in` says why somebody was not let in.'),
        ...problemResponses(400, 404, 503),
      },
    },
    handler: async (request, reply) => {
      const provider = providerOf(providers, request.params.provider);
      const { search: query } = new URL(request.url, 'http://desk');
      const browser = loginCookie(request, cookies);
      const state = new URLSearchParams(query).get('state');
      const login = browser === undefined || state === null ? undefined : await begun.take(state, browser);
      if (login === undefined || login.provider !== provider.id) return back(reply, FIRST, 'begin_again');
      try {
        const vouched = await lanes.run(addressKey(request), () =>
          provider.end(login, query).catch((error: unknown) => {
            throw refusalOf(error);
          }),
        );
        // Whoever lost their role there is not to go on with the one that they had.
        if (vouched.role === null) await identities.endSessions(vouched, provider.id);
        const said = await endOf(login)({ request, reply, parts, signOn, provider, login, vouched });
        return back(reply, login.target, said);
      } catch (error) {
        const reason = codeOf(request, provider, error);
        const { id } = provider;
        const failed = login.confirms
          ? { action: 'confirmation_failed', object: { by: id, reason } }
          : { action: 'login_failed', object: { way: id, reason } };
        note(request, failed);
        return back(reply, login.target, reason);
      }
    },
  });
}

interface End {
  request: FastifyRequest;
  reply: FastifyReply;
  parts: OidcParts;
  signOn: SignOn;
  provider: OidcProvider;
  login: Returned;
  vouched: Vouched;
}

function endOf({ session_id, confirms }: Returned) {
  if (session_id === null) return logIn;
  return confirms ? confirmOwn : linkOwn;
}

async function logIn({ request, reply, parts, signOn, provider, login, vouched }: End): Promise<undefined> {
  const { person, isNew, isLinked, newRole } = await signOn.personOf(vouched, login.invitation_hash);
  const { id, role } = person;
  if (isNew) {
    logWrite(request, 'person_added', { person: id, role, by: provider.id }, person);
  }
  if (isNew || newRole !== undefined) await parts.authors.linkIfWriting(person, request.log);
  if (isLinked) logWrite(request, 'account_linked', { person: id, provider: provider.id }, person);
  if (newRole !== undefined) {
    logWrite(request, 'person_changed', { person: id, role: newRole, by: provider.id }, person);
  }
  if (login.invitation_hash !== null) logWrite(request, 'invitation_accepted', { person: id }, person);
  const { idToken, loggedInAt: confirmed_at = UNCONFIRMED } = vouched;
  const kept = idToken.length > MAX_ID_TOKEN ? {} : { id_token: parts.box.seal(idToken, id) };
  const known = { ...knownAs(person), way: provider.id, ...kept, confirmed_at };
  await beginSession(request, reply, parts, known);
  logLogin(request, known, { way: provider.id });
  return undefined;
}

async function linkOwn({ request, parts, provider, login, vouched }: End): Promise<string> {
  const { session, person } = await beginnerOf(parts, login, vouched);
  await parts.people.changeFactors(person.id, session, (tx) => insertIdentity(tx, person.id, vouched));
  logWrite(request, 'account_linked', { person: person.id, provider: provider.id }, person);
  return 'linked';
}

async function confirmOwn({ request, parts, provider, login, vouched }: End): Promise<string> {
  const { session, person } = await beginnerOf(parts, login, vouched);
  const linked = await parts.identities.find(vouched);
  if (linked?.id !== person.id) throw new SignOnRefused('other_account');
  const { loggedInAt } = vouched;
  const isAnew =
    loggedInAt !== undefined && loggedInAt.getTime() >= login.begun_at.getTime() - CLOCK_S * 1000;
  if (!isAnew) throw new SignOnRefused('not_asked_again');
  await parts.sessions.confirm(session);
  logWrite(request, 'session_confirmed', { by: provider.id }, person);
  return 'confirmed';
}

/** Whoever has begun a login in a session of theirs, if that has not ended. */
async function beginnerOf(parts: OidcParts, { session_id }: Returned, { role }: Vouched) {
  const { identities, sessions, account } = parts;
  const session = session_id ?? '';
  const living = await sessions.living(session_id === null ? [] : [session_id], account.fingerprint);
  const person = living.has(session) ? await identities.ownerOf(session) : undefined;
  if (person === undefined) throw new SignOnRefused('begin_again');
  if (role === null) throw new SignOnRefused('no_role');
  return { session, person };
}

/** One's own accounts at providers. */
function identityOperations(parts: OidcParts) {
  const { providers, people } = parts;
  const begin = beginningOf(parts);
  const beginOwn = async (
    request: FastifyRequest<{ Body: z.output<typeof providerBody> }>,
    reply: FastifyReply,
    confirms: boolean,
  ) => {
    personal(request);
    const provider = providerOf(providers, request.body.provider);
    const session_id = request.person.session;
    const purpose = { target: 'desk/account', invitation_hash: null, session_id, confirms };
    return { success: true as const, data: { location: await begin(request, reply, provider, purpose) } };
  };
  const link = operation({
    schema: {
      tags: ['me'],
      operationId: 'linkAccount',
      summary: 'Go to a provider to link an account there; all other sessions end with it',
      description:
        '`location` is where the browser goes next. An account belongs to one person, who has one at' +
        ' each provider.',
      body: providerBody,
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: begunAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 503) },
    },
    handler: (request, reply) => beginOwn(request, reply, false),
  });
  const confirm = operation({
    schema: {
      tags: ['me'],
      operationId: 'confirmByAccount',
      summary: 'Go to a provider to show again who one is, by a login there',
      description:
        '`location` is where the browser goes next. The provider must have asked again (`auth_time`).',
      body: providerBody,
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: begunAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 503) },
    },
    handler: (request, reply) => beginOwn(request, reply, true),
  });
  const unlink = operation({
    schema: {
      tags: ['me'],
      operationId: 'unlinkAccount',
      summary: 'Unlink an account; all other sessions end',
      description: 'The only way in stays: 409 `last_way_in`.',
      params: z.object({ id: z.uuid('must be the id of a linked account') }),
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 503) },
    },
    handler: async (request) => {
      const id = personal(request);
      const { params, person } = request;
      await people.changeFactors(id, person.session, (tx) => removeIdentity(tx, id, params.id));
      logWrite(request, 'account_unlinked', { person: id });
      return { success: true as const };
    },
  });
  return { link, confirm, unlink };
}

/**
 * The address for logging out at the provider by which somebody came in; undefined if it has none, or is
 * away.
 */
export function logoutUrlOf({ providers, cookies, box }: Pick<OidcParts, 'providers' | 'cookies' | 'box'>) {
  return async (request: FastifyRequest, { person_id, way, id_token }: EndedSession) => {
    const provider = providers.find(({ id }) => id === way);
    const origin = ownOrigin(request, cookies);
    if (provider === undefined || origin === undefined) return undefined;
    const idToken = id_token === null ? undefined : box.open(id_token, person_id ?? '');
    const own = provider.redirectUri(`${origin}/`);
    const returnTo = new URL('../../../desk/', own).href;
    return provider.logoutUrl(idToken, returnTo).catch((error: unknown) => {
      request.log.warn({ provider: provider.id, cause: messageOf(error) }, 'provider_logout_failed');
      return undefined;
    });
  };
}

/** Begins a login in this browser; returns where it goes on. */
function beginningOf({ begun, addresses, cookies }: OidcParts) {
  return async (request: FastifyRequest, reply: FastifyReply, provider: OidcProvider, purpose: Purpose) => {
    const address = addressKey(request);
    if (!(await begun.mayBegin(address, await addresses.has(address)))) throw tooManyAttempts(BEGUN_FOR_S);
    const origin = ownOrigin(request, cookies);
    if (origin === undefined) throw new Problem(400, 'invalid_request', 'the Host header is no host');
    const { begun: login, location } = await provider
      .begin(provider.redirectUri(`${origin}/`), purpose.confirms)
      .catch((cause: unknown) => {
        throw new Problem(503, 'provider_unavailable', `${provider.name} does not answer; try again`, {
          headers: { 'retry-after': '5' },
          cause,
        });
      });
    const browser = browserOf(loginCookie(request, cookies));
    await begun.add({ ...login, ...purpose, provider: provider.id }, browser, address);
    setLoginCookie(reply, cookies, browser, BEGUN_FOR_S);
    return location;
  };
}

/** The first page of the desk. */
const FIRST = 'desk/';

const TO_LOG_IN = { target: FIRST, invitation_hash: null, session_id: null, confirms: false };

/** A place in the desk, whatever was asked for. */
function placeOf(to = ''): string {
  const url = URL.parse(to, 'http://desk/desk/');
  if (url === null || url.origin !== 'http://desk' || !/^\/desk\/[a-z]/.test(url.pathname)) return FIRST;
  return `${url.pathname.slice(1)}${url.search}`;
}

/** Leads to the desk by a relative way, as `/` does; `sign_in` says what the page is to tell. */
function back(reply: FastifyReply, target: string, said: string | undefined) {
  const url = new URL(target, 'http://desk/');
  if (said !== undefined) url.searchParams.set('sign_in', said);
  return leave(reply, `../../../${url.pathname.slice(1)}${url.search}`);
}

function leave(reply: FastifyReply, location: string) {
  reply.header('cache-control', PRIVATE);
  return reply.redirect(location, 303);
}

function providerOf(providers: readonly OidcProvider[], id: string): OidcProvider {
  const provider = providers.find((one) => one.id === id);
  if (provider === undefined) throw notFound('there is no such provider; OIDC_PROVIDERS names them');
  return provider;
}

/** The code of a refusal; rethrows any other error. The log has the rest. */
function codeOf(request: FastifyRequest, provider: OidcProvider, error: unknown): string {
  const reason = reasonOf(error);
  if (reason === undefined) throw error;
  const { cause = error } = error as Error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  request.log.warn({ provider: provider.id, reason, cause: messageOf(cause), code }, 'sign_on_failed');
  return reason;
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof SignOnRefused) return error.code;
  if (error instanceof Failure) return error.code ?? (error.kind === 'unavailable' ? 'busy' : 'begin_again');
  if (error instanceof Problem) return error.status === 429 ? 'busy' : error.code;
  return undefined;
}

/** Explains an answer of the provider that did not fit, or is missing. */
function refusalOf(cause: unknown): Error {
  if (cause instanceof Failure) return cause;
  const error = cause instanceof AuthorizationResponseError ? cause.error : undefined;
  if (error === 'access_denied') return new SignOnRefused('cancelled', { cause });
  const isAway = error === 'temporarily_unavailable' || error === 'server_error' || isUnreachable(cause);
  return new SignOnRefused(isAway ? 'provider_unavailable' : 'answer_refused', { cause });
}
