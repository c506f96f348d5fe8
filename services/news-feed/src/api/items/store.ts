import { PreparedQueries } from '@pressroom/common/database/database';
import { type SearchGate, searchWords } from '@pressroom/common/search/search';
import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import { type Anchor, invalidCursor, type ListKey, readCursor, writeCursor } from '../list-cursor.ts';
import { hasTerms, recentWithTerms } from './recent.ts';
import type { ItemsQuery } from './schema.ts';
import {
  type ListedItem,
  type PageRow,
  type PageShape,
  type PageValues,
  type Reach,
  type ReadShape,
  selectPage,
  withWords,
} from './select-page.ts';
import { Window } from './window.ts';

type Database = Kysely<NewsTables>;

/** The dependencies of an {@link ItemStore}. */
export interface ItemStoreParts {
  db: Database;
  /** Where searches run. */
  gate: SearchGate<NewsTables>;
  clock: Clock;
}

/** A page of the list. */
export interface ItemPage {
  items: ListedItem[];
  /** Continues after the last item; null if there are no more. */
  nextCursor: string | null;
  /** Until when the page stays valid if nothing is written. */
  expiresAt: Date;
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
    const anchor = query.cursor === undefined ? undefined : readCursor(listKey(query), query.cursor);
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
      nextCursor: hasMore ? writeCursor(listKey(query), last) : null,
      expiresAt: window.expiryOf(anchor === undefined ? times : [anchor.at, ...times]),
    };
  }

  async #read(query: ItemsQuery, window: Window, anchor: Anchor | undefined): Promise<PageRow[]> {
    const { db, gate } = this.#parts;
    const values: PageValues = {
      after: window.after,
      through: window.through,
      anchorAt: anchor?.at ?? window.through,
      anchorId: anchor?.id ?? '',
      category: query.category ?? '',
      direction: query.direction ?? '',
      language: '',
      source: '',
      limit: query.limit + 1,
    };
    const shape = shapeOf(query);
    const words = query.q === undefined ? [] : searchWords(query.q);
    const others = hasTerms(query, words) ? 'terms' : 'all';
    if (words.length > 0) {
      return gate.run((searchDb) =>
        readFiltered(values.limit, others, (reach) =>
          unprepared(searchDb, { shape: { ...shape, reach }, values, query, words }),
        ),
      );
    }
    const read = (reach: Reach) =>
      reach === 'terms'
        ? unprepared(db, { shape: { ...shape, reach }, values, query, words })
        : PAGES.of({ ...shape, reach }).execute(db, values);
    // A category has its own index.
    return shape.inDirection && !shape.inCategory ? readFiltered(values.limit, others, read) : read('all');
  }
}

/** So many finds among the newest items promise the rest of a page sooner than terms would. */
const FREQUENT = 4;

/**
 * Reads a page of at most `limit` rows by the way that reads the fewest: what many items have is soon found
 * among the newest ones, what few have by the `others` way.
 */
async function readFiltered(
  limit: number,
  others: Reach,
  read: (reach: Reach) => Promise<PageRow[]>,
): Promise<PageRow[]> {
  const found = await read('newest');
  if (found.length === limit) return found;
  return read(found.length >= FREQUENT ? 'all' : others);
}

function listKey({ mode, category, window, by, q, direction }: ItemsQuery): ListKey {
  return [mode, category ?? null, window, by, q ?? null, direction ?? null];
}

function shapeOf({ mode, by, cursor, category, direction }: ItemsQuery): PageShape {
  return {
    mode,
    by,
    continued: cursor !== undefined,
    inCategory: category !== undefined,
    inDirection: direction !== undefined,
    inLanguage: false,
    inSource: false,
  };
}

/** Pages that are not found by terms, without a search. */
const PAGES = new PreparedQueries<NewsTables, ReadShape, PageValues, PageRow>(selectPage);

/** What {@link unprepared} reads a page for. */
interface Unprepared {
  shape: ReadShape;
  values: PageValues;
  query: ItemsQuery;
  words: readonly string[];
}

/** Reads a page of a query whose SQL depends on more than its shape. */
function unprepared(db: Database, { shape, values, query, words }: Unprepared): Promise<PageRow[]> {
  const page = selectPage(db, shape, (name) => sql`${values[name]}`);
  const found = withWords(page, words);
  if (shape.reach !== 'terms') return found.execute();
  return found.where(sql<boolean>`id = any(array(${recentWithTerms(query, words)}))`).execute();
}
