import { hash } from 'node:crypto';
import { PreparedQueries, type ValueOf } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { hasPieces, type SearchGate, searchWords } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Clock } from '../calendar.ts';
import { BACK_FILLED_MS } from '../fields.ts';
import { survivorsOf } from '../merged-stories.ts';
import type { NewsTables } from '../tables.ts';
import { ITEM_COLUMNS, type ItemRow } from './item.ts';
import type { ItemsQuery } from './items.ts';

export interface ListedItem extends ItemRow {
  reason: string | null;
}

/** The column for each time that a query may use. */
const TIME_COLUMN = { timeline: 'timeline_at', published: 'published_at' } as const;

/** The values that the query of a page takes; its shape decides which of them it uses. */
export interface PageValues {
  after: Date;
  through: Date;
  anchorAt: Date;
  anchorId: string;
  category: string;
  direction: string;
  language: string;
  source: string;
  story: string;
  limit: number;
}

/** A row of a page with the time that sorts it. */
export interface PageRow extends ListedItem {
  at: Date;
}

/**
 * The items that a page is read from: some of the newest, all, those of the query's source or story, or those
 * with its terms.
 */
export type Reach = 'newest' | 'newer' | 'all' | 'own' | 'terms';

/** Numbers of the newest items that are searched before all others. */
const NEWEST = { newest: 250, newer: 5000 };

/** Everything that the SQL of a page depends on, except the words of a search. */
export type PageShape = {
  mode: ItemsQuery['mode'];
  by: ItemsQuery['by'];
  continued: boolean;
  inCategory: boolean;
  inDirection: boolean;
  inLanguage: boolean;
  inSource: boolean;
  inStory: boolean;
};

/** The shape of a page, and the source of its rows. */
type ReadShape = PageShape & { reach: Reach };

/**
 * The statement of a page of public items, newest first. `limit` of the values includes one extra row, which
 * shows whether there are more.
 */
export function selectPage(db: Kysely<NewsTables>, shape: ReadShape, value: ValueOf<PageValues>) {
  const time = TIME_COLUMN[shape.by];
  const key = sql`(${sql.ref(time)}, id)`;
  const listed = db
    .selectFrom('news.item')
    .select([...ITEM_COLUMNS, 'reason', 'story', 'search_text', `${time} as at`])
    .$if(shape.mode === 'selected', (select) => select.where(sql<boolean>`in_selected_set`))
    .$if(shape.mode === 'all', (select) => select.where('withdrawn_at', 'is', null))
    .where(time, '>', value('after'))
    .where(time, '<=', value('through'))
    .$if(shape.continued, (select) =>
      select.where(sql<boolean>`${key} < (${value('anchorAt')}::timestamptz, ${value('anchorId')})`),
    )
    .$if(shape.reach === 'newest' || shape.reach === 'newer', (select) =>
      select
        .orderBy(time, 'desc')
        .orderBy('id', 'desc')
        .limit(sql.lit(NEWEST[shape.reach as keyof typeof NEWEST])),
    );
  return db
    .selectFrom(listed.as('item'))
    .select([...ITEM_COLUMNS, 'reason', 'at'])
    .$if(shape.inCategory, (select) => select.where('category', '=', value('category')))
    .$if(shape.inDirection, (select) => select.where(sql<boolean>`${value('direction')} = any(directions)`))
    .$if(shape.inLanguage, (select) =>
      select.where(
        sql<boolean>`(language = ${value('language')} or starts_with(language, ${value('language')} || '-'))`,
      ),
    )
    .$if(shape.inSource, (select) => select.where('source_name', '=', value('source')))
    .$if(shape.inStory, (select) => select.where('story', '=', value('story')))
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(value('limit'));
}

/** Only items with every one of the words in their text. */
export function withWords<Selected>(
  page: SelectQueryBuilder<NewsTables, never, Selected>,
  words: readonly string[],
) {
  return words.reduce(
    // Anywhere in the text: `strpos` takes every character literally.
    (select, word) => select.where(sql<boolean>`strpos(search_text, news.fold(${word})) > 0`),
    page,
  );
}

type Database = Kysely<NewsTables>;

/** The dependencies of an {@link ItemStore}. */
interface ItemStoreParts {
  db: Database;
  gate: SearchGate<NewsTables>;
  clock: Clock;
  /** False if the deployment shows no stories; then none has items. */
  stories: boolean;
}

