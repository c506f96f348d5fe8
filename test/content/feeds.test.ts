import { parseAtomFeed, parseJsonFeed, parseRssFeed } from 'feedsmith';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { CONTENT, type ContentClient } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

const SITE = 'https://site.example';
const SETTINGS = {
  CONTENT_SITE_URL: `${SITE}/`,
  CONTENT_ARTICLE_PATH: '/read/{id}/{slug}',
  SITE_NAME: 'R&D <News>',
  SITE_LANGUAGE: 'zh-Hant-HK',
};

/** A title and an excerpt with what breaks documents that are written carelessly. */
const HOSTILE = { title: ']]> & <b>"標題"</b> &amp; 😀', excerpt: '<script>alert(1)</script> \u001b & ]]>' };

let content: ContentFixture;
let client: ContentClient;
beforeAll(async () => {
  content = await contentFixture(SETTINGS);
  client = content.client;
});
afterAll(() => content.close());

const get = (path: string, headers: Record<string, string> = {}) => client.anonymously(path, { headers });

/** The texts of all elements of a name. */
function textsOf(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text);
}

const READ = {
  xml: (text: string) => {
    const { items = [], ...feed } = parseRssFeed(text);
    return {
      title: feed.title,
      self: feed.atom?.links?.[0]?.href,
      home: feed.link,
      entries: items.map((item) => ({
        id: item.guid?.value,
        url: item.link,
        html: item.content?.encoded,
        author: item.dc?.creators?.[0],
        category: item.categories?.[0]?.name,
        published: new Date(String(item.pubDate)).getTime(),
      })),
    };
  },
  atom: (text: string) => {
    const { entries = [], links = [], title } = parseAtomFeed(text);
    return {
      title: title?.value,
      self: links.find(({ rel }) => rel === 'self')?.href,
      home: links.find(({ rel }) => rel === 'alternate')?.href,
      entries: entries.map((entry) => ({
        id: entry.id,
        url: entry.links?.[0]?.href,
        html: entry.content?.value,
        author: entry.authors?.[0]?.name,
        category: entry.categories?.[0]?.term,
        published: Math.floor(new Date(String(entry.published)).getTime() / 1000) * 1000,
      })),
    };
  },
  json: (text: string) => {
    const { items = [], ...feed } = parseJsonFeed(text);
    return {
      title: feed.title,
      self: feed.feed_url,
      home: feed.home_page_url,
      entries: items.map((item) => ({
        id: item.id,
        url: item.url,
        html: item.content_html,
        author: item.authors?.[0]?.name,
        category: item.tags?.[0],
        published: Math.floor(new Date(String(item.date_published)).getTime() / 1000) * 1000,
      })),
    };
  },
};

const TYPES = {
  xml: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
};

describe.each(['xml', 'atom', 'json'] as const)('/articles/feed.%s', (ending) => {
  const path = `/articles/feed.${ending}`;

  test('has the newest articles with their whole text, as each format has it', async () => {
    const category = await client.category({ name: `Science ${ending}` });
    const text = `${CONTENT}<p><a href="/about?a=1&amp;b">About</a></p>`;
    const members = { ...HOSTILE, content: text, author: 'Ada & Co', category_id: category.id };
    const { body } = await client.publish({ ...members, slug: `hostile-${ending}` });
    await client.article({ title: 'A draft' });
    const { published_at } = await client.detail(body.data.id);
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, TYPES[ending]]);
    const { self, home, entries } = READ[ending](answer.text);
    expect([self, home]).toEqual([`${SITE}${path}`, `${SITE}/`]);
    expect(entries[0]).toEqual({
      id: `${SITE}/api/articles/${body.data.id}`,
      url: `${SITE}/read/${body.data.id}/hostile-${ending}`,
      html: `${CONTENT}<p><a href="${SITE}/about?a=1&amp;b">About</a></p>`,
      author: 'Ada & Co',
      category: `Science ${ending}`,
      published: Math.floor(new Date(published_at).getTime() / 1000) * 1000,
    });
    expect(answer.text).not.toContain('A draft');
    const query = `?category=${category.slug}&author=Ada%20%26%20Co`;
    const restricted = READ[ending]((await get(path + query)).text);
    expect(restricted).toMatchObject({
      title: expect.stringMatching(`: Science ${ending}: Ada (&amp;|&) Co$`),
      self: `${SITE}${path}${query}`,
      home: `${SITE}/categories/${category.slug}`,
    });
    expect(restricted.entries).toEqual(entries.slice(0, 1));
    expect((await get(`${path}?status=draft`)).status).toBe(400);
  });

  test('is conditional, cached like a read, and changes when an article does', async () => {
    const { body } = await client.publish({ title: 'Followed' });
    const first = await get(path);
    expect(first.headers.get('cache-control')).toBe(
      'public, max-age=0, s-maxage=60, stale-while-revalidate=60',
    );
    const etag = { 'if-none-match': String(first.headers.get('etag')) };
    const again = await get(path, etag);
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await client.anonymously(path, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    await client.patch(`/api/articles/${body.data.id}`, { slug: `moved-${ending}` });
    const changed = await get(path, etag);
    expect(changed.status).toBe(200);
    expect(READ[ending](changed.text).entries[0]).toMatchObject({
      id: `${SITE}/api/articles/${body.data.id}`,
      url: `${SITE}/read/${body.data.id}/moved-${ending}`,
    });
    await client.delete(`/api/articles/${body.data.id}`);
    expect((await get(path, etag)).text).not.toContain(`moved-${ending}`);
  });
});

