import { queriesOn } from '@pressroom/common/database/database';
import { ApiKeyStore } from '@pressroom/content/api-keys';
import { indexAll } from '@pressroom/content/articles/indexing';
import type { ContentTables } from '@pressroom/content/tables';
import type { Pool } from 'pg';
import { copyRows } from './copied-rows.ts';
import { LATIN } from './vocabulary.ts';

/** Categories that the articles are spread over. */
export const CATEGORIES = 20;

/** The publication times are spread over the ten years before this one. */
const NOW = Date.UTC(2026, 10, 1);
const TEN_YEARS_MS = 10 * 365.25 * 24 * 60 * 60 * 1000;

/** The members of an article that every program has. */
export const COLUMNS =
  'title, slug, content, excerpt, category_id, featured_image, author, is_published, published_at';

/** The categories, as rows of `id`, `name` and `slug`. */
const CATEGORY_ROWS = `
  select n as id, 'Category ' || n as name, 'category-' || n as slug from generate_series(1, ${CATEGORIES}) as n`;

/** The size of each article, besides what a list shows. */
interface ArticleShape {
  /** Sentences of 47 bytes in its text. */
  sentences: number;
  hasRareWord?: boolean;
  /** Number of tags; each article has one, and a former revision. Without tags it has neither. */
  tags?: number;
  /** True by default: searches find them, which takes PostgreSQL a millisecond each. */
  isSearched?: boolean;
}

const PLAIN: ArticleShape = { sentences: 25 };

/** Numbers of the articles to add: from the first to the second, which is left out. */
type Range = readonly [begin: number, end: number];

/**
 * The values of the article with the id `n` + 1 in {@link COLUMNS}: a title of six words, every tenth a
 * draft.
 */
function valuesOf(n: number, [begin, end]: Range, { sentences, hasRareWord }: ArticleShape): unknown[] {
  const text = 'Words of an article that somebody has written. '.repeat(sentences);
  return [
    LATIN.words(n, 6).join(' '),
    `article-${n}`,
    `<p>${text}${hasRareWord ? LATIN.rare(n) : ''}</p>`,
    'What the article is about, in a sentence that is as long as such sentences are.',
    1 + (n % CATEGORIES),
    `https://images.example/${n}.jpg`,
    `Author ${n % 50}`,
    (n + 1) % 10 !== 0,
    new Date(NOW - TEN_YEARS_MS * (1 - (n - begin) / (end - begin))).toISOString(),
  ];
}

/** Adds articles to a migrated database, in their categories. */
export async function addArticles(pool: Pool, range: Range, shape = PLAIN): Promise<void> {
  const { tags = 0, isSearched = true } = shape;
  if (range[0] === 0) {
    await pool.query(
      `insert into content.category (name, slug) select name, slug from (${CATEGORY_ROWS}) as c order by id`,
    );
    const named = `select 'Tag ' || n, 'tag-' || n from generate_series(1, $1::int) as n`;
    await pool.query(`insert into content.tag (name, slug) ${named}`, [tags]);
  }
  await copyRows(pool, `content.article (${COLUMNS}, title_words, tag_ids, revision)`, range, (n) => [
    ...valuesOf(n, range, shape),
    `{${[...new Set(LATIN.words(n, 6))].join(',')}}`,
    tags > 0 ? `{${1 + (n % tags)}}` : '{}',
    tags > 0 ? 2 : 1,
  ]);
  await pool.query(
    `insert into content.article_revision (article_id, number, created_at, members, content)
     select id, 1, created_at, '{"excerpt": null}', content from content.article where revision = 2
     on conflict do nothing`,
  );
  // The service would make the rest of the queue searchable while it is measured.
  if (isSearched) await makeSearchable(pool);
  else await pool.query('truncate content.unsearchable_article');
  await pool.query('vacuum analyze');
}

/** On two connections, as many as there are cores. */
async function makeSearchable(pool: Pool): Promise<void> {
  const onLeftOut = (_: unknown, error: unknown) => {
    throw error;
  };
  const index = () => indexAll(queriesOn<ContentTables>(pool), { onLeftOut });
  await Promise.all([index(), index()]);
}

/**
 * Fills the tables of another program with the same articles and categories: `fill` is SQL that copies them
 * from `source.article` and `source.category`.
 */
export async function fillFromSource(pool: Pool, articles: number, fill: string): Promise<void> {
  await pool.query('create schema source');
  await pool.query(`create table source.category as ${CATEGORY_ROWS}`);
  await pool.query(
    `create table source.article (id serial, title text, slug text, content text, excerpt text, category_id int,
       featured_image text, author text, is_published boolean, published_at timestamptz)`,
  );
  const range = [0, articles] as const;
  await copyRows(pool, `source.article (${COLUMNS})`, range, (n) => valuesOf(n, range, PLAIN));
  await pool.query(fill);
  await pool.query('drop schema source cascade');
  await pool.query('vacuum analyze');
}

/** The same articles as lines with tabs between {@link COLUMNS}. */
export function* articleLines(articles: number): Generator<string> {
  for (let n = 0; n < articles; n += 1) yield `${valuesOf(n, [0, articles], PLAIN).join('\t')}\n`;
}

/** Makes a key of the content service. */
export async function createKey(pool: Pool): Promise<string> {
  return (await new ApiKeyStore(queriesOn<ContentTables>(pool)).create({ name: 'Bench' })).key;
}
