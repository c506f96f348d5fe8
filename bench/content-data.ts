import type { Pool } from 'pg';

/** How many categories the articles are spread over. */
const CATEGORIES = 20;

/**
 * Fills an empty, migrated database: titles of six words from a vocabulary of a few hundred, 1.2 KB of
 * content, excerpts, every tenth article a draft, published over the ten years before 2026-11-01.
 */
export async function fillWithArticles(pool: Pool, articles: number): Promise<void> {
  await pool.query(
    `insert into content.category (name, slug) select 'Category ' || n, 'category-' || n from generate_series(1, $1::int) as n`,
    [CATEGORIES],
  );
  await pool.query(
    `insert into content.article
       (title, slug, content, excerpt, category_id, featured_image, author, is_published, published_at, title_words)
     select 'About ' || array_to_string(words, ' '),
            'article-' || n,
            '<p>' || repeat('Words of an article that somebody has written. ', 25) || '</p>',
            'What the article ' || n || ' is about, in a sentence that is as long as such sentences are, and no longer.',
            1 + n % $2,
            'https://images.example/' || n || '.jpg',
            'Author ' || n % 50,
            n % 10 <> 0,
            timestamptz '2026-11-01' - n * (interval '10 years' / $1::int),
            array['about'] || words
     from generate_series(1, $1::int) as n
     cross join lateral (
       select array_agg('word' || (n::bigint * (k * 7919)) % 300) as words from generate_series(1, 5) as k
     ) as title`,
    [articles, CATEGORIES],
  );
  await pool.query('vacuum analyze');
}
