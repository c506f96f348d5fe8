import { lockUntilCommit } from '@pressroom/common/database/database';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Calendar } from '../../calendar.ts';
import type { NewsTables } from '../../tables.ts';
import { PARTS } from './shares.ts';

/** What a model may be asked for on a day, by all workers together. */
export interface DailyBudget {
  requests: number;
  tokens: number;
}

/** What a model was asked for on a day. */
export type Spent = DailyBudget;

/** For whom a model is asked: each has its own part of the budget, so that none uses up the whole. */
export type Spender = { sourceId: number } | 'digests';

/** Into how many parts the budget is divided, of which digests have one, and articles the others. */
const PARTS_WITH_DIGESTS: RawBuilder<number> = sql.lit(2);

/** Counts what a model is asked for, in the database, so that workers share one budget. */
export class BudgetStore {
  readonly #db: Kysely<NewsTables>;
  readonly #budget: DailyBudget;
  readonly #calendar: Calendar;

  constructor(db: Kysely<NewsTables>, calendar: Calendar, budget: DailyBudget) {
    this.#db = db;
    this.#calendar = calendar;
    this.#budget = budget;
  }

  /**
   * Takes one request and an estimate of its tokens from the day's budget; false if that is not left, or not
   * for this spender. Everybody has a first request a day, while the budget lasts.
   */
  take(spender: Spender, tokens: number, now: Date): Promise<boolean> {
    const { requests: mostRequests, tokens: mostTokens } = this.#budget;
    const day = this.#calendar.date(now);
    const parts = spender === 'digests' ? PARTS_WITH_DIGESTS : PARTS;
    return this.#db.transaction().execute(async (tx) => {
      await lockUntilCommit(tx, 'count the budget');
      const { rows } = await sql`
        with own as (
          select coalesce(max(requests), 0) as requests, coalesce(max(tokens), 0) as tokens, ${parts} as parts
          from news.editorial_share where day = ${day}::date and spender = ${nameOf(spender)}
        ), total as (
          insert into news.editorial_budget as spent (day, requests, tokens)
          select ${day}::date, 1, ${tokens}::bigint from own
          where ${mostRequests}::integer >= 1 and ${mostTokens}::bigint >= ${tokens}::bigint and (
            own.requests = 0 or (
              own.requests < ceil(${mostRequests}::float8 / parts)
              and own.tokens + ${tokens}::bigint <= ${mostTokens}::float8 / parts
            )
          )
          on conflict (day) do update set requests = spent.requests + 1, tokens = spent.tokens + excluded.tokens
          where spent.requests < ${mostRequests}::integer and spent.tokens + excluded.tokens <= ${mostTokens}::bigint
          returning day
        )
        insert into news.editorial_share as own (day, spender, requests, tokens)
        select day, ${nameOf(spender)}, 1, ${tokens}::bigint from total
        on conflict (day, spender) do update
          set requests = own.requests + 1, tokens = own.tokens + excluded.tokens
        returning day
      `.execute(tx);
      return rows.length > 0;
    });
  }

  /** Replaces the estimate of a request by what it used. */
  async settle(spender: Spender, estimate: number, used: number, now: Date): Promise<void> {
    const day = this.#calendar.date(now);
    await sql`
      with own as (
        update news.editorial_share set tokens = greatest(0, tokens + ${used - estimate}::bigint)
        where day = ${day}::date and spender = ${nameOf(spender)}
      )
      update news.editorial_budget set tokens = greatest(0, tokens + ${used - estimate}::bigint)
      where day = ${day}::date
    `.execute(this.#db);
  }
}

/** A spender as `news.editorial_share` names it. */
function nameOf(spender: Spender): string {
  return spender === 'digests' ? spender : `source ${spender.sourceId}`;
}

/** What was spent on a day, `YYYY-MM-DD`. */
export async function spentOn(db: Kysely<NewsTables>, day: string): Promise<Spent> {
  const { rows } = await sql<Spent>`
    select requests, tokens::float8 as tokens from news.editorial_budget where day = ${day}::date
  `.execute(db);
  return rows[0] ?? { requests: 0, tokens: 0 };
}
