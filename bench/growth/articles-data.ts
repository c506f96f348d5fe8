import type { Pool } from 'pg';
import { makeSearchable } from '../searchable.ts';
import { copyRows } from './copied-rows.ts';
import { LATIN } from './vocabulary.ts';

/** How many categories the articles are spread over. */
const CATEGORIES = 20;

/** How many tags there are; each article has one. */
const TAGS = 25;

const COLUMNS =
  'content.article (title, slug, content, excerpt, category_id, featured_image, author, is_published, published_at, title_words, tag_ids, revision)';

/** The publication times are spread over the ten years before this one. */
const NOW = Date.UTC(2026, 10, 1);
const TEN_YEARS_MS = 10 * 365.25 * 24 * 60 * 60 * 1000;

/** Adds the categories and tags to an empty, migrated database. */
export async function addTerms(pool: Pool): Promise<void> {
  await pool.query(
    `insert into content.category (name, slug) select 'Category ' || n, 'category-' || n from generate_series(1, $1::int) as n`,
    [CATEGORIES],
  );
  await pool.query(
    `insert into content.tag (name, slug) select 'Tag ' || n, 'tag-' || n from generate_series(1, $1::int) as n`,
    [TAGS],
  );
}

/**
 * Adds the articles `begin` to `end`: titles of six words, 300 bytes of content with a rare word, every tenth
 * a draft that was published before, each with a former revision, spread over the same ten years as those
 * that are there.
 */
export async function addArticles(pool: Pool, begin: number, end: number): Promise<void> {
  await copyRows(pool, COLUMNS, [begin, end], (n) => {
    const words = LATIN.words(n, 6);
    const publishedAt = new Date(NOW - TEN_YEARS_MS * (1 - (n - begin) / (end - begin)));
    return `${[
      words.join(' '),
      `article-${n}`,
      `<p>${'Words of an article that somebody has written. '.repeat(6)}${LATIN.rare(n)}</p>`,
      'What the article is about, in a sentence that is as long as such sentences are.',
      1 + (n % CATEGORIES),
      `https://images.example/${n}.jpg`,
      `Author ${n % 50}`,
      n % 10 !== 0,
      publishedAt.toISOString(),
      `{${[...new Set(words)].join(',')}}`,
      `{${1 + (n % TAGS)}}`,
      2,
    ].join('\t')}\n`;
  });
  await pool.query(
    `insert into content.article_revision (article_id, number, created_at, members, content)
     select id, 1, created_at, '{"excerpt": null}', content from content.article where revision = 2
     on conflict do nothing`,
  );
  await makeSearchable(pool);
}
