import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundLoop, pruneInSteps } from '@pressroom/common/concurrency/background-loop';
import { isDatabaseAway } from '@pressroom/common/database/database';
import { LEASE_SECONDS, secondsFromNow } from '@pressroom/common/database/leases';
import type { Logger } from '@pressroom/common/log/logging';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { type Attempt, WebhookSender, webhookWait } from '@pressroom/common/webhooks/webhook-sender';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ContentConfig } from '../config.ts';
import type { SyncStore } from '../sync.ts';
import type { ContentTables } from '../tables.ts';
import { eventBody, eventId, type PauseCode, type StoredEvent, secretOwner } from './store.ts';

/** The pause after a fault of the database, in ms. */
const RETRY_MS = 5000;

/** Events that a hook gets at once, each about something else. */
const AT_ONCE = 64;

/** Pause after finding that another process took the due deliveries, in ms. */
const TAKEN_MS = 1000;

interface DeliveriesParts {
  queue: DeliveryQueue;
  /** The published articles, whose changes events are about. */
  sync: Pick<SyncStore, 'head' | 'haveSameHistory'>;
  sender: WebhookSender;
  box: SecretBox;
  log: Pick<Logger, 'info' | 'warn'>;
}

class Lane {
  /** Outcomes that are not recorded yet, with whether another event was taken since the attempt began. */
  readonly ended: { outcome: Outcome; isAlive: boolean }[] = [];
  readonly underway = new Set<Promise<void>>();
  taken = 0;
  /** True if something may be due that no claim has looked at. */
  isDue = true;
  #woken = Promise.withResolvers<void>();

  wake(): void {
    this.#woken.resolve();
  }

  get room(): number {
    return AT_ONCE - this.underway.size;
  }

  /** Waits until something has ended or become due. */
  async rest(): Promise<void> {
    if (this.isDue && this.room > 0) return;
    await this.#woken.promise;
    this.#woken = Promise.withResolvers();
  }
}

/**
 * Delivers events to hooks, beside the same work of other processes: each takes what is due by a lease, which
 * ends by itself. Between two changes it sleeps until the next attempt is due.
 */
export class Deliveries {
  readonly #parts: DeliveriesParts;
  /** The hooks that something is being delivered to. */
  readonly #lanes = new Map<number, Lane>();
  readonly #delivering = new Set<Promise<void>>();
  readonly #loop: BackgroundLoop;

  constructor(parts: DeliveriesParts) {
    this.#parts = parts;
    this.#loop = new BackgroundLoop((signal) => this.#look(signal), Infinity);
  }

  /** Makes it look for due deliveries. */
  wake(): void {
    this.#loop.wake();
  }

