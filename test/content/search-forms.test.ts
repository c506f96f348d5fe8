import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;

const searchable = () =>
  until('all articles are searchable', async () => {
    const { rows } = await content.database.pool.query(
      `select from content.unsearchable_article
       union all select from content.article left join content.article_search on article_id = id
       where coalesce(folding, 0) = 0 limit 1`,
    );
    return rows.length === 0;
  });

const FILLER = 'Enough text for an article to be one, whatever else it is about.';

async function write(title: string, html: string): Promise<void> {
  await content.client.article({ title, content: `<p>${FILLER}</p>${html}`, is_published: true });
}

async function titles(q: string, more: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await send(
    `${content.url}/api/articles?${new URLSearchParams({ q, sort: 'relevance', ...more })}`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.map(({ title }: { title: string }) => title);
}

beforeAll(async () => {
  content = await contentFixture({ CACHE_BYTES: '0' });
  await write(
    'Café Müller',
    '<p>Reports of the na&iuml;ve r&eacute;sum&eacute; &Ccaron;apek &rarr; 5&nbsp;&frac12;</p>',
  );
  await write('Łódź', '<p>The Ærø ferry; Đà Nẵng; Straße; Ёлка.</p>');
  await write('Quotes', '<p>The keeper&#8217;s “winter beets” and l’été, O’Brien said: don‘t.</p>');
  await write('Hyphens', '<p>Donau&shy;dampf&#173;schiff, zero\u200bwidth, COVID‑19.</p>');
  await write('مكتبة', '<p>أَحْمَدُ ذهب إلى المدرســة سنة ٢٠٢٤. می‌خواهم کتاب</p>');
  await write('İstanbul', '<p>Diyarbakır’da ışık. IĞDIR</p>');
  await write('臺灣資訊', '<p>電腦軟體與網路。</p>');
  await write('台湾新闻', '<p>电脑软件与网络。</p>');
  await write('Beets in winter', '<p>Winter, then beets.</p>');
  await searchable();
});
afterAll(() => content.close());

test.each([
  ['cafe muller', ['Café Müller']],
  ['CAFÉ', ['Café Müller']],
  ['naive resume', ['Café Müller']],
  ['résumé čapek →', ['Café Müller']],
  ['capek 51⁄2', []],
  ['lodz', ['Łódź']],
  ['aero da nang strasse елка', ['Łódź']],
  [`keeper's`, ['Quotes']],
  ['keeper`s obrien dont', ['Quotes']],
  [`l'ete`, ['Quotes']],
  ['"winter beets"', ['Quotes']],
  ['“Winter beets”', ['Quotes']],
  ['winter beets', ['Beets in winter', 'Quotes']],
  ['"winter beets', ['Beets in winter', 'Quotes']],
  ['"beets winter"', []],
  ['donaudampfschiff', ['Hyphens']],
  ['dampf\u00adschiff', ['Hyphens']],
  ['zerowidth covid-19', ['Hyphens']],
  ['مكتبه', ['مكتبة']],
  ['احمد الى المدرسة', ['مكتبة']],
  ['2024 ميخواهم كتاب', ['مكتبة']],
  ['istanbul ISIK ığdır', ['İstanbul']],
  ['diyarbakirda', ['İstanbul']],
  ['台灣', ['台湾新闻', '臺灣資訊']],
  ['网络', ['台湾新闻']],
  ['电脑软体', ['臺灣資訊']],
  [`''`, []],
  ['\u00ad\u200b', []],
])('%j finds %j', async (q, expected) => {
  expect(await titles(q)).toEqual(expected);
  expect((await titles(q, { sort: 'newest' })).toSorted()).toEqual(expected.toSorted());
});

describe('by relevance, what has the words as they were typed comes first', () => {
  beforeAll(async () => {
    await write('Pâté at home', '<p>Its recipe.</p>');
    await write('Pate at home', '<p>It’s bare.</p>');
    await write('Both at home', '<p>Of pate and of pâté, its and it’s.</p>');
    await searchable();
  });

  test.each([
    ['pate home', ['Pate at home', 'Pâté at home', 'Both at home']],
    ['pâté home', ['Pâté at home', 'Pate at home', 'Both at home']],
    ['its home', ['Both at home', 'Pâté at home', 'Pate at home']],
    ['it’s home', ['Both at home', 'Pate at home', 'Pâté at home']],
  ])('%j finds %j', async (q, expected) => expect(await titles(q)).toEqual(expected));

  test('the newest where they are to come first', async () => {
    expect(await titles('pâté', { sort: 'newest' })).toEqual([
      'Both at home',
      'Pate at home',
      'Pâté at home',
    ]);
  });
});

test('highlights are what the article has', async () => {
  const shown = async (q: string) => {
    const { body } = await send(`${content.url}/api/articles?${new URLSearchParams({ q, highlight: '1' })}`);
    return body.data.flatMap(({ highlights }: { highlights: Shown[] }) =>
      highlights.flatMap(({ text, matches }) =>
        matches.map(({ offset, length }) => text.slice(offset, offset + length)),
      ),
    );
  };
  expect(await shown('cafe muller')).toEqual(['Café', 'Müller']);
  expect(await shown('"said dont"')).toEqual([]);
  expect(await shown('obrien dampfschiff')).toEqual([]);
  expect(await shown(`o'brien "winter beets"`)).toEqual(['winter beets', 'O’Brien']);
  expect(await shown('donaudampf')).toEqual(['Donau\u00addampf']);
  expect(await shown('احمد')).toEqual(['أَحْمَدُ']);
  expect(await shown('软体')).toEqual(['軟體']);
});

interface Shown {
  text: string;
  matches: { offset: number; length: number }[];
}

/** The suggestions for a text: titles, then names. */
async function suggested(q: string): Promise<string[][]> {
  const { status, body } = await send(`${content.url}/api/articles/suggest?${new URLSearchParams({ q })}`);
  expect(status, JSON.stringify(body)).toBe(200);
  const { articles, tags, authors } = body.data;
  return [articles.map(({ title }: { title: string }) => title)].concat(
    [tags, authors].map((terms) => terms.map(({ name }: { name: string }) => name)),
  );
}

describe('suggestions', () => {
  const named = async (path: string, name: string) => (await content.client.post(path, { name })).body.data;

  beforeAll(async () => {
    const [cafe, taiwan, draft] = [
      await named('/api/tags', 'Café culture'),
      await named('/api/tags', '臺灣'),
      await named('/api/tags', 'Café of a draft'),
    ];
    await named('/api/tags', 'Cafés without articles');
    const author = await named('/api/authors', 'Łukasz Café');
    const category = await content.client.category({ name: 'Drinks' });
    const more = { content: `<p>${FILLER}</p>`, is_published: true, category_id: category.id };
    await content.client.article({
      ...more,
      title: 'A night in a café',
      tags: [cafe.slug],
      authors: [author.id],
    });
    await content.client.article({ ...more, title: 'Decaf', tags: [taiwan.slug] });
    await content.client.article({
      ...more,
      title: 'Cafe of a draft',
      tags: [draft.slug],
      is_published: false,
    });
    await content.client.article({ ...more, title: 'Suggest', slug: 'suggest' });
    await searchable();
  });

  test.each([
    ['caf', [['Café Müller', 'A night in a café', 'Decaf'], ['Café culture'], ['Łukasz Café']]],
    ['CAFÉ n', [['A night in a café'], [], []]],
    ['night in', [['A night in a café'], [], []]],
    ['lukasz', [[], [], ['Łukasz Café']]],
    ['مكتبه', [['مكتبة'], [], []]],
    ['台', [['台湾新闻', '臺灣資訊'], ['臺灣'], []]],
    ['台湾', [['台湾新闻', '臺灣資訊'], ['臺灣'], []]],
    [`“`, [[], [], []]],
  ])('%j suggests %j', async (q, expected) => {
    expect(await suggested(q)).toEqual(expected);
  });

  test('have what a link needs, are a conditional read, and need something to begin with', async () => {
    const url = `${content.url}/api/articles/suggest?q=decaf`;
    const { body, headers } = await send(url);
    expect(body.data).toMatchObject({
      articles: [{ id: expect.any(Number), title: 'Decaf', slug: 'decaf', category: { slug: 'drinks' } }],
    });
    expect(headers.get('cache-control')).toMatch(/^public, max-age=0, s-maxage=60/);
    const again = await send(url, { headers: { 'if-none-match': String(headers.get('etag')) } });
    expect(again.status).toBe(304);
    for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=a&status=all']) {
      expect((await send(`${content.url}/api/articles/suggest${query}`)).status, query).toBe(400);
    }
    const bySlug = await send(`${content.url}/api/articles/by-slug/suggest`);
    expect([bySlug.status, bySlug.body.data.title]).toEqual([200, 'Suggest']);
  });

  test('have the names of now, and nothing that has gone', async () => {
    const made = await named('/api/tags', 'Ephemeral');
    const { id } = await content.client.article({ title: 'Mayfly', is_published: true, tags: [made.slug] });
    await searchable();
    expect(await suggested('ephem')).toEqual([[], ['Ephemeral'], []]);
    await content.client.patch(`/api/tags/${made.id}`, { name: 'Short-lived' });
    await searchable();
    expect(await suggested('ephem')).toEqual([[], [], []]);
    expect(await suggested('short l')).toEqual([[], ['Short-lived'], []]);
    await content.client.patch(`/api/articles/${id}`, { is_published: false });
    expect(await suggested('short l')).toEqual([[], [], []]);
    expect(await suggested('mayfly')).toEqual([[], [], []]);
  });
});

test('the place of a word is found in a text of many marks', async () => {
  await write('Vocalised', `<p>${'مَرْحَبًا '.repeat(2000)} خاتمة</p>`);
  await searchable();
  const { body } = await send(`${content.url}/api/articles?q=${encodeURIComponent('خاتمه')}&highlight=1`);
  expect(body.data[0].highlights).toMatchObject([{ member: 'content', matches: [{ length: 5 }] }]);
});

test('what an earlier release made searchable is made so anew, newest first, without a command', async () => {
  const { pool } = content.database;
  await pool.query('update content.article_search set folding = 0, body = $1, title = $1', ['café']);
  await write('Waker', '');
  await searchable();
  expect(await titles('donaudampfschiff')).toEqual(['Hyphens']);
  // As a process of that release does.
  await pool.query(`select content.index_article(id) from content.article where title = 'Hyphens'`);
  expect(await titles('donaudampfschiff')).toEqual([]);
  await write('Another', '');
  await searchable();
  expect(await titles('donaudampfschiff')).toEqual(['Hyphens']);
});
