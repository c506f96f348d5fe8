import { PRIVATE } from '@pressroom/common/caching/conditional';
import { isTimeZone, onOneLine, requiredText, text } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { logWrite, problemResponses } from '../problems.ts';
import { newPasskey, optionsAnswer } from '../session/factors.ts';
import { ownOrigin, personal, siteOf } from '../session/guard.ts';
import { type Account, knownAs } from '../session/logins.ts';
import { addPasskey, type Passkeys } from '../session/passkeys.ts';
import { isPersonal, passwordFault } from '../session/password.ts';
import {
  beginSession,
  callerOf,
  doneAnswer,
  type SessionParts,
  tooManyAttempts,
} from '../session/session.ts';
import type { SessionOwner } from '../session/store.ts';
import type { GalleryTables } from '../tables.ts';
import type { AuthorLinks } from './author-links.ts';
import { languageOf, type MailServer, sendInvitation } from './mail.ts';
import {
  emailTaken,
  invitationHash,
  isWriting,
  type ListedPerson,
  nameTaken,
  type PeopleStore,
  ROLES,
  type Role,
} from './people-store.ts';

// In one form: histories would not tell two people apart whose names look alike.
export const personName = onOneLine(requiredText(200))
  .transform((value) => value.normalize('NFC').trim().replaceAll(/\s+/g, ' '))
  .pipe(requiredText(200));

export const personEmail = z
  .string('must be a string')
  .max(254, 'must be at most 254 characters long')
  .regex(z.regexes.email, 'must be an e-mail address')
  .transform((value) => value.toLowerCase());

const role = z.enum(ROLES);

const language = z.enum(['en', 'zh']).nullable();

const timeZone = z
  .string()
  .regex(/^[A-Za-z0-9_+/-]{1,64}$/, 'must be a time zone such as Europe/Berlin')
  .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
  .nullable()
  .describe('An IANA time zone.');

const newPassword = text(1024)
  .superRefine((value, context) => {
    const expected = passwordFault(value);
    if (expected === undefined) return;
    const { code, limit, rule } = expected;
    context.addIssue({ code: 'custom', message: `must be ${rule}`, params: { code, limit } });
  })
  .meta({ minLength: 12 });

/** The body that adds a person. */
export const personInput = z.strictObject({ name: personName, email: personEmail, role });

const personChange = z
  .strictObject({ name: personName, email: personEmail, role, active: z.boolean() })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must have at least one member')
  .meta({ minProperties: 1 });

const profileChange = z
  .strictObject({ name: personName, language, timeZone })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'must have at least one member')
  .meta({ minProperties: 1 });

const timestamp = z.iso.datetime({ offset: true });

const personAnswer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    role,
    active: z.boolean(),
    hasPassword: z.boolean(),
    passkeys: z.int().describe('The number of passkeys.'),
    hasTotp: z.boolean().describe('True if an authenticator app is set up.'),
    isLinked: z.boolean().describe('True if an account of single sign-on is linked.'),
    canLogIn: z.boolean().describe('True if the person can log in, in a way that the settings allow.'),
    invitedUntil: timestamp.nullable().describe('When the link that was made last ends; null if none works.'),
    lastUsedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Person' });

const invitationAnswer = z
  .object({
    token: z
      .string()
      .describe('The link is the desk’s address, `desk/invitation#` and this; shown only once.'),
    expiresAt: timestamp,
    mailed: z.boolean().optional().describe('True if the mail server has accepted it; absent without one.'),
  })
  .meta({ id: 'Invitation' });

const meAnswer = z
  .object({
    id: z.uuid().nullable().describe('Null for the account of the environment.'),
    name: z.string(),
    email: z.string().nullable(),
    role,
    may: z.array(z.string()).describe('The permissions of the role.'),
    language,
    timeZone: z.string().nullable(),
    authorId: z.int().nullable().describe('The author of content that the person is, once that is known.'),
  })
  .meta({ id: 'Me', description: 'The person who is logged in.' });

const sessionAnswer = z.object({
  id: z.uuid(),
  current: z.boolean(),
  createdAt: timestamp,
  lastUsedAt: timestamp,
  address: z.string().nullable(),
  device: z.string().nullable().describe('The `User-Agent` of the browser that logged in.'),
  way: z.string().nullable().describe('The id of a provider of single sign-on, or `proxy`; else null.'),
});

const answer = <Data extends z.ZodType>(data: Data) => z.object({ success: z.literal(true), data });

