import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isDatabaseAway } from '@pressroom/common/database/database-fault';
import { Failure } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import { reasonOf } from '@pressroom/common/start/reason';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import type { ModelDigests } from '../editorial/model-digests.ts';
import { inTransactions } from '../transactions.ts';
import { askHubs, type SubscriberParts } from '../websub/ask-hub.ts';
import { type EditParts, editEntries } from './edit-entries.ts';
import type { JobHandlers, Jobs } from './jobs.ts';
import { type PollParts, pollSource } from './poll-source.ts';
import { runSchedule, type Schedule, takeDueSchedules } from './schedules.ts';

/** How often a worker looks for what is due, in ms. */
const TICK_MS = 1000;

/** How often once nothing has been due for {@link RESTFUL_TICKS} times, in ms. */
const REST_MS = 5000;

const RESTFUL_TICKS = 10;

/** How long the job of a due source is taken to be on its way, in seconds. */
const QUEUED_SECONDS = 120;

/** How often a worker shows that it runs, in ms. */
const SEEN_MS = 10_000;

/** The most sources that one tick queues. */
const SOURCES_PER_TICK = 1000;

/** What a {@link Worker} works with. */
export interface WorkerParts extends Omit<PollParts, 'subscribes'>, EditParts {
  /** Asks hubs to announce changes; absent without a public address. */
  subscriber?: SubscriberParts | undefined;
  /** Has a model rewrite digests; absent without a model. */
  digests?: ModelDigests | undefined;
  db: Kysely<NewsTables>;
  clock: Clock;
  jobs: Jobs;
  schedules: readonly Schedule[];
  log: Logger;
}

/**
 * Polls sources, makes items of their entries, and keeps the schedules. Any number of workers run on a
 * database: what is due is marked and queued in one transaction, every job may be repeated, and what decides
 * is the state in the database, so a worker that is killed only delays what it was doing.
 */
export class Worker {
  readonly #parts: WorkerParts;
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #stopped = false;
  readonly #id = randomUUID();
  #seenAt = Number.NEGATIVE_INFINITY;
  /** How often in a row nothing was due. */
  #restful = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  /** Begins to work. */
  async start(): Promise<void> {
    await this.#parts.jobs.start();
    await this.#parts.jobs.work(this.#handlers());
    this.#schedule();
  }

  /** Stops looking for work, and lets the jobs at hand end for `graceMs` at most. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#ticking;
    await this.#parts.jobs.stop(graceMs);
    await this.#parts.db
      .deleteFrom('news.worker')
      .where('id', '=', this.#id)
      .execute()
      .catch(() => undefined);
  }

  /** Queues everything that is due. */
  async tick(): Promise<void> {
    await this.#beSeen();
    const due = [
      await this.#queueSources(),
      await this.#queueEntries(),
      await this.#queueSchedules(),
      await this.#queueSubscriptions(),
      await this.#queueDigests(),
    ];
    this.#restful = due.some((count) => count > 0) ? 0 : this.#restful + 1;
  }