test('an entry has the picture, the category, tags and authors, and the feed the language', async () => {
  const category = await client.category({ name: 'Space' });
  const created = async (path: string, name: string) => (await client.post(path, { name })).body.data;
  const tags = [await created('/api/tags', 'R&D <x>'), await created('/api/tags', 'Space')];
  const authors = [await created('/api/authors', 'Ada'), await created('/api/authors', 'Bo')];
  const url = 'https://pictures.example/a/Moon.JPG';
  const { body } = await client.publish({
    ...{ category_id: category.id, tags: tags.map(({ slug }) => slug), authors: authors.map(({ id }) => id) },
    ...{ featured_image: url, alt_text: 'The "Moon" & <more>' },
  });
  const { id } = body.data;
  const read = async (ending: string) => (await get(`/articles/feed.${ending}?ids=${id}`)).text;
  const media = {
    contents: [{ url, type: 'image/jpeg', medium: 'image', description: { value: 'The "Moon" & <more>' } }],
  };

  const rss = parseRssFeed(await read('xml'));
  expect(rss.language).toBe('zh-Hant-HK');
  expect(rss.items?.[0]).toMatchObject({
    media,
    enclosures: [{ url, type: 'image/jpeg', length: 0 }],
    categories: [{ name: 'Space' }, { name: 'R&D <x>' }],
    dc: { creators: ['Ada', 'Bo'] },
  });
  const text = await read('atom');
  expect(text).toContain('xml:lang="zh-Hant-HK"');
  expect(parseAtomFeed(text).entries?.[0]).toMatchObject({
    media,
    links: [{ rel: 'alternate' }, { rel: 'enclosure', type: 'image/jpeg', href: url }],
    categories: [{ term: 'Space' }, { term: 'R&D <x>' }],
    authors: authors.map(({ name, slug }) => ({ name, uri: `${SITE}/authors/${slug}` })),
  });
  const json = parseJsonFeed(await read('json'));
  expect(json.language).toBe('zh-Hant-HK');
  expect(JSON.parse(await read('json'))._site).toEqual({
    article_path: '/read/{id}/{slug}',
    category_path: '/categories/{slug}',
    author_path: '/authors/{slug}',
    zone: null,
  });
  expect(json.items?.[0]).toMatchObject({
    image: url,
    tags: ['Space', 'R&D <x>'],
    authors: authors.map(({ name, slug }) => ({ name, url: `${SITE}/authors/${slug}` })),
  });

  // A query may ask for another format, so the ending tells no type, which an enclosure needs.
  await client.patch(`/api/articles/${id}`, { featured_image: `${url}?format=avif` });
  const [item] = parseRssFeed(await read('xml')).items ?? [];
  expect([item?.media?.contents?.[0]?.url, item?.enclosures]).toEqual([`${url}?format=avif`, undefined]);
});

