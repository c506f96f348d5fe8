import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;
let replica: RunningContent;
/** Reads the database each time. */
let uncached: RunningContent;
beforeAll(async () => {
  content = await contentFixture();
  const site = { CONTENT_SITE_URL: 'https://site.example', SITE_LANGUAGE: 'en' };
  replica = await startContent(content.database.url, site);
  uncached = await startContent(content.database.url, { ...site, CACHE_BYTES: '0' });
});
afterAll(async () => {
  await Promise.all([replica.close(), uncached.close()]);
  await content.close();
});

/** Changes articles without a notification: what still shows the old state is in the cache. */
async function changeUnnoticed(sql: string): Promise<void> {
  const client = await content.database.pool.connect();
  try {
    await client.query(`begin; set local session_replication_role = replica; ${sql}; commit`);
  } finally {
    client.release();
  }
}

test('a change drops what shows it, and keeps what does not', async () => {
  const category = async (name: string): Promise<number> => (await content.client.category({ name })).id;
  const publish = async (title: string, category_id: number, tags: string[] = []): Promise<string> =>
    `/api/articles/${(await content.client.publish({ title, category_id, tags })).body.data.id}`;
  await content.client.post('/api/tags', { name: 'Shared' });
  const [here, there] = [await category('Here'), await category('There')];
  const changed = await publish('Changed', here, ['shared']);
  const neighbour = await publish('Neighbour', here);
  const stranger = await publish('Stranger', there, ['shared']);
  const dropped = [
    '/api/articles',
    '/api/categories',
    `/api/articles?category_id=${here}`,
    `/api/categories/${here}`,
    `${stranger}?include=related:5`,
  ];
  const kept = [stranger, `/api/articles?category_id=${there}`, `/api/categories/${there}`];
  const all = [changed, neighbour, ...dropped, ...kept];
  let tries = 0;
  // A read during a notification is not cached: it then shows the change, and all begins again.
  await until('what does not show it is kept', async () => {
    tries += 1;
    const [title, articles] = [`Unnoticed ${tries}`, 100 + tries];
    const shows = async (url: string) => {
      const { body } = await send(`${replica.url}${url}`);
      return JSON.stringify(body).includes(title) || body.data.at?.(0)?.article_count === articles;
    };
    await content.client.patch(changed, { excerpt: `Before ${tries}` });
    for (const url of all) await send(`${replica.url}${url}`);
    await changeUnnoticed(
      `update content.article set title = '${title}'; update content.list_count set articles = ${articles}`,
    );
    await content.client.patch(changed, { excerpt: `Changed ${tries}` });
    for (const url of [changed, neighbour, ...dropped]) {
      await until(`${url} was dropped`, () => shows(url));
    }
    const shown = await Promise.all(kept.map(shows));
    return !shown.includes(true);
  });
});

test('a draft that is changed is not announced, and its publication names it', async () => {
  const { id } = await content.client.article({ title: 'Draft' });
  const listening = await content.database.pool.connect();
  const heard: (string | undefined)[] = [];
  listening.on('notification', ({ payload }) => {
    // Articles become searchable some time later.
    if (payload !== 'searches') heard.push(payload);
  });
  try {
    await listening.query('listen content_changed');
    await content.client.patch(`/api/articles/${id}`, { title: 'Still a draft' });
    await content.client.patch(`/api/articles/${id}`, { is_published: true });
    await until('the publication was announced', () => heard.length > 0);
    expect(heard).toEqual([`article:${id} articles`]);
  } finally {
    await listening.query('unlisten *');
    listening.release();
  }
});

test('a statement that writes more than a notification can name announces everything, and less names it', async () => {
  const { pool } = content.database;
  const insert = (name: string, count: number) =>
    pool.query(
      `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
       select 'Many', $1 || '-' || n, 'x', 'x', '{}', true, now() from generate_series(1, $2::int) as n returning id`,
      [name, count],
    );
  const listening = await pool.connect();
  const heard: (string | undefined)[] = [];
  listening.on('notification', ({ payload }) => {
    // Articles become searchable some time later.
    if (payload !== 'searches') heard.push(payload);
  });
  try {
    await listening.query('listen content_changed');
    const { rows } = await insert('fits', 200);
    await insert('too-many', 201);
    await until('both were announced', () => heard.length === 2);
    const named = [...rows.map(({ id }) => `article:${id}`), 'articles'];
    expect(heard[0]?.split(' ').toSorted()).toEqual(named.toSorted());
    expect(heard[1]).toBe('');
  } finally {
    await listening.query('unlisten *');
    listening.release();
  }
});

