import { PRIVATE } from '@pressroom/common/caching/conditional';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import { isRefused } from '@pressroom/common/fetching/guarded-agents';
import { idMember, idParameter, instant, integerParameter, webUrl } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { FAULT_CODES, faultCodeOf, webhookTarget } from '@pressroom/common/webhooks/webhook-sender';
import type { FastifyRequest } from 'fastify';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { deletedAnswer } from '../articles/schema.ts';
import type { ContentConfig } from '../config.ts';
import { envelope, success } from '../envelope.ts';
import { actorOf, logWrite, refuseCategory, replyPrivately } from '../requests.ts';
import type { ContentTables } from '../tables.ts';
import { EVENT_PATTERNS, HookStore, type ListedHook, type LoggedAttempt, PAUSE_CODES } from './store.ts';

const timestamp = z.iso.datetime({ offset: true });

const faultCode = z.enum(FAULT_CODES).nullable().describe('What `fault` says, for programs.');

const hook = z
  .object({
    id: z.int(),
    url: z.string(),
    events: z.array(z.string()).describe('Types of events, or all of a kind, such as `article.*`.'),
    category_id: z.int().nullable().describe('The only category whose events it gets.'),
    drafts: z.boolean().describe('True to send events of drafts too.'),
    failures: z.int().describe('Failed attempts since the last success.'),
    resume_at: timestamp.nullable().describe('When a hook that failed is tried again.'),
    paused_at: timestamp.nullable(),
    pause_reason: z.string().nullable().describe('In English.'),
    pause_code: z.enum(PAUSE_CODES).nullable().describe('What `pause_reason` says, for programs.'),
    waiting: z.int().describe('Events that wait for it, 10,000 at most.'),
    waiting_since: timestamp.nullable().describe('When the oldest of them happened.'),
    created_at: timestamp,
    last_attempt: z
      .object({ ended_at: timestamp, status: z.int().nullable(), fault_code: faultCode })
      .nullable()
      .describe('The latest attempt; null where the last 30 days have none.'),
  })
  .meta({ id: 'Hook' });

const EVENT_ID = 'must be the id of an event, as the deliveries have it';

const hookAnswer = envelope(hook);

const secretAnswer = envelope(
  hook
    .extend({ secret: z.string().describe('Signs what is sent; it is not shown again.') })
    .meta({ id: 'HookWithSecret' }),
);

const delivery = z.object({
  event_id: z.int(),
  type: z.string(),
  subject: z.string().describe('The subject of the event, such as `article:7`.'),
  ended_at: timestamp,
  duration_ms: z.int(),
  status: z.int().nullable().describe('The status of the answer; null without one.'),
  fault: z.string().nullable().describe('Why it is none; null if it was delivered.'),
  fault_code: faultCode,
  answer: z.string().describe('The beginning of the answer.'),
});

const hookBody = z.strictObject({
  url: webUrl(2000),
  events: z.array(z.enum(EVENT_PATTERNS)).min(1).max(EVENT_PATTERNS.length),
  category_id: idMember('must be the id of a category').nullable().optional(),
  drafts: z.boolean().optional(),
});

const hookPath = z.object({ id: idParameter() });

const TAGS = ['hooks'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 429, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 429, 503);

/** The operations on hooks; all of them need a key of the scope `full`. */
export function hookOperations(db: Kysely<ContentTables>, config: ContentConfig) {
  return { ...reads(new HookStore(db)), ...writes(db, config), ...deliveries(db) };
}

function reads(hooks: HookStore) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listHooks',
      summary: 'List the hooks, and whether events reach them',
      description: '`failures`, `waiting` and `paused_at` say whether events reach it.',
      response: {
        200: envelope(z.array(hook)),
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => ({
        value: success('Hooks found', (await hooks.list()).map(shown)),
      })),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getHook',
      summary: 'Read a hook',
      description: 'Its secret is not shown again.',
      params: hookPath,
      response: { 200: hookAnswer, ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => ({
        value: success('Hook found', shown(await hooks.read(request.params.id))),
      })),
  });
  const log = operation({
    schema: {
      tags: TAGS,
      operationId: 'listDeliveries',
      summary: 'List the latest attempts to deliver events to a hook, newest first',
      description: 'With the status and the first KiB of each answer.',
      params: hookPath,
      querystring: z.strictObject({ per_page: integerParameter(1, 100).default(50) }),
      response: { 200: envelope(z.array(delivery)), ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const attempts = await hooks.log(request.params.id, request.query.per_page);
        return { value: success('Deliveries found', attempts.map(shownAttempt)) };
      }),
  });
  return { list, read, log };
}

