import type { Logger } from '@pressroom/common/log/logging';
import { reasonOf } from '@pressroom/common/start/reason';
import type { Transaction } from 'kysely';
import { fromKysely, type Job, type JobInsert, PgBoss, type QueueResult } from 'pg-boss';
import type { NewsTables } from '../../tables.ts';

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
  /** At most two jobs of a group run at once, on all workers. */
  group?: string;
}

/** How many jobs of each queue a worker carries out at once. */
const CONCURRENCY: Record<JobName, number> = { poll: 16, edit: 4, schedule: 2, websub: 1 };

/** At most this many requests to a host at once. */
const REQUESTS_PER_HOST = 2;

/**
 * Jobs whose worker is gone are noticed within 40 s; failed ones are tried again after 5 s, then twice as
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
      // How soon jobs are noticed whose worker is gone.
      superviseIntervalSeconds: 10,
      monitorIntervalSeconds: 10,
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
    await this.#boss.supervise();
  }

  /** Begins to carry out jobs. */
  async work(handlers: JobHandlers): Promise<void> {
    for (const name of Object.keys(CONCURRENCY) as JobName[]) {
      await this.#boss.work(
        name,
        {
          localConcurrency: CONCURRENCY[name],
          pollingIntervalSeconds: 0.5,
          ...(name === 'poll' && { groupConcurrency: REQUESTS_PER_HOST }),
        },
        async ([job]: Job<JobData[typeof name]>[]) => {
          if (job !== undefined) await handlers[name](job.data as never, job.signal);
        },
      );
    }
  }

  /** Sends jobs, in the transaction if one is given; those whose key is queued already are left out. */
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
