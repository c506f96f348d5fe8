import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, type ContentClient, wholeArticle } from '../support/content-client.ts';
import type { JsonBody } from '../support/http.ts';
import { until } from '../support/until.ts';

const SITE = 'https://site.example';

let fixture: ContentFixture;
let client: ContentClient;
beforeAll(async () => {
  fixture = await contentFixture({ CONTENT_SITE_URL: SITE, SITE_NAME: 'The Example', SITE_LANGUAGE: 'en' });
  client = fixture.client;
});
afterAll(() => fixture.close());

/** Creates an author, and returns their slug and id. */
async function author(name: string, more: object = {}): Promise<{ id: number; slug: string }> {
  const { status, text, body } = await client.post('/api/authors', { name, ...more });
  expect([status, text]).toEqual([201, text]);
  return body.data;
}

/** The ids of a list. */
async function ids(path: string): Promise<number[]> {
  const { status, text, body } = await client.anonymously(path);
  expect([status, text]).toEqual([200, text]);
  return body.data.map(({ id }: JsonBody) => id);
}

/** The author that an article shows, and the slugs of its authors. */
async function authorship(id: number): Promise<[string, string[]]> {
  const { data } = (await client.send(`/api/articles/${id}?include=authors`)).body;
  return [data.author, data.authors.map(({ slug }: JsonBody) => slug)];
}

test('authors are a resource with bio, picture and links, read by id and slug, old slugs leading on', async () => {
  const links = [{ url: 'https://ada.example/' }, { label: 'Notes', url: 'https://notes.example/@ada' }];
  const { id, slug } = await author('Ada Lovelace', {
    bio: 'Wrote notes.\nAnd <b>more</b>.',
    picture: 'https://images.example/ada.jpg',
    links,
  });
  const { id: plain } = await author('Zuse');
  expect(slug).toBe('ada-lovelace');
  await client.article({ authors: [slug] });
  await client.publish({ authors: [slug, plain] });
  const { body } = await client.anonymously('/api/authors?per_page=100');
  expect(body.data.find((one: JsonBody) => one.id === id)).toEqual({
    id,
    name: 'Ada Lovelace',
    slug,
    bio: 'Wrote notes.\nAnd <b>more</b>.',
    picture: 'https://images.example/ada.jpg',
    links,
    article_count: 1,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(body.data.find((one: JsonBody) => one.id === plain)).toMatchObject({
    bio: null,
    picture: null,
    links: [],
  });
  const detail = await client.anonymously(`/api/authors/by-slug/${slug}`);
  expect(detail.text).toBe((await client.anonymously(`/api/authors/${id}`)).text);
  expect(detail.body).toMatchObject({
    data: { id, links, articles: [{ author: 'Ada Lovelace, Zuse' }] },
    meta: { total: 1 },
  });
  const changed = await client.patch(`/api/authors/${id}`, { slug: 'ada', links: links.slice(1) });
  expect(changed.body.data).toEqual({ id, slug: 'ada', links: links.slice(1) });
  const moved = await client.anonymously(`/api/authors/by-slug/${slug}?page=1`);
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/api/authors/by-slug/ada?page=1']);
  expect((await client.post('/api/authors', { name: 'Other', slug })).body.code).toBe('slug_taken');
  const refused = await client.delete(`/api/authors/${id}`);
  expect([refused.status, refused.body.code]).toEqual([409, 'author_not_empty']);
  const put = await client.put(`/api/authors/${plain}`, { name: 'Zuse', bio: 'Z', picture: null, links: [] });
  expect([put.status, put.body.data]).toEqual([200, { id: plain, name: 'Zuse', slug: 'zuse' }]);
});

test('what no author can have is 422, naming the member', async () => {
  for (const [more, field] of [
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ bio: 'x'.repeat(2001) }, 'bio'],
    [{ picture: 'javascript:alert(1)' }, 'picture'],
    [{ links: [{ url: 'http://plain.example/' }] }, 'links.0.url'],
    [{ links: [{ url: 'https://user@host.example/' }] }, 'links.0.url'],
    [{ links: [{ url: 'https://a.example/', label: 'a\u202eb' }] }, 'links.0.label'],
    [{ links: [{ url: 'https://a.example/', rel: 'me' }] }, 'links.0'],
    [{ links: [{ label: 'no address' }] }, 'links.0.url'],
    [{ links: Array(21).fill({ url: 'https://a.example/' }) }, 'links'],
    [{ links: null }, 'links'],
    [{ bio: 'nul \u0000' }, 'bio'],
  ] as const) {
    const { status, body } = await client.post('/api/authors', { name: 'Refused', ...more });
    expect([status, body.errors?.[0]?.field], JSON.stringify(more)).toEqual([
      422,
      expect.stringMatching(field),
    ]);
  }
  const [both] = await Promise.all([author('Known Author')]);
  const json = articleBody({ authors: [both.slug, 'nobody-a', 999_999_999, both.id] });
  const refused = await client.post('/api/articles', json);
  expect([refused.status, refused.body.errors]).toEqual([
    422,
    [
      { field: 'authors.1', code: 'not_found', message: expect.stringContaining('slug; create it') },
      { field: 'authors.2', code: 'not_found', message: expect.stringContaining('id; create it') },
    ],
  ]);
  for (const authors of ['a', [null], [1.5], [-1], [2 ** 40], [''], ['No slug'], Array(21).fill(1), null]) {
    expect((await client.publish({ authors })).status, JSON.stringify(authors)).toBe(422);
  }
});