export interface ItemPage {
  items: ListedItem[];
  /** The title of the query's story; absent if nothing public is in it. */
  storyTitle?: string | undefined;
  /** Continues after the last item; null if there are no more. */
  nextCursor: string | null;
  /** The page stays valid until then if nothing is written. */
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
    const story = await this.#storyOf(query);
    const isNone = query.story !== undefined && story === undefined;
    const rows = isNone ? [] : await this.#read({ ...query, story: story?.publicId }, window, anchor);
    const items = rows.slice(0, query.limit);
    const last = items.at(-1);
    const hasMore = rows.length > items.length && last !== undefined;
    const times = rows.map(({ at }) => at);
    return {
      items,
      storyTitle: story?.title,
      nextCursor: hasMore ? writeCursor(listKey(query), last) : null,
      expiresAt: window.expiryOf(anchor === undefined ? times : [anchor.at, ...times]),
    };
  }

  async #storyOf({ story = '' }: ItemsQuery) {
    const { db, stories } = this.#parts;
    if (!stories || story === '') return undefined;
    const survivor = (await survivorsOf(db, [story])).get(story);
    return survivor?.isPublic ? survivor : undefined;
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
      language: query.language ?? '',
      source: query.source ?? '',
      story: query.story ?? '',
      limit: query.limit + 1,
    };
    const shape = shapeOf(query);
    const words = query.q === undefined ? [] : searchWords(query.q);
    const own = ownItems(query, window);
    const isSearch = words.length > 0;
    const isFiltered = own !== undefined || shape.inDirection || shape.inLanguage;
    // A category has its own index.
    const hasIndex = !isSearch && (!isFiltered || (shape.inCategory && own === undefined));
    const others = hasTerms(query, words) ? 'terms' : 'all';
    const readFrom = (someDb: Database) => {
      const read = (reach: Reach) =>
        isSearch || own !== undefined || reach === 'terms'
          ? unprepared(someDb, { shape: { ...shape, reach }, values, query, words, own })
          : PAGES.of({ ...shape, reach }).execute(someDb, values);
      if (hasIndex) return read('all');
      return readFiltered(values.limit, { others, isOwnFew: () => isFew(someDb, own) }, read);
    };
    return isSearch ? gate.run(readFrom) : readFrom(db);
  }
}

/** So many finds among the newest promise the rest of a page sooner than terms would. */
export const FREQUENT = 4;

/**
 * Reads a page of at most `limit` rows by the way that reads the fewest: what many items have is soon found
 * among the newest ones, what few have by their source or story, or else by the `others` way.
 */
async function readFiltered(
  limit: number,
  { others, isOwnFew }: { others: Reach; isOwnFew: () => Promise<boolean> },
  read: (reach: Reach) => Promise<PageRow[]>,
): Promise<PageRow[]> {
  const found = await read('newest');
  if (found.length === limit) return found;
  if (await isOwnFew()) return read('own');
  return read(found.length >= FREQUENT ? 'all' : others);
}

/** Items of a source or a story that are all read, at most; bounds the cost. */
const FEW = 2000;

/** The ids of all that the query's story, or else its source, can have in the window. */
function ownItems({ story, source }: ItemsQuery, { after }: Window): RawBuilder<string> | undefined {
  const name = story ?? source;
  if (name === undefined) return undefined;
  const column = sql.ref(story === undefined ? 'source_name' : 'story');
  // In the timeline an item is at most so much later than its publication.
  const earliest = new Date(after.getTime() - BACK_FILLED_MS);
  return sql`
    select id from news.item
    where ${column} = ${name} and withdrawn_at is null and published_at > ${earliest}::timestamptz`;
}

async function isFew(db: Database, items: RawBuilder<string> | undefined): Promise<boolean> {
  if (items === undefined) return false;
  const { rows } = await sql`select from (${items} limit ${FEW + 1}) as own offset ${FEW}`.execute(db);
  return rows.length === 0;
}

function listKey(query: ItemsQuery): ListKey {
  const { mode, category, window, by, q, direction, source, language, story } = query;
  const later = [source, language, story].map((value) => value ?? null);
  // Cursors from before these parameters go on.
  const added = later.some((value) => value !== null) ? later : [];
  return [mode, category ?? null, window, by, q ?? null, direction ?? null, ...added];
}

function shapeOf({ mode, by, cursor, category, direction, language, source, story }: ItemsQuery): PageShape {
  return {
    mode,
    by,
    continued: cursor !== undefined,
    inCategory: category !== undefined,
    inDirection: direction !== undefined,
    inLanguage: language !== undefined,
    inSource: source !== undefined,
    inStory: story !== undefined,
  };
}

/** Pages that are not found by terms, without a search. */
const PAGES = new PreparedQueries<NewsTables, ReadShape, PageValues, PageRow>(selectPage);

/** Restrictions of the pages that {@link unprepared} reads. */
interface Unprepared {
  shape: ReadShape;
  values: PageValues;
  query: ItemsQuery;
  words: readonly string[];
  own: RawBuilder<string> | undefined;
}

/** Reads a page of a query whose SQL depends on more than its shape. */
function unprepared(db: Database, { shape, values, query, words, own }: Unprepared): Promise<PageRow[]> {
  const page = selectPage(db, shape, (name) => sql`${values[name]}`);
  const found = withWords(page, words);
  const ids =
    shape.reach === 'own' ? own : shape.reach === 'terms' ? recentWithTerms(query, words) : undefined;
  if (ids === undefined) return found.execute();
  return found.where(sql<boolean>`id = any(array(${ids}))`).execute();
}

/** Restrictions of a query besides its words. */
type Filters = Pick<ItemsQuery, 'mode' | 'category' | 'direction' | 'language'>;

