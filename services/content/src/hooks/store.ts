import { randomBytes } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import type { Meter } from '@pressroom/common/metrics/meter';
import type { SecretBox } from '@pressroom/common/secrets/secret-box';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { type Actor, COMMAND, writtenBy } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';

/** Subjects of events, each with the changes that can happen to it. */
const HAPPENINGS = {
  article: ['created', 'updated', 'published', 'unpublished', 'deleted'],
  category: ['created', 'updated', 'deleted'],
  tag: ['created', 'updated', 'deleted'],
  author: ['created', 'updated', 'deleted'],
  series: ['created', 'updated', 'deleted'],
} as const;

/** Every type of event, and the pattern of all events of a kind. */
export const EVENT_PATTERNS: readonly string[] = Object.entries(HAPPENINGS).flatMap(([kind, whats]) =>
  [...whats, '*'].map((what) => `${kind}.${what}`),
);

/** An event as the database keeps it. */
export interface StoredEvent {
  id: number;
  type: string;
  subject: string;
  happened_at: Date;
  slug_before: string | null;
  slug_after: string | null;
  cache_tags: string[];
  /** Null before the first attempt to deliver it. */
  sync_cursor: string | null;
}

/**
 * Parses the events of a hook: types and patterns such as `article.*`, separated by commas.
 *
 * @throws Failure `refused` for anything else
 */
export function readEvents(value: string): string[] {
  const events = [...new Set(value.split(',').map((event) => event.trim()))];
  const unknown = events.find((event) => !EVENT_PATTERNS.includes(event));
  if (unknown === undefined) return events;
  throw new Failure('refused', `"${unknown}" is not an event: ${EVENT_PATTERNS.join(', ')}`);
}

/**
 * The id that a receiver tells events apart by; with the time, because ids begin again where a backup ended.
 */
export function eventId({ id, happened_at }: Pick<StoredEvent, 'id' | 'happened_at'>): string {
  return `evt_${id}_${happened_at.getTime().toString(36)}`;
}

/** The body of a delivery: the same at every attempt. */
export function eventBody(event: StoredEvent): string {
  const [, id] = event.subject.split(':');
  return JSON.stringify({
    id: eventId(event),
    type: event.type,
    timestamp: event.happened_at.toISOString(),
    data: {
      id: Number(id),
      slug: event.slug_after,
      previous_slug: event.slug_before,
      cache_tags: event.cache_tags,
      sync_cursor: event.sync_cursor,
    },
  });
}

/** The channel of notifications that something is due for a hook. */
export const HOOKS_DUE = 'content_hooks_due';

/** Bytes of a secret. */
const SECRET_BYTES = 32;

/** The secret before a new one still signs for this long, in hours. */
export const ROTATION_HOURS = 24;

/** More than this many waiting events are not counted. */
const MOST_COUNTED = 10_000;

export interface NewHook {
  url: string;
  events: string[];
  /** The only category whose events it gets. */
  categoryId: number | null;
  /** True if it also gets events about content that no reader sees. */
  drafts: boolean;
}

/** Why a hook is paused: by somebody, or since its receiver or its secret allows no delivery. */
export const PAUSE_CODES = ['by_operator', 'receiver_failing', 'receiver_gone', 'secret_unreadable'] as const;

export type PauseCode = (typeof PAUSE_CODES)[number];

export interface ListedHook {
  id: number;
  url: string;
  events: string[];
  category_id: number | null;
  drafts: boolean;
  failures: number;
  resume_at: Date | null;
  paused_at: Date | null;
  pause_reason: string | null;
  /** The reason's sentence; null as well where an earlier release has paused it. */
  pause_code: PauseCode | null;
  /** Events that wait for it, 10,000 at most. */
  waiting: number;
  /** When the oldest of these happened. */
  waiting_since: Date | null;
  /** For how long it has waited, in seconds. */
  lag: number;
  created_at: Date;
  /** When the latest attempt of the last 30 days ended; null if there was none. */
  ended_at: Date | null;
  /** The status of its answer, and why it failed. */
  status: number | null;
  fault: string | null;
}

export interface LoggedAttempt {
  id: number;
  event_id: number;
  type: string;
  subject: string;
  ended_at: Date;
  duration_ms: number;
  status: number | null;
  fault: string | null;
  answer: string;
}

/** The owner of a hook's secrets, for their encryption. */
export function secretOwner(hookId: number): string {
  return `hook ${hookId}`;
}

export class HookStore {
  readonly #db: Kysely<ContentTables>;
  readonly #actor: Actor;

  /** @param actor who writes, for the trail */
  constructor(db: Kysely<ContentTables>, actor = COMMAND) {
    this.#db = db;
    this.#actor = actor;
  }

