import { queriesOn } from '@pressroom/common/database/database';
import { readVocabulary } from '@pressroom/news-feed/config';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { publishRanking } from '@pressroom/news-feed/work/rank';
import type { Pool } from 'pg';
import { copyRows } from './copied-rows.ts';
import { CHINESE, LATIN } from './vocabulary.ts';

const COLUMNS =
  'news.item (id, title, original_title, summary, source_name, original_url, canonical_url, published_at, discovered_at, category, score, selected, reason, directions)';

const CATEGORIES = 'technology research product industry finance policy-standard event insight'.split(' ');

/** One item in this many belongs to the category that is rarely used. */
const RARE_EVERY = 1000;

const SELECTED = 100;

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Adds the items `begin` to `end`, oldest first except for the newest: titles of six words, summaries of 30
 * words in two scripts, nine categories of which one is rare, two directions, a tenth selected. The share
 * `recent` is of the last 7 days; the others are spread over the two years before.
 */
export async function addItems(pool: Pool, begin: number, end: number, recent = 0.03): Promise<void> {
  const now = Date.now();
  const row = (n: number) => {
    const age = 1 - (n - begin) / (end - begin);
    const days = age <= recent ? (age / recent) * 7 : 7 + ((age - recent) / (1 - recent)) * 730;
    const time = now - days * DAY_MS;
    const latin = [...LATIN.words(3 * n + 1, 15), LATIN.rare(n)];
    const url = `https://source.example/articles/${n}`;
    return [
      `item-${String(n).padStart(9, '0')}`,
      LATIN.words(3 * n, 6).join(' '),
      CHINESE.words(3 * n + 2, 8).join(''),
      [...latin, CHINESE.words(3 * n, 15).join(''), CHINESE.rare(n)].join(' '),
      `Source ${n % 200}`,
      url,
      url,
      new Date(time - DAY_MS / 24).toISOString(),
      new Date(time).toISOString(),
      n % RARE_EVERY === 7 ? 'patent' : CATEGORIES[n % CATEGORIES.length],
      n % 101,
      // The same number of each 1,000, but not at regular places.
      (n * 7919) % 1000 < SELECTED,
      'A sentence about why it matters.',
      ['{domestic}', '{overseas}', '{domestic,overseas}'][n % 3],
    ];
  };
  // With the newest item there, PostgreSQL does not take those of two years ago for recent ones.
  await copyRows(pool, COLUMNS, [end - 1, end], row);
  await copyRows(pool, COLUMNS, [begin, end - 1], row);
  await pool.query('vacuum analyze');
}

export async function rank(pool: Pool): Promise<void> {
  await queriesOn<NewsTables>(pool)
    .transaction()
    .execute((tx) => publishRanking(tx, readVocabulary({}).directions, new Date()));
}
