import { LoadsInTurn } from '@pressroom/common/concurrency/loads-in-turn';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** The maximum number of changes that one pass numbers: a fraction of a second's work. */
export const SETTLE_BATCH = 5000;

/**
 * Assigns committed changes their numbers in the ledger (docs/ledger.md). Only one pass runs at a time in
 * this process. Callers that arrive during a pass share the next one, because the current one may have begun
 * before the changes that they need.
 */
export class LedgerSettler {
  readonly #db: Kysely<NewsTables>;
  readonly #passes = new LoadsInTurn<number>();

  constructor(db: Kysely<NewsTables>) {
    this.#db = db;
  }

  /**
   * Numbers the changes that had been committed when this was called, at most one batch, and returns how many
   * there were.
   */
  settle(): Promise<number> {
    return this.#passes.load('ledger', () => this.#settleOnce());
  }

  async #settleOnce(): Promise<number> {
    const result = await sql<{ taken: number }>`
      select news.settle_ledger(${SETTLE_BATCH}) as taken
    `.execute(this.#db);
    return result.rows[0]?.taken ?? 0;
  }
}
