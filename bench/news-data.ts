import { queriesOn } from '@pressroom/common/database/database';
import { readVocabulary } from '@pressroom/news-feed/config';
import { publishRanking } from '@pressroom/news-feed/newsroom/publishing/rank';
import type { NewsTables } from '@pressroom/news-feed/tables';
import type { Pool } from 'pg';

/** The amount of news. */
export interface NewsSize {
  items: number;
  /** How many of them are in the selected set. */
  selected: number;
  /** How many of them fall into the last 7 days. */
  recent: number;
}

/**
 * Fills an empty, migrated database: titles of six words from a vocabulary of a few hundred, summaries of 300
 * characters in two scripts, nine categories, two directions, 200 sources; `recent` of them spread over the
 * last 7 days, the others over the two years before.
 */
export async function fillWithNews(pool: Pool, { items, selected, recent }: NewsSize): Promise<void> {
  await pool.query(
    `insert into news.item
       (id, title, original_title, summary, source_name, original_url, canonical_url, published_at, discovered_at,
        category, score, selected, reason, directions)
     select 'item-' || lpad(n::text, 9, '0'),
            'About ' || array_to_string(words, ' '),
            '关于' || n || '的新闻',
            repeat('What has happened, said in a sentence. 发生了什么，用一句话说。 ', 5) || n,
            'Source ' || n % 200,
            'https://source.example/articles/' || n,
            'https://source.example/articles/' || n,
            time - interval '1 hour', time,
            (array['technology', 'research', 'patent', 'product', 'industry', 'finance', 'policy-standard', 'event',
                   'insight'])[1 + n % 9],
            n % 101,
            -- Spread over all times.
            n % ($1::int / $2::int) = 0,
            'A sentence about why it matters.',
            case n % 3 when 0 then array['domestic'] when 1 then array['overseas'] else array['domestic', 'overseas'] end
     from generate_series(1, $1::int) as n
     cross join lateral (
       select array_agg('word' || (n::bigint * (k * 7919)) % 300) as words from generate_series(1, 5) as k
     ) as title
     cross join lateral (
       select now() - case when n <= $3::int then n * (interval '7 days' / $3::int)
                           else interval '7 days' + (n - $3::int) * (interval '2 years' / $1::int) end as time
     ) as times`,
    [items, selected, recent],
  );
  await pool.query('vacuum analyze');
}

/** Fills it, and ranks what there is. */
export async function fillWithRankedNews(pool: Pool, size: NewsSize): Promise<void> {
  await fillWithNews(pool, size);
  await rank(pool);
}

/** Publishes a ranking as of now. */
export async function rank(pool: Pool): Promise<void> {
  await queriesOn<NewsTables>(pool)
    .transaction()
    .execute((tx) => publishRanking(tx, readVocabulary({}).directions, new Date()));
}
