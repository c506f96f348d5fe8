import type { Logger } from '@pressroom/common/log/logging';
import { reasonOf } from '@pressroom/common/start/reason';
import type { Transaction } from 'kysely';
import { fromKysely, type Job, type JobInsert, PgBoss, type QueueResult } from 'pg-boss';
import type { NewsTables } from '../../tables.ts';
import { REQUESTS_PER_HOST } from './host-slots.ts';

/** The schema of the jobs (`migrations/0041_newsroom_jobs.sql`). */
export const JOBS_SCHEMA = 'newsroom_jobs';

/** The queues and what their jobs carry. */
export interface JobData {
  /** Polls a source. */
  poll: { sourceId: number };
  /** Makes items of the entries of a source. */
  edit: { sourceId: number };
  /** Carries out a schedule. */
  schedule: { name: string };
  /** Asks hubs for the subscriptions that are due. */
  websub: Record<string, never>;
  /** Has a model rewrite the digests of stories. */
  digest: Record<string, never>;
}

/** The name of a queue. */
export type JobName = keyof JobData;

/** What carries out the jobs of a queue; each job may be carried out more than once. */
export type JobHandlers = {
  [Name in JobName]: (data: JobData[Name], signal: AbortSignal) => Promise<void>;
};

/** A job that is to be sent. */
export interface JobOrder<Name extends JobName> {
  data: JobData[Name];
  /** Two jobs with the same key are not queued together. */
  key: string;
  /** About two jobs of a group run at once, so that one host does not hold every place. */
  group?: string;
}

/** How many jobs of each queue a worker carries out at once. */
const CONCURRENCY: Record<JobName, number> = { poll: 16, edit: 4, schedule: 2, websub: 1, digest: 1 };

/** How often a place looks for jobs by itself, in seconds: woken when there are any, it need hardly ever. */
const POLL_SECONDS = 3600;

/** How often pg-boss looks after its queues by itself, in s; {@link Jobs.reclaim} is for what is urgent. */
const UPKEEP_SECONDS = 600;

/** How often jobs that have ended are removed, in seconds. */
const REMOVAL_SECONDS = 3600;

/** How often what other packages use pg-boss for is looked for, in seconds: jobs that wait for other jobs. */
const FLOW_SECONDS = 86_400;

/**
 * Jobs whose worker is gone may be noticed after 30 s; failed ones are tried again after 5 s, then twice as
 * long each time with jitter, up to 10 minutes.
 */
const QUEUE = {
  policy: 'short',
  retryLimit: 10,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 600,
  heartbeatSeconds: 30,
  expireInSeconds: 3600,
  retentionSeconds: 86_400,
  deleteAfterSeconds: 3600,
} as const;

/** Where a worker carries out the jobs of a queue, one after the other. */
interface Place {
  /** By which pg-boss knows it; empty before it has begun. */
  id: string;
  busy: boolean;
}

/** What {@link Jobs} works with. */
export interface JobsOptions {
  databaseUrl: string;
  /** The most connections of the queue's own pool. */
  poolSize: number;
  log: Logger;
}

/** The queues of the newsroom, on the same PostgreSQL as the rest. */
export class Jobs {
  readonly #boss: PgBoss;
  /** The places of each queue: a job at a time is carried out in each. */
  readonly #places = new Map<JobName, Place[]>();

  constructor({ databaseUrl, poolSize, log }: JobsOptions) {
    this.#boss = new PgBoss({
      connectionString: databaseUrl,
      application_name: 'pressroom newsroom jobs',
      max: poolSize,
      schema: JOBS_SCHEMA,
      // The migrations make the schema, and the schedules are the newsroom's own.
      createSchema: false,
      migrate: false,
      schedule: false,
      superviseIntervalSeconds: UPKEEP_SECONDS,
      queueCacheIntervalSeconds: UPKEEP_SECONDS,
      maintenanceIntervalSeconds: REMOVAL_SECONDS,
      flowIntervalSeconds: FLOW_SECONDS,
      // How often workers may reclaim.
      monitorIntervalSeconds: 5,
      // It needs a table's owner.
      reindex: false,
    });
    this.#boss.on('error', (error) => log.warn({ err: error }, 'jobs_failed'));
    this.#boss.on('warning', (warning) => log.warn({ warning }, 'jobs_warning'));
  }

  /** Connects, and makes the queues that do not exist. */
  async start(): Promise<void> {
    await this.#boss.start();
    for (const name of Object.keys(CONCURRENCY)) await this.#boss.createQueue(name, QUEUE);
    // What a killed worker had in hand would otherwise keep its place for another while.
    await this.reclaim();
  }

  /** Queues the jobs again whose worker is gone, unless another worker has just done so. */
  async reclaim(): Promise<void> {
    await this.#boss.supervise();
  }

  /** Begins to carry out jobs. */
  async work(handlers: JobHandlers): Promise<void> {
    for (const name of Object.keys(CONCURRENCY) as JobName[]) {
      const places = Array.from({ length: CONCURRENCY[name] }, (): Place => ({ id: '', busy: false }));
      this.#places.set(name, places);
      for (const place of places) place.id = await this.#workIn(place, name, handlers);
    }
  }

  async #workIn(place: Place, name: JobName, handlers: JobHandlers): Promise<string> {
    const options = {
      pollingIntervalSeconds: POLL_SECONDS,
      ...(name === 'poll' && { groupConcurrency: REQUESTS_PER_HOST }),
    };
    return this.#boss.work(name, options, async ([job]: Job<JobData[typeof name]>[]) => {
      if (job === undefined) return;
      place.busy = true;
      // Where there is one job there may be more: for the next place now, and for this one after the job.
      this.wake(name);
      this.#boss.notifyWorker(place.id);
      try {
        await handlers[name](job.data as never, job.signal);
      } finally {
        place.busy = false;
      }
    });
  }

  /** Has a place look for jobs of a queue at once. */
  wake(name: JobName): void {
    const place = this.#places.get(name)?.find(({ id, busy }) => id !== '' && !busy);
    if (place !== undefined) this.#boss.notifyWorker(place.id);
  }

  /**
   * Sends jobs, in the transaction if one is given; those whose key is queued already are left out. After a
   * transaction the caller has to {@link wake} the queue.
   */
  async send<Name extends JobName>(
    name: Name,
    orders: readonly JobOrder<Name>[],
    tx?: Transaction<NewsTables>,
  ): Promise<void> {
    if (orders.length === 0) return;
    const jobs = orders.map(
      ({ data, key, group }): JobInsert => ({
        data,
        singletonKey: key,
        ...(group !== undefined && { group: { id: group } }),
      }),
    );
    await this.#boss.insert(name, jobs, tx && { db: fromKysely(tx) });
    if (tx === undefined) this.wake(name);
  }

  /** The queues with the numbers of their jobs. */
  queues(): Promise<QueueResult[]> {
    return this.#boss.getQueues();
  }

  /** Lets the jobs at hand end, for `graceMs` at most, and closes the connections. */
  async stop(graceMs: number): Promise<void> {
    await this.#boss.stop({ graceful: true, timeout: graceMs, close: true });
  }
}

/** Why a job cannot begin, for a person; for errors of {@link Jobs.start}. */
export function jobsFault(error: unknown): string {
  return `the jobs cannot be read (${reasonOf(error)}); run \`pnpm migrate\` first`;
}
