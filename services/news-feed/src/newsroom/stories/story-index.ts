import { PreparedQuery } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { NewsTables, StoredReport } from '../../tables.ts';
import { type Evidence, evidenceOf, likenessOf, type WeighedReport } from './likeness.ts';
import { storedReport, weighedReport } from './report-terms.ts';
import { type IndexedText, type Reading, weighTexts } from './term-rarity.ts';

/** How many of a term's newest items are candidates. */
const ITEMS_OF_TERM = 100;

/** How many terms propose candidates: the weightiest, which the rarest are. */
const PROPOSING_TERMS = 16;

/** How many of these a candidate shares at least, if there are so many. */
const LEAST_SHARED = 2;

/** How many candidates are scored. */
const MOST_CANDIDATES = 32;

/** How many days after their discovery items stay in the index: as long as a storyline may pause. */
const KEPT_DAYS = 90;

/** How many outdated items each new one removes, so that the index needs no schedule. */
const REMOVED_AT_ONCE = 5;

const DAY_MS = 24 * 60 * 60 * 1000;

/** An item of the index. */
export interface IndexedReport {
  itemId: string;
  story: string | null;
  source: string;
  title: string;
  report: WeighedReport;
}

/** A stored item that may be on the same event. */
export interface Candidate extends IndexedReport {
  evidence: Evidence;
  /** `likenessOf` the evidence. */
  score: number;
}

/** What the index has on a text. */
export interface Found {
  report: WeighedReport;
  /** The terms by which other items are its candidates: the weightiest. */
  proposing: ReadonlyMap<string, number>;
  /** Likeliest first. */
  candidates: Candidate[];
}

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
export async function findCandidates(
  db: Kysely<NewsTables>,
  texts: readonly IndexedText[],
  reading: Reading,
): Promise<{ found: Found[]; through: number }> {
  const { reports, ends } = await weighTexts(db, texts, reading);
  const found = reports.map((report): Found => ({ report, proposing: proposingOf(report), candidates: [] }));
  const rows = await CANDIDATES.execute(db, {
    texts: found.flatMap(({ proposing }, text) => Array.from(proposing, () => text)),
    terms: found.flatMap(({ proposing }) => [...proposing.keys()]),
    // Whole numbers, because the sum of these does not depend on their order.
    weights: found.flatMap(({ proposing }) => [...proposing.values()]),
    leasts: found.flatMap(({ proposing }) => Array.from(proposing, () => leastShared(proposing))),
  });
  for (const { texts: indexes, ...row } of rows) {
    const indexed = indexedReport(row);
    for (const index of indexes) {
      const one = found[index];
      if (one !== undefined) one.candidates.push(candidateOf(one.report, indexed));
    }
  }
  for (const { candidates } of found) candidates.sort(byScore);
  return { found, through: ends.last };
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

/** Adds those of `others` that share a text's rarest terms to its candidates, as the index would. */
export function withOthers(
  { report, proposing, candidates }: Found,
  others: readonly IndexedReport[],
): Found {
  const known = new Set(candidates.map(({ itemId }) => itemId));
  // Made once: each text of a batch is compared with hundreds of others.
  const proposed = [...proposing.keys()];
  const least = leastShared(proposing);
  const added = others.filter(
    ({ itemId, report: { terms } }) =>
      !known.has(itemId) && proposed.filter((term) => terms.has(term)).length >= least,
  );
  if (added.length === 0) return { report, proposing, candidates };
  const all = [...candidates, ...added.map((other) => candidateOf(report, other))].sort(byScore);
  return { report, proposing, candidates: all };
}

function candidateOf(report: WeighedReport, indexed: IndexedReport): Candidate {
  const evidence = evidenceOf(report, indexed.report);
  return { ...indexed, evidence, score: likenessOf(evidence) };
}

function byScore(a: Candidate, b: Candidate): number {
  return b.score - a.score || (a.itemId < b.itemId ? -1 : 1);
}

function indexedReport({ item_id, published_at, source_name, report, ...rest }: ReportRow): IndexedReport {
  return { ...rest, itemId: item_id, source: source_name, report: weighedReport(report, published_at) };
}

/** How many of the proposing terms a candidate shares at least: most that share one share no other. */
function leastShared(proposing: ReadonlyMap<string, number>): number {
  return Math.min(LEAST_SHARED, proposing.size);
}

/** The terms that propose candidates, with their weights in thousandths. */
function proposingOf({ terms }: WeighedReport): Map<string, number> {
  const proposing = [...terms]
    .filter(([, { weight }]) => weight > 0)
    .sort(([a, { weight: mine }], [b, { weight: theirs }]) => theirs - mine || (a < b ? -1 : 1))
    .slice(0, PROPOSING_TERMS);
  return new Map(proposing.map(([term, { weight }]) => [term, Math.round(weight * 1000)]));
}

const PUT = new PreparedQuery<NewsTables, { outdated: Date; removed: number; rows: string }, never>(
  (db, value) => ({
    compile: () =>
      // The trigger keeps the terms of what is deleted and inserted.
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
