import { readFileSync } from 'node:fs';
import { JSDOM } from 'jsdom';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { send } from '../support/http.ts';
import { realFile } from '../support/real-data.ts';
import { until } from '../support/until.ts';

/** Queries, and how many of them are to find their article among the first five. */
const QUERIES = 200;
const FOUND = 190;
const FIRST = 5;

interface Known {
  title: string;
  html: string;
  text: string;
  words: string[];
}

const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });

function wordsOf(text: string): string[] {
  return [...WORDS.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

/** As somebody types who has a plain keyboard. */
function typed(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{Script=Inherited}/gu, '')
    .replaceAll('’', "'")
    .normalize('NFC')
    .toLowerCase();
}

let content: ContentFixture;
const articles: Known[] = [];
beforeAll(async () => {
  content = await contentFixture({ CACHE_BYTES: '0' });
  const lines = readFileSync(realFile('articles', 'articles.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines) {
    const { title, html }: { title: string; html: string } = JSON.parse(line);
    const text = new JSDOM(html).window.document.body.textContent;
    if (text.length < 1500 || articles.some((other) => other.text === text)) continue;
    articles.push({ title, html, text, words: wordsOf(text) });
  }
  const { pool } = content.database;
  await pool.query(
    `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
     select left(title, 255), 'known-' || place, html, 'Known', '{}', true, timestamptz '2026-01-01' + place * interval '1 hour'
     from unnest($1::text[], $2::text[]) with ordinality as known (title, html, place)`,
    [articles.map(({ title }) => title), articles.map(({ html }) => html)],
  );
  await pool.query('create extension unaccent schema public');
  await pool.query(
    `create table public.known as
     select title, setweight(to_tsvector('simple', public.unaccent(title)), 'A')
       || to_tsvector('simple', public.unaccent(text)) as terms
     from unnest($1::text[], $2::text[]) as known (title, text)`,
    [articles.map(({ title }) => title), articles.map(({ text }) => text)],
  );
  await until('all articles are searchable', async () => {
    const { rows } = await pool.query('select from content.unsearchable_article limit 1');
    return rows.length === 0;
  });
});
afterAll(() => content?.close());

/** Queries of a reader who knows the article, made of it by rule, as many of each kind. */
function queriesOf(known: Known, articlesWith: Map<string, number>): string[] {
  const inTitle = wordsOf(known.title);
  const long = inTitle.toSorted((a, b) => b.length - a.length).slice(0, 3);
  const distinct = [...new Set(known.words)].filter((word) => word.length > 1 && !/\d/.test(word));
  const rare = distinct.toSorted(
    (a, b) => (articlesWith.get(a) ?? 0) - (articlesWith.get(b) ?? 0) || b.length - a.length,
  );
  const special = rare.filter((word) => typed(word) !== word.toLowerCase());
  const middle = known.words.indexOf(rare[2] ?? '');
  const phrase = known.words.slice(middle, middle + 3).join(' ');
  return [
    ...(long.length > 1 ? [typed(long.join(' '))] : []),
    inTitle.slice(0, 4).join(' ').toUpperCase(),
    typed(rare.slice(0, 2).join(' ')),
    ...(special.length > 0 ? [typed(special.slice(0, 2).join(' '))] : []),
    ...(known.text.includes(phrase) ? [`“${typed(phrase)}”`] : []),
  ];
}

test(`of ${QUERIES} queries that readers may type, ${FOUND} find their article among the first ${FIRST}`, async () => {
  const articlesWith = new Map<string, number>();
  for (const { words } of articles) {
    for (const word of new Set(words)) articlesWith.set(word, (articlesWith.get(word) ?? 0) + 1);
  }
  const all = articles.flatMap((known) =>
    queriesOf(known, articlesWith).map((q) => ({ q, title: known.title })),
  );
  const step = all.length / QUERIES;
  const judged = Array.from({ length: QUERIES }, (_, n) => all[Math.floor(n * step)]).filter(
    (one) => one !== undefined,
  );
  expect(new Set(judged).size).toBe(QUERIES);

  const missed: string[] = [];
  let byPostgres = 0;
  for (const { q, title } of judged) {
    const query = new URLSearchParams({ q, sort: 'relevance', per_page: String(FIRST), fields: 'title' });
    const { body } = await send(`${content.url}/api/articles?${query}`);
    const found = (body.data ?? []).some((one: { title: string }) => one.title === title.slice(0, 255));
    if (!found) missed.push(`${q} (${title})`);
    const { rows } = await content.database.pool.query(
      `select title from public.known, websearch_to_tsquery('simple', public.unaccent($1)) as query
       where terms @@ query order by ts_rank_cd(terms, query) desc limit $2`,
      [q.replaceAll(/[“”]/g, '"'), FIRST],
    );
    if (rows.some((row) => row.title === title)) byPostgres += 1;
  }
  console.log(`${QUERIES - missed.length} of ${QUERIES}; PostgreSQL with unaccent: ${byPostgres}`);
  expect(QUERIES - missed.length, missed.join('\n')).toBeGreaterThanOrEqual(Math.max(FOUND, byPostgres));
});
