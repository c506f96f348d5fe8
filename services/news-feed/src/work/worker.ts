import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import { isDatabaseAway } from '@pressroom/common/database/database';
import { RENEW_MS } from '@pressroom/common/database/leases';
import type { Logger } from '@pressroom/common/log/logging';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../calendar.ts';
import type { ModelDigests } from '../grouping/model-digests.ts';
import { isUnread } from '../reading/reader.ts';
import { askHubs, type SubscriberParts } from '../reading/websub.ts';
import type { NewsSettings } from '../settings.ts';
import type { NewsTables } from '../tables.ts';
import { transactWithRetries } from '../transactions.ts';
import { type EditParts, editEntries } from './edit-entries.ts';
import { isDueEntry } from './entries.ts';
import { JobSlots } from './job-slots.ts';
import { claimSource, isDueSource, releaseSource, renewSources } from './leases.ts';
import { type PollParts, pollSource } from './poll-source.ts';
import {
  claimSchedules,
  delaySchedule,
  dueSchedules,
  finishSchedule,
  renewSchedules,
  runSchedule,
  type Schedule,
  type Timing,
} from './schedules.ts';

/** Pauses of a worker before it looks for due work again, in ms. */
interface Pauses {
  busyMs: number;
  /** Once nothing has been due for {@link RESTFUL_TICKS} times. */
  restMs: number;
}

/** The pauses of a worker; what is to begin at once ends them. */
const PAUSES: Pauses = { busyMs: 1000, restMs: 5000 };

const RESTFUL_TICKS = 10;

/** Interval of the looks for notices, in ms. */
const NOTICE_MS = 30_000;

export interface WorkerParts extends Omit<PollParts, 'subscribes'>, EditParts {
  /** Asks hubs to announce changes; absent without a public address. */
  subscriber?: SubscriberParts | undefined;
  /** Has a model rewrite digests; absent without a model. */
  digests?: ModelDigests | undefined;
  /** Sends notices to operators; absent if none are configured. */
  notices?: { collect: () => Promise<void>; send: (signal: AbortSignal) => Promise<number> } | undefined;
  db: Kysely<NewsTables>;
  /** Database on which to listen for work that begins at once. */
  databaseUrl: string;
  clock: Clock;
  schedules: readonly Schedule[];
  /** By which the schedules go. */
  settings: Pick<NewsSettings, 'follow'>;
  pauses?: Pauses;
  log: Logger;
}

/** Done whenever the digest of a story may be rewritten, by one worker at a time: each request costs. */
const DIGESTS: Timing = { name: 'digests', latest: (now) => now };

