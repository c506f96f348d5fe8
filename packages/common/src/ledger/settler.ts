import { type QueryExecutorProvider, sql } from 'kysely';
import { LoadsInTurn } from '../concurrency/loads-in-turn.ts';

/** The maximum number of changes that one pass numbers: a fraction of a second's work. */
export const SETTLE_BATCH = 5000;

/**
 * Assigns committed changes their numbers in the ledger of a schema (docs/ledger.md). Only one pass runs at a
 * time in this process. Callers that arrive during a pass share the next one, because the current one may
 * have begun before the changes that they need.
 */
export class LedgerSettler {
  readonly #db: QueryExecutorProvider;
  readonly #schema: string;
  readonly #passes = new LoadsInTurn<number>();

  constructor(db: QueryExecutorProvider, schema: string) {
    this.#db = db;
    this.#schema = schema;
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
      select ${sql.id(this.#schema, 'settle_ledger')}(${SETTLE_BATCH}) as taken
    `.execute(this.#db);
    return result.rows[0]?.taken ?? 0;
  }
}