function writes(db: Kysely<ContentTables>, config: ContentConfig) {
  const create = operation({
    schema: {
      tags: TAGS,
      operationId: 'createHook',
      summary: 'Deliver events to an address; the answer has the secret that signs them',
      description:
        'Events are POSTed as Standard Webhooks 1.0 say: signed, at least once, in order for each' +
        ' article. The secret is shown once. The address must be public, unless' +
        ' `CONTENT_HOOKS_PRIVATE_HOSTS` names it: one without a name is 422, a name is looked up to deliver.',
      responseHeaders: { 201: ['Location'] },
      body: hookBody,
      response: { 201: secretAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { url, events, category_id: categoryId = null, drafts = false } = request.body;
      const box = boxOf(config);
      refuseUndeliverable(url, config);
      const hooks = hooksOf(db, request);
      const added = { url, events: [...new Set(events)], categoryId, drafts };
      const { id, secret } = await hooks.add(added, box).catch(refuseCategory);
      logWrite(request, 'hook_created', { hook: id });
      const value = success('Hook created', { ...shown(await hooks.read(id)), secret });
      return reply
        .code(201)
        .headers({ 'cache-control': PRIVATE, location: `/api/hooks/${id}` })
        .send(value);
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'changeHook',
      summary: 'Pause a hook, so that events wait up to 30 days, or deliver what waits at once',
      description: 'A hook that failed for three days, or answered 410, was paused by itself.',
      params: hookPath,
      body: z.strictObject({ is_paused: z.boolean() }),
      response: { 200: hookAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const hooks = hooksOf(db, request);
      await (request.body.is_paused ? hooks.pause(id) : hooks.resume(id));
      logWrite(request, 'hook_updated', { hook: id });
      return reply
        .header('cache-control', PRIVATE)
        .send(success('Hook updated', shown(await hooks.read(id))));
    },
  });
  const rotate = operation({
    schema: {
      tags: TAGS,
      operationId: 'rotateHookSecret',
      summary: 'Give a hook another secret; the one before it signs too for a day',
      description: 'The answer has it, once. Until the day is over, each event has a signature of both.',
      params: hookPath,
      response: { 200: secretAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const hooks = hooksOf(db, request);
      const secret = await hooks.rotate(id, boxOf(config));
      logWrite(request, 'hook_updated', { hook: id });
      const value = success('Secret made', { ...shown(await hooks.read(id)), secret });
      return reply.header('cache-control', PRIVATE).send(value);
    },
  });
  const remove = operation({
    schema: {
      tags: TAGS,
      operationId: 'deleteHook',
      summary: 'Remove a hook with what waits for it',
      description: 'Events that wait for it are not delivered.',
      params: hookPath,
      response: { 200: deletedAnswer, ...READ_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      await hooksOf(db, request).remove(id);
      logWrite(request, 'hook_deleted', { hook: id });
      return reply.header('cache-control', PRIVATE).send(success('Hook deleted', null));
    },
  });
  return { create, change, rotate, remove };
}

function deliveries(db: Kysely<ContentTables>) {
  const test = operation({
    schema: {
      tags: TAGS,
      operationId: 'testHook',
      summary: 'Send a hook an event of the type `hook.test`; the list of deliveries has what became of it',
      description:
        '202 with `event_id`, by which the list of deliveries shows it. A paused hook is 409' +
        ' `hook_paused`.',
      params: hookPath,
      response: { 202: envelope(z.object({ event_id: z.int() })), ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const event_id = await hooksOf(db, request).test(request.params.id);
      return reply.code(202).header('cache-control', PRIVATE).send(success('Test sent', { event_id }));
    },
  });
  const replay = operation({
    schema: {
      tags: TAGS,
      operationId: 'replayHook',
      summary: 'Deliver again what has happened since a time, up to 30 days ago',
      description:
        'Deliveries under way are sent once more after older ones, so the order holds. With `event_id`, only' +
        ' that event and the later ones about the same subject are; 404 if the hook gets no such event.',
      params: hookPath,
      body: z.strictObject({
        since: instant('must be a time with an offset, such as 2026-11-20T10:00:00Z'),
        event_id: z.int(EVENT_ID).min(1, EVENT_ID).optional(),
      }),
      response: { 200: envelope(z.object({ events: z.int() })), ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { since, event_id } = request.body;
      const events = await hooksOf(db, request).replay(request.params.id, since, event_id);
      return reply.header('cache-control', PRIVATE).send(success('Events waiting', { events }));
    },
  });
  return { test, replay };
}

function hooksOf(db: Kysely<ContentTables>, request: FastifyRequest): HookStore {
  return new HookStore(db, actorOf(request));
}

/** Refuses an address that every delivery would: its settings may let it be private. */
function refuseUndeliverable(
  url: string,
  { CONTENT_HOOKS_PRIVATE_HOSTS: privateHosts }: ContentConfig,
): void {
  if (!isRefused(webhookTarget(url, privateHosts))) return;
  throw invalid([
    {
      field: 'url',
      code: 'not_public',
      message:
        'must have a public address, or a host of CONTENT_HOOKS_PRIVATE_HOSTS: nothing is sent elsewhere',
    },
  ]);
}

function boxOf({ CONTENT_HOOKS_KEY: key, CONTENT_HOOKS_KEY_PREVIOUS: previous }: ContentConfig): SecretBox {
  if (key !== undefined) return new SecretBox(key, previous);
  throw new Failure('conflict', 'hooks take CONTENT_HOOKS_KEY in the settings', { code: 'not_configured' });
}

function shown(listed: ListedHook) {
  const {
    lag: _,
    resume_at,
    paused_at,
    waiting_since,
    created_at,
    ended_at,
    status,
    fault,
    ...hook
  } = listed;
  return {
    ...hook,
    created_at: created_at.toISOString(),
    last_attempt: ended_at && {
      ended_at: ended_at.toISOString(),
      status,
      fault_code: faultCodeOf({ status, fault }),
    },
    waiting_since: waiting_since?.toISOString() ?? null,
    resume_at: resume_at?.toISOString() ?? null,
    paused_at: paused_at?.toISOString() ?? null,
  };
}

function shownAttempt({ id: _, ended_at, ...attempt }: LoggedAttempt) {
  return { ...attempt, fault_code: faultCodeOf(attempt), ended_at: ended_at.toISOString() };
}
