import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import type { NewsTables } from '@pressroom/news-feed/tables';
import type { WeighedTerm } from '@pressroom/stories';
import { rarityOf, readLexicon, storedReport, termsOf } from '@pressroom/stories';
import type { Kysely } from 'kysely';
import type { Pool } from 'pg';
import { timed } from '../turns.ts';
import type { LabelledReport } from './labelled-set.ts';
import { madeUpReport, seeded } from './made-up-report.ts';
import { assignReport } from './quality.ts';

/** Time to find the story of one item, in ms, with the transaction that writes it. */
interface StorySpeed {
  times: number[];
  /** The size of the index, in MiB. */
  indexMiB: number;
}

const MEASURED = 1000;
const BATCH = 2000;

/** Stores `items` made-up items of the last 30 days, then measures the assignment of a thousand more. */
export async function measureSpeed(pool: Pool, db: Kysely<NewsTables>, items: number): Promise<StorySpeed> {
  await pool.query('truncate news.item, news.story cascade');
  const random = seeded(1);
  const now = Date.now();
  const time = (index: number) => new Date(now - (30 * 24 * 3600 * 1000 * (items - index)) / items);
  const uses = new Map<string, number>();
  // The trigger would take most of the time; all its rows at once are the same rows.
  await pool.query('alter table news.report_terms disable trigger keep_term_reports');
  for (let start = 0; start < items; start += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, items - start) }, (_, index) =>
      madeUpReport(start + index, time(start + index), random),
    );
    await store(pool, batch, start, uses);
  }
  await pool.query(
    'insert into news.term_report (term, number) select distinct unnest(terms), number from news.report_terms order by 2',
  );
  await pool.query('alter table news.report_terms enable trigger keep_term_reports');
  await pool.query('vacuum analyze');
  const assigner = new RulesAssigner(new StorySearch(readLexicon()));
  const times: number[] = [];
  for (let index = 0; index < MEASURED; index += 1) {
    const report = madeUpReport(items + index, new Date(now), random);
    times.push(await timed(() => assignReport(db, assigner, report, new Date(now))));
  }
  const { rows } = await pool.query<{ size: string }>(
    "select pg_total_relation_size('news.report_terms') + pg_total_relation_size('news.term_report') as size",
  );
  return { times, indexMiB: Math.round(Number(rows[0]?.size) / 2 ** 20) };
}

/**
 * Stores items with their terms and a story each, all at once, after `stored` others that use terms as often
 * as `uses` says.
 */
async function store(
  pool: Pool,
  reports: readonly LabelledReport[],
  stored: number,
  uses: Map<string, number>,
): Promise<void> {
  const lexicon = readLexicon();
  const rows = reports.map((report, index) => {
    const { terms, ...rest } = termsOf(report, lexicon);
    const weighed = [...terms].map(([term, known]): [string, WeighedTerm] => {
      const items = uses.get(term) ?? 0;
      uses.set(term, items + 1);
      return [term, { ...known, weight: known.weight * rarityOf(items, stored + index) }];
    });
    return {
      id: report.id,
      title: report.title,
      summary: report.summary,
      source: report.sourceName,
      at: report.publishedAt,
      terms: [...terms.keys()],
      report: storedReport({ ...rest, terms: new Map(weighed) }),
    };
  });
  await pool.query(
    `with row as (
       select * from jsonb_to_recordset($1::jsonb)
         as row (id text, title text, summary text, source text, at timestamptz, terms text[], report jsonb)
     ), story as (
       insert into news.story (public_id, title) select id, title from row
     ), item as (
       insert into news.item
         (id, title, summary, source_name, original_url, canonical_url, published_at, discovered_at, story)
       select id, title, summary, source, 'https://source.example/' || id, 'source.example/' || id, at, at, id
       from row
     )
     insert into news.report_terms (item_id, published_at, report, terms)
     select id, at, report, terms from row`,
    [JSON.stringify(rows)],
  );
}
