import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { articleBody, ContentClient, wholeArticle } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

let content: ContentFixture;
let replica: RunningContent;
let client: ContentClient;
beforeAll(async () => {
  content = await contentFixture();
  replica = await startContent(content.database.url);
  client = content.client;
});
afterAll(async () => {
  await replica.close();
  await content.close();
});

const PATHS = { article: '/api/articles', category: '/api/categories' } as const;

/** Public resources that have slugs. */
type Kind = keyof typeof PATHS;

/** Creates something public, and returns its id. */
async function make(kind: Kind, name: string, more: object = {}): Promise<number> {
  const made =
    kind === 'article'
      ? await client.publish({ title: name, ...more })
      : await client.post(PATHS.category, { name, ...more });
  expect([made.status, made.text]).toEqual([201, made.text]);
  return made.body.data.id;
}

const bySlug = (kind: Kind, slug: string) => `${PATHS[kind]}/by-slug/${slug}`;

/** The status of a read by slug, and where it leads. */
async function leads(kind: Kind, slug: string): Promise<[number, string | null]> {
  const { status, headers } = await client.anonymously(bySlug(kind, slug));
  return [status, headers.get('location')];
}

describe.each(['article', 'category'] as const)('the slug of a published %s', (kind) => {
  const rename = (id: number, slug: string) => client.patch(`${PATHS[kind]}/${id}`, { slug });

  test('reads it exactly as its id does: body, validator, lifetime, HEAD and 304', async () => {
    const id = await make(kind, `Same ${kind}`);
    const byId = await client.anonymously(`${PATHS[kind]}/${id}`);
    const url = bySlug(kind, `same-${kind}`);
    for (const read of [await client.anonymously(url), await client.anonymously(url)]) {
      expect([read.status, read.text]).toEqual([200, byId.text]);
      for (const name of ['etag', 'cache-control', 'vary', 'content-type']) {
        expect(read.headers.get(name), name).toBe(byId.headers.get(name));
      }
    }
    const etag = String(byId.headers.get('etag'));
    const unchanged = await client.anonymously(url, { headers: { 'if-none-match': etag } });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    const head = await client.anonymously(url, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag]);
    const changed = await client.send(`${PATHS[kind]}/${id}`, {
      method: 'PATCH',
      json: kind === 'article' ? { excerpt: 'New' } : { description: 'New' },
      headers: { 'if-match': etag },
    });
    expect(changed.status).toBe(200);
    expect((await client.anonymously(url)).text).toContain('New');
  });

  test('leads to its new one in one hop, however often it moved, for HEAD and conditional reads too', async () => {
    const id = await make(kind, `Moving ${kind}`);
    const { headers } = await client.anonymously(bySlug(kind, `moving-${kind}`));
    for (const slug of ['a', 'b', 'c']) {
      const { status, body } = await rename(id, `${slug}-${kind}`);
      expect([status, body.data]).toEqual([200, { id, slug: `${slug}-${kind}` }]);
    }
    for (const old of [`moving-${kind}`, `a-${kind}`, `b-${kind}`]) {
      expect(await leads(kind, old)).toEqual([308, bySlug(kind, `c-${kind}`)]);
    }
    for (const sending of [
      { method: 'HEAD' },
      { headers: { 'if-none-match': String(headers.get('etag')) } },
      { headers: { 'if-none-match': '*' } },
    ]) {
      const moved = await client.anonymously(bySlug(kind, `a-${kind}`), sending);
      expect([moved.status, moved.text]).toEqual([308, '']);
      expect(moved.headers.get('cache-control')).toBe(headers.get('cache-control'));
      expect(moved.headers.get('vary')).toBe(headers.get('vary'));
    }
    const keyed = await client.send(bySlug(kind, `a-${kind}`));
    expect([keyed.status, keyed.headers.get('cache-control')]).toEqual([308, 'private, no-store']);
  });

  test('is heard of by another replica, and the old one is not shown from its cache', async () => {
    const id = await make(kind, `Heard ${kind}`);
    const read = (slug: string) => send(`${replica.url}${bySlug(kind, slug)}`);
    expect((await read(`heard-${kind}`)).status).toBe(200);
    await rename(id, `told-${kind}`);
    await until('the replica redirects', async () => (await read(`heard-${kind}`)).status === 308);
    expect((await read(`told-${kind}`)).status).toBe(200);
  });

  test('is given back to its own, and to nobody else, by name or by request', async () => {
    const id = await make(kind, `Held ${kind}`);
    await rename(id, `on-${kind}`);
    const other = await make(kind, `Held ${kind}`);
    expect(await leads(kind, `held-${kind}-2`)).toEqual([200, null]);
    for (const taken of [`held-${kind}`, `on-${kind}`]) {
      const refused = [
        await rename(other, taken),
        await client.post(
          PATHS[kind],
          kind === 'article' ? articleBody({ slug: taken }) : { name: 'x', slug: taken },
        ),
      ];
      for (const { status, body } of refused) {
        expect([status, body.code]).toEqual([409, 'slug_taken']);
        expect(body.detail).toMatch(/choose a different one/);
      }
    }
    expect((await rename(id, `held-${kind}`)).body.data).toEqual({ id, slug: `held-${kind}` });
    expect(await leads(kind, `held-${kind}`)).toEqual([200, null]);
    expect(await leads(kind, `on-${kind}`)).toEqual([308, bySlug(kind, `held-${kind}`)]);
    expect((await rename(id, `on-${kind}`)).status).toBe(200);
    expect(await leads(kind, `held-${kind}`)).toEqual([308, bySlug(kind, `on-${kind}`)]);
  });

  test('goes with it: what it deletes leads nowhere, and is free again when it cannot be restored', async () => {
    const id = await make(kind, `Gone ${kind}`);
    await rename(id, `away-${kind}`);
    await client.delete(`${PATHS[kind]}/${id}`);
    for (const slug of [`gone-${kind}`, `away-${kind}`]) {
      expect((await client.anonymously(bySlug(kind, slug))).body.code).toBe('not_found');
    }
    await content.database.pool.query('delete from content.deleted_article');
    await make(kind, `Gone ${kind}`);
    expect(await leads(kind, `gone-${kind}`)).toEqual([200, null]);
  });

  test.each(['No-Such', 'no%20such', 'no%00such', '%C3%A9', 'x'.repeat(300), '-', 'no-such'])(
    '%s, which is none, is 404',
    async (slug) => {
      const { status, headers } = await client.anonymously(bySlug(kind, slug));
      expect([status, headers.get('cache-control')]).toEqual([404, 'no-store']);
    },
  );

  test('is read percent-encoded, and is another in upper case', async () => {
    await make(kind, `Spelled ${kind}`);
    expect(await leads(kind, `%73pelled%2D${kind}`)).toEqual([200, null]);
    expect(await leads(kind, `SPELLED-${kind}`)).toEqual([404, null]);
  });

  test('that many ask for at once is given to one, and no name takes it in between', async () => {
    const ids = await Promise.all(Array.from({ length: 4 }, (_, n) => make(kind, `Racer ${n} of ${kind}`)));
    const old = `racer-0-of-${kind}`;
    const writers = [client, new ContentClient(replica.url, content.key)];
    const answers = await Promise.all([
      ...ids.map((id, n) =>
        writers[n % 2]?.patch(`${PATHS[kind]}/${id}`, { slug: `wanted-by-all-${kind}s` }),
      ),
      ...Array.from({ length: 4 }, (_, n) =>
        writers[n % 2]?.post(
          PATHS[kind],
          kind === 'article'
            ? articleBody({ slug: `wanted-by-all-${kind}s`, is_published: true })
            : { name: 'x', slug: `wanted-by-all-${kind}s` },
        ),
      ),
      ...Array.from({ length: 4 }, (_, n) =>
        writers[n % 2]?.post(
          PATHS[kind],
          kind === 'article' ? articleBody({ title: old, is_published: true }) : { name: old },
        ),
      ),
    ]);
    const asked = answers.slice(0, 8).map((answer) => answer?.status ?? 0);
    expect(asked.filter((status) => status < 300)).toHaveLength(1);
    expect(asked.filter((status) => status === 409)).toHaveLength(7);
    const derived = answers.slice(8);
    expect(derived.map((answer) => answer?.status)).toEqual([201, 201, 201, 201]);
    expect(derived.map((answer) => answer?.body.data.slug)).not.toContain(old);
  });

  test('that SQL changes by hand leads on too, and SQL cannot take one either', async () => {
    const { pool } = content.database;
    const id = await make(kind, `Manual ${kind}`);
    const other = await make(kind, `Another manual ${kind}`);
    await pool.query(`update content.${kind} set slug = 'by-hand-${kind}' where id = $1`, [id]);
    expect(await leads(kind, `manual-${kind}`)).toEqual([308, bySlug(kind, `by-hand-${kind}`)]);
    const steal = pool.query(`update content.${kind} set slug = 'manual-${kind}' where id = $1`, [other]);
    await expect(steal).rejects.toMatchObject({ code: '23505' });
  });
});

