import { type SearchGate, searchWords } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { addDays, type Calendar, type Clock } from '../calendar.ts';
import type { NewsTables } from '../tables.ts';
import type { ArchiveQuery } from './archive.ts';
import {
  type Anchor,
  invalidCursor,
  type ListedItem,
  type ListKey,
  type PageRow,
  type PageShape,
  type PageValues,
  type Reach,
  readCursor,
  selectPage,
  termsOf,
  withWords,
  writeCursor,
} from './items-store.ts';

type Database = Kysely<NewsTables>;

/** The dependencies of an {@link ArchiveStore}. */
interface ArchiveStoreParts {
  db: Database;
  gate: SearchGate<NewsTables>;
  calendar: Calendar;
  clock: Clock;
}

interface ArchivePage {
  items: ListedItem[];
  /** Continues after the last item; null if there are no more. */
  nextCursor: string | null;
  /** The page stays valid until then if nothing is written; undefined: for good. */
  expiresAt: Date | undefined;
}

/** Longest time that a page is served, in ms: an item dated in the future can enter without a write. */
const LONGEST_SHOWN_MS = 5000;

/** The earliest time that an item can have. */
const BEGINNING = new Date(0);

interface Reading {
  query: ArchiveQuery;
  shape: PageShape;
  values: PageValues;
  words: readonly string[];
}

/** All public items in the database, by publication. */
export class ArchiveStore {
  readonly #parts: ArchiveStoreParts;

  constructor(parts: ArchiveStoreParts) {
    this.#parts = parts;
  }

  /**
   * A page of the items of a query, the highest scores first, which `query.from` bounds. Throws as `page`
   * does.
   */
  async pageByScore(query: ArchiveQuery): Promise<Omit<ArchivePage, 'expiresAt'>> {
    const { gate, calendar, clock } = this.#parts;
    const key = [...listKey(query), 'score'];
    const anchor = query.cursor === undefined ? undefined : readCursor(key, query.cursor);
    const reading = readingOf(query, { anchor: undefined, now: clock(), calendar });
    const rows = await gate.run((db) => selectByScore(db, reading, anchor).execute());
    const items = rows.slice(0, query.limit);
    const last = items.at(-1);
    const end = last && { at: last.at, id: `${last.score ?? NO_SCORE} ${last.id}` };
    return { items, nextCursor: rows.length > items.length && end ? writeCursor(key, end) : null };
  }

  /**
   * A page of the items of a query, newest first, ids breaking ties. Throws `invalid_cursor`, and
   * `unavailable` if too many searches are running.
   */
  async page(query: ArchiveQuery): Promise<ArchivePage> {
    const { db, gate, calendar, clock } = this.#parts;
    const now = clock();
    const anchor = query.cursor === undefined ? undefined : readCursor(listKey(query), query.cursor);
    const reading = readingOf(query, { anchor, now, calendar });
    const isSearch = reading.words.length > 0;
    const rows = await (isSearch ? gate.run((searchDb) => read(searchDb, reading)) : read(db, reading));
    const items = rows.slice(0, query.limit);
    const last = items.at(-1);
    const endsNow = anchor === undefined && reading.values.through >= now;
    return {
      items,
      nextCursor: rows.length > items.length && last !== undefined ? writeCursor(listKey(query), last) : null,
      expiresAt: endsNow ? new Date(now.getTime() + LONGEST_SHOWN_MS) : undefined,
    };
  }
}

function listKey({ from, to, source, category, direction, language, selected, q }: ArchiveQuery): ListKey {
  const values = [
    from,
    to,
    source,
    category,
    direction,
    selected,
    q,
    ...(language === undefined ? [] : [language]),
  ];
  return ['archive', ...values.map((value) => value ?? null)];
}

function readingOf(
  query: ArchiveQuery,
  { anchor, now, calendar }: { anchor: Anchor | undefined; now: Date; calendar: Calendar },
): Reading {
  const { from, to, category, direction, language, source } = query;
  const through = to === undefined ? now : new Date(Math.min(now.getTime(), endOf(to, calendar)));
  return {
    query,
    shape: {
      mode: query.selected === undefined ? 'all' : 'selected',
      by: 'published',
      continued: anchor !== undefined,
      inCategory: category !== undefined,
      inDirection: direction !== undefined,
      inLanguage: language !== undefined,
      inSource: source !== undefined,
      inStory: false,
    },
    values: {
      after: justBefore(from === undefined ? BEGINNING : calendar.startOfDay(from)),
      through,
      anchorAt: anchor?.at ?? through,
      anchorId: anchor?.id ?? '',
      category: category ?? '',
      direction: direction ?? '',
      language: language ?? '',
      source: source ?? '',
      story: '',
      limit: query.limit + 1,
    },
    words: query.q === undefined ? [] : searchWords(query.q),
  };
}

function endOf(date: string, calendar: Calendar): number {
  return justBefore(calendar.startOfDay(addDays(date, 1))).getTime();
}

/** Items have times in whole ms. */
function justBefore(time: Date): Date {
  return new Date(time.getTime() - 1);
}

