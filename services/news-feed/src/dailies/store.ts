import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../tables.ts';
import { type DailyReport, withoutWithdrawn } from './report.ts';

/** A published report. */
export interface StoredDaily {
  /** `YYYY-MM-DD` in Shanghai. */
  date: string;
  generated_at: Date;
  window_start: Date;
  window_end: Date;
  report: DailyReport;
}

/**
 * The daily reports in the database, without quotes of items that have been withdrawn since.
 */
export class DailyStore {
  readonly #db: Kysely<NewsTables>;

  constructor(db: Kysely<NewsTables>) {
    this.#db = db;
  }

  /** The newest reports with their leads, newest first. */
  async index(limit: number) {
    const rows = await this.#db
      .selectFrom('news.daily')
      .select([dateText, 'generated_at', sql<DailyReport['lead']>`report -> 'lead'`.as('lead')])
      .orderBy('news.daily.date', 'desc')
      .limit(limit)
      .execute();
    const shown = await this.#shown(rows.flatMap(({ lead }) => (lead === null ? [] : [lead.itemId])));
    return rows.map((row) => ({
      ...row,
      lead: row.lead !== null && shown.has(row.lead.itemId) ? row.lead : null,
    }));
  }

  /** The newest report; undefined if there is none yet. */
  async latest(): Promise<StoredDaily | undefined> {
    const row = await this.#select().orderBy('news.daily.date', 'desc').limit(1).executeTakeFirst();
    return row && this.#shownReport(row);
  }

  /** The report for a date; undefined if it does not exist. */
  async read(date: string): Promise<StoredDaily | undefined> {
    const row = await this.#select().where('news.daily.date', '=', day(date)).executeTakeFirst();
    return row && this.#shownReport(row);
  }

  #select() {
    return this.#db
      .selectFrom('news.daily')
      .select([dateText, 'generated_at', 'window_start', 'window_end', 'item_ids'])
      .select(sql<DailyReport>`report`.as('report'));
  }

  async #shownReport({ item_ids, ...daily }: StoredDaily & { item_ids: string[] }): Promise<StoredDaily> {
    return { ...daily, report: withoutWithdrawn(daily.report, await this.#shown(item_ids)) };
  }

  async #shown(ids: string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('news.item')
      .select('id')
      .where('id', '=', sql<string>`any(${ids})`)
      .where('withdrawn_at', 'is', null)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }
}

/** The driver would turn a `date` into a local time. */
const dateText = sql<string>`to_char(date, 'YYYY-MM-DD')`.as('date');

/** A calendar date as a PostgreSQL `date`. */
function day(date: string) {
  return sql<Date>`${date}::date`;
}
