import { PreparedQuery } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Lexicon } from './lexicon.ts';
import type { WeighedReport } from './likeness.ts';
import { rarityOf } from './rarity.ts';
import { type SourceText, withoutSharedParts } from './shared-parts.ts';
import { termsOf } from './terms.ts';
import type { TitleVector } from './title-vector.ts';

/** How many of a term's newest items are counted; a more frequent term is estimated from these. */
const COUNTED = 32;

/** A report that is to be compared. */
export interface IndexedText extends SourceText {
  publishedAt: Date;
}

/** How texts are read. */
export interface Reading {
  lexicon: Lexicon;
  /** The vector of a text's title, if there is one. */
  vectorOf: (text: SourceText) => TitleVector | undefined;
}

/** How often a term is used. */
interface TermUse {
  term: string;
  /** How many items have it, up to {@link COUNTED}. */
  counted: number;
  /** The number of the oldest of these; null if none has it. */
  oldest: number | null;
}

/** The first and the last number of the index; both 0 if it is empty. */
export interface IndexEnds {
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
  const read = (await withoutSharedParts(db, texts)).map((text) => termsOf(text, lexicon));
  const distinct = new Set(read.flatMap(({ terms }) => [...terms.keys()]));
  const [{ uses, ...ends } = { uses: [], first: 0, last: 0 }] = await TERM_USES.execute(db, {
    terms: [...distinct],
  });
  const stored = ends.last === 0 ? 0 : ends.last - ends.first + 1;
  const counts = new Map(uses.map((use) => [use.term, itemsOf(use, ends)]));
  const vectors = texts.map(vectorOf);
  const reports = read.map(({ terms, ...rest }, index): WeighedReport => {
    const among = stored + index;
    const weighed: WeighedReport['terms'] = new Map(
      [...terms].map(([term, known]) => {
        const items = counts.get(term) ?? 0;
        counts.set(term, items + 1);
        return [term, { ...known, weight: known.weight * rarityOf(items, among) }];
      }),
    );
    const publishedAt = texts[index]?.publishedAt ?? new Date(Number.NaN);
    const title = vectors[index];
    return { ...rest, terms: weighed, publishedAt, ...(title && { title }) };
  });
  return { reports, ends };
}

/** How many items have a term; of a frequent one, by how close together its newest items are. */
function itemsOf({ counted, oldest }: TermUse, { first, last }: IndexEnds): number {
  if (counted < COUNTED) return counted;
  return (counted * (last - first + 1)) / Math.max(1, last - (oldest ?? last) + 1);
}
