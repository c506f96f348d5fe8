import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Lexicon } from './lexicon.ts';
import { type Evidence, evidenceOf, likenessOf, type WeighedReport } from './likeness.ts';
import { type StoredReport, storedReport, weighedReport } from './report-terms.ts';
import { type ReportText, termsOf } from './terms.ts';

/** How many of the newest items of a term are looked at. */
const ITEMS_OF_TERM = 100;

/** How many candidates are scored. */
const MOST_CANDIDATES = 40;

/** The least weight at which a term proposes candidates. */
const LEAST_WEIGHT = 0.15;

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

/**
 * The items that may be on the event of `text`, likeliest first: those that share its rarest terms, scored.
 * Reads at most 100 index entries for each of its terms, and 40 items, however many are stored.
 */
export async function findCandidates(
  db: Kysely<NewsTables>,
  text: IndexedText,
  lexicon: Lexicon,
): Promise<{ report: WeighedReport; candidates: Candidate[] }> {
  const { report, numbers } = await weigh(db, text, lexicon);
  if (numbers.length === 0) return { report, candidates: [] };
  const rows = await db
    .selectFrom('news.report_terms as terms')
    .innerJoin('news.item as item', 'item.id', 'terms.item_id')
    .select(['terms.item_id', 'terms.published_at', 'item.story', 'item.source_name'])
    .select(sql<StoredReport>`terms.report`.as('report'))
    .where('terms.number', '=', sql<number>`any(${numbers}::bigint[])`)
    .where('item.withdrawn_at', 'is', null)
    .execute();
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

/** Puts an item into the index, or replaces what the index knows of it, and removes a few outdated ones. */
export async function putIntoIndex(
  db: Kysely<NewsTables>,
  itemId: string,
  report: WeighedReport,
  now: Date,
): Promise<void> {
  // The trigger keeps the terms of what is deleted and inserted.
  await sql`
    delete from news.report_terms where item_id = ${itemId} or number in (
      select number from news.report_terms
      where published_at < ${new Date(now.getTime() - KEPT_DAYS * DAY_MS)}
      order by published_at limit ${sql.lit(REMOVED_AT_ONCE)}
    )
  `.execute(db);
  await db
    .insertInto('news.report_terms')
    .values({
      item_id: itemId,
      published_at: report.publishedAt,
      report: JSON.stringify(storedReport(report)),
      terms: [...report.terms.keys()],
    })
    .execute();
}

/** The terms of `text`, weighed by how rare they are, and the index numbers of the items that share them. */
async function weigh(db: Kysely<NewsTables>, text: IndexedText, lexicon: Lexicon) {
  const { terms, ...rest } = termsOf(text, lexicon);
  const { rows } = await sql<{ term: string; numbers: number[] | null; first: number; last: number }>`
    with ends as (
      select coalesce(min(number), 0)::float8 as first, coalesce(max(number), 0)::float8 as last from news.report_terms
    )
    select term.term, newest.numbers, ends.first, ends.last
    from ends cross join unnest(${[...terms.keys()]}::text[]) as term (term)
    cross join lateral (
      select array_agg(number::float8) as numbers from (
        select number from news.term_report
        where term_report.term = term.term collate "C" order by number desc limit ${sql.lit(ITEMS_OF_TERM)}
      ) as report
    ) as newest
  `.execute(db);
  const weighed: WeighedReport['terms'] = new Map(
    rows.flatMap(({ term, numbers, first, last }) => {
      const known = terms.get(term);
      if (known === undefined) return [];
      return [[term, { ...known, weight: known.weight * rarity(numbers ?? [], first, last) }]];
    }),
  );
  const sums = new Map<number, number>();
  for (const { term, numbers } of rows) {
    const weight = weighed.get(term)?.weight ?? 0;
    if (weight < LEAST_WEIGHT) continue;
    for (const number of numbers ?? []) sums.set(number, (sums.get(number) ?? 0) + weight);
  }
  const numbers = [...sums]
    .sort((a, b) => b[1] - a[1] || b[0] - a[0])
    .slice(0, MOST_CANDIDATES)
    .map(([number]) => number);
  return { report: { ...rest, terms: weighed, publishedAt: text.publishedAt }, numbers };
}

/**
 * How rare a term is: 1 if no other item has it, 0 if all have. The items of a frequent term are estimated
 * from how close together the newest ones are.
 */
function rarity(numbers: readonly number[], first: number, last: number): number {
  const stored = last - first + 1;
  const oldest = numbers.at(-1) ?? last;
  const items =
    numbers.length < ITEMS_OF_TERM ? numbers.length : (numbers.length * stored) / (last - oldest + 1);
  const all = PRIOR_ITEMS + stored;
  return Math.max(0, Math.log(all / (items + 1)) / Math.log(all));
}
