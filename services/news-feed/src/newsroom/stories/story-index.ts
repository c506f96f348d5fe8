import { PreparedQuery } from '@pressroom/common/database/prepared-query';
import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Lexicon } from './lexicon.ts';
import { type Evidence, evidenceOf, likenessOf, type WeighedReport } from './likeness.ts';
import { type StoredReport, storedReport, weighedReport } from './report-terms.ts';
import { type ReportText, termsOf } from './terms.ts';

/** How many of a term's newest items are candidates. */
const ITEMS_OF_TERM = 100;

/** How many of a term's newest items are counted; a more frequent term is estimated from these. */
const COUNTED = 32;

/** How many terms propose candidates: the weightiest, which the rarest are. */
const PROPOSING_TERMS = 16;

/** The least weight at which a term proposes candidates. */
const LEAST_WEIGHT = 0.15;

/** How many candidates are scored. */
const MOST_CANDIDATES = 40;

/** A young index knows little about rarity; it counts as if so many other items were in it. */
const PRIOR_ITEMS = 1000;

/** How long items stay in the index, in days: as long as a storyline may pause. */
const KEPT_DAYS = 90;

/** How many outdated items each new one removes, so that the index needs no schedule of its own. */
const REMOVED_AT_ONCE = 5;

const DAY_MS = 24 * 60 * 60 * 1000;

/** A report that is to be compared. */
export interface IndexedText extends ReportText {
  publishedAt: Date;
}

/** A stored item that may be on the same event. */
export interface Candidate {
  itemId: string;
  story: string | null;
  source: string;
  report: WeighedReport;
  evidence: Evidence;
  /** `likenessOf` the evidence. */
  score: number;
}

/** A statement in SQL as `PreparedQuery` takes it. */
function compilable<Row>(db: Kysely<NewsTables>, statement: RawBuilder<Row>): Compilable<Row> {
  return { compile: () => statement.compile(db) };
}

/** How often a term is used, with the first and the last number of the index. */
interface TermUse {
  term: string;
  /** How many items have it, up to {@link COUNTED}. */
  counted: number;
  /** The number of the oldest of these; null if none has it. */
  oldest: number | null;
  first: number;
  last: number;
}

const TERM_USES = new PreparedQuery<NewsTables, { terms: string[] }, TermUse>((db, value) =>
  compilable(
    db,
    sql<TermUse>`
    with ends as (
      select coalesce(min(number), 0)::float8 as first, coalesce(max(number), 0)::float8 as last
      from news.report_terms
    )
    select term.term, use.counted, use.oldest, ends.first, ends.last
    from ends cross join unnest(${value('terms')}::text[]) as term (term)
    cross join lateral (
      select count(*)::integer as counted, min(number)::float8 as oldest from (
        select number from news.term_report
        where term_report.term = term.term collate "C" order by number desc limit ${sql.lit(COUNTED)}
      ) as newest
    ) as use
  `,
  ),
);

interface CandidateRow {
  item_id: string;
  story: string | null;
  source_name: string;
  published_at: Date;
  report: StoredReport;
}

const CANDIDATES = new PreparedQuery<NewsTables, { terms: string[]; weights: number[] }, CandidateRow>(
  (db, value) =>
    compilable(
      db,
      sql<CandidateRow>`
    with proposed as materialized (
      select newest.number from unnest(${value('terms')}::text[], ${value('weights')}::integer[]) as term (term, weight)
      cross join lateral (
        select number from news.term_report
        where term_report.term = term.term collate "C" order by number desc limit ${sql.lit(ITEMS_OF_TERM)}
      ) as newest
      group by newest.number order by sum(term.weight) desc, newest.number desc limit ${sql.lit(MOST_CANDIDATES)}
    )
    select terms.item_id, terms.published_at, terms.report, item.story, item.source_name
    from news.report_terms as terms join news.item on item.id = terms.item_id
    where terms.number = any(array(select number from proposed)) and item.withdrawn_at is null
  `,
    ),
);

/**
 * The items that may be on the event of `text`, likeliest first: those that share its rarest terms, scored.
 * Reads at most 32 index entries for each of its terms, 100 for each of the 16 rarest, and 40 items, however
 * many are stored.
 */
export async function findCandidates(
  db: Kysely<NewsTables>,
  text: IndexedText,
  lexicon: Lexicon,
): Promise<{ report: WeighedReport; candidates: Candidate[] }> {
  const report = await weigh(db, text, lexicon);
  const proposing = [...report.terms]
    .filter(([, { weight }]) => weight >= LEAST_WEIGHT)
    .sort(([a, { weight: mine }], [b, { weight: theirs }]) => theirs - mine || (a < b ? -1 : 1))
    .slice(0, PROPOSING_TERMS);
  if (proposing.length === 0) return { report, candidates: [] };
  const rows = await CANDIDATES.execute(db, {
    terms: proposing.map(([term]) => term),
    // Whole numbers, because the sum of these does not depend on their order.
    weights: proposing.map(([, { weight }]) => Math.round(weight * 1000)),
  });
  const candidates = rows.map(({ item_id, published_at, story, source_name, report: known }): Candidate => {
    const theirs = weighedReport(known, published_at);
    const evidence = evidenceOf(report, theirs);
    return {
      itemId: item_id,
      story,
      source: source_name,
      report: theirs,
      evidence,
      score: likenessOf(evidence),
    };
  });
  candidates.sort((a, b) => b.score - a.score || (a.itemId < b.itemId ? -1 : 1));
  return { report, candidates };
}

/** Puts an item into the index, unless it is there, and removes a few outdated ones. */
export async function putIntoIndex(
  db: Kysely<NewsTables>,
  itemId: string,
  report: WeighedReport,
  now: Date,
): Promise<void> {
  // The trigger keeps the terms of what is deleted and inserted.
  await sql`
    with removed as (
      delete from news.report_terms where number = any(array(
        select number from news.report_terms
        where published_at < ${new Date(now.getTime() - KEPT_DAYS * DAY_MS)}
        order by published_at limit ${sql.lit(REMOVED_AT_ONCE)}
      ))
    )
    insert into news.report_terms (item_id, published_at, report, terms)
    values (
      ${itemId}, ${report.publishedAt}, ${JSON.stringify(storedReport(report))}::jsonb, ${[...report.terms.keys()]}::text[]
    )
    on conflict (item_id) do nothing
  `.execute(db);
}

/** The terms of `text`, weighed by how rare they are. */
async function weigh(db: Kysely<NewsTables>, text: IndexedText, lexicon: Lexicon): Promise<WeighedReport> {
  const { terms, ...rest } = termsOf(text, lexicon);
  const uses = await TERM_USES.execute(db, { terms: [...terms.keys()] });
  const weighed: WeighedReport['terms'] = new Map(
    uses.flatMap((use) => {
      const known = terms.get(use.term);
      if (known === undefined) return [];
      return [[use.term, { ...known, weight: known.weight * rarity(use) }]];
    }),
  );
  return { ...rest, terms: weighed, publishedAt: text.publishedAt };
}

/**
 * How rare a term is: 1 if no other item has it, 0 if all have. The items of a frequent term are estimated
 * from how close together the newest ones are.
 */
function rarity({ counted, oldest, first, last }: TermUse): number {
  const stored = last - first + 1;
  const items = counted < COUNTED ? counted : (counted * stored) / (last - (oldest ?? last) + 1);
  const all = PRIOR_ITEMS + stored;
  return Math.max(0, Math.log(all / (items + 1)) / Math.log(all));
}