test('several authors in their order are the joined author everywhere, and objects where asked for', async () => {
  const [one, two] = [
    await author('Grace'),
    await author('Hedy', { picture: 'https://images.example/h.png' }),
  ];
  const made = await client.publish({ title: 'Shared work', authors: [two.slug, one.id, two.id] });
  const { id, slug } = made.body.data;
  expect(await authorship(id)).toEqual(['Hedy, Grace', ['hedy', 'grace']]);
  const objects = [
    { id: two.id, name: 'Hedy', slug: 'hedy', picture: 'https://images.example/h.png' },
    { id: one.id, name: 'Grace', slug: 'grace', picture: null },
  ];
  await until('the article is found', async () => {
    const { body } = await client.anonymously(`/api/articles?q=shared&ids=${id}`);
    return body.data.length === 1;
  });
  for (const path of [
    `/api/articles?ids=${id}&include=tags,authors`,
    `/api/articles?q=shared&ids=${id}&include=authors`,
    `/api/articles?fields=author&cursor=&ids=${id}&include=authors`,
  ]) {
    expect((await client.anonymously(path)).body.data[0]).toMatchObject({
      author: 'Hedy, Grace',
      authors: objects,
    });
  }
  const detail = (await client.anonymously(`/api/articles/by-slug/${slug}`)).body.data;
  expect(detail.author).toBe('Hedy, Grace');
  expect(detail).not.toHaveProperty('authors');
  expect(detail).not.toHaveProperty('author_ids');
  const { jsonld } = (await client.anonymously(`/api/articles/${id}?include=jsonld`)).body.data;
  expect(jsonld.author).toEqual([
    {
      '@type': 'Person',
      name: 'Hedy',
      url: `${SITE}/authors/hedy`,
      image: 'https://images.example/h.png',
    },
    { '@type': 'Person', name: 'Grace', url: `${SITE}/authors/grace` },
  ]);
  const changed = await client.patch(`/api/articles/${id}`, { authors: [one.slug] });
  expect(changed.body.data).toEqual({ id, author: 'Grace', authors: objects.slice(1) });
  expect((await client.patch(`/api/articles/${id}`, { authors: [one.id] })).body.data).toEqual({ id });
});