/** The place of the desk's page: behind a proxy, the service itself does not know it. */
const invitationQuery = z.object({
  at: z
    .string()
    .max(200)
    .regex(/^\/([A-Za-z0-9_~-][A-Za-z0-9._~-]*\/)*$/, 'must be a path that begins and ends with /')
    .default('/')
    .describe(
      'The path at which browsers reach the desk, such as `/gallery-admin/`, for the link in the mail.',
    ),
});

const personPath = z.object({ id: z.uuid('must be the id of a person') });

const sessionPath = z.object({ id: z.uuid('must be the id of a session') });

const token = z.string().max(100, 'must be at most 100 characters long');

const acceptBody = z
  .strictObject({ token, password: newPassword.optional(), passkey: newPasskey.optional() })
  .refine(
    ({ password, passkey }) => (password === undefined) !== (passkey === undefined),
    'must have either password or passkey',
  );

/** The largest body that accepts an invitation, in bytes. */
const ACCEPT_BODY_LIMIT = 64 * 1024;

/** The largest body of an invitation, in bytes, because anyone may send one. */
const OPEN_BODY_LIMIT = 16 * 1024;

interface PeopleParts extends SessionParts {
  people: PeopleStore;
  account: Account;
  authors: AuthorLinks;
  /** Null where no mail server is set. */
  mail: () => Promise<MailServer | null>;
  passkeys: Passkeys;
  roles: Readonly<Record<Role, readonly string[]>>;
}

const PEOPLE = ['people'];

const ME = ['me'];

/** The people of the desk: an addition to `docs/spec/gallery-admin.md`. */
export function peopleOperations(parts: PeopleParts) {
  return { ...ownersOperations(parts), ...invitationOperations(parts), ...profileOperations(parts) };
}