  /** Gives up deliveries in progress; another process, or the next start, makes them. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#delivering);
    await this.#parts.sender.close();
  }

  /** Begins the due deliveries, and returns the ms until the next is due. */
  async #look(signal: AbortSignal): Promise<number> {
    const { queue } = this.#parts;
    try {
      const { now, hooks } = await queue.dueHooks();
      for (const hook of hooks) this.#begin(hook, signal);
      return (await queue.idleMs(now)) ?? Infinity;
    } catch (error) {
      this.#failed(error, signal);
      return RETRY_MS;
    }
  }

  /** Not awaited, so that no hook waits for another one. */
  #begin(hook: number, signal: AbortSignal): void {
    const known = this.#lanes.get(hook);
    if (known !== undefined) {
      known.isDue = true;
      known.wake();
      return;
    }
    const lane = new Lane();
    this.#lanes.set(hook, lane);
    const delivering = this.#deliver(hook, lane, signal).finally(() => this.#delivering.delete(delivering));
    this.#delivering.add(delivering);
  }

  #failed(error: unknown, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#parts.log.warn({ err: error }, isDatabaseAway(error) ? 'database_away' : 'hooks_failed');
  }

  /** Delivers a hook's due events until none is left. */
  async #deliver(hook: number, lane: Lane, signal: AbortSignal): Promise<void> {
    let hasDelivered = false;
    try {
      for (;;) {
        await this.#record(hook, lane);
        if (!signal.aborted) await this.#fill(hook, lane, signal);
        hasDelivered ||= lane.underway.size > 0;
        if (lane.underway.size === 0 && lane.ended.length === 0 && (!lane.isDue || signal.aborted)) break;
        await lane.rest();
      }
    } catch (error) {
      this.#failed(error, signal);
      await Promise.all(lane.underway);
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
    this.#lanes.delete(hook);
    if (hasDelivered) return this.wake();
    // Another process has taken it, or a command works with the hook.
    if (!signal.aborted) this.#loop.wakeIn(TAKEN_MS);
  }

  /** Begins as many deliveries as the lane has room for. */
  async #fill(hook: number, lane: Lane, signal: AbortSignal): Promise<void> {
    if (lane.room === 0) return;
    const wasDue = lane.isDue;
    lane.isDue = false;
    const { deliveries: batch, hasMore } = await this.#claim(hook, lane.room);
    lane.isDue ||= hasMore;
    // Another process has the due deliveries: this lane may sleep long.
    if (batch.length === 0 && wasDue && !hasMore) this.#loop.wakeIn(TAKEN_MS);
    const [first] = batch;
    if (first === undefined) return;
    const secrets = this.#secretsOf(first);
    if (secrets === undefined) return this.#refuse(hook, batch);
    for (const delivery of batch) {
      const attempt = this.#attempt(delivery, lane, secrets, signal).finally(() => {
        lane.underway.delete(attempt);
        lane.wake();
      });
      lane.underway.add(attempt);
    }
  }

  /** Takes what is due; all of it was committed before the cursor that it may get is read. */
  async #claim(hook: number, most: number): Promise<Claim> {
    const { queue, sync } = this.#parts;
    const { deliveries, hasMore } = await queue.claim(hook, most);
    if (deliveries.length === 0) return { deliveries, hasMore };
    const head = await sync.head();
    const isStale = (cursor: string) => !sync.haveSameHistory(cursor, head);
    return { deliveries: await queue.setCursors(deliveries, head, isStale), hasMore };
  }

  async #refuse(hook: number, batch: readonly Delivery[]): Promise<void> {
    const { queue, log } = this.#parts;
    for (const delivery of batch) await queue.release(delivery);
    const reason = 'CONTENT_HOOKS_KEY is not the key that its secret was encrypted with';
    await queue.pause(hook, 'secret_unreadable', reason);
    log.warn({ hook, reason }, 'hook_paused');
  }

  /** Sends an event; it never throws. */
  async #attempt(
    delivery: Delivery,
    lane: Lane,
    secrets: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { queue, sender } = this.#parts;
    const { hook, event } = delivery;
    const takenBefore = lane.taken;
    try {
      const message = { id: eventId(event), body: eventBody(event) };
      const attempt = await sender.send(hook.url, message, secrets, signal);
      lane.ended.push({ outcome: { delivery, attempt }, isAlive: lane.taken > takenBefore });
      if (attempt.fault === null) lane.taken += 1;
    } catch (error) {
      this.#failed(error, signal);
      await queue.release(delivery).catch((fault) => this.#failed(fault, signal));
    }
  }

  /**
   * Records what has ended: all that was delivered at once, so that a quick receiver does not wait for it.
   */
  async #record(hook: number, lane: Lane): Promise<void> {
    const { queue, log } = this.#parts;
    const ended = lane.ended.splice(0);
    const delivered = ended.filter(({ outcome }) => outcome.attempt.fault === null);
    if (delivered.length > 0)
      await queue.succeed(
        hook,
        delivered.map(({ outcome }) => outcome),
      );
    for (const { outcome, isAlive } of ended) {
      const { event } = outcome.delivery;
      const { status, fault, durationMs } = outcome.attempt;
      const about = { hook, event: event.id, type: event.type, status, durationMs };
      if (fault === null) {
        log.info(about, 'event_delivered');
        continue;
      }
      const reason = await queue.fail(outcome, isAlive);
      log.warn({ ...about, fault }, 'event_not_delivered');
      if (reason !== undefined) log.warn({ hook, reason }, 'hook_paused');
    }
  }

  /** The secrets that sign: the current one, and the one before it for a while; undefined for a wrong key. */
  #secretsOf({ hook: { id, secret, previous_secret } }: Delivery): string[] | undefined {
    const sealed = previous_secret === null ? [secret] : [secret, previous_secret];
    const secrets = sealed.flatMap((one) => this.#parts.box.open(one, secretOwner(id)) ?? []);
    return secrets.length === sealed.length ? secrets : undefined;
  }
}

