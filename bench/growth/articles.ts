import { addArticles, createKey } from '../data/articles.ts';
import { LATIN } from '../data/vocabulary.ts';
import type { Grown, Kind } from './growing.ts';
import { type Question, WRITE } from './question.ts';

/** Acceptable multiples of the page in the middle, and of searches. */
const MIDDLE = 3;
const SEARCH = 10;

const LIST = '/api/articles';
const SNAPSHOT = '/api/sync/snapshot?limit=500';
const CHANGES = '/api/sync/changes?limit=100';

/** A category that the lists are restricted to, and one that the written articles are in. */
const CATEGORY = 3;
const WRITTEN_CATEGORY = 5;

/** Short, so that ten million fit on a disk. */
const SHAPE = { sentences: 6, hasRareWord: true, tags: 25 };

/** Articles, each with a tag and a former revision, spread over the same ten years however many there are. */
export const ARTICLES: Kind = {
  service: 'content',
  // Checking HTML costs the same however many articles there are, and more than writing them.
  settings: { CONTENT_HTML: 'trusted', CONTENT_SITE_URL: 'https://site.example' },
  schema: 'content',
  add: (pool, begin, end) => addArticles(pool, [begin, end], SHAPE),
  ask: async (grown) => {
    const key = await createKey(grown.pool);
    const start = (await grown.read(SNAPSHOT)).meta.cursor;
    return async () => [
      ...(await lists(grown)),
      ...(await parts(grown, key)),
      ...(await copies(grown, start)),
      ...searches(grown),
      ...writes(grown, key),
    ];
  },
};

/** Lists that are paged, filtered, sorted and walked through; half of the articles changed since the time. */
async function lists({ pool, read, question }: Grown): Promise<Question[]> {
  const ofCategory = `${LIST}?category_id=${CATEGORY}`;
  const pagesOf = async (list: string) => (await read(`${list}per_page=20`)).meta.total_pages;
  const pages = await pagesOf(`${LIST}?`);
  const categoryMiddle = Math.ceil((await pagesOf(`${ofCategory}&`)) / 2);
  const { rows } = await pool.query(
    'select percentile_disc(0.5) within group (order by updated_at) as half from content.article',
  );
  const since = `updated_since=${rows[0].half.toISOString()}`;
  const { meta } = await read(`${LIST}?fields=full&cursor=`);
  return [
    question('articles, first page', LIST),
    question('articles, page 50', `${LIST}?page=50`),
    question('articles, middle page', `${LIST}?page=${Math.ceil(pages / 2)}`, MIDDLE),
    question('articles, last page', `${LIST}?page=${pages}`),
    question('articles of a category, first page', ofCategory),
    question('articles of a category, middle page', `${ofCategory}&page=${categoryMiddle}`, MIDDLE),
    question('articles of an author', `${LIST}?author=Author+3`),
    question('articles of a tag', `${LIST}?tag=tag-3`),
    question('articles, changed last', `${LIST}?sort=updated`),
    question('articles of a category, changed since', `${ofCategory}&${since}`),
    question('whole articles, second page', `${LIST}?fields=full&cursor=${meta.next_cursor}`),
  ];
}

/** An article in the middle, and what is made of all of them. */
async function parts({ pool, rows, read, question }: Grown, key: string): Promise<Question[]> {
  const found = await pool.query(
    `select id from content.article where is_published order by abs(id - $1) limit 1`,
    [Math.floor(rows() / 2)],
  );
  const detail = `${LIST}/${found.rows[0].id}`;
  const { data } = await read(detail);
  return [
    question('categories with their totals', '/api/categories'),
    question('article with related ones', detail),
    question('revisions of an article', `${detail}/revisions`, undefined, { headers: { 'x-api-key': key } }),
    question('article by its slug', `${LIST}/by-slug/${data.slug}`),
    question('feed of articles', '/articles/feed.xml'),
    question('index of the sitemap', '/sitemap.xml', MIDDLE),
  ];
}

/** Questions of a copy; the pages of a snapshot cost the same wherever they are. */
async function copies({ read, question }: Grown, start: string): Promise<Question[]> {
  const whole = `${SNAPSHOT}&fields=full`;
  const { meta } = await read(whole);
  let tip = meta.cursor;
  for (let hasMore = true; hasMore; ) {
    const changes = (await read(`${CHANGES}&cursor=${tip}`)).meta;
    [tip, hasMore] = [changes.cursor, changes.has_more];
  }
  return [
    question('snapshot of articles, first page', SNAPSHOT),
    question('snapshot of whole articles, second page', `${whole}&page=${meta.next_page}`),
    question('changes of articles from the start', `${CHANGES}&cursor=${start}`),
    question('changes of articles at the tip', `${CHANGES}&cursor=${tip}`),
  ];
}

/**
 * A word that all articles have, one of a fiftieth of them, three of these, one of some in a million, and
 * what none has.
 */
function searches({ question }: Grown): Question[] {
  const [common = '', ...others] = [1, 2, 3].map((word) => LATIN.common(word * 7));
  const searched = {
    'a word of all': 'somebody',
    'a word of all, by relevance': 'somebody&sort=relevance',
    'a common word': common,
    'a common word, by relevance': `${common}&sort=relevance`,
    'three common words': [common, ...others].join('+'),
    'a common word in a category': `${common}&category_id=${CATEGORY}`,
    'a rare word': LATIN.rare(1),
    'a rare word, by relevance': `${LATIN.rare(1)}&sort=relevance`,
    'a word that no article has': LATIN.absent,
  };
  return Object.entries(searched).map(([what, q]) => ({
    ...question(`search of articles, ${what}`, `${LIST}?q=${q}`, SEARCH),
    metric: 'p99',
  }));
}

function writes({ rows, next, send }: Grown, key: string): Question[] {
  const headers = { 'x-api-key': key };
  const content = '<p>An article has at least fifty characters of text, not counting tags.</p>';
  const article = { content, category_id: WRITTEN_CATEGORY, is_published: true };
  const create = () =>
    send(LIST, { headers, json: { title: `Written while it grows ${next()}`, ...article } });
  const update = () => {
    const number = next();
    // A prime, so that the updates reach all parts of the table.
    const path = `${LIST}/${1 + ((number * 7919) % rows())}`;
    return send(path, { method: 'PATCH', headers, json: { excerpt: `Changed ${number} times` } });
  };
  return [
    { what: 'create an article', aim: WRITE, ask: create },
    { what: 'update an article', aim: WRITE, ask: update },
  ];
}