test('a feed is of any filter, also of words, and its title says of what', async () => {
  const tag = (await client.post('/api/tags', { name: 'Feed of a tag' })).body.data;
  const author = (await client.post('/api/authors', { name: 'Feed of an author' })).body.data;
  const terms = { tags: [tag.slug], authors: [author.id] };
  await client.publish({ title: 'Zebrafinch', ...terms });
  await client.publish({ title: 'Other zebrafinches', content: `${CONTENT}<p>Zébrafinch</p>` });
  await client.publish({ title: 'Neither', ...terms });
  const read = async (query: string) => {
    const { title, feed_url, items = [] } = parseJsonFeed((await get(`/articles/feed.json?${query}`)).text);
    expect(feed_url).toBe(`${SITE}/articles/feed.json?${query}`);
    return [title, items.map((item) => item.title)];
  };
  const words = ['R&D <News>: “zebrafinch”', ['Other zebrafinches', 'Zebrafinch']];
  await until('they are searchable', async () => (await read('q=zebrafinch'))[1]?.length === 2);
  expect(await read('q=zebrafinch')).toEqual(words);
  const named = 'R&D <News>: Feed of a tag: Feed of an author';
  const query = `tag=${tag.slug}&author_slug=${author.slug}`;
  expect(await read(query)).toEqual([named, ['Neither', 'Zebrafinch']]);
  expect(await read(`${query}&q=zebrafinch`)).toEqual([`${named}: “zebrafinch”`, ['Zebrafinch']]);
  const etag = String((await get('/articles/feed.json?q=zebrafinch')).headers.get('etag'));
  await client.publish({ title: 'A third zebrafinch' });
  await until('it is searchable', async () => (await read('q=zebrafinch'))[1]?.length === 3);
  expect((await get('/articles/feed.json?q=zebrafinch', { 'if-none-match': etag })).status).toBe(200);
  // A term without articles names its feed all the same.
  const empty = await client.category({ name: 'Empty' });
  expect(await read(`category_id=${empty.id}`)).toEqual(['R&D <News>: Empty', []]);
  expect((await get('/articles/feed.json?q=z')).status).toBe(400);
});

test('a feed has 50 articles, and texts until they are too long together', async () => {
  const { id } = await client.category({ name: 'Long' });
  await content.database.pool.query(
    `insert into content.article (title, slug, content, excerpt, author, title_words, category_id, is_published, published_at)
     select 'Long ' || n, 'long-' || n, repeat('x', 100000), 'Short', 'x', '{}', $1, true, now() - n * interval '1 hour'
     from generate_series(1, 60) as n`,
    [id],
  );
  const { items = [] } = parseJsonFeed((await get(`/articles/feed.json?category_id=${id}`)).text);
  expect(items.map(({ title }) => title)).toEqual(Array.from({ length: 50 }, (_, n) => `Long ${n + 1}`));
  const whole = items.filter(({ content_html }) => content_html?.length === 100_000);
  expect(whole).toEqual(items.slice(0, 41));
  expect(items.slice(41).every(({ content_text }) => content_text === 'Short')).toBe(true);
});

test('a feed without articles is a feed', async () => {
  const { text, status } = await get('/articles/feed.atom?category_id=2147483647');
  expect([status, parseAtomFeed(text).entries]).toEqual([200, undefined]);
});

test('a feed says the same with a key, for its reader alone; a wrong key is refused', async () => {
  const keyed = await client.send('/articles/feed.json');
  expect(keyed.headers.get('cache-control')).toBe('private, no-store');
  expect(keyed.text).toBe((await get('/articles/feed.json')).text);
  expect((await get('/articles/feed.json', { 'x-api-key': 'pk_wrong' })).status).toBe(403);
});

