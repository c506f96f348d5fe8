import { DeskSettings, type DeskSettingsShown, type Made } from '@pressroom/common/start/desk-settings';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Calendar } from './calendar.ts';
import { type Categories, type Category, CONTRACT_CATEGORIES, type NamedCategory } from './categories.ts';
import type { NewsTables } from './tables.ts';

/** The settings that owners change at the desk. */
interface Values {
  reportZone: string;
  reportHour: number;
  packs: string[];
  categories: Category[];
}

/** The environment's name for each. */
export const NEWS_VARIABLES = {
  reportZone: 'NEWS_REPORT_TIMEZONE',
  reportHour: 'NEWS_REPORT_HOUR',
  packs: 'NEWS_PACKS',
  categories: 'NEWS_CATEGORIES',
} as const satisfies Record<keyof Values, string>;

/** What was set at the desk; null is what the environment gives. */
type MadeSettings = Made<Values> & {
  /** Categories that were left out, and that items and sources may still have. */
  former: NamedCategory[];
};

const COLUMNS = [
  'report_zone as reportZone',
  'report_hour as reportHour',
  'packs',
  'categories',
  'former_categories as former',
] as const;

const NOTHING_MADE: MadeSettings = {
  ...{ reportZone: null, reportHour: null, packs: null, categories: null, former: [] },
};

interface NewsSettingsParts {
  /** Its categories are those of `categories`, by the packs. */
  environment: Omit<Values, 'categories'>;
  /** Variables that the desk cannot change. */
  fixed: readonly string[];
  calendar: Calendar;
  categories: Categories;
}

/**
 * The settings of the news, what was set at the desk before what the environment gives; the calendar and the
 * categories follow.
 */
export class NewsSettings {
  readonly #parts: NewsSettingsParts;
  #asked = 0;
  #heard = 0;

  constructor(parts: NewsSettingsParts) {
    this.#parts = parts;
  }

  /** Has the calendar and the categories follow what the database says now. */
  async follow(db: Kysely<NewsTables>): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const made = await this.read(db);
    // An answer that was overtaken may be an older one.
    if (asked < this.#heard) return;
    this.#heard = asked;
    const { calendar, categories } = this.#parts;
    const { reportZone, reportHour, ...words } = this.#rulesFor(made).values(made);
    calendar.follow(reportZone, reportHour);
    categories.follow({ ...words, former: made.former });
  }

  /** What was set at the desk. */
  async read(db: Kysely<NewsTables>): Promise<MadeSettings> {
    return (await db.selectFrom('news.settings').select(COLUMNS).executeTakeFirst()) ?? NOTHING_MADE;
  }

  /** Each setting, by what was set at the desk. */
  shown(made: MadeSettings): DeskSettingsShown<Values> {
    return this.#rulesFor(made).shown(made);
  }

  /**
   * Changes the members that `change` has, and returns all that was set before and after. A category that is
   * left out becomes a former one.
   *
   * @throws Failure `invalid` for one that the environment fixes, and whatever `precondition` throws
   */
  async change(
    db: Kysely<NewsTables>,
    change: Partial<Made<Values>>,
    precondition?: (made: MadeSettings) => void,
  ): Promise<{ before: MadeSettings; after: MadeSettings }> {
    this.#rulesFor(NOTHING_MADE).refuseFixed(change);
    return db.transaction().execute(async (tx) => {
      await tx
        .insertInto('news.settings')
        .defaultValues()
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const locked = tx.selectFrom('news.settings').select(COLUMNS).forUpdate();
      const before = await locked.executeTakeFirstOrThrow();
      precondition?.(before);
      const { reportZone, reportHour, packs, categories } = { ...before, ...change };
      const made = { reportZone, reportHour, packs, categories };
      const after = await tx
        .updateTable('news.settings')
        .set({
          report_zone: reportZone,
          report_hour: reportHour,
          packs,
          categories: categories && JSON.stringify(categories),
          former_categories: JSON.stringify(await this.#formerOf(tx, before, made)),
        })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
      return { before, after };
    });
  }

  /**
   * The categories that are not given any more. One that was former before stays while something has it, or
   * if clients know it from the contract.
   */
  async #formerOf(
    tx: Transaction<NewsTables>,
    before: MadeSettings,
    after: Made<Values>,
  ): Promise<NamedCategory[]> {
    const [held, holding] = [before, after].map((made) => this.#rulesFor(made).values(made).categories);
    const kept = new Set(holding?.map(({ name }) => name));
    const left = (held ?? [])
      .map(({ name, label }) => ({ name, label }))
      .filter(({ name }) => !kept.has(name));
    const names = before.former.map(({ name }) => name);
    // What is public and what is withdrawn have an index each.
    const { rows } = await sql<{ name: string }>`
      select name from unnest(${names}::text[]) as name
      where exists (select from news.item where category = name and withdrawn_at is null)
        or exists (select from news.item where category = name and withdrawn_at is not null)
        or exists (
          select from news.source
          where category = name
            or exists (select from unnest(rules) as rule where rule like 'set category ' || name || ' if %')
        )
    `.execute(tx);
    const used = new Set([...CONTRACT_CATEGORIES, ...rows.map(({ name }) => name)]);
    return [...before.former.filter(({ name }) => used.has(name) && !kept.has(name)), ...left];
  }

  #rulesFor(made: Pick<MadeSettings, 'packs'>): DeskSettings<Values> {
    const { environment, fixed, categories } = this.#parts;
    const rules = { variables: NEWS_VARIABLES, fixed, fixedBy: 'NEWS_FIXED' };
    const { packs } = new DeskSettings<Pick<Values, 'packs'>>({
      ...{ ...rules, variables: { packs: NEWS_VARIABLES.packs }, environment },
    }).values({ packs: made.packs });
    return new DeskSettings({ ...rules, environment: { ...environment, categories: categories.of(packs) } });
  }
}