function ownersOperations({ people, authors, account, cookies, mail }: PeopleParts) {
  /** Undefined without a mail server, false if it refuses the mail: the link is shown either way. */
  const mailed = async (
    request: FastifyRequest,
    to: ListedPerson,
    { token, at }: { token: string; at: string },
  ): Promise<boolean | undefined> => {
    const origin = ownOrigin(request, cookies);
    if (origin === undefined) return undefined;
    try {
      const by = await mail();
      if (by === null) return undefined;
      const link = `${origin}${at}desk/invitation#${token}`;
      const language = languageOf(request.headers['accept-language']);
      await sendInvitation(by, { to, inviter: request.person.name, link, language });
      return true;
    } catch (error) {
      request.log.error({ err: error, person: to.id }, 'invitation_not_mailed');
      return false;
    }
  };
  const list = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'listPeople',
      summary: 'List the people of the desk',
      description: 'By name, with role, last login, and whether an invitation waits. For owners.',
      response: {
        200: answer(z.object({ people: z.array(personAnswer) })),
        ...problemResponses(401, 403, 503),
      },
    },
    handler: async () => ({
      success: true as const,
      data: { people: (await people.list()).map(shown) },
    }),
  });
  const listWriters = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'listWriters',
      summary: 'List the people to whom articles can be assigned',
      description:
        'Owners, editors and writers who may log in, by name, with the authors of content that they are.',
      response: {
        200: answer(z.object({ writers: z.array(z.object({ name: z.string(), authorId: z.int() })) })),
        ...problemResponses(401, 403, 503),
      },
    },
    handler: async () => ({ success: true as const, data: { writers: await people.writers() } }),
  });
  const add = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'addPerson',
      summary: 'Add a person, with the invitation to choose a password',
      description:
        'If the content service answers, an owner, editor or writer is the author there who has this name, made if' +
        ' there is none.',
      querystring: invitationQuery,
      body: personInput,
      responseHeaders: { 201: ['Location'] },
      response: {
        201: answer(z.object({ person: personAnswer, invitation: invitationAnswer })),
        ...problemResponses(400, 401, 403, 409, 413, 415, 503),
      },
    },
    handler: async (request, reply) => {
      refuseAccount(account, request.body);
      const id = await people.add(request.body);
      const invitation = await people.invite(id);
      await authors.linkIfWriting({ id, ...request.body }, request.log);
      logWrite(request, 'person_added', { person: id, role: request.body.role, by: request.person.id });
      const person = await people.read(id);
      const wasMailed = await mailed(request, person, { ...invitation, ...request.query });
      const data = { person: shown(person), invitation: shownInvitation(invitation, wasMailed) };
      return reply
        .code(201)
        .header('location', `/api/people/${id}`)
        .send({ success: true as const, data });
    },
  });
  const read = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'readPerson',
      summary: 'Read a person',
      description: 'For owners.',
      params: personPath,
      response: {
        200: answer(z.object({ person: personAnswer })),
        ...problemResponses(400, 401, 403, 404, 503),
      },
    },
    handler: async ({ params }) => ({
      success: true as const,
      data: { person: shown(await people.read(params.id)) },
    }),
  });
  const change = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'changePerson',
      summary: 'Change a person; another role, or switching them off, ends their sessions',
      description:
        'The last owner stays one where the environment has no account: 409 `last_owner`. It takes a' +
        ' confirmation within the last 15 minutes.',
      params: personPath,
      body: personChange,
      response: {
        200: answer(z.object({ person: personAnswer })),
        ...problemResponses(400, 401, 403, 404, 409, 413, 415, 503),
      },
    },
    handler: async (request) => {
      const { body, params } = request;
      refuseAccount(account, body);
      await people.change(params.id, body);
      // Whoever may write from now on can be assigned articles.
      if (body.role !== undefined) await authors.linkIfWriting(await people.read(params.id), request.log);
      logWrite(request, 'person_changed', {
        person: params.id,
        ...(body.role && { role: body.role }),
        ...(body.active !== undefined && { active: body.active }),
        by: request.person.id,
      });
      return { success: true as const, data: { person: shown(await people.read(params.id)) } };
    },
  });
  const remove = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'removePerson',
      summary: 'Remove a person, whose sessions end at once; what they did keeps their name',
      description: 'Histories keep the name. It takes a confirmation within the last 15 minutes.',
      params: personPath,
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 503) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const { name } = await people.read(id);
      await people.remove(id);
      // Nobody has the id any more: the trail needs the name.
      logWrite(request, 'person_removed', { person: id, name, by: request.person.id });
      return { success: true as const };
    },
  });
  const invite = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'invitePerson',
      summary: 'Make a new link with which a person chooses a password; the one before ends',
      description:
        'The token is shown once, and mailed where a mail server is set. It is good once, for 72 hours.',
      params: personPath,
      querystring: invitationQuery,
      response: {
        200: answer(z.object({ invitation: invitationAnswer })),
        ...problemResponses(400, 401, 403, 404, 503),
      },
    },
    handler: async (request) => {
      const invitation = await people.invite(request.params.id);
      logWrite(request, 'person_invited', { person: request.params.id, by: request.person.id });
      const person = await people.read(request.params.id);
      const wasMailed = await mailed(request, person, { ...invitation, ...request.query });
      return { success: true as const, data: { invitation: shownInvitation(invitation, wasMailed) } };
    },
  });
  const removeFactors = operation({
    schema: {
      tags: PEOPLE,
      operationId: 'removeFactors',
      summary: 'Remove all that a person logs in with besides a password, such as after a lost phone',
      description: 'The person’s sessions end. Who has no other way in needs a new link.',
      params: personPath,
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 503) },
    },
    handler: async (request) => {
      await people.removeFactors(request.params.id);
      logWrite(request, 'factors_removed', { person: request.params.id, by: request.person.id });
      return { success: true as const };
    },
  });
  return { list, listWriters, read, add, change, remove, invite, removeFactors };
}

