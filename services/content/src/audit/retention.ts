import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@pressroom/common/log/logging';
import type { Kysely } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { pruneTrail } from './trail.ts';

/** The time between two runs, in ms. */
const PERIOD_MS = 3_600_000;

/** Removes what is old from the audit trail, now and then, while the service runs. */
export class AuditRetention {
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  /** @param days how long an entry is kept */
  constructor(db: Kysely<ContentTables>, days: number, log: Pick<Logger, 'info' | 'warn'>) {
    this.#done = this.#run(db, days, log);
  }

  /** Ends the work after the step in hand. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(db: Kysely<ContentTables>, days: number, log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // The first run is a period after the start, which has enough to do.
      await delay(PERIOD_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        const entries = await pruneTrail(db, days, signal);
        if (entries > 0) log.info({ entries }, 'audit_pruned');
      } catch (error) {
        log.warn({ err: error }, 'audit_not_pruned');
      }
    }
  }
}
