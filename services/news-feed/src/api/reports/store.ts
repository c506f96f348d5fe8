import { type Kysely, sql } from 'kysely';
import { PERIOD_RULES, type Period, type PeriodRules } from '../../period.ts';
import { type Report, withoutWithdrawn } from '../../report.ts';
import type { NewsTables } from '../../tables.ts';

/** A published report. */
export interface StoredReport {
  /** `YYYY-MM-DD`. */
  date: string;
  generated_at: Date;
  corrected_at: Date | null;
  window_start: Date;
  window_end: Date;
  report: Report;
}

/** The reports of one period in the database, without quotes of items that have been withdrawn since. */
export class ReportStore {
  readonly #db: Kysely<NewsTables>;
  readonly #table: PeriodRules['table'];

  constructor(db: Kysely<NewsTables>, period: Period) {
    this.#db = db;
    this.#table = PERIOD_RULES[period].table;
  }

  /** The newest reports with their leads, newest first. */
  async index(limit: number) {
    const rows = await this.#db
      .selectFrom(`${this.#table} as report` as const)
      .select([dateText, 'report.generated_at', sql<Report['lead']>`report.report -> 'lead'`.as('lead')])
      .orderBy(publicationDate, 'desc')
      .limit(limit)
      .execute();
    const shown = await this.#shown(rows.flatMap(({ lead }) => (lead === null ? [] : [lead.itemId])));
    return rows.map((row) => ({
      ...row,
      lead: row.lead !== null && shown.has(row.lead.itemId) ? row.lead : null,
    }));
  }

  /** The newest report; undefined if there is none yet. */
  async latest(): Promise<StoredReport | undefined> {
    const row = await this.#select().orderBy(publicationDate, 'desc').limit(1).executeTakeFirst();
    return row && this.#shownReport(row);
  }

  /** The newest reports in full, newest first. */
  async newest(limit: number): Promise<StoredReport[]> {
    const rows = await this.#select().orderBy(publicationDate, 'desc').limit(limit).execute();
    const shown = await this.#shown([...new Set(rows.flatMap(({ item_ids }) => item_ids))]);
    return rows.map(({ item_ids: _, ...stored }) => ({
      ...stored,
      report: withoutWithdrawn(stored.report, shown),
    }));
  }

  /** The report for a date; undefined if it does not exist. */
  async read(date: string): Promise<StoredReport | undefined> {
    const row = await this.#select().where(publicationDate, '=', day(date)).executeTakeFirst();
    return row && this.#shownReport(row);
  }

  #select() {
    return this.#db
      .selectFrom(`${this.#table} as report` as const)
      .select([
        dateText,
        'report.generated_at',
        'report.corrected_at',
        'report.window_start',
        'report.window_end',
        'report.item_ids',
      ])
      .select(sql<Report>`report.report`.as('report'));
  }

  async #shownReport({ item_ids, ...daily }: StoredReport & { item_ids: string[] }): Promise<StoredReport> {
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

/** The column, not the text of the same name that is selected. */
const publicationDate = sql.ref<Date>('report.date');

/** The driver would turn a `date` into a local time. */
const dateText = sql<string>`to_char(report.date, 'YYYY-MM-DD')`.as('date');

/** A calendar date as a PostgreSQL `date`. */
function day(date: string) {
  return sql<Date>`${date}::date`;
}