/** The deliveries of a process, which begin when they are woken; undefined without `CONTENT_HOOKS_KEY`. */
export function openDeliveries(
  config: ContentConfig,
  db: Kysely<ContentTables>,
  sync: SyncStore,
  log: Logger,
): Deliveries | undefined {
  const { CONTENT_HOOKS_KEY: key, CONTENT_HOOKS_KEY_PREVIOUS: previous } = config;
  if (key === undefined) return undefined;
  const sender = new WebhookSender({
    userAgent: 'pressroom-content',
    privateHosts: config.CONTENT_HOOKS_PRIVATE_HOSTS,
    privateHostsSetting: 'CONTENT_HOOKS_PRIVATE_HOSTS',
  });
  return new Deliveries({
    queue: new DeliveryQueue(db),
    sync,
    sender,
    box: new SecretBox(key, previous),
    log,
  });
}

const LOOKED_AT = 100;

/** Days that events are kept. */
const KEEP_DAYS = 30;

const PRUNE_STEP = 500;

/** A hook as a delivery needs it; secrets are encrypted. */
interface DueHook {
  id: number;
  url: string;
  secret: string;
  /** The secret before it, while that still signs. */
  previous_secret: string | null;
  failures: number;
}

/** An event that this process is to deliver to a hook. */
interface Delivery {
  hook: DueHook;
  event: StoredEvent;
  attempts: number;
  /** The end of the lease, which tells this delivery from a later one by another process. */
  leaseEnd: Date;
}

interface Claim {
  deliveries: Delivery[];
  hasMore: boolean;
}

interface Outcome {
  delivery: Delivery;
  attempt: Attempt;
}

/** An event as a claim reads it. */
type TakenEvent = StoredEvent & { attempts: number; due_at: Date };

/** The pending deliveries, shared by all processes; by the database's clock, which they share. */
export class DeliveryQueue {
  readonly #db: Kysely<ContentTables>;
  readonly #aheadMs: () => number;

  /** @param aheadMs how far the database's clock is put ahead, for tests */
  constructor(db: Kysely<ContentTables>, aheadMs: () => number = () => 0) {
    this.#db = db;
    this.#aheadMs = aheadMs;
  }