/** True if the terms name fewer items than the whole window, so that {@link recentWithTerms} pays. */
function hasTerms({ category, direction, language }: Filters, words: readonly string[]): boolean {
  const isFiltered = [category, direction, language].some((value) => value !== undefined);
  return isFiltered || words.some(hasPieces);
}

/**
 * The terms of all items that have what the query restricts and every piece of its words (`items.sql`), as
 * `text[]`.
 */
export function termsOf(
  { mode, category, direction, language }: Filters,
  words: readonly string[],
): RawBuilder<string[]> {
  const given = [
    ...(mode === 'selected' ? [' selected'] : []),
    ...(category === undefined ? [] : [` category ${category}`]),
    ...(direction === undefined ? [] : [` direction ${direction}`]),
    ...(language === undefined ? [] : [` language ${language}`]),
  ];
  const pieces = words.map((word) => sql` || news.text_pieces(news.fold(${word}))`);
  return sql`(${given}::text[]${sql.join(pieces, sql``)})`;
}

/**
 * The ids of the recent items with these terms: at least those that the query finds. Read them as an array,
 * and so first: PostgreSQL takes any word for one that many items have, as the archive is in the same table,
 * and would rather look through the whole window.
 */
function recentWithTerms(filters: Filters, words: readonly string[]): RawBuilder<string> {
  return sql`select item_id from news.item_terms where terms @> ${termsOf(filters, words)}`;
}

const HOUR_MS = 60 * 60 * 1000;

/** The lengths of the windows, in ms. */
const LENGTH_MS = { '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS };

/**
 * Longest time that a page is served without a new query, in ms: an item dated in the future enters the
 * window without a write, and a page cannot tell when.
 */
const LONGEST_SHOWN_MS = 5000;

/**
 * The window of a query at a given time: an item is in it from its own time until it is as old as the window
 * is long.
 */
export class Window {
  readonly #lengthMs: number;
  readonly #now: Date;

  constructor({ window }: Pick<ItemsQuery, 'window'>, now: Date) {
    this.#lengthMs = LENGTH_MS[window];
    this.#now = now;
  }

  /** The end of the window: the given time itself. */
  get through(): Date {
    return this.#now;
  }

  /** The start of the window: items of this time have just left it, newer ones have not. */
  get after(): Date {
    return new Date(this.#now.getTime() - this.#lengthMs);
  }

  /** True if items of `time` have left the window. */
  hasLeft(time: Date): boolean {
    return time <= this.after;
  }

  /**
   * Returns the time until which a page that depends on items of these times stays valid: the first of them
   * leaves.
   */
  expiryOf(times: readonly Date[]): Date {
    const leaving = times.map((time) => time.getTime() + this.#lengthMs);
    return new Date(Math.min(this.#now.getTime() + LONGEST_SHOWN_MS, ...leaving));
  }
}

/** The item after which a page begins, by newest first. */
export interface Anchor {
  /** Its time in the ordering of the query. */
  at: Date;
  id: string;
}

/** Bytes of the query's digest in a cursor: enough to distinguish queries; a cursor grants no access. */
const DIGEST_LENGTH = 12;

/** The end of the year 9999, in ms since 1970; items cannot be newer. */
const MAX_TIME = 253_402_300_799_999;

/** The failure of a cursor that cannot be continued; `why` is the reason. */
export function invalidCursor(why: string): Failure {
  return new Failure('refused', `${why}; start again from the first page`, { code: 'invalid_cursor' });
}

/**
 * The values of a query that determine its list: all but the size of a page and the page itself. Lists at
 * different addresses have different values.
 */
export type ListKey = readonly (string | null)[];

/** Names `anchor` as the end of a page of a list. Opaque: clients send it back unchanged. */
export function writeCursor(list: ListKey, { at, id }: Anchor): string {
  return Buffer.from(JSON.stringify([digest(list), at.getTime(), id])).toString('base64url');
}

/** Reads the cursor of a list. Throws `invalid_cursor` if it is not a cursor or belongs to another list. */
export function readCursor(list: ListKey, cursor: string): Anchor {
  const [made, at, id] = decode(cursor);
  if (made !== digest(list)) throw invalidCursor('the cursor belongs to another query');
  return { at: new Date(at), id };
}

function decode(cursor: string): [digest: string, at: number, id: string] {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    // An anchor has exactly one cursor: a different encoding of the same bytes is rejected.
    if (isParts(value) && bytes.toString('base64url') === cursor) return value;
  } catch {
    // Not JSON: falls through to the error.
  }
  throw invalidCursor('the cursor is malformed');
}

function isParts(value: unknown): value is [string, number, string] {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [made, at, id] = value;
  return (
    typeof made === 'string' &&
    Number.isInteger(at) &&
    at >= 0 &&
    at <= MAX_TIME &&
    typeof id === 'string' &&
    !id.includes('\0') &&
    id.isWellFormed()
  );
}

function digest(list: ListKey): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, DIGEST_LENGTH);
}