describe('the sitemap', () => {
  /** The addresses of all its pages with their times. */
  async function pages(): Promise<Map<string, string | undefined>> {
    const { text } = await get('/sitemap.xml');
    const found = new Map<string, string | undefined>();
    for (const loc of textsOf(text, 'loc')) {
      const { status, text: file, headers } = await get(loc.slice(SITE.length));
      expect([status, headers.get('content-type')]).toEqual([200, 'application/xml; charset=utf-8']);
      for (const [, url = ''] of file.matchAll(/<url>(.*?)<\/url>/g)) {
        found.set(String(textsOf(url, 'loc')[0]), textsOf(url, 'lastmod')[0]);
      }
    }
    return found;
  }

  test('has every published article with its last change, and the categories', async () => {
    const { body } = await client.publish({ title: 'Mapped' });
    const { id, slug } = body.data;
    const draft = await client.article({ title: 'Unmapped' });
    const elsewhere = await client.publish({ title: 'Elsewhere', canonical_url: 'https://other.example/a' });
    const own = await client.publish({ title: 'Own' });
    const ownAddress = `${SITE}/read/${own.body.data.id}/own`;
    await client.patch(`/api/articles/${own.body.data.id}`, { canonical_url: ownAddress });
    const category = await client.category({ name: 'Mapped category' });
    const found = await pages();
    expect(found.get(`${SITE}/read/${id}/${slug}`)).toBe((await client.detail(id)).updated_at);
    expect(found.has(ownAddress)).toBe(true);
    expect(found.has(`${SITE}/categories/${category.slug}`)).toBe(true);
    for (const { data } of [{ data: draft }, elsewhere.body]) {
      expect(found.has(`${SITE}/read/${data.id}/${data.slug}`)).toBe(false);
    }
    const { rows } = await content.database.pool.query(
      `select count(*)::int as articles, max(updated_at) as changed from content.article
       where is_published and canonical_url is distinct from 'https://other.example/a'`,
    );
    expect([...found.keys()].filter((address) => address.startsWith(`${SITE}/read/`))).toHaveLength(
      rows[0].articles,
    );
    const index = await get('/sitemap.xml');
    expect(textsOf(index.text, 'lastmod')).toEqual([rows[0].changed.toISOString()]);
    const etag = { 'if-none-match': String(index.headers.get('etag')) };
    expect((await get('/sitemap.xml', etag)).status).toBe(304);
    await client.patch(`/api/articles/${id}`, { excerpt: 'Changed' });
    expect((await get('/sitemap.xml', etag)).status).toBe(200);
    expect((await pages()).get(`${SITE}/read/${id}/${slug}`)).toBe((await client.detail(id)).updated_at);
  });

  test('has files of 10,000 ids, from which no article moves', async () => {
    const other = await contentFixture(SETTINGS);
    onTestFinished(other.close);
    const { pool } = other.database;
    await pool.query(
      `insert into content.article
         (id, title, slug, content, author, title_words, is_published, published_at, updated_at)
       overriding system value
       select id, 'x', 'mapped-' || id, 'x', 'x', '{}', id % 2 = 0, now(),
         timestamptz '2026-01-01' + id * interval '1 second'
       from unnest(array[2, 3, 10000, 10001, 10002, 20001, 40002, 2000000000, 2147483646]) as id`,
    );
    const read = async (path: string) => (await send(`${other.url}${path}`)).text;
    const parts = async () => textsOf(await read('/sitemap.xml'), 'loc').map((loc) => loc.split('=')[1]);
    expect(await parts()).toEqual([
      'articles-1',
      'articles-2',
      'articles-5',
      'articles-200000',
      'articles-214749',
    ]);
    const changed = [10_000, 10_002, 40_002, 2_000_000_000, 2_147_483_646];
    expect(textsOf(await read('/sitemap.xml'), 'lastmod')).toEqual(
      changed.map((id) => new Date(Date.UTC(2026, 0, 1) + id * 1000).toISOString()),
    );
    const idsOf = async (part: string) =>
      textsOf(await read(`/sitemap.xml?part=${part}`), 'loc').map((loc) => Number(/\d+/.exec(loc)?.[0]));
    expect(await idsOf('articles-1')).toEqual([2, 10_000]);
    expect(await idsOf('articles-2')).toEqual([10_002]);
    expect(await idsOf('articles-214749')).toEqual([2_147_483_646]);
    await pool.query('delete from content.article where id = 2');
    await until('it is gone', async () => (await idsOf('articles-1')).length === 1);
    expect(await idsOf('articles-2')).toEqual([10_002]);
    await pool.query('delete from content.article where id <= 10000');
    await until('the file is gone', async () => !(await parts()).includes('articles-1'));
    for (const part of ['articles-1', 'articles-3', 'articles-999999', 'categories-1']) {
      expect((await send(`${other.url}/sitemap.xml?part=${part}`)).body.code, part).toBe('not_found');
    }
  });

  test.each(['', 'articles', 'articles-0', 'articles-01', 'articles-1000000', 'drafts-1'])(
    'has no part %j',
    async (part) => {
      expect((await get(`/sitemap.xml?part=${part}`)).status).toBe(400);
    },
  );
});

