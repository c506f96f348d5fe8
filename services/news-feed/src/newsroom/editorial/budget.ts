import { type Kysely, sql } from 'kysely';
import { shanghaiDate } from '../../shanghai-calendar.ts';
import type { NewsTables } from '../../tables.ts';

/** What a model may be asked for on a day in Shanghai, by all workers together. */
export interface DailyBudget {
  requests: number;
  tokens: number;
}

/** What a model was asked for on a day. */
export type Spent = DailyBudget;

/** Counts what a model is asked for, in the database, so that workers share one budget. */
export class BudgetStore {
  readonly #db: Kysely<NewsTables>;
  readonly #budget: DailyBudget;

  constructor(db: Kysely<NewsTables>, budget: DailyBudget) {
    this.#db = db;
    this.#budget = budget;
  }

  /** Takes one request and an estimate of its tokens from the day's budget; false if that is not left. */
  async take(tokens: number, now: Date): Promise<boolean> {
    const { requests: mostRequests, tokens: mostTokens } = this.#budget;
    const { rows } = await sql`
      insert into news.editorial_budget as spent (day, requests, tokens)
      select ${shanghaiDate(now)}::date, 1, ${tokens}::bigint
      where ${mostRequests}::integer >= 1 and ${mostTokens}::bigint >= ${tokens}::bigint
      on conflict (day) do update set requests = spent.requests + 1, tokens = spent.tokens + excluded.tokens
      where spent.requests < ${mostRequests}::integer and spent.tokens + excluded.tokens <= ${mostTokens}::bigint
      returning day
    `.execute(this.#db);
    return rows.length > 0;
  }

  /** Replaces the estimate of a request by what it used. */
  async settle(estimate: number, used: number, now: Date): Promise<void> {
    await sql`
      update news.editorial_budget set tokens = greatest(0, tokens + ${used - estimate}::bigint)
      where day = ${shanghaiDate(now)}::date
    `.execute(this.#db);
  }
}

/** What was spent on the day of `now`. */
export async function spentOn(db: Kysely<NewsTables>, now: Date): Promise<Spent> {
  const { rows } = await sql<Spent>`
    select requests, tokens::float8 as tokens from news.editorial_budget where day = ${shanghaiDate(now)}::date
  `.execute(db);
  return rows[0] ?? { requests: 0, tokens: 0 };
}
