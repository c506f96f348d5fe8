import type { Pool } from 'pg';
import { makeSearchable } from './searchable.ts';

/** How many categories the articles are spread over. */
const CATEGORIES = 20;

/** The categories, as rows of `id`, `name` and `slug`. */
const CATEGORY_ROWS = `
  select n as id, 'Category ' || n as name, 'category-' || n as slug from generate_series(1, ${CATEGORIES}) as n`;

/** `$1` articles, as rows: see {@link fillWithArticles}. */
const ARTICLE_ROWS = `
  select n as id,
         'About ' || array_to_string(words, ' ') as title,
         'article-' || n as slug,
         '<p>' || repeat('Words of an article that somebody has written. ', 25) || '</p>' as content,
         'What the article ' || n || ' is about, in a sentence that is as long as such sentences are, and no longer.'
           as excerpt,
         1 + n % ${CATEGORIES} as category_id,
         'https://images.example/' || n || '.jpg' as featured_image,
         'Author ' || n % 50 as author,
         n % 10 <> 0 as is_published,
         timestamptz '2026-11-01' - n * (interval '10 years' / $1::int) as published_at,
         array['about'] || words as title_words
  from generate_series(1, $1::int) as n
  cross join lateral (
    select array_agg('word' || (n::bigint * (k * 7919)) % 300) as words from generate_series(1, 5) as k
  ) as title`;

/**
 * Fills an empty, migrated database: titles of six words from a vocabulary of a few hundred, 1.2 KB of
 * content, excerpts, every tenth article a draft, published over the ten years before 2026-11-01.
 */
export async function fillWithArticles(pool: Pool, articles: number): Promise<void> {
  await pool.query(
    `insert into content.category (name, slug) select name, slug from (${CATEGORY_ROWS}) as c order by id`,
  );
  await pool.query(
    `insert into content.article
       (title, slug, content, excerpt, category_id, featured_image, author, is_published, published_at, title_words)
     select title, slug, content, excerpt, category_id, featured_image, author, is_published, published_at,
            title_words
     from (${ARTICLE_ROWS}) as a order by id`,
    [articles],
  );
  await makeSearchable(pool);
  await pool.query('vacuum analyze');
}

/**
 * Fills the tables of another program with the same articles and categories: `fill` is SQL that copies them
 * from `source.article` and `source.category`.
 */
export async function fillFromSource(pool: Pool, articles: number, fill: string): Promise<void> {
  await pool.query('create schema source');
  await pool.query(`create table source.category as ${CATEGORY_ROWS}`);
  await pool.query(`create table source.article as ${ARTICLE_ROWS}`, [articles]);
  await pool.query(fill);
  await pool.query('drop schema source cascade');
  await pool.query('vacuum analyze');
}