test('a client that knows only the author gets what it writes, and keeps the authors when it writes back', async () => {
  const { slug } = await author('Kept');
  const { id } = (await client.publish({ authors: [slug], author: 'Ignored' })).body.data;
  const path = `/api/articles/${id}`;
  expect(await authorship(id)).toEqual(['Kept', [slug]]);
  await client.put(path, wholeArticle({ is_published: true }));
  await client.put(path, wholeArticle({ is_published: true, author: 'Kept' }));
  expect(await authorship(id)).toEqual(['Kept', [slug]]);
  const changed = await client.patch(path, { author: 'Somebody else' });
  expect(changed.body.data).toEqual({ id, author: 'Somebody else', authors: [] });
  expect(await authorship(id)).toEqual(['Somebody else', []]);
  await client.patch(path, { authors: [slug] });
  expect((await client.patch(path, { authors: [] })).body.data).toEqual({ id, authors: [] });
  expect(await authorship(id)).toEqual(['Kept', []]);
});

test('a new name shows at once everywhere, writes no article, and refuses no write', async () => {
  const { id: authorId, slug } = await author('Maiden Name');
  const { id } = (await client.publish({ title: 'Renamed', authors: [slug] })).body.data;
  const path = `/api/articles/${id}`;
  const paths = [path, `/api/articles?ids=${id}`, '/articles/feed.atom', `/api/authors/${authorId}`];
  for (const one of paths) expect((await client.anonymously(one)).text).toContain('Maiden Name');
  const before = await client.send(path);
  await client.patch(`/api/authors/${authorId}`, { name: 'Married Name' });
  for (const one of paths) {
    const { text } = await client.anonymously(one);
    expect(text).toContain('Married Name');
    expect(text).not.toContain('Maiden Name');
  }
  const after = await client.send(path);
  expect(after.body.data.updated_at).toBe(before.body.data.updated_at);
  const headers = { 'if-match': before.headers.get('etag') ?? '' };
  const write = await client.send(path, { method: 'PATCH', json: { excerpt: 'On' }, headers });
  expect([write.status, write.body.data]).toEqual([200, { id, excerpt: 'On' }]);
  const late = await client.send(path, { method: 'PATCH', json: { authors: [] }, headers });
  expect(late.status).toBe(412);
  await client.patch(path, { authors: [] });
  expect(await authorship(id)).toEqual(['Married Name', []]);
});

test('author_slug= lists, counts and walks the articles of an author, however they change, also by hand', async () => {
  const [a, b] = [await author('Listed Author A'), await author('Listed Author B')];
  const make = async (authors: string[]) => (await client.publish({ authors })).body.data.id as number;
  const both = await make([a.slug, b.slug]);
  const onlyA = await make([a.slug]);
  const onlyB = await make([b.slug]);
  const list = '/api/articles?author_slug=';
  const total = async (slug: string) => (await client.anonymously(list + slug)).body.meta.total;
  expect(await ids(`${list}${a.slug}`)).toEqual([onlyA, both]);
  expect(await ids(`${list}${a.slug}&sort=oldest`)).toEqual([both, onlyA]);
  expect(await ids(`${list}${a.slug}&sort=updated`)).toEqual([onlyA, both]);
  expect(await ids(`${list}${a.slug}&cursor=`)).toEqual([onlyA, both]);
  expect(await ids(`${list}${b.slug}&author=Listed Author B`)).toEqual([onlyB]);
  expect(await ids('/api/articles?author=Listed Author A, Listed Author B')).toEqual([both]);
  expect(await ids(`${list}nobody`)).toEqual([]);
  expect([await total(a.slug), await total(b.slug)]).toEqual([2, 2]);
  await client.patch(`/api/articles/${onlyA}`, { is_published: false });
  await client.delete(`/api/articles/${onlyB}`);
  expect([await total(a.slug), await total(b.slug)]).toEqual([1, 1]);
  await client.patch(`/api/authors/${a.id}`, { slug: 'renamed-author' });
  expect(await ids(`${list}${a.slug}`)).toEqual([both]);
  await fixture.database.pool.query(
    `update content.article set author_ids = array[$1::int], published_at = '2020-01-01' where id = $2`,
    [b.id, both],
  );
  await until('the change was heard', async () => (await total('renamed-author')) === 0);
  expect(await ids(`${list}${b.slug}`)).toEqual([both]);
  expect((await client.anonymously(`/api/articles/${both}`)).body.data.author).toBe('Listed Author B');
});