  /**
   * Adds a hook, and returns its id and its secret, the only time that it can be seen.
   *
   * @throws Failure `missing` if it is for a category that does not exist
   */
  add({ url, events, categoryId, drafts }: NewHook, box: SecretBox): Promise<{ id: number; secret: string }> {
    const secret = newSecret();
    return this.#write(async (tx) => {
      const category = tx.selectFrom('content.category').select('id').where('id', '=', categoryId);
      if (categoryId !== null && (await category.executeTakeFirst()) === undefined)
        throw new Failure('missing', `category ${categoryId} does not exist`);
      const { id } = await tx
        .insertInto('content.hook')
        .values({ url, events, category_id: categoryId, drafts, secret: '' })
        .returning('id')
        .executeTakeFirstOrThrow();
      const sealed = box.seal(secret, secretOwner(id));
      await tx.updateTable('content.hook').set({ secret: sealed }).where('id', '=', id).execute();
      return { id, secret };
    });
  }

  /** All hooks, oldest first. */
  list(): Promise<ListedHook[]> {
    return this.#listed(sql`true`);
  }

  async read(id: number): Promise<ListedHook> {
    const [hook] = await this.#listed(sql`hook.id = ${id}`);
    if (hook === undefined) throw noSuchHook(id);
    return hook;
  }

  async #listed(condition: RawBuilder<unknown>): Promise<ListedHook[]> {
    const { rows } = await sql<ListedHook>`
      select hook.id, url, events, category_id, drafts, failures, resume_at, paused_at, pause_reason,
        pause_code, waiting, hook.created_at, latest.ended_at, latest.status, latest.fault,
        oldest.happened_at as waiting_since,
        coalesce(extract(epoch from clock_timestamp() - oldest.happened_at)::float8, 0) as lag
      from content.hook cross join lateral (
        select count(*)::integer as waiting, min(event_id) as oldest from (
          select event_id from content.delivery where hook_id = hook.id
          order by due_at, event_id limit ${MOST_COUNTED}
        ) as counted
      ) as queue left join content.event as oldest on oldest.id = queue.oldest
      left join lateral (
        select ended_at, status, fault from content.delivery_attempt
        where hook_id = hook.id order by id desc limit 1
      ) as latest on true
      where ${condition} order by hook.id
    `.execute(this.#db);
    return rows;
  }

  /** The latest attempts, newest first. Throws a `Failure` `missing`, as everything below does. */
  async log(id: number, most: number): Promise<LoggedAttempt[]> {
    await this.#find(id);
    const { rows } = await sql<LoggedAttempt>`
      select attempt.id, event_id, type, subject, ended_at, duration_ms, status, fault, answer
      from content.delivery_attempt as attempt join content.event on event.id = event_id
      where attempt.hook_id = ${id} order by attempt.id desc limit ${most}
    `.execute(this.#db);
    return rows;
  }

  /** Gives a hook another secret, and returns it. The one before it signs beside it for a day. */
  async rotate(id: number, box: SecretBox): Promise<string> {
    const secret = newSecret();
    await this.#change(
      sql`
      update content.hook set previous_secret = secret, secret = ${box.seal(secret, secretOwner(id))},
        previous_secret_until = clock_timestamp() + ${ROTATION_HOURS} * interval '1 hour'
      where id = ${id}
    `,
      id,
    );
    return secret;
  }

  /** Delivers nothing until {@link resume}; events wait. */
  async pause(id: number): Promise<void> {
    await this.#change(
      sql`
      update content.hook set paused_at = coalesce(paused_at, clock_timestamp()),
        pause_reason = coalesce(pause_reason, 'by an operator'),
        pause_code = case when paused_at is null then 'by_operator' else pause_code end
      where id = ${id}
    `,
      id,
    );
  }

  /** Delivers all waiting events at once, also to a hook that has failed. */
  async resume(id: number): Promise<void> {
    await this.#lock(id, async (tx) => {
      await sql`
        update content.hook set paused_at = null, pause_reason = null, pause_code = null, failures = 0,
          resume_at = null
        where id = ${id}
      `.execute(tx);
      await sql`
        update content.delivery set attempts = 0, due_at = clock_timestamp() where hook_id = ${id}
      `.execute(tx);
      await announce(tx);
    });
  }

  /** Removes a hook with its waiting events. */
  async remove(id: number): Promise<void> {
    await this.#change(sql`delete from content.hook where id = ${id}`, id);
  }

  /**
   * Delivers again all kept events since then, and returns their number. Events under way are among them, and
   * come once more, after the older ones of their article. With `event`, it is only that one and the later
   * ones about the same subject: without them, an older event would be the last that a receiver hears.
   */
  replay(id: number, since: Date, event: number | null = null): Promise<number> {
    return this.#lock(id, async (tx) => {
      const { numAffectedRows = 0n } = await sql`
        insert into content.delivery (event_id, hook_id, subject)
        select event.id, hook.id, event.subject
        from content.event join content.hook on hook.id = ${id} and content.wants(hook, event)
        where event.happened_at >= ${since} and event.hook_id is null
          and (${event}::bigint is null or event.id >= ${event}::bigint
            and event.subject = (select chosen.subject from content.event as chosen where chosen.id = ${event}::bigint
              and content.wants(hook, chosen) and chosen.happened_at >= ${since} and chosen.hook_id is null))
        order by event.id
        on conflict (event_id, hook_id) do update set attempts = 0, due_at = excluded.due_at
      `.execute(tx);
      if (event !== null && numAffectedRows === 0n)
        throw new Failure(
          'missing',
          `hook ${id} gets no event ${event}: see its deliveries of the last 30 days`,
        );
      await announce(tx);
      return Number(numAffectedRows);
    });
  }

  /**
   * Sends a hook an event that is about nothing, before all that waits and instead of a test before it.
   * Returns the id of the event, which finds its attempts in the log.
   */
  test(id: number): Promise<number> {
    return this.#lock(id, async (tx, { paused_at }) => {
      if (paused_at !== null)
        throw new Failure('conflict', `hook ${id} is paused: resume it first`, { code: 'hook_paused' });
      await sql`
        delete from content.delivery where hook_id = ${id} and subject = 'hook:' || ${id}::integer
      `.execute(tx);
      const { rows } = await sql<{ id: number }>`
        insert into content.event (type, subject, is_public, hook_id)
        values ('hook.test', 'hook:' || ${id}::integer, true, ${id}) returning id
      `.execute(tx);
      await sql`
        update content.delivery set due_at = 'epoch' where hook_id = ${id} and event_id = ${rows[0]?.id}
      `.execute(tx);
      await sql`update content.hook set resume_at = null where id = ${id}`.execute(tx);
      return rows[0]?.id ?? 0;
    });
  }

  /** Works with a hook under its lock, as everything does that changes the order of what waits for it. */
  #lock<Result>(
    id: number,
    work: (tx: Kysely<ContentTables>, hook: { paused_at: Date | null }) => Promise<Result>,
  ): Promise<Result> {
    return this.#write(async (tx) => {
      const { rows } = await sql<{ paused_at: Date | null }>`
        select paused_at from content.hook where id = ${id} for no key update
      `.execute(tx);
      const [hook] = rows;
      if (hook === undefined) throw noSuchHook(id);
      return work(tx, hook);
    });
  }

  async #change(statement: ReturnType<typeof sql>, id: number): Promise<void> {
    const { numAffectedRows } = await this.#write((tx) => statement.execute(tx));
    if (numAffectedRows === 0n) throw noSuchHook(id);
  }

  #write<Result>(work: (tx: Transaction<ContentTables>) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute(async (tx) => {
      await sql`select ${writtenBy(this.#actor)}`.execute(tx);
      return work(tx);
    });
  }

  async #find(id: number): Promise<void> {
    const found = this.#db.selectFrom('content.hook').select('id').where('id', '=', id);
    if ((await found.executeTakeFirst()) === undefined) throw noSuchHook(id);
  }
}