test('an own address in another spelling leaves the article in the sitemaps', async () => {
  const made = await client.publish({ title: 'Spelt otherwise' });
  const { id, slug } = made.body.data;
  const path = `/read/${id}/${slug}`;
  const isListed = async (canonical_url: string) => {
    await client.patch(`/api/articles/${id}`, { canonical_url });
    const part = await get(`/sitemap.xml?part=articles-1`);
    const news = await get('/news-sitemap.xml');
    return [part.text.includes(`${SITE}${path}<`), news.text.includes(`${SITE}${path}<`)];
  };
  for (const origin of ['https://site.example:443', 'HTTPS://Site.Example', 'https://site.example:']) {
    expect([origin, await isListed(origin + path)]).toEqual([origin, [true, true]]);
  }
  expect(await isListed(`${SITE}${path}#top`)).toEqual([true, true]);
  for (const other of ['http://site.example', 'https://site.example:80', 'https://site.example:444']) {
    expect([other, await isListed(other + path)]).toEqual([other, [false, false]]);
  }
  expect(await isListed(`${SITE}${path.toUpperCase()}`)).toEqual([false, false]);
});

describe('the sitemap for news', () => {
  test('has the articles of 48 hours as Google reads them, 1,000 at most', async () => {
    const other = await contentFixture(SETTINGS);
    onTestFinished(other.close);
    const { pool } = other.database;
    const insert = (title: string, ago: string, count = 1) =>
      pool.query(
        `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
         select $1, 'news-' || $2 || '-' || n, 'x', 'x', '{}', true, now() - ('1 minute'::interval * $2::int) - n * interval '1 ms'
         from generate_series(1, $3::int) as n`,
        [title, ago, count],
      );
    await insert('Too old', String(48 * 60 + 1));
    await insert(HOSTILE.title, String(47 * 60));
    const { id } = (await other.client.publish({ title: 'New' })).body.data;
    await other.client.publish({ title: 'Taken over', canonical_url: 'https://other.example/a' });
    const read = () => send(`${other.url}/news-sitemap.xml`);
    const { text, headers } = await read();
    expect(headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(textsOf(text, 'news:title')).toEqual(['New', expect.stringContaining('😀')]);
    expect(textsOf(text, 'loc')[0]).toBe(`${SITE}/read/${id}/new`);
    expect(new Set(textsOf(text, 'news:name'))).toEqual(new Set(['R&#x26;D &#x3C;News>']));
    expect(new Set(textsOf(text, 'news:language'))).toEqual(new Set(['zh-tw']));
    expect(textsOf(text, 'news:publication_date')[0]).toBe((await other.client.detail(id)).published_at);
    const renewed = `update content.article set published_at = now() - interval '47:59:58' where title = 'Too old'`;
    await until('it is news again', async () => {
      await pool.query(renewed);
      return textsOf((await read()).text, 'loc').length === 3;
    });
    await until('it is too old again', async () => textsOf((await read()).text, 'loc').length === 2);
    await insert('Many', '60', 1200);
    await until('they are listed', async () => textsOf((await read()).text, 'loc').length === 1000);
    await other.client.delete(`/api/articles/${id}`);
    expect(textsOf((await read()).text, 'news:title')[0]).toBe('Many');
  });

  test.each([
    ['en-GB', 'en'],
    ['zh-CN', 'zh-cn'],
    ['fil', 'fil'],
  ])('names %s %s', async (language, code) => {
    const other = await startContent(content.database.url, { ...SETTINGS, SITE_LANGUAGE: language });
    onTestFinished(other.close);
    await client.publish({ title: 'In a language' });
    const { text } = await send(`${other.url}/news-sitemap.xml`);
    expect(textsOf(text, 'news:language')[0]).toBe(code);
  });
});

test('without the address of the site there is none of this, and the answer says why', async () => {
  const other = await startContent(content.database.url);
  const silent = await startContent(content.database.url, { CONTENT_SITE_URL: SITE });
  onTestFinished(async () => {
    await other.close();
    await silent.close();
  });
  for (const path of ['/articles/feed.xml', '/articles/feed.json', '/sitemap.xml', '/news-sitemap.xml']) {
    const { status, body } = await send(`${other.url}${path}`);
    expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    expect(body.detail).toContain('CONTENT_SITE_URL');
  }
  expect((await send(`${silent.url}/articles/feed.json`)).status).toBe(200);
  expect((await send(`${silent.url}/news-sitemap.xml`)).body.detail).toContain('SITE_LANGUAGE');
});