test('no tag or author can be deleted between the look at it and the article that gets it', async () => {
  const { id: authorId, slug } = await author('Nearly deleted');
  const { id: tagId, slug: tag } = (await client.post('/api/tags', { name: 'Nearly deleted' })).body.data;
  const { pool } = fixture.database;
  const holder = await pool.connect();
  const waiting = async (count: number) => {
    const { rows } = await pool.query(
      `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
    return rows[0].count >= count;
  };
  try {
    await holder.query('begin');
    // Nobody writes an article until this ends.
    await holder.query(`select pg_advisory_xact_lock('content.article'::regclass::oid::integer, 0)`);
    const made = client.publish({ authors: [slug], tags: [tag] });
    await until('the article waits', () => waiting(1));
    const deleted = [client.delete(`/api/authors/${authorId}`), client.delete(`/api/tags/${tagId}`)];
    await until('those who delete wait, or did not have to', async () => {
      const done = await Promise.race([...deleted, Promise.resolve(undefined)]);
      return done !== undefined || (await waiting(3));
    });
    await holder.query('commit');
    expect((await made).status).toBe(201);
    expect((await Promise.all(deleted)).map(({ status }) => status)).toEqual([409, 409]);
  } finally {
    holder.release();
  }
});

test('feeds name each author, the feed of one is theirs, and the sitemap has their pages', async () => {
  const [one, two] = [await author('R&D <One>', { slug: 'feed-one' }), await author('Feed Two')];
  await client.publish({ title: 'In feeds', authors: [one.slug, two.slug] });
  await client.patch(`/api/authors/${one.id}`, { slug: 'feed-first' });
  const feed = async (ending: string) =>
    (await client.anonymously(`/articles/feed.${ending}?author_slug=feed-one`)).text;
  const rss = await feed('xml');
  expect(rss).toContain('<dc:creator>R&#x26;D &#x3C;One></dc:creator><dc:creator>Feed Two</dc:creator>');
  expect(rss).toContain(`<link>${SITE}/authors/feed-first</link>`);
  const atom = await feed('atom');
  expect(atom).toContain(`<author><name>Feed Two</name><uri>${SITE}/authors/feed-two</uri></author>`);
  const json = JSON.parse(await feed('json'));
  expect(json.title).toBe('The Example: R&D <One>');
  expect(json.items[0].authors).toEqual([
    { name: 'R&D <One>', url: `${SITE}/authors/feed-first` },
    { name: 'Feed Two', url: `${SITE}/authors/feed-two` },
  ]);
  expect((await client.anonymously('/sitemap.xml')).text).toContain('part=authors-1');
  expect((await client.anonymously('/sitemap.xml?part=authors-1')).text).toContain(
    `<loc>${SITE}/authors/feed-first</loc>`,
  );
});

test('a hundred at once with the same authors in different orders all succeed, and the counts are right', async () => {
  const slugs: string[] = [];
  for (const name of ['Race A', 'Race B', 'Race C']) slugs.push((await author(name)).slug);
  const order = (index: number) => (index % 2 === 0 ? slugs : slugs.toReversed());
  const made = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      client.publish({ title: `Race ${index}`, authors: order(index) }),
    ),
  );
  expect(made.filter(({ status }) => status !== 201)).toEqual([]);
  const changed = await Promise.all(
    made.map(({ body }, index) => {
      const path = `/api/articles/${body.data.id}`;
      if (index % 3 === 0) return client.delete(path);
      if (index % 3 === 1) return client.patch(path, { authors: order(index + 1).slice(1) });
      return client.patch(path, { is_published: false, authors: order(index + 1) });
    }),
  );
  expect(changed.filter(({ status }) => status !== 200)).toEqual([]);
  const { rows } = await fixture.database.pool.query(
    `select author.slug,
       (select count(*) from content.article where author.id = any(author_ids) and is_published) as real,
       (select articles from content.list_count
         where kind = 'author' and id = author.id and period = 'all' and is_published) as kept
     from content.author where slug = any($1)`,
    [slugs],
  );
  expect(rows).toHaveLength(3);
  for (const { slug, real, kept } of rows) expect([slug, String(kept)]).toEqual([slug, String(real)]);
});