test('the page of a category is kept in the redirect, and an unknown parameter is refused', async () => {
  const id = await make('category', 'Paged');
  await client.patch(`/api/categories/${id}`, { slug: 'paged-on' });
  const moved = await client.anonymously('/api/categories/by-slug/paged?page=2&per_page=5');
  expect(moved.headers.get('location')).toBe('/api/categories/by-slug/paged-on?page=2&per_page=5');
  for (const url of ['/api/categories/by-slug/paged?pages=2', '/api/articles/by-slug/paged?page=2']) {
    expect((await client.anonymously(url)).status).toBe(400);
  }
});

describe('a draft', () => {
  test('is found by its slug with a key alone', async () => {
    const { slug } = await client.article({ title: 'Hidden draft' });
    expect((await client.anonymously(bySlug('article', slug))).status).toBe(404);
    const read = await client.send(bySlug('article', slug));
    expect([read.status, read.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(read.body.data.title).toBe('Hidden draft');
  });

  test('that was never published reserves nothing', async () => {
    const { id } = await client.article({ title: 'Never shown' });
    await client.patch(`/api/articles/${id}`, { slug: 'shown-never' });
    expect((await client.send(bySlug('article', 'never-shown'))).status).toBe(404);
    const published = await client.publish({ title: 'Never shown' });
    expect(published.body.data.slug).toBe('never-shown');
  });

  test('that was published before keeps its old slugs, which tell nobody where it is', async () => {
    const id = await make('article', 'Shown once');
    await client.patch(`/api/articles/${id}`, { is_published: false });
    await client.patch(`/api/articles/${id}`, { slug: 'secret-now' });
    expect(await leads('article', 'shown-once')).toEqual([404, null]);
    const keyed = await client.send(bySlug('article', 'shown-once'));
    expect([keyed.status, keyed.headers.get('location')]).toEqual([308, bySlug('article', 'secret-now')]);
    expect((await client.publish({ title: 'Shown once' })).body.data.slug).toBe('shown-once-2');
    await client.patch(`/api/articles/${id}`, { is_published: true });
    expect(await leads('article', 'shown-once')).toEqual([308, bySlug('article', 'secret-now')]);
  });

  test('keeps the slug that it was given, whatever its title becomes', async () => {
    const { id, slug } = await client.article({ title: 'Working title', slug: 'chosen-address' });
    expect(slug).toBe('chosen-address');
    const changed = await client.patch(`/api/articles/${id}`, { title: 'A better title' });
    expect(changed.body.data).toEqual({ id, title: 'A better title' });
    const { body } = await client.put(`/api/articles/${id}`, wholeArticle({ title: 'The best title' }));
    expect(body.data.slug).toBe('chosen-address');
  });

  test('follows its title until a slug is given, in a PUT as well, even the one that it has', async () => {
    const { id } = await client.article({ title: 'First thought' });
    expect((await client.patch(`/api/articles/${id}`, { title: 'Second thought' })).body.data.slug).toBe(
      'second-thought',
    );
    const put = wholeArticle({ title: 'Third thought', slug: 'second-thought' });
    expect((await client.put(`/api/articles/${id}`, put)).body.data.slug).toBe('second-thought');
    await client.patch(`/api/articles/${id}`, { title: 'Fourth thought' });
    expect((await client.detail(id)).slug).toBe('second-thought');
  });
});

test('a change of the slug alone is a change: If-Match, the other validator, and neighbours see it', async () => {
  const category_id = await make('category', 'Neighbourhood');
  const id = await make('article', 'Subject', { category_id });
  const neighbour = await make('article', 'Neighbour of it', { category_id });
  const before = await client.send(`/api/articles/${id}`);
  await client.anonymously(`/api/articles/${neighbour}`);
  const json = { slug: 'object' };
  const headers = { 'if-match': String(before.headers.get('etag')) };
  const first = await client.send(`/api/articles/${id}`, { method: 'PATCH', json, headers });
  expect(first.status).toBe(200);
  const second = await client.send(`/api/articles/${id}`, { method: 'PATCH', json, headers });
  expect([second.status, second.body.code]).toEqual([412, 'precondition_failed']);
  const { body } = await client.anonymously(`/api/articles/${neighbour}`);
  expect(body.data.related_articles).toContainEqual({ id, title: 'Subject', slug: 'object' });
});

test('a create with a slug that is repeated answers with the article of the first', async () => {
  const post = () =>
    client.send('/api/articles', {
      method: 'POST',
      json: articleBody({ slug: 'asked-twice' }),
      headers: { 'idempotency-key': 'slug-1' },
    });
  const [first, second] = [await post(), await post()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
});

describe('a list', () => {
  const titles = async (query: string) => {
    const { status, body } = await client.anonymously(`/api/articles?${query}`);
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.data.map(({ title }: { title: string }) => title);
  };

  test('of a category by its slug is the list by its id, by a former slug too, and is current', async () => {
    const category_id = await make('category', 'Listed by slug');
    const read = async (query: string) => (await client.anonymously(`/api/articles?${query}`)).body;
    await make('article', 'One of two', { category_id });
    const query = 'category=listed-by-slug';
    expect(await read(query)).toEqual(await read(`category_id=${category_id}`));
    expect((await read(query)).meta.total).toBe(1);
    await make('article', 'Two of two', { category_id });
    expect(await titles(query)).toEqual(['Two of two', 'One of two']);
    await client.patch(`/api/categories/${category_id}`, { slug: 'listed-elsewhere' });
    for (const slug of ['listed-by-slug', 'listed-elsewhere']) {
      expect(await titles(`category=${slug}`)).toEqual(['Two of two', 'One of two']);
      expect(await titles(`category=${slug}&page=2&per_page=1`)).toEqual(['One of two']);
    }
    expect(await titles(`category=listed-elsewhere&category_id=${category_id}`)).toHaveLength(2);
    expect(await titles('category=no-such')).toEqual([]);
    const later = await make('category', 'Made later');
    expect(await titles('category=made-later')).toEqual([]);
    await make('article', 'First there', { category_id: later });
    expect(await titles('category=made-later')).toEqual(['First there']);
  });

  test('of named articles has those that are published, newest first, by slugs and by ids', async () => {
    const ids = [];
    for (const n of [1, 2, 3]) ids.push(await make('article', `Named ${n}`));
    const draft = await client.article({ title: 'Named draft' });
    expect(await titles('slug=named-1,named-3,named-draft,no-such,named-3')).toEqual(['Named 3', 'Named 1']);
    expect(await titles(`ids=${ids[1]},${ids[0]},${draft.id},2147483648`)).toEqual(['Named 2', 'Named 1']);
    expect(await titles(`slug=named-1,named-2&ids=${ids[1]},${ids[2]}`)).toEqual(['Named 2']);
    const { body } = await client.send(`/api/articles?status=draft&slug=${draft.slug}`);
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([draft.id]);
    const hundred = Array.from({ length: 100 }, (_, n) => `none-${n}`).join();
    expect(await titles(`slug=${hundred}`)).toEqual([]);
  });

  test.each([
    ...['slug=', 'slug=Upper', 'slug=a,', 'slug=a%00', 'ids=0', 'ids=1,x', 'category=', 'category=A'],
    `slug=${Array.from({ length: 101 }, (_, n) => `s-${n}`).join()}`,
    `ids=${'1'.repeat(11)}`,
  ])('of %s is 400', async (query) => {
    const { status, body } = await client.anonymously(`/api/articles?${query}`);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});

test('in the language of the site letters have their own spelling, and a slug that is public stays', async () => {
  const german = await startContent(content.database.url, { SITE_LANGUAGE: 'de-AT' });
  try {
    const editor = new ContentClient(german.url, content.key);
    const before = await make('article', 'Grüße aus Köln');
    const draft = (await editor.post('/api/articles', articleBody({ title: 'Über' }))).body.data.id;
    const slugs = async (...ids: number[]) =>
      Promise.all(ids.map(async (id) => (await editor.send(`/api/articles/${id}`)).body.data.slug));
    expect(await slugs(before, draft)).toEqual(['grusse-aus-koln', 'ueber']);
    await editor.patch(`/api/articles/${draft}`, { title: 'Äpfel', is_published: true });
    for (const id of [before, draft]) await editor.patch(`/api/articles/${id}`, { title: 'Größe' });
    expect(await slugs(before, draft)).toEqual(['grusse-aus-koln', 'aepfel']);
    expect((await editor.post('/api/categories', { name: 'Küche' })).body.data.slug).toBe('kueche');
    expect((await editor.post('/api/tags', { name: 'Öl' })).body.data.slug).toBe('oel');
  } finally {
    await german.close();
  }
});