/** Operations for the holder of an invitation's link, who has no session. */
function invitationOperations(parts: PeopleParts) {
  const { people, logins, cookies, passkeys, takesPasswords } = parts;
  const readInvitation = operation({
    bodyLimit: OPEN_BODY_LIMIT,
    schema: {
      tags: PEOPLE,
      operationId: 'readInvitation',
      summary: 'Say whom an invitation is for',
      description:
        'The token is that of the link. A used, replaced or ended one is 404 `invitation_not_found`.',
      body: z.strictObject({ token }),
      response: {
        200: answer(
          z.object({
            name: z.string(),
            email: z.string(),
            expiresAt: timestamp,
            passwords: z.boolean().describe('True if a password may be chosen; else only a passkey.'),
          }),
        ),
        ...problemResponses(400, 403, 404, 413, 415, 503),
      },
    },
    handler: async ({ body }, reply) => {
      const { name, email, expires_at } = await people.invited(body.token);
      reply.header('cache-control', PRIVATE);
      const data = { name, email, expiresAt: expires_at.toISOString(), passwords: takesPasswords };
      return { success: true as const, data };
    },
  });
  const invitationOptions = operation({
    bodyLimit: OPEN_BODY_LIMIT,
    schema: {
      tags: PEOPLE,
      operationId: 'invitationOptions',
      summary: 'Begin to make a passkey with which an invitation is accepted',
      description:
        '`options` are for `navigator.credentials.create`; the result goes to `POST' +
        ' /api/invitation/accept`.',
      body: z.strictObject({ token }),
      response: { 200: optionsAnswer, ...problemResponses(400, 403, 404, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      const holder = await people.invited(request.body.token);
      const { address } = callerOf(request, cookies);
      const site = siteOf(request, cookies);
      reply.header('cache-control', PRIVATE);
      const options = await passkeys.creationOptions(site, 'invitation', holder, address);
      return { success: true as const, data: { options: { ...options } } };
    },
  });
  const chosenOf = async (
    request: FastifyRequest,
    { password, passkey }: z.output<typeof acceptBody>,
    { id, name, email }: { id: string; name: string; email: string },
  ) => {
    if (passkey !== undefined) {
      const site = siteOf(request, cookies);
      const made = await passkeys.made(site, 'invitation', id, passkey.credential);
      const keep = (tx: Transaction<GalleryTables>) => addPasskey(tx, id, passkey.name, made);
      return { keep };
    }
    if (!takesPasswords) throw passwordsOff();
    refusePersonal(password ?? '', name, email, siteOf(request, cookies).host);
    return { passwordHash: await logins.hash(callerOf(request, cookies), email, password ?? '') };
  };
  const acceptInvitation = operation({
    bodyLimit: ACCEPT_BODY_LIMIT,
    schema: {
      tags: PEOPLE,
      operationId: 'acceptInvitation',
      summary: 'Choose a password or a passkey, once, and log in',
      description:
        'Earlier sessions of the person end. Who has a second factor logs in with it after choosing a password.',
      body: acceptBody,
      responseHeaders: { 200: ['Set-Cookie'] },
      response: { 200: doneAnswer, ...problemResponses(400, 403, 404, 409, 413, 415, 503) },
    },
    handler: async (request, reply) => {
      // Only whoever has the link makes the service hash a password.
      const invited = await people.invited(request.body.token);
      const chosen = await chosenOf(request, request.body, invited);
      const person = await people.accept(invitationHash(request.body.token), chosen);
      // The link stands for the password alone.
      if (!person.has_factor) await beginSession(request, reply, parts, knownAs(person));
      const by = 'keep' in chosen ? 'passkey' : 'password';
      logWrite(request, 'invitation_accepted', { person: person.id, by, address: request.ip }, person);
      return { success: true as const };
    },
  });
  return { readInvitation, invitationOptions, acceptInvitation };
}

/** Operations on one's own account. */
function profileOperations({
  people,
  sessions,
  account,
  authors,
  logins,
  cookies,
  roles,
  takesPasswords,
}: PeopleParts) {
  const ownerOf = ({ person }: FastifyRequest): SessionOwner =>
    person.id === null ? { account: account.fingerprint } : { person_id: person.id };
  const me = async ({ person }: FastifyRequest) => {
    const row = person.id === null ? undefined : await people.read(person.id);
    return {
      id: person.id,
      name: row?.name ?? person.name,
      email: row?.email ?? null,
      role: person.role,
      may: [...roles[person.role]],
      language: language.parse(row?.language ?? null),
      timeZone: row?.time_zone ?? null,
      authorId: row?.author_id ?? null,
    };
  };
  const readMe = operation({
    schema: {
      tags: ME,
      operationId: 'readMe',
      summary: 'Say who is logged in, and what they may do',
      description: '`may` is what the role allows, `authorId` the author of content that this person is.',
      response: { 200: answer(meAnswer), ...problemResponses(401, 403, 404, 503) },
    },
    handler: async (request) => ({ success: true as const, data: await me(request) }),
  });
  const changeMe = operation({
    schema: {
      tags: ME,
      operationId: 'changeMe',
      summary: 'Change one’s own name, language and time zone',
      description:
        'The name is what histories and the trail show from now on. What was done before keeps the' +
        ' former one.',
      body: profileChange,
      response: { 200: answer(meAnswer), ...problemResponses(400, 401, 403, 404, 409, 413, 415, 503) },
    },
    handler: async (request) => {
      const { timeZone: time_zone, ...rest } = request.body;
      const id = personal(request);
      refuseAccount(account, request.body);
      const { name, role, author } = request.person;
      const isRenamed = rest.name !== undefined && rest.name !== name;
      // Their author follows the name that an owner gave.
      if (isRenamed && isWriting(role) && author === null) await authors.link(id, name);
      const change = { ...rest, ...(time_zone !== undefined && { time_zone }) };
      await people.change(id, change, 'themselves');
      logWrite(request, 'profile_changed', {
        person: id,
        ...(rest.name !== undefined && { name: rest.name }),
      });
      return { success: true as const, data: await me(request) };
    },
  });
  const changePassword = operation({
    schema: {
      tags: ME,
      operationId: 'changePassword',
      summary: 'Change one’s own password; all other sessions end',
      description: 'A wrong `current` is 403 `wrong_password` and counts as a failed login.',
      body: z.strictObject({ current: text(1024), password: newPassword }),
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 429, 503) },
    },
    handler: async (request) => {
      const id = personal(request);
      if (!takesPasswords) throw passwordsOff();
      const { current, password } = request.body;
      const { email: username } = await people.read(id);
      refusePersonal(password, request.person.name, username, siteOf(request, cookies).host);
      const caller = callerOf(request, cookies);
      const checked = await logins.check(caller, { username, password: current });
      if (checked.outcome === 'throttled') throw tooManyAttempts(checked.retryAfterS);
      if (checked.outcome === 'failed' || checked.found.person_id !== id) throw wrongPassword();
      const hash = await logins.hash(caller, username, password);
      const { account: seen } = checked.found;
      if (!(await people.changePassword(id, hash, request.person.session, seen))) throw wrongPassword();
      logWrite(request, 'password_changed', { person: id });
      return { success: true as const };
    },
  });
  const listSessions = operation({
    schema: {
      tags: ME,
      operationId: 'listSessions',
      summary: 'List where one is logged in, the last used first',
      description: 'Each with its browser, its address, the way it began and its last use.',
      response: {
        200: answer(z.object({ sessions: z.array(sessionAnswer) })),
        ...problemResponses(401, 403, 503),
      },
    },
    handler: async (request) => {
      const rows = await sessions.list(ownerOf(request));
      const shownSessions = rows.map(({ id, created_at, last_used_at, address, device, way }) => ({
        id,
        current: id === request.person.session,
        createdAt: created_at.toISOString(),
        lastUsedAt: last_used_at.toISOString(),
        address,
        device,
        way,
      }));
      return { success: true as const, data: { sessions: shownSessions } };
    },
  });
  const endSession = operation({
    schema: {
      tags: ME,
      operationId: 'endSession',
      summary: 'End one of one’s sessions',
      description: 'The browser that had it is asked to log in at its next request.',
      params: sessionPath,
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async (request) => {
      await sessions.end(request.params.id, ownerOf(request));
      logWrite(request, 'session_ended', { session: request.params.id });
      return { success: true as const };
    },
  });
  const endOtherSessions = operation({
    schema: {
      tags: ME,
      operationId: 'endOtherSessions',
      summary: 'End all of one’s sessions but this one',
      description: 'The browsers that had them are asked to log in at their next request.',
      response: { 200: doneAnswer, ...problemResponses(401, 403, 503) },
    },
    handler: async (request) => {
      await sessions.endOthers(request.person.session, ownerOf(request));
      logWrite(request, 'other_sessions_ended', { person: request.person.id });
      return { success: true as const };
    },
  });
  return { readMe, changeMe, changePassword, listSessions, endSession, endOtherSessions };
}

function passwordsOff(): Problem {
  return new Problem(403, 'passwords_off', 'people log in here without a password');
}

/** Refuses a password that is little but what everybody knows of its owner and of this site. */
function refusePersonal(password: string, ...known: readonly string[]): void {
  if (!isPersonal(password, known)) return;
  const message = 'must have 8 characters besides the name and address of its owner and of this site';
  const errors = [{ field: 'password', code: 'too_personal' as const, message }];
  throw new Problem(400, 'invalid_request', `password: ${message}`, { errors });
}

function wrongPassword(): Problem {
  return new Problem(403, 'wrong_password', 'the current password is wrong');
}

/** Nobody is called, or logs in, like the account of the environment. */
function refuseAccount(account: Account, { name = '', email = '' }: { name?: string; email?: string }): void {
  if (account.isTakenBy(name)) throw nameTaken();
  if (account.isTakenBy(email)) throw emailTaken();
}

function shown({ id, name, email, role, active, ...row }: ListedPerson) {
  return {
    ...{ id, name, email, role, active },
    hasPassword: row.has_password,
    passkeys: row.passkeys,
    hasTotp: row.has_totp,
    isLinked: row.is_linked,
    canLogIn: row.can_log_in,
    invitedUntil: row.invited_until?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}

function shownInvitation({ token, expires_at }: { token: string; expires_at: Date }, mailed?: boolean) {
  return { token, expiresAt: expires_at.toISOString(), ...(mailed !== undefined && { mailed }) };
}