test('a draft that was published and has another slug drops the copies that are cached', async () => {
  const { body } = await content.client.publish({ title: 'To and fro', slug: 'to' });
  const url = `/api/articles/${body.data.id}`;
  await content.client.patch(url, { is_published: false });
  const snapshot = async (service: RunningContent) => (await send(`${service.url}/api/sync/snapshot`)).text;
  await until('it is withdrawn', async () => (await snapshot(replica)) === (await snapshot(uncached)));
  for (const slug of ['fro', 'to']) {
    expect((await content.client.patch(url, { slug })).status).toBe(200);
    await until(`${slug} is current`, async () => (await snapshot(replica)) === (await snapshot(uncached)));
  }
});

test('whatever is written, cached answers become what the database has', async () => {
  const { pool } = content.database;
  const { rows: categories } = await pool.query(
    `insert into content.category (name, slug) select 'C' || n, 'c-' || n from generate_series(1, 3) as n returning id`,
  );
  const { rows: articles } = await pool.query(
    `insert into content.article (title, slug, content, author, title_words, category_id, is_published, published_at)
     select 'One of ' || n % 3, 'one-' || n, 'x', 'x', array['one', 'of', (n % 3)::text], $1::int + n % 4 - 1, n % 4 <> 1, now()
     from generate_series(0, 7) as n where $1::int + n % 4 - 1 >= $1::int returning id`,
    [categories[0].id],
  );
  const { cursor } = (await send(`${uncached.url}/api/sync/snapshot`)).body.meta;
  const urls = [
    '/api/articles',
    '/api/articles?page=2&per_page=2',
    '/api/categories',
    ...categories.flatMap(({ id }) => [`/api/categories/${id}`, `/api/articles?category_id=${id}`]),
    ...articles.map(({ id }) => `/api/articles/${id}`),
    ...['/api/articles/by-slug/one-0', '/api/articles/by-slug/one-3', '/api/categories/by-slug/c-1'],
    ...['/api/articles?category=c-2', '/api/articles?slug=one-2,one-3', '/articles/feed.json'],
    ...['/articles/feed.xml?category=c-1', '/sitemap.xml', '/sitemap.xml?part=articles-1'],
    ...['/sitemap.xml?part=categories-1', '/news-sitemap.xml'],
    ...['/api/sync/snapshot?fields=full', '/api/sync/snapshot?limit=2', `/api/sync/changes?cursor=${cursor}`],
  ];
  const article = fc.constantFrom(...articles.map(({ id }) => id as number));
  const category = fc.constantFrom(null, ...categories.map(({ id }) => id as number));
  const write = fc.oneof(
    fc
      .tuple(article, category)
      .map(([id, to]) => [`update content.article set category_id = $2 where id = $1`, id, to]),
    article.map((id) => [`update content.article set is_published = not is_published where id = $1`, id]),
    article.map((id) => [
      `update content.article set title = title || '!', title_words = '{new}' where id = $1`,
      id,
    ]),
    fc
      .tuple(article, fc.nat(1))
      .map(([id, n]) => [`update content.article set slug = 'moved-' || $1::int || $2 where id = $1`, id, n]),
    category.map((id) => [`update content.category set slug = 'moved-' || $1 where id = $1::int`, id]),
    category.map((id) => [`update content.category set name = name || '.' where id = $1`, id]),
    fc
      .tuple(category, category)
      .map(([from, to]) => ['update content.article set category_id = $2 where category_id = $1', from, to]),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 3 }), async (writes) => {
      for (const url of urls) await send(`${replica.url}${url}`);
      for (const [sql, ...values] of writes) await pool.query(String(sql), values);
      for (const url of urls) {
        const { status, text, headers } = await send(`${uncached.url}${url}`);
        const location = headers.get('location');
        await until(`${url} is current`, async () => {
          const cached = await send(`${replica.url}${url}`);
          const isSame = cached.status === status && cached.headers.get('location') === location;
          return isSame && (status !== 200 || cached.text === text);
        });
      }
    }),
    { numRuns: 12 },
  );
});
