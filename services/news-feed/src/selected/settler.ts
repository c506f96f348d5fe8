import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../tables.ts';

/** How many changes one pass numbers at most: a fraction of a second's work. */
export const SETTLE_BATCH = 5000;

/**
 * Gives committed changes their numbers in the ledger (docs/ledger.md). One pass works at a time in this
 * process; whoever asks meanwhile shares the one that follows, because the one under way may have begun
 * before the change that they are about.
 */
export class LedgerSettler {
  readonly #db: Kysely<NewsTables>;
  #underway: Promise<number> | undefined;
  #following: Promise<number> | undefined;

  constructor(db: Kysely<NewsTables>) {
    this.#db = db;
  }

  /**
   * Numbers what had been committed when this was called, up to a batch of it; returns how many changes it
   * took.
   */
  settle(): Promise<number> {
    if (this.#underway === undefined) return this.#pass();
    this.#following ??= this.#underway
      .catch(() => undefined)
      .then(() => {
        this.#following = undefined;
        return this.#pass();
      });
    return this.#following;
  }

  #pass(): Promise<number> {
    const pass = this.#settleOnce().finally(() => {
      if (this.#underway === pass) this.#underway = undefined;
    });
    this.#underway = pass;
    return pass;
  }

  async #settleOnce(): Promise<number> {
    const result = await sql<{ taken: number }>`
      select news.settle_ledger(${SETTLE_BATCH}) as taken
    `.execute(this.#db);
    return result.rows[0]?.taken ?? 0;
  }
}