/** Reads by the way that reads the fewest rows. */
async function read(db: Database, reading: Reading): Promise<PageRow[]> {
  const { shape, values, words } = reading;
  const isSelection = shape.mode === 'selected';
  const hasIndex =
    !shape.inDirection && !shape.inLanguage && !(shape.inSource && (shape.inCategory || isSelection));
  if (hasIndex && words.length === 0) return select(db, reading, 'all').execute();
  // A filter that few of these match, few items of a month match.
  for (const reach of ['newest', 'newer'] as const) {
    const rows = await select(db, reading, reach).execute();
    if (rows.length === values.limit) return rows;
  }
  return readByTerms(db, reading);
}

function select(db: Database, { shape, values, words }: Reading, reach: Reach) {
  return withWords(
    selectPage(db, { ...shape, reach }, (name) => sql`${values[name]}`),
    words,
  );
}

/** Where an item without a score stands among the others. */
const NO_SCORE = -1;

/** All of the time's items are put in order, as scores have no index. */
function selectByScore(db: Database, reading: Reading, anchor: Anchor | undefined) {
  const key = sql`(coalesce(score, ${NO_SCORE}), at, id)`;
  const [, score, id] = /^(-?\d+(?:\.\d+)?) (.+)$/s.exec(anchor?.id ?? `${NO_SCORE} -`) ?? [];
  if (id === undefined) throw invalidCursor('the cursor is malformed');
  return select(db, reading, 'all')
    .clearOrderBy()
    .$if(anchor !== undefined, (page) =>
      page.where(sql<boolean>`${key} < (${Number(score)}, ${anchor?.at}::timestamptz, ${id})`),
    )
    .orderBy(sql`${key} desc`);
}

/** Reads further back until the page is full. */
async function readByTerms(db: Database, reading: Reading): Promise<PageRow[]> {
  const { values } = reading;
  const oldest = await oldestItem(db);
  if (oldest === undefined) return [];
  const rows: PageRow[] = [];
  for (const months of monthsBack(later(oldest, values.after), earlier(values.anchorAt, values.through))) {
    const limit = values.limit - rows.length;
    const after = later(values.after, justBefore(months.from));
    const part = { ...values, after, through: earlier(values.through, months.through), limit };
    rows.push(...(await selectByTerms(db, { ...reading, values: part }, months.names)));
    if (rows.length === values.limit) break;
  }
  return rows;
}

async function oldestItem(db: Database): Promise<Date | undefined> {
  const oldest = await db
    .selectFrom('news.item')
    .select('published_at')
    .where('withdrawn_at', 'is', null)
    .orderBy('published_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return oldest?.published_at;
}

/** An item has its terms without a month as long as it is in a window (`items.sql`). */
function selectByTerms(db: Database, reading: Reading, months: readonly string[]): Promise<PageRow[]> {
  const { query, words } = reading;
  const { category, direction, language, selected, source } = query;
  const terms = termsOf(
    { mode: selected === undefined ? 'all' : 'selected', category, direction, language },
    words,
  );
  const ofSource = source === undefined ? sql`` : sql` || array[${` source ${source}`}]`;
  const ids = idsWithTerms(terms, sql`${months}::text[]`, ofSource);
  // An array, so that its items are read by their ids.
  return select(db, reading, 'terms').where(sql<boolean>`id = any(array(${ids}))`).execute();
}

/** The ids of the items with these terms: recent ones, and archived ones of the months (`YYYYMM`). */
export function idsWithTerms(
  terms: RawBuilder<string[]>,
  months: RawBuilder<unknown>,
  ofSource: RawBuilder<unknown> = sql``,
) {
  return sql`
    with given as materialized (select ${terms} as terms)
    select item_id from given join news.item_terms as recent on recent.terms @> given.terms
    union all
    select item_id from given cross join unnest(${months}) as month
    cross join lateral (select array(select month || term from unnest(given.terms${ofSource}) as term) as terms) as archived
    join news.item_terms as item on item.terms @> archived.terms`;
}

function later(one: Date, other: Date): Date {
  return one > other ? one : other;
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** Calendar months in UTC that follow each other. */
interface Months {
  /** Each as `YYYYMM`. */
  names: string[];
  /** First moment of the days. */
  from: Date;
  /** Last moment of the days, in whole ms. */
  through: Date;
}

/**
 * The months from that of `latest` back to that of `earliest`, each time twice as many as before: what is
 * found soon is found in one of them, and what is rare in a few more steps than there are years.
 */
export function* monthsBack(earliest: Date, latest: Date): Generator<Months> {
  const first = monthOf(earliest);
  let end = monthOf(latest) + 1;
  for (let count = 1; end > first; count *= 2) {
    const start = Math.max(first, end - count);
    const names = Array.from({ length: end - start }, (_, index) => nameOf(start + index));
    yield { names, from: new Date(startOf(start)), through: new Date(startOf(end) - 1) };
    end = start;
  }
}

/** The number of months since the year 0. */
function monthOf(time: Date): number {
  return time.getUTCFullYear() * 12 + time.getUTCMonth();
}

function startOf(month: number): number {
  return new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
}

function nameOf(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, '0')}${String((month % 12) + 1).padStart(2, '0')}`;
}
