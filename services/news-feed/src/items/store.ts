import { PreparedQueries, type ValueOf } from '@pressroom/common/database/prepared-query';
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

/** The dependencies of an {@link ItemStore}. */
export interface ItemStoreParts {
  db: Database;
  /** The same database with the time limit of searches. */
  searchDb: Database;
  gate: SearchGate;
  clock: Clock;
}

/** An item in the list. */
export interface ListedItem extends ItemRow {
  reason: string | null;
}

/** A page of the list. */
export interface ItemPage {
  items: ListedItem[];
  /** Continues after the last item; null if there are no more. */
  nextCursor: string | null;
  /** Until when the page stays valid if nothing is written. */
  expiresAt: Date;
}

/** The column for each time that a query may use. */
const TIME_COLUMN = { timeline: 'timeline_at', published: 'published_at' } as const;

/** The values that the query of a page takes; its shape decides which of them it uses. */
interface PageValues {
  after: Date;
  through: Date;
  anchorAt: Date;
  anchorId: string;
  category: string;
  direction: string;
  limit: number;
}

/** A row of a page with the time by which it is listed. */
interface PageRow extends ListedItem {
  at: Date;
}

/** The items of the last days in the database. */
export class ItemStore {
  readonly #parts: ItemStoreParts;

  constructor(parts: ItemStoreParts) {
    this.#parts = parts;
  }

  /**
   * A page of the items in the query's window, newest first, ids breaking ties. It is found by the key of the
   * last item before it, so items that arrive between two pages neither repeat nor hide others. Throws
   * `invalid_cursor`, and `unavailable` if too many searches are running.
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

  #read(query: ItemsQuery, window: Window, anchor: Anchor | undefined): Promise<PageRow[]> {
    const { db, searchDb, gate } = this.#parts;
    const values: PageValues = {
      after: window.after,
      through: window.through,
      anchorAt: anchor?.at ?? window.through,
      anchorId: anchor?.id ?? '',
      category: query.category ?? '',
      direction: query.direction ?? '',
      limit: query.limit + 1,
    };
    const shape = shapeOf(query);
    if (query.q === undefined) return PAGES.of(shape).execute(db, values);
    const words = searchWords(query.q);
    const given: ValueOf<PageValues> = (name) => sql`${values[name]}`;
    return gate.run(() => withWords(selectPage(searchDb, shape, given), words).execute());
  }
}

/** Everything that the SQL of a page depends on, except the words of a search. */
type PageShape = {
  mode: ItemsQuery['mode'];
  by: ItemsQuery['by'];
  continued: boolean;
  inCategory: boolean;
  inDirection: boolean;
};

function shapeOf({ mode, by, cursor, category, direction }: ItemsQuery): PageShape {
  return {
    mode,
    by,
    continued: cursor !== undefined,
    inCategory: category !== undefined,
    inDirection: direction !== undefined,
  };
}

/** `limit` includes one extra row, which shows whether there are more. */
function selectPage(db: Database, shape: PageShape, value: ValueOf<PageValues>) {
  const time = TIME_COLUMN[shape.by];
  const key = sql`(${sql.ref(time)}, id)`;
  return db
    .selectFrom('news.item')
    .select([...ITEM_COLUMNS, 'reason', `${time} as at`])
    .$if(shape.mode === 'selected', (select) => select.where(sql<boolean>`in_selected_set`))
    .$if(shape.mode === 'all', (select) => select.where('withdrawn_at', 'is', null))
    .where(time, '>', value('after'))
    .where(time, '<=', value('through'))
    .$if(shape.continued, (select) =>
      select.where(sql<boolean>`${key} < (${value('anchorAt')}::timestamptz, ${value('anchorId')})`),
    )
    .$if(shape.inCategory, (select) => select.where('category', '=', value('category')))
    .$if(shape.inDirection, (select) => select.where(sql<boolean>`${value('direction')} = any(directions)`))
    .orderBy(time, 'desc')
    .orderBy('id', 'desc')
    .limit(value('limit'));
}

/** Pages without a search. */
const PAGES = new PreparedQueries<NewsTables, PageShape, PageValues, PageRow>(selectPage);

/** Every word, anywhere in the text: `strpos` takes every character literally. */
function withWords<Row>(page: SelectQueryBuilder<NewsTables, 'news.item', Row>, words: string[]) {
  return words.reduce(
    (select, word) => select.where(sql<boolean>`strpos(search_text, news.fold(${word})) > 0`),
    page,
  );
}