  /** Shows `newsroom status` that this worker runs. */
  async #beSeen(): Promise<void> {
    if (performance.now() - this.#seenAt < SEEN_MS) return;
    await this.#parts.db
      .insertInto('news.worker')
      .values({ id: this.#id, host: hostname(), pid: process.pid })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql<Date>`clock_timestamp()` }))
      .execute();
    this.#seenAt = performance.now();
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#ticking = this.tick().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, isDatabaseAway(error) ? 'database_away' : 'tick_failed');
    });
    void this.#ticking.then(() => {
      const pauseMs = this.#restful > RESTFUL_TICKS ? REST_MS : TICK_MS;
      if (!this.#stopped) this.#timer = setTimeout(() => this.#schedule(), pauseMs);
    });
  }

  async #queueSources(): Promise<number> {
    const { db, clock, jobs } = this.#parts;
    const count = await db.transaction().execute(async (tx) => {
      const now = clock();
      const { rows } = await sql<{ id: number; url: string }>`
        update news.source set queued_until = ${inSeconds(now, QUEUED_SECONDS)}
        where id in (
          select id from news.source
          where state = 'active' and next_poll_at <= ${now}
            and (queued_until is null or queued_until <= ${now})
          order by next_poll_at limit ${SOURCES_PER_TICK} for update skip locked
        )
        returning id, url
      `.execute(tx);
      const orders = rows.map(({ id, url }) => ({
        data: { sourceId: id },
        key: String(id),
        group: new URL(url).host,
      }));
      await jobs.send('poll', orders, tx);
      return orders.length;
    });
    if (count > 0) jobs.wake('poll');
    return count;
  }

  async #queueEntries(): Promise<number> {
    const { db, clock, jobs } = this.#parts;
    const rows = await db
      .selectFrom('news.source_entry')
      .select('source_id')
      .distinct()
      .where('state', '=', 'pending')
      .where('retry_at', '<=', clock())
      .limit(SOURCES_PER_TICK)
      .execute();
    const orders = rows.map(({ source_id }) => ({ data: { sourceId: source_id }, key: String(source_id) }));
    await jobs.send('edit', orders);
    return orders.length;
  }

  async #queueSchedules(): Promise<number> {
    const { db, clock, jobs, schedules } = this.#parts;
    const count = await db.transaction().execute(async (tx) => {
      const names = await takeDueSchedules(tx, schedules, clock());
      await jobs.send(
        'schedule',
        names.map((name) => ({ data: { name }, key: name })),
        tx,
      );
      return names.length;
    });
    if (count > 0) jobs.wake('schedule');
    return count;
  }

  async #queueSubscriptions(): Promise<number> {
    const { db, clock, jobs, subscriber } = this.#parts;
    if (subscriber === undefined) return 0;
    const due = await db
      .selectFrom('news.websub_subscription')
      .select('token')
      .where('ask_at', '<=', clock())
      .limit(1)
      .execute();
    await jobs.send(
      'websub',
      due.map(() => ({ data: {}, key: 'websub' })),
    );
    return due.length;
  }

  async #queueDigests(): Promise<number> {
    const { digests, jobs } = this.#parts;
    if (digests === undefined || !(await digests.areDue())) return 0;
    await jobs.send('digest', [{ data: {}, key: 'digest' }]);
    return 1;
  }

  #handlers(): JobHandlers {
    const { log, schedules, db, clock, jobs, subscriber, digests } = this.#parts;
    const polling = { ...this.#parts, subscribes: subscriber !== undefined };
    return {
      poll: async ({ sourceId }, signal) => {
        const outcome = await pollSource(polling, sourceId, signal);
        if (outcome.kind !== 'skipped') log.info({ sourceId, ...outcome }, 'source_polled');
        // In a job of its own: this one keeps a place among the requests to its host.
        if (outcome.kind === 'read' && outcome.pending > 0) {
          await jobs.send('edit', [{ data: { sourceId }, key: String(sourceId) }]);
        }
      },
      edit: async ({ sourceId }, signal) => {
        const tally = await editEntries(this.#parts, sourceId, signal);
        if (tally.failed > 0) log.warn({ sourceId, ...tally }, 'entries_failed');
      },
      websub: async (_data, signal) => {
        if (subscriber !== undefined) while ((await askHubs(subscriber, signal)) > 0);
      },
      digest: async (_data, signal) => {
        await digests?.rewrite(signal);
      },
      schedule: async ({ name }) => {
        const schedule = schedules.find((one) => one.name === name);
        if (schedule === undefined)
          throw new Failure('missing', `schedule ${name} does not exist in this build`);
        try {
          const now = clock();
          const ran = await inTransactions(db)((tx) => runSchedule(tx, schedule, now));
          if (ran) log.info({ name }, 'schedule_done');
        } catch (error) {
          await recordScheduleFault(db, name, reasonOf(error), clock());
          throw error;
        }
      },
    };
  }
}

async function recordScheduleFault(
  db: Kysely<NewsTables>,
  name: string,
  reason: string,
  now: Date,
): Promise<void> {
  await db
    .updateTable('news.schedule')
    .set({ last_error: reason, last_error_at: now })
    .where('name', '=', name)
    .execute();
}

function inSeconds(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}
