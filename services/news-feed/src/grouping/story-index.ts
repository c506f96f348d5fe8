import { PreparedQuery } from '@pressroom/common/database/database';
import {
  type Found,
  type IndexedReport,
  type Lexicon,
  originalTitle,
  type SourceText,
  type StoredReport,
  searchFor,
  storedReport,
  type TitleVector,
  type TitleVectors,
  termsOf,
  type WeighedReport,
  weighed,
  weighedReport,
  withCandidates,
  withoutSharedParts,
} from '@pressroom/stories';
import { type Kysely, sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { NewsTables } from '../tables.ts';

/** The newest items of each term that become candidates. */
const ITEMS_OF_TERM = 100;

const MOST_CANDIDATES = 32;

/** Items stay in the index this many days after their discovery: as long as a storyline may pause. */
const KEPT_DAYS = 90;

/** Each new item removes up to this many outdated ones, so that the index needs no schedule. */
const REMOVED_AT_ONCE = 5;

const DAY_MS = 24 * 60 * 60 * 1000;

interface ReportRow {
  item_id: string;
  story: string | null;
  source_name: string;
  title: string;
  published_at: Date;
  report: StoredReport;
}

const CANDIDATES = new PreparedQuery<
  NewsTables,
  { texts: number[]; terms: string[]; weights: number[]; leasts: number[] },
  ReportRow & { texts: number[] }
>((db, value) => ({
  compile: () =>
    sql<ReportRow & { texts: number[] }>`
      with term as (
        select * from unnest(
          ${value('texts')}::integer[], ${value('terms')}::text[], ${value('weights')}::integer[],
          ${value('leasts')}::integer[]
        ) as term (text, term, weight, least)
      ), posting as materialized (
        select term.term, newest.number from (select distinct term from term) as term
        cross join lateral (
          select number from news.term_report
          where term_report.term = term.term collate "C" order by number desc limit ${sql.lit(ITEMS_OF_TERM)}
        ) as newest
      ), proposed as (
        select text, number, row_number() over (
          partition by text order by sum(weight) desc, number desc
        ) as place
        from term join posting using (term) group by text, number
        having count(*) >= min(least)
      ), wanted as materialized (
        select number, array_agg(text) as texts from proposed
        where place <= ${sql.lit(MOST_CANDIDATES)} group by number
      )
      select wanted.texts, terms.item_id, terms.published_at, terms.report, item.story, item.source_name, item.title
      from wanted
      -- A plan that is made for any number of rows would read the tables whole: these read by key.
      cross join lateral (
        select * from news.report_terms where number = wanted.number limit 1
      ) as terms
      cross join lateral (
        select story, source_name, title from news.item where id = terms.item_id and withdrawn_at is null limit 1
      ) as item
    `.compile(db),
}));

/**
 * The items that may be on the events of `texts`: those that share two of a text's rarest terms, scored.
 * Reads at most 32 index entries for each term, 100 for each of a text's 16 rarest, and 32 items for each
 * text, however many are stored. `through` is the last number of the index: {@link reportsAfter} has what
 * was added since.
 */
async function findCandidates(
  db: Kysely<NewsTables>,
  texts: readonly IndexedText[],
  reading: Reading,
): Promise<{ found: Found[]; through: number }> {
  const { reports, ends } = await weighTexts(db, texts, reading);
  const found = reports.map(searchFor);
  const rows = await CANDIDATES.execute(db, {
    texts: found.flatMap(({ proposing }, text) => Array.from(proposing, () => text)),
    terms: found.flatMap(({ proposing }) => [...proposing.keys()]),
    // Whole numbers, because the sum of these does not depend on their order.
    weights: found.flatMap(({ proposing }) => [...proposing.values()]),
    leasts: found.flatMap(({ proposing, least }) => Array.from(proposing, () => least)),
  });
  const proposed = rows.map(({ texts: of, ...row }) => ({ of, indexed: indexedReport(row) }));
  const matched = found.map((one, text) =>
    withCandidates(
      one,
      proposed.flatMap(({ of, indexed }) => (of.includes(text) ? [indexed] : [])),
    ),
  );
  return { found: matched, through: ends.last };
}

const LAST = new PreparedQuery<NewsTables, Record<never, never>, { last: number }>((db) => ({
  compile: () =>
    sql<{ last: number }>`
      select coalesce(max(number), 0)::float8 as last from news.report_terms
    `.compile(db),
}));

/** The last number of the index, as it is now. */
export async function lastNumber(db: Kysely<NewsTables>): Promise<number> {
  const [row] = await LAST.execute(db, {});
  return row?.last ?? 0;
}

const ADDED = new PreparedQuery<NewsTables, { number: number }, ReportRow>((db, value) => ({
  compile: () =>
    sql<ReportRow>`
      select terms.item_id, terms.published_at, terms.report, item.story, item.source_name, item.title
      from (
        select * from news.report_terms where number > ${value('number')}
      ) as terms
      cross join lateral (
        select story, source_name, title from news.item where id = terms.item_id and withdrawn_at is null limit 1
      ) as item
      order by terms.number
    `.compile(db),
}));

/** The items that were added to the index after `number`: all, of which {@link lastNumber} says how many. */
export async function reportsAfter(db: Kysely<NewsTables>, number: number): Promise<IndexedReport[]> {
  return (await ADDED.execute(db, { number })).map(indexedReport);
}

function indexedReport({ item_id, published_at, source_name, report, ...rest }: ReportRow): IndexedReport {
  return { ...rest, itemId: item_id, source: source_name, report: weighedReport(report, published_at) };
}

const PUT = new PreparedQuery<NewsTables, { outdated: Date; removed: number; rows: string }, never>(
  (db, value) => ({
    compile: () =>
      // The trigger keeps the terms of deleted and inserted reports.
      sql<never>`
        with removed as (
          delete from news.report_terms where number = any(array(
            select number from (
              select number, item_id from news.report_terms order by number limit ${value('removed')}
            ) as first
            where exists (
              select from news.item where id = first.item_id and discovered_at < ${value('outdated')}
            )
          ))
        )
        insert into news.report_terms (item_id, published_at, report, terms)
        select item_id, published_at, report, terms from jsonb_to_recordset(${value('rows')}::jsonb)
          as row (item_id text, published_at timestamptz, report jsonb, terms text[])
        on conflict (item_id) do nothing
      `.compile(db),
  }),
);

/** Puts items into the index, unless they are there, and removes a few outdated ones. */
export async function putIntoIndex(
  db: Kysely<NewsTables>,
  items: readonly { itemId: string; report: WeighedReport }[],
  now: Date,
): Promise<void> {
  await PUT.execute(db, {
    outdated: new Date(now.getTime() - KEPT_DAYS * DAY_MS),
    removed: REMOVED_AT_ONCE * items.length,
    rows: rowsOf(items),
  });
}

/** Replaces what the index has of items; those that it does not have stay out. */
export async function renewInIndex(
  db: Kysely<NewsTables>,
  items: readonly { itemId: string; report: WeighedReport }[],
): Promise<void> {
  // The number stays, or a source that edits its entries all day would make the index look larger.
  await sql`
    with renewed as (
      update news.report_terms as known
      set published_at = row.published_at, report = row.report, terms = row.terms
      from jsonb_to_recordset(${rowsOf(items)}::jsonb)
        as row (item_id text, published_at timestamptz, report jsonb, terms text[])
      where known.item_id = row.item_id collate "C"
      returning known.number, old.terms as former, new.terms as terms
    ), lost as (
      select term, number from renewed cross join lateral unnest(former) as term
      where term <> all(terms)
    ), removed as (
      delete from news.term_report as entry using lost
      where entry.term = lost.term and entry.number = lost.number
    )
    insert into news.term_report (term, number) select distinct unnest(terms), number from renewed
    on conflict do nothing
  `.execute(db);
}

function rowsOf(items: readonly { itemId: string; report: WeighedReport }[]): string {
  return JSON.stringify(
    items.map(({ itemId, report }) => ({
      item_id: itemId,
      published_at: report.publishedAt,
      report: storedReport(report),
      terms: [...report.terms.keys()],
    })),
  );
}

/** The newest items of a term that are counted; the use of a more frequent term is estimated from these. */
const COUNTED = 32;

/** A report that is to be compared. */
interface IndexedText extends SourceText {
  publishedAt: Date;
}

interface Reading {
  lexicon: Lexicon;
  /** The vector of a text's title, if there is one. */
  vectorOf: (text: SourceText) => TitleVector | undefined;
}

interface TermUse {
  term: string;
  /** Number of items with the term, up to {@link COUNTED}. */
  counted: number;
  /** The number of the oldest of these; null if none has it. */
  oldest: number | null;
}

/** The first and the last number of the index; both 0 if it is empty. */
interface IndexEnds {
  first: number;
  last: number;
}

/** The ends of the index, with the use of each term as it is at the same moment. */
const TERM_USES = new PreparedQuery<NewsTables, { terms: string[] }, IndexEnds & { uses: TermUse[] }>(
  (db, value) => ({
    compile: () =>
      sql<IndexEnds & { uses: TermUse[] }>`
      select coalesce(min(number), 0)::float8 as first, coalesce(max(number), 0)::float8 as last, (
        select coalesce(json_agg(json_build_object('term', term, 'counted', counted, 'oldest', oldest)), '[]')
        from unnest(${value('terms')}::text[]) as term (term)
        cross join lateral (
        select count(*)::integer as counted, min(number)::float8 as oldest from (
          select number from news.term_report
          where term_report.term = term.term collate "C" order by number desc limit ${sql.lit(COUNTED)}
        ) as newest
      ) as use
      ) as uses
      from news.report_terms
    `.compile(db),
  }),
);

/**
 * The terms of each text, weighed by how rare they are among the items of the index and the texts before it,
 * with the ends of the index as it was then.
 */
export async function weighTexts(
  db: Kysely<NewsTables>,
  texts: readonly IndexedText[],
  { lexicon, vectorOf }: Reading,
): Promise<{ reports: WeighedReport[]; ends: IndexEnds }> {
  const lately = await LATELY.execute(db, {
    sources: [...new Set(texts.map(({ sourceName }) => sourceName))],
  });
  const read = withoutSharedParts(texts, lately).map((text) => termsOf(text, lexicon));
  const [{ uses, ...ends } = { uses: [], first: 0, last: 0 }] = await TERM_USES.execute(db, {
    terms: [...new Set(read.flatMap(({ terms }) => [...terms.keys()]))],
  });
  const stored = ends.last === 0 ? 0 : ends.last - ends.first + 1;
  const counts = new Map(uses.map((use) => [use.term, itemsOf(use, ends)]));
  const reports = texts.flatMap((text, index) => {
    const terms = read[index];
    return terms === undefined ? [] : [{ ...terms, publishedAt: text.publishedAt, title: vectorOf(text) }];
  });
  return { reports: weighed(reports, counts, stored), ends };
}

/** Estimates how many items have a term: a frequent one by how close together its newest items are. */
function itemsOf({ counted, oldest }: TermUse, { first, last }: IndexEnds): number {
  if (counted < COUNTED) return counted;
  return (counted * (last - first + 1)) / Math.max(1, last - (oldest ?? last) + 1);
}

/** Texts remembered: enough for a batch of entries of each source that a worker edits at once. */
const REMEMBERED = 200;

/** Time that texts are remembered, in ms; search results take memory. */
const REMEMBERED_MS = 60_000;

interface StorySearchResult {
  found: Found[];
  /** The last number of the index that was searched; `reportsAfter` has what was added since. */
  through: number;
}

/**
 * Searches the index for the reports that texts resemble. Recent results are kept: the judge asks for an
 * article's coverage, and shortly afterwards the assigner for the stories of the same text.
 */
export class StorySearch {
  readonly reading: Reading;
  readonly #titles: TitleVectors | undefined;
  readonly #known = new LRUCache<string, { found: Found; through: number }>({
    max: REMEMBERED,
    ttl: REMEMBERED_MS,
    ttlAutopurge: true,
  });

  constructor(lexicon: Lexicon, titles?: TitleVectors) {
    this.#titles = titles;
    this.reading = { lexicon, vectorOf: (text) => titles?.of(originalTitle(text)) };
  }

  /** Has the titles of texts that are to be searched for embedded, outside any transaction. */
  async prepare(texts: readonly SourceText[]): Promise<void> {
    await this.#titles?.read(texts.map(originalTitle));
  }

  /** Searches the index, as it is now, for each text, and remembers the results. */
  async find(db: Kysely<NewsTables>, texts: readonly IndexedText[]): Promise<StorySearchResult> {
    const { found, through } = await findCandidates(db, texts, this.reading);
    for (const [index, text] of texts.entries()) {
      const one = found[index];
      if (one !== undefined) this.#known.set(keyOf(text), { found: one, through });
    }
    return { found, through };
  }

  /** The same, as it is now or was a moment ago; what was remembered is forgotten. */
  async findLately(tx: Transaction<NewsTables>, texts: readonly IndexedText[]): Promise<StorySearchResult> {
    const known = texts.flatMap((text) => this.#take(keyOf(text)) ?? []);
    if (known.length < texts.length) return findCandidates(tx, texts, this.reading);
    return { found: known.map(({ found }) => found), through: Math.min(...known.map((one) => one.through)) };
  }

  #take(key: string) {
    const known = this.#known.get(key);
    this.#known.delete(key);
    return known;
  }
}

function keyOf({ title, originalTitle, summary, publishedAt, sourceName }: IndexedText): string {
  return JSON.stringify([title, originalTitle, summary, publishedAt, sourceName]);
}

/** Reports of a source that are compared to find the phrases that they share. */
const COMPARED = 20;

const LATELY = new PreparedQuery<NewsTables, { sources: string[] }, SourceText>((db, value) => ({
  compile: () =>
    sql<SourceText>`
      select wanted.source as "sourceName", item.title, item.original_title as "originalTitle", item.summary
      from unnest(${value('sources')}::text[]) as wanted (source)
      cross join lateral (
        select title, original_title, summary from news.item
        where source_name = wanted.source and withdrawn_at is null
        order by published_at desc, id desc limit ${sql.lit(COMPARED)}
      ) as item
    `.compile(db),
}));
