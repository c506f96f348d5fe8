import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../tables.ts';

/** The maximum number of changes that one pass numbers: a fraction of a second's work. */
export const SETTLE_BATCH = 5000;

/** A pass that has failed after this long, in ms, is not followed by another: PostgreSQL hangs. */
const PATIENCE_MS = 2000;

/**
 * Assigns committed changes their numbers in the ledger (docs/ledger.md). Only one pass runs at a time in
 * this process. Callers that arrive during a pass share the next one, because the current one may have begun
 * before the changes that they need.
 */
export class LedgerSettler {
  readonly #db: Kysely<NewsTables>;
  #underway: Promise<number> | undefined;
  /** When the pass that is underway began, by `performance.now()`. */
  #begun = 0;
  #following: Promise<number> | undefined;

  constructor(db: Kysely<NewsTables>) {
    this.#db = db;
  }

  /**
   * Numbers the changes that had been committed when this was called, at most one batch, and returns how many
   * there were.
   */
  settle(): Promise<number> {
    if (this.#underway === undefined) return this.#pass();
    this.#following ??= this.#follow(this.#underway);
    return this.#following;
  }

  async #follow(underway: Promise<number>): Promise<number> {
    const begun = this.#begun;
    try {
      await underway;
    } catch (error) {
      // Callers have waited for this pass; the next one would fail as slowly.
      if (performance.now() - begun > PATIENCE_MS) throw error;
    } finally {
      this.#following = undefined;
    }
    return this.#pass();
  }

  #pass(): Promise<number> {
    this.#begun = performance.now();
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
