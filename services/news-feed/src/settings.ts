import { DeskSettings, type DeskSettingsShown, type Made } from '@pressroom/common/start/desk-settings';
import type { Kysely } from 'kysely';
import type { Calendar } from './calendar.ts';
import type { NewsTables } from './tables.ts';

/** The settings that owners change at the desk. */
interface Values {
  reportZone: string;
  reportHour: number;
}

/** The environment's name for each. */
export const NEWS_VARIABLES = {
  reportZone: 'NEWS_REPORT_TIMEZONE',
  reportHour: 'NEWS_REPORT_HOUR',
} as const satisfies Record<keyof Values, string>;

/** What was set at the desk; null is what the environment gives. */
type MadeSettings = Made<Values>;

const COLUMNS = ['report_zone as reportZone', 'report_hour as reportHour'] as const;

const NOTHING_MADE: MadeSettings = { reportZone: null, reportHour: null };

interface NewsSettingsParts {
  environment: Values;
  /** Variables that the desk cannot change. */
  fixed: readonly string[];
  calendar: Calendar;
}

/**
 * The settings of the news, what was set at the desk before what the environment gives; a calendar follows.
 */
export class NewsSettings {
  readonly #rules: DeskSettings<Values>;
  readonly #calendar: Calendar;
  #asked = 0;
  #heard = 0;

  constructor({ environment, fixed, calendar }: NewsSettingsParts) {
    this.#rules = new DeskSettings({ environment, variables: NEWS_VARIABLES, fixed, fixedBy: 'NEWS_FIXED' });
    this.#calendar = calendar;
  }

  /** Has the calendar follow what the database says now. */
  async follow(db: Kysely<NewsTables>): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const made = await this.read(db);
    // An answer that was overtaken may be an older one.
    if (asked < this.#heard) return;
    this.#heard = asked;
    const { reportZone, reportHour } = this.#rules.values(made);
    this.#calendar.follow(reportZone, reportHour);
  }

  /** What was set at the desk. */
  async read(db: Kysely<NewsTables>): Promise<MadeSettings> {
    return (await db.selectFrom('news.settings').select(COLUMNS).executeTakeFirst()) ?? NOTHING_MADE;
  }

  /** Each setting, by what was set at the desk. */
  shown(made: MadeSettings): DeskSettingsShown<Values> {
    return this.#rules.shown(made);
  }

  /**
   * Changes the members that `change` has, and returns all that was set.
   *
   * @throws Failure `invalid` for one that the environment fixes, and whatever `precondition` throws
   */
  async change(
    db: Kysely<NewsTables>,
    change: Partial<MadeSettings>,
    precondition?: (made: MadeSettings) => void,
  ): Promise<MadeSettings> {
    this.#rules.refuseFixed(change);
    const { reportZone: report_zone, reportHour: report_hour } = change;
    return db.transaction().execute(async (tx) => {
      await tx
        .insertInto('news.settings')
        .defaultValues()
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const before = tx.selectFrom('news.settings').select(COLUMNS).forUpdate();
      precondition?.(await before.executeTakeFirstOrThrow());
      return tx
        .updateTable('news.settings')
        .set({ report_zone, report_hour })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
    });
  }
}