/** Tells the processes that something is due. */
async function announce(db: Kysely<ContentTables>): Promise<void> {
  await sql`select pg_notify(${HOOKS_DUE}, '')`.execute(db);
}

function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function noSuchHook(id: number): Failure {
  return new Failure('missing', `there is no hook ${id}`);
}

/** The state of each hook by its id. */
export function hookMeters(hooks: HookStore): Meter[] {
  // All of them are read at once, from one list.
  let listed: Promise<ListedHook[]> | undefined;
  const list = () => {
    listed ??= hooks.list().finally(() => {
      listed = undefined;
    });
    return listed;
  };
  const gauge = (name: string, help: string, value: (hook: ListedHook) => number): Meter => ({
    name,
    help,
    kind: 'gauge',
    labels: ['hook'],
    read: async () => {
      const all = await list();
      return all.map((hook) => ({ labels: { hook: String(hook.id) }, value: value(hook) }));
    },
  });
  return [
    gauge('content_hook_paused', '1 while nothing is delivered to the hook', ({ paused_at }) =>
      paused_at === null ? 0 : 1,
    ),
    gauge('content_hook_failures', 'Failed attempts since the last success', ({ failures }) => failures),
    gauge('content_hook_waiting', 'Events that wait for the hook, 10,000 at most', ({ waiting }) => waiting),
    gauge('content_hook_lag_seconds', 'For how long the oldest of them has waited', ({ lag }) => lag),
  ];
}