/**
 * Polls sources, makes items of their entries, and keeps the schedules. Any number of workers run on a
 * database: each takes what is due by a lease on its row, which ends by itself. Everything may be repeated,
 * so a worker that is killed only delays what it was doing.
 */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #id = randomUUID();
  readonly #listener: ChangeListener;
  /** Aborted when what is in hand is to be given up. */
  readonly #givingUp = new AbortController();
  readonly #polls: JobSlots<number>;
  readonly #edits: JobSlots<number>;
  /** The sources that were edited, least recently first: one that floods does not keep the others waiting. */
  readonly #edited = new Set<number>();
  readonly #schedules: JobSlots<string>;
  readonly #hubs: JobSlots<string>;
  readonly #digests: JobSlots<string>;
  readonly #notices: JobSlots<string>;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  /** Ends the pause before the next look. */
  #woken = new AbortController();
  #watchedAt = Number.NEGATIVE_INFINITY;
  #noticedAt = Number.NEGATIVE_INFINITY;
  /** Successive looks that found nothing due. */
  #restful = 0;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { databaseUrl: url, log } = parts;
    const onDone = () => this.wake();
    const places = { onDone, signal: this.#givingUp.signal, log };
    this.#polls = new JobSlots({ kind: 'poll', most: 16, ...places });
    this.#edits = new JobSlots({ kind: 'edit', most: 4, ...places });
    this.#schedules = new JobSlots({ kind: 'schedule', most: 2, ...places });
    this.#hubs = new JobSlots({ kind: 'websub', most: 1, ...places });
    this.#digests = new JobSlots({ kind: 'digest', most: 1, ...places });
    this.#notices = new JobSlots({ kind: 'notice', most: 1, ...places });
    const applicationName = 'pressroom newsroom worker';
    this.#listener = new ChangeListener({
      url,
      applicationName,
      channel: 'newsroom_due',
      onChange: onDone,
      log,
    });
  }

  async start(): Promise<void> {
    await this.#watch();
    this.#listener.start();
    this.#running = this.#run();
  }

  /** Stops looking for work, and lets what is in hand end for `graceMs` at most. */
  async stop(graceMs: number): Promise<void> {
    this.#stopped = true;
    this.wake();
    await Promise.all([this.#running, this.#listener.close()]);
    this.#parts.writing.hurry();
    const timer = setTimeout(() => this.#givingUp.abort(), graceMs);
    const all = [this.#polls, this.#edits, this.#schedules, this.#hubs, this.#digests, this.#notices];
    await Promise.all(all.map((places) => places.ended()));
    clearTimeout(timer);
    await this.#parts.db
      .deleteFrom('news.worker')
      .where('id', '=', this.#id)
      .execute()
      .catch(() => undefined);
  }

  /** Has it look for work at once. */
  wake(): void {
    this.#woken.abort();
  }

  /** Begins what is due, as far as there are places. */
  async tick(): Promise<void> {
    const { db, clock, schedules, settings, subscriber, digests } = this.#parts;
    if (performance.now() - this.#watchedAt >= RENEW_MS) await this.#watch();
    await settings.follow(db);
    // Before the schedules: what was missed is made good then.
    if (performance.now() - this.#noticedAt >= NOTICE_MS) await this.#notice();
    const due = await dueWork(db, schedules, clock());
    if (due.sources) await this.#beginPolls();
    if (due.entries) await this.#beginEdits();
    if (due.schedules) await this.#beginSchedules();
    const asksHubs = subscriber !== undefined && due.subscriptions;
    if (asksHubs && this.#hubs.free > 0) {
      this.#hubs.begin('websub', async (signal) => {
        while ((await askHubs(subscriber, signal)) > 0);
        return true;
      });
    }
    const rewrites = digests !== undefined && this.#digests.free > 0 && (await digests.areDue());
    if (rewrites) {
      const [name] = await claimSchedules(db, this.#id, [DIGESTS], 1, clock());
      if (name !== undefined) {
        this.#digests.begin(name, (signal) => this.#attempt(name, signal, () => digests.rewrite(signal)));
      }
    }
    const isBusy = due.sources || due.entries || due.schedules || asksHubs || rewrites;
    this.#restful = isBusy ? 0 : this.#restful + 1;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      // The look that begins now may miss anything announced from here on.
      this.#woken = new AbortController();
      const { signal } = this.#woken;
      await this.tick().catch((error: unknown) => {
        this.#parts.log.warn({ err: error }, isDatabaseAway(error) ? 'database_away' : 'tick_failed');
      });
      const { busyMs, restMs } = this.#parts.pauses ?? PAUSES;
      const pauseMs = this.#restful > RESTFUL_TICKS ? restMs : busyMs;
      if (!this.#stopped) await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Shows `newsroom status` that this worker runs, and keeps what it has in hand. */
  async #watch(): Promise<void> {
    const { db } = this.#parts;
    await db
      .insertInto('news.worker')
      .values({ id: this.#id, host: hostname(), pid: process.pid })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql<Date>`clock_timestamp()` }))
      .execute();
    await renewSources(db, this.#id, this.#polls.keys);
    await renewSchedules(db, this.#id, [...this.#schedules.keys, ...this.#digests.keys]);
    this.#watchedAt = performance.now();
  }

  async #notice(): Promise<void> {
    const { notices } = this.#parts;
    if (notices === undefined) return;
    await notices.collect();
    this.#noticedAt = performance.now();
    if (this.#notices.free > 0) {
      this.#notices.begin('notices', async (signal) => (await notices.send(signal)) > 0);
    }
  }

  async #beginPolls(): Promise<void> {
    const { db, clock, log, subscriber } = this.#parts;
    const parts = { ...this.#parts, subscribes: subscriber !== undefined };
    while (this.#polls.free > 0) {
      const sourceId = await claimSource(db, this.#id, clock(), this.#polls.keys);
      if (sourceId === undefined) return;
      this.#polls.begin(sourceId, async (signal) => {
        const outcome = await pollSource(parts, sourceId, signal).catch(async (error: unknown) => {
          if (signal.aborted || isUnread(error)) await releaseSource(db, this.#id, sourceId);
          throw error;
        });
        if (outcome.kind === 'skipped') await releaseSource(db, this.#id, sourceId);
        else log.info({ sourceId, ...outcome }, 'source_polled');
        return true;
      });
    }
  }

  async #beginEdits(): Promise<void> {
    const { db, log } = this.#parts;
    while (this.#edits.free > 0) {
      const sourceId = await sourceToEdit(db, this.#edits.keys, [...this.#edited]);
      if (sourceId === undefined) return;
      this.#edited.delete(sourceId);
      this.#edited.add(sourceId);
      this.#edits.begin(sourceId, async (signal) => {
        const tally = await editEntries(this.#parts, sourceId, signal);
        if (tally.failed > 0) log.warn({ sourceId, ...tally }, 'entries_failed');
        // None, if another worker was faster.
        return tally.written + tally.failed > 0;
      });
    }
  }

  async #beginSchedules(): Promise<void> {
    const { db, clock, schedules, settings, log } = this.#parts;
    const names = await claimSchedules(db, this.#id, schedules, this.#schedules.free, clock());
    for (const schedule of schedules.filter(({ name }) => names.includes(name))) {
      const { name } = schedule;
      this.#schedules.begin(name, (signal) =>
        this.#attempt(name, signal, async () => {
          const now = clock();
          const ran = await transactWithRetries(db, async (tx) => {
            await settings.follow(tx);
            return runSchedule(tx, schedule, now);
          });
          if (ran) log.info({ name }, 'schedule_done');
        }),
      );
    }
  }

  /** Carries out what was claimed, and keeps whether it has failed. */
  async #attempt(name: string, signal: AbortSignal, run: () => Promise<void>): Promise<boolean> {
    const { db, clock, log } = this.#parts;
    try {
      await run();
    } catch (error) {
      if (signal.aborted) throw error;
      log.warn({ name, err: error }, 'schedule_failed');
      await delaySchedule(db, this.#id, name, error, clock());
      return true;
    }
    await finishSchedule(db, this.#id, name);
    return true;
  }
}

/** Work that is due. */
interface DueWork {
  sources: boolean;
  entries: boolean;
  /** True if the time of a schedule has come. */
  schedules: boolean;
  /** True if hubs have to be asked for subscriptions. */
  subscriptions: boolean;
}

/** Looks for everything at once: at rest, this is nearly all that a worker does. */
async function dueWork(db: Kysely<NewsTables>, schedules: readonly Schedule[], now: Date): Promise<DueWork> {
  const { rows } = await sql<DueWork>`
    select exists (select from news.source where ${isDueSource(now)}) as sources,
      exists (select from news.source_entry where ${isDueEntry()}) as entries,
      exists (${dueSchedules(schedules, now)}) as schedules,
      exists (select from news.websub_subscription where ask_at <= statement_timestamp()) as subscriptions
  `.execute(db);
  const [due] = rows;
  if (due === undefined) throw new Error('a query without a table has no row');
  return due;
}

/**
 * The source whose entries are to be edited next, without those that are in hand here: one that is not in
 * `edited`, whose entries have waited for longest, or else the first of `edited`.
 */
async function sourceToEdit(
  db: Kysely<NewsTables>,
  inHand: readonly number[],
  edited: readonly number[],
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select source.id from news.source, lateral (
      select retry_at from news.source_entry
      where source_id = source.id and ${isDueEntry()} order by retry_at limit 1
    ) as oldest
    where source.id <> all(${inHand}::bigint[])
    order by coalesce(array_position(${edited}::bigint[], source.id), 0), retry_at limit 1
  `.execute(db);
  return rows[0]?.id;
}
