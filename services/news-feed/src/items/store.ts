import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { NewsTables } from '../tables.ts';
import { type Anchor, invalidCursor, readCursor, writeCursor } from './cursor.ts';
import { ITEM_COLUMNS, type ItemRow } from './representation.ts';
import type { ItemsQuery } from './schema.ts';
import type { SearchGate } from './search-gate.ts';
import { searchWords } from './search-words.ts';
import { Window } from './window.ts';

type Database = Kysely<NewsTables>;

/** What an {@link ItemStore} is made with. */
export interface ItemStoreParts {
  db: Database;
  /** The same database with the time limit of searches. */
  searchDb: Database;
  gate: SearchGate;
  clock: Clock;
}

/** An item of the list. */
export interface ListedItem extends ItemRow {
  reason: string | null;
}

/** A page of the list. */
export interface ItemPage {
  items: ListedItem[];
  /** Continues after the last item; null where there is nothing more. */
  nextCursor: string | null;
  /** Until when the page stays as it is while nothing is written. */
  expiresAt: Date;
}

/** The column of each time that a query may go by. */
const TIME_COLUMN = { timeline: 'timeline_at', published: 'published_at' } as const;

/** The items of the last days, as the database keeps them. */
export class ItemStore {
  readonly #parts: ItemStoreParts;

  constructor(parts: ItemStoreParts) {
    this.#parts = parts;
  }

  /**
   * A page of the items in the query's window, newest first, ids breaking ties. It is found by the key of the last item
   * before it, so what arrives meanwhile neither repeats nor hides one that was there. Throws 400 `invalid_cursor`, and
   * 503 while too many searches run.
   */
  async page(query: ItemsQuery): Promise<ItemPage> {
    const window = new Window(query, this.#parts.clock());
    const anchor = query.cursor === undefined ? undefined : readCursor(query, query.cursor);
    if (anchor !== undefined && window.hasLeft(anchor.at)) {
      throw invalidCursor('the cursor has left the window');
    }
    const rows = await this.#read(query, window, anchor);
    const items = rows.slice(0, query.limit);
    const last = items.at(-1);
    const hasMore = rows.length > items.length && last !== undefined;
    const times = rows.map(({ at }) => at);
    return {
      items,
      nextCursor: hasMore ? writeCursor(query, last) : null,
      expiresAt: window.expiryOf(anchor === undefined ? times : [anchor.at, ...times]),
    };
  }

  #read(query: ItemsQuery, window: Window, anchor: Anchor | undefined) {
    const { db, searchDb, gate } = this.#parts;
    if (query.q === undefined) return selectPage(db, query, window, anchor).execute();
    const words = searchWords(query.q);
    return gate.run(() => withWords(selectPage(searchDb, query, window, anchor), words).execute());
  }
}

/** One row more than the page holds, which tells whether there is more. */
function selectPage(db: Database, query: ItemsQuery, window: Window, anchor: Anchor | undefined) {
  const time = TIME_COLUMN[query.by];
  const { category, direction } = query;
  return db
    .selectFrom('news.item')
    .select([...ITEM_COLUMNS, 'reason', `${time} as at`])
    .$if(query.mode === 'selected', (select) => select.where('in_selected_set', '=', true))
    .$if(query.mode === 'all', (select) => select.where('withdrawn_at', 'is', null))
    .where(time, '>', window.after)
    .where(time, '<=', window.through)
    .$if(anchor !== undefined, (select) =>
      select.where(sql<boolean>`(${sql.ref(time)}, id) < (${anchor?.at}::timestamptz, ${anchor?.id})`),
    )
    .$if(category !== undefined, (select) => select.where('category', '=', category ?? null))
    .$if(direction !== undefined, (select) => select.where(sql<boolean>`${direction} = any(directions)`))
    .orderBy(time, 'desc')
    .orderBy('id', 'desc')
    .limit(query.limit + 1);
}

/** Every word, wherever it stands: `strpos` takes each character as itself. */
function withWords<Row>(page: SelectQueryBuilder<NewsTables, 'news.item', Row>, words: string[]) {
  return words.reduce(
    (select, word) => select.where(sql<boolean>`strpos(search_text, news.fold(${word})) > 0`),
    page,
  );
}
