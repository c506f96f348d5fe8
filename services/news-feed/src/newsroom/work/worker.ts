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
import { dueWork, hasAbandonedJobs, isDueEntry, isDueSource } from './due-work.ts';
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

/** How often a worker shows that it runs, and looks for those that no longer do, in ms. */
const WATCH_MS = 10_000;

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
  #watchedAt = Number.NEGATIVE_INFINITY;
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
    this.#parts.writing.hurry();
    await this.#parts.jobs.stop(graceMs);
    await this.#parts.db
      .deleteFrom('news.worker')
      .where('id', '=', this.#id)
      .execute()
      .catch(() => undefined);
  }

  /** Queues everything that is due. */
  async tick(): Promise<void> {
    const { db, clock, jobs, schedules, subscriber, digests } = this.#parts;
    await this.#watch();
    const due = await dueWork(db, schedules, clock());
    if (due.sources) await this.#queueSources();
    if (due.entries) await this.#queueEntries();
    if (due.schedules) await this.#queueSchedules();
    const asksHubs = subscriber !== undefined && due.subscriptions;
    if (asksHubs) await jobs.send('websub', [{ data: {}, key: 'websub' }]);
    const rewrites = digests !== undefined && (await digests.areDue());
    if (rewrites) await jobs.send('digest', [{ data: {}, key: 'digest' }]);
    // Nobody has announced here what is tried again, or what another worker has queued.
    for (const queue of due.queues) jobs.wake(queue);
    const isBusy =
      due.sources || due.entries || due.schedules || asksHubs || rewrites || due.queues.length > 0;
    this.#restful = isBusy ? 0 : this.#restful + 1;
  }

  /** Shows `newsroom status` that this worker runs, and takes over what one that is gone had in hand. */
  async #watch(): Promise<void> {
    const { db, jobs } = this.#parts;
    if (performance.now() - this.#watchedAt < WATCH_MS) return;
    await db
      .insertInto('news.worker')
      .values({ id: this.#id, host: hostname(), pid: process.pid })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql<Date>`clock_timestamp()` }))
      .execute();
    if (await hasAbandonedJobs(db)) await jobs.reclaim();
    this.#watchedAt = performance.now();
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

  async #queueSources(): Promise<void> {
    const { db, clock, jobs } = this.#parts;
    await db.transaction().execute(async (tx) => {
      const now = clock();
      const { rows } = await sql<{ id: number; url: string }>`
        update news.source set queued_until = ${inSeconds(now, QUEUED_SECONDS)}
        where id in (
          select id from news.source where ${isDueSource(now)}
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
    });
    jobs.wake('poll');
  }

  async #queueEntries(): Promise<void> {
    const { db, clock, jobs } = this.#parts;
    const rows = await db
      .selectFrom('news.source_entry')
      .select('source_id')
      .distinct()
      .where(isDueEntry(clock()))
      .limit(SOURCES_PER_TICK)
      .execute();
    const orders = rows.map(({ source_id }) => ({ data: { sourceId: source_id }, key: String(source_id) }));
    await jobs.send('edit', orders);
  }

  async #queueSchedules(): Promise<void> {
    const { db, clock, jobs, schedules } = this.#parts;
    await db.transaction().execute(async (tx) => {
      const names = await takeDueSchedules(tx, schedules, clock());
      await jobs.send(
        'schedule',
        names.map((name) => ({ data: { name }, key: name })),
        tx,
      );
    });
    jobs.wake('schedule');
  }

  #handlers(): JobHandlers {
    const { log, schedules, db, clock, jobs, subscriber, digests } = this.#parts;
    const polling = { ...this.#parts, subscribes: subscriber !== undefined };
    return {
      poll: async ({ sourceId }, signal) => {
        const outcome = await pollSource(polling, sourceId, signal);
        if (outcome.kind !== 'skipped') log.info({ sourceId, ...outcome }, 'source_polled');
        // In a job of its own: this one keeps a place among the polls of its host.
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