  /** The hooks with something due, and when that was read. */
  async dueHooks(): Promise<{ now: Date; hooks: number[] }> {
    const { rows } = await sql<{ now: Date; hooks: number[] }>`
      select moment.now, array(
        select id from content.hook
        where paused_at is null and (resume_at is null or resume_at <= moment.now)
          and exists (select from content.delivery where hook_id = hook.id and due_at <= moment.now)
      ) as hooks
      from (select ${this.#in(0)}::timestamptz(3) as now) as moment
    `.execute(this.#db);
    return rows[0] ?? { now: new Date(), hooks: [] };
  }

  /**
   * Takes the next events to deliver to a hook, `most` at most: the oldest of each subject, and a single one
   * after a failure. Events behind those are put aside until they are gone.
   */
  claim(hookId: number, most: number): Promise<Claim> {
    return this.#db.transaction().execute(async (tx) => {
      const hooks = await sql<DueHook>`
        select id, url, secret, failures,
          case when previous_secret_until > ${this.#in(0)} then previous_secret end as previous_secret
        from content.hook
        where id = ${hookId} and paused_at is null and (resume_at is null or resume_at <= ${this.#in(0)})
        for no key update skip locked
      `.execute(tx);
      const [hook] = hooks.rows;
      if (hook === undefined) return { deliveries: [], hasMore: false };
      const { taken, hasMore } = await this.#take(tx, hookId, hook.failures > 0 ? 1 : most);
      if (hook.failures > 0 && taken.length > 0) {
        await sql`update content.hook set resume_at = ${this.#in(LEASE_SECONDS)} where id = ${hookId}`.execute(
          tx,
        );
      }
      const deliveries = taken.map(({ attempts, due_at, ...event }) => ({
        hook,
        event,
        attempts,
        leaseEnd: due_at,
      }));
      return { deliveries, hasMore };
    });
  }

  /** Takes what is first of its subject, among the deliveries that have been due longest. */
  async #take(tx: Kysely<ContentTables>, id: number, most: number) {
    // The subquery in the list is an index's first row; as an anti-join it was a hash of the whole queue.
    const { rows } = await sql<TakenEvent | { [Column in keyof TakenEvent]: null }>`
        with due as materialized (
          select event_id, due_at, event_id = (
            select min(event_id) from content.delivery as first
            where first.hook_id = due.hook_id and first.subject = due.subject
          ) as is_first
          from content.delivery as due
          where hook_id = ${id} and due_at <= ${this.#in(0)}
          order by due_at, event_id limit ${LOOKED_AT} for update skip locked
        ), head as (
          select event_id from due where is_first order by due_at, event_id limit ${most}
        ), looked_at as (
          update content.delivery
          set due_at = case when event_id in (select event_id from head) then ${this.#in(LEASE_SECONDS)} end
          where hook_id = ${id} and event_id = any(array(
            select event_id from head union all select event_id from due where not is_first
          ))
          returning event_id, attempts, due_at
        )
        select looked_at.attempts, looked_at.due_at, event.id, event.type, event.subject, event.happened_at,
          event.slug_before, event.slug_after, event.cache_tags, event.sync_cursor
        from looked_at left join content.event on event.id = event_id and looked_at.due_at is not null
        order by event.id
      `.execute(tx);
    const taken = rows.filter((row) => row.id !== null);
    return { taken, hasMore: taken.length === most || rows.length === LOOKED_AT };
  }

  /**
   * Gives the events of a claim that have no cursor yet, or a stale one, this cursor, and returns all with
   * theirs: an event has the same at every attempt, also of another process that attempts it at this moment.
   */
  async setCursors(
    deliveries: readonly Delivery[],
    cursor: string,
    isStale: (cursor: string) => boolean,
  ): Promise<Delivery[]> {
    const renewed = deliveries.filter(({ event: { sync_cursor: own } }) => own === null || isStale(own));
    if (renewed.length === 0) return [...deliveries];
    const ids = renewed.map(({ event }) => event.id);
    const stale = renewed.flatMap(({ event }) => event.sync_cursor ?? []);
    const { rows } = await sql<Pick<StoredEvent, 'id' | 'sync_cursor'>>`
      update content.event set sync_cursor =
        case when sync_cursor is null or sync_cursor = any(${stale}::text[]) then ${cursor} else sync_cursor end
      where id in (select id from content.event where id = any(${ids}::bigint[]) order by id for no key update)
      returning id, sync_cursor
    `.execute(this.#db);
    const cursors = new Map(rows.map(({ id, sync_cursor }) => [id, sync_cursor]));
    return deliveries.flatMap((delivery) => {
      const { event } = delivery;
      if (!ids.includes(event.id)) return [delivery];
      const sync_cursor = cursors.get(event.id);
      // Events pruned in the meantime are not in the answer.
      return sync_cursor === undefined ? [] : [{ ...delivery, event: { ...event, sync_cursor } }];
    });
  }

  /** Notes that events were delivered to a hook. */
  async succeed(hookId: number, outcomes: readonly Outcome[]): Promise<void> {
    const ids = outcomes.map(({ delivery }) => delivery.event.id);
    const ends = outcomes.map(({ delivery }) => delivery.leaseEnd.toISOString());
    await this.#db.transaction().execute(async (tx) => {
      await this.#lock(tx, hookId, ids);
      await sql`
        delete from content.delivery
        using unnest(${ids}::bigint[], ${ends}::timestamptz[]) as delivered (event_id, lease_end)
        where hook_id = ${hookId} and delivery.event_id = delivered.event_id and due_at = lease_end
      `.execute(tx);
      await this.#log(tx, hookId, outcomes);
      await sql`
        update content.hook set failures = 0, resume_at = null where id = ${hookId} and failures > 0
      `.execute(tx);
    });
  }

  /**
   * Notes that an attempt has failed, and when the next ones are made: of this event, and of the hook. Both
   * have their own pauses, so that one event that is always refused does not keep the others; a hook that has
   * taken others meanwhile (`isAlive`) has none. Returns why the hook was paused, if that was the last one.
   */
  fail(outcome: Outcome, isAlive: boolean): Promise<string | undefined> {
    const { delivery, attempt } = outcome;
    const { hook, event, attempts, leaseEnd } = delivery;
    return this.#db.transaction().execute(async (tx) => {
      await this.#lock(tx, hook.id, [event.id]);
      const [eventWait, hookWait] = [webhookWait(attempts + 1), webhookWait(hook.failures + 1)];
      await sql`
        update content.delivery set attempts = attempts + 1, due_at = ${this.#in(eventWait ?? 0)}
        where event_id = ${event.id} and hook_id = ${hook.id} and due_at = ${leaseEnd}
      `.execute(tx);
      await this.#log(tx, hook.id, [outcome]);
      // Of failures in parallel, one counts.
      await sql`
        update content.hook set failures = failures + 1, resume_at = ${this.#in(hookWait ?? 0)}
        where id = ${hook.id} and failures = ${hook.failures} and not ${isAlive}::boolean
      `.execute(tx);
      const isOver = eventWait === undefined || hookWait === undefined;
      if (attempt.status !== 410 && !isOver) return undefined;
      const reason = isOver
        ? `${event.type} has failed for three days: ${attempt.fault}`
        : `${attempt.fault}`;
      await this.#pause(tx, hook.id, isOver ? 'receiver_failing' : 'receiver_gone', reason);
      return reason;
    });
  }

  /** Pauses a hook that nothing can be delivered to, until an operator resumes it. */
  async pause(hookId: number, code: PauseCode, reason: string): Promise<void> {
    await this.#pause(this.#db, hookId, code, reason);
  }

  /** Releases a delivery that was claimed and not attempted to its end. */
  async release({ hook, event, leaseEnd }: Delivery): Promise<void> {
    await sql`
      update content.delivery set due_at = ${this.#in(0)}
      where event_id = ${event.id} and hook_id = ${hook.id} and due_at = ${leaseEnd}
    `.execute(this.#db);
  }

  /**
   * Deletes the events that have been kept long enough, with what is left of their deliveries, in small
   * steps, and returns how many there were.
   */
  prune(signal?: AbortSignal): Promise<number> {
    const step = () => this.#db.transaction().execute((tx) => this.#pruneStep(tx));
    return pruneInSteps(PRUNE_STEP, step, signal);
  }

  async #pruneStep(tx: Kysely<ContentTables>): Promise<number> {
    await sql`select from content.hook order by id for no key update`.execute(tx);
    const { numAffectedRows = 0n } = await sql`
      delete from content.event where id in (
        select id from content.event order by id limit ${PRUNE_STEP} for update skip locked
      ) and happened_at <= ${this.#in(0)} - ${KEEP_DAYS} * interval '1 day'
    `.execute(tx);
    return Number(numAffectedRows);
  }

  /**
   * In how many ms something is due that was not at `since`, when the due hooks were read; undefined for
   * never, unless something changes.
   */
  async idleMs(since: Date): Promise<number | undefined> {
    const { rows } = await sql<{ ms: number | null }>`
      select extract(epoch from min(moment) - ${this.#in(0)})::float8 * 1000 as ms from (
        select case when resume_at > ${since} then resume_at else (
          select min(due_at) from content.delivery where hook_id = hook.id and due_at > ${since}
        ) end as moment
        from content.hook where paused_at is null
      ) as moments
    `.execute(this.#db);
    return rows[0]?.ms ?? undefined;
  }

  #in(seconds: number): RawBuilder<Date> {
    return secondsFromNow(seconds + this.#aheadMs() / 1000);
  }

  /** Locks in the order of everything else, the removal of a hook and of an event among it. */
  async #lock(tx: Kysely<ContentTables>, hookId: number, eventIds: readonly number[]): Promise<void> {
    await sql`select from content.hook where id = ${hookId} for no key update`.execute(tx);
    await sql`
      select from content.event where id = any(${eventIds}::bigint[]) order by id for key share
    `.execute(tx);
  }

  async #log(tx: Kysely<ContentTables>, hookId: number, outcomes: readonly Outcome[]): Promise<void> {
    const ids = outcomes.map(({ delivery }) => delivery.event.id);
    const attempts = outcomes.map(({ attempt }) => attempt);
    await sql`
      insert into content.delivery_attempt (event_id, hook_id, duration_ms, status, fault, answer)
      select event.id, hook.id, duration_ms, status, fault, answer
      from unnest(
        ${ids}::bigint[], ${attempts.map(({ durationMs }) => durationMs)}::integer[],
        ${attempts.map(({ status }) => status)}::integer[], ${attempts.map(({ fault }) => fault)}::text[],
        ${attempts.map(({ answer }) => answer)}::text[]
      ) as attempt (event_id, duration_ms, status, fault, answer)
      join content.event on event.id = attempt.event_id join content.hook on hook.id = ${hookId}
    `.execute(tx);
  }

  async #pause(db: Kysely<ContentTables>, hookId: number, code: PauseCode, reason: string): Promise<void> {
    await sql`
      update content.hook set paused_at = ${this.#in(0)}, pause_reason = ${reason}, pause_code = ${code}
      where id = ${hookId} and paused_at is null
    `.execute(db);
  }
}
