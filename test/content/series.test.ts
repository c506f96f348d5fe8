import { randomBytes } from 'node:crypto';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { HookStore } from '@pressroom/content/hooks/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  queriesOf,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import type { ContentClient } from '../support/content-client.ts';
import { type JsonBody, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const SITE = { CONTENT_SITE_URL: 'https://site.example' };

let fixture: ContentFixture;
let replica: RunningContent;
let client: ContentClient;
beforeAll(async () => {
  fixture = await contentFixture(SITE);
  replica = await startContent(fixture.database.url, SITE);
  client = fixture.client;
});
afterAll(async () => {
  await replica.close();
  await fixture.close();
});

interface Series {
  id: number;
  name: string;
  slug: string;
}

/** Makes a series of published articles with these titles, in this order. */
async function seriesOf(name: string, ...titles: string[]): Promise<{ series: Series; ids: number[] }> {
  const { status, text, body } = await client.post('/api/series', { name });
  expect([status, text]).toEqual([201, text]);
  const ids: number[] = [];
  for (const title of titles) ids.push((await client.article({ title, is_published: true })).id);
  expect((await order(body.data, ids)).status).toBe(200);
  return { series: body.data, ids };
}

const order = ({ id }: Series, articles: unknown, headers: Record<string, string> = {}) =>
  client.send(`/api/series/${id}/articles`, { method: 'PUT', json: { articles }, headers });

/** The titles of the articles of a series in their order, drafts too. */
async function titlesOf({ slug }: Series): Promise<string[]> {
  const { body } = await client.send(`/api/articles?series=${slug}&sort=series&status=all`);
  return body.data.map(({ title }: JsonBody) => title);
}

/** What a reader gets of the series of an article. */
async function shown(id: number, from = replica.url) {
  const { status, body, headers } = await send(`${from}/api/articles/${id}?include=series,jsonld`);
  expect(status).toBe(200);
  return { series: body.data.series, jsonld: body.data.jsonld, tag: headers.get('etag') };
}

test('a series has its articles in their order, each with its neighbours, which readers see', async () => {
  const name = '</script><script>alert(1)</script> & “Winter”';
  const { series, ids } = await seriesOf(name, 'Snow', 'Ice', 'Frost');
  const [snow, ice, frost] = ids as [number, number, number];
  const { id: thaw } = await client.article({ title: 'Thaw' });
  const { id: alone } = await client.article({ title: 'Alone', is_published: true });
  expect((await order(series, [frost, thaw, snow, ice])).body.data).toEqual({
    id: series.id,
    articles: [frost, thaw, snow, ice],
  });

  expect(await titlesOf(series)).toEqual(['Frost', 'Thaw', 'Snow', 'Ice']);
  const titles = async (path: string) => {
    const { status, body } = await client.anonymously(path);
    expect(status).toBe(200);
    return (body.data.articles ?? body.data).map(({ title }: JsonBody) => title);
  };
  expect(await titles(`/api/series/${series.id}`)).toEqual(['Frost', 'Snow', 'Ice']);
  expect(await titles(`/api/series/by-slug/${series.slug}?page=2&per_page=2`)).toEqual(['Ice']);
  expect(await titles(`/api/articles?series=${series.slug}`)).toEqual(['Frost', 'Ice', 'Snow']);
  const walk = `/api/articles?series=${series.slug}&sort=series&per_page=1`;
  const walked: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await client.anonymously(`${walk}&cursor=${cursor}`);
    walked.push(...body.data.map(({ title }: JsonBody) => title));
    cursor = body.meta.next_cursor;
  }
  expect(walked).toEqual(['Frost', 'Snow', 'Ice']);
  const { next_cursor: next } = (await client.anonymously(`${walk}&cursor=`)).body.meta;
  for (const place of [2 ** 31, 0, -1e13, 1e13]) {
    const parts = JSON.parse(Buffer.from(next, 'base64url').toString()).with(1, place);
    const forged = Buffer.from(JSON.stringify(parts)).toString('base64url');
    const { status, body } = await client.anonymously(`${walk}&cursor=${forged}`);
    expect([status, body.code]).toEqual([400, 'invalid_cursor']);
  }
  expect((await client.anonymously('/api/articles?sort=series')).status).toBe(400);
  const { body: list } = await client.anonymously('/api/series');
  expect(list.data).toEqual([expect.objectContaining({ name, article_count: 3, description: null })]);
  const feed = (await client.anonymously(`/articles/feed.json?series=${series.slug}`)).body;
  expect([feed.title, feed.items.length]).toEqual([expect.stringContaining(name), 3]);
  const found = () => titles(`/api/articles?series=${series.slug}&q=ice`);
  await until('it is found', async () => (await found()).join() === 'Ice');

  const card = async (id: number) => {
    const { title, slug, published_at } = await client.detail(id);
    return { id, title, slug, published_at };
  };
  const place = { id: series.id, name, slug: series.slug };
  expect((await shown(snow)).series).toEqual({
    ...place,
    ...{ position: 2, count: 3, previous: await card(frost), next: await card(ice) },
  });
  const { jsonld } = await shown(ice);
  expect([jsonld.isPartOf, jsonld.position]).toEqual([{ '@type': 'CreativeWorkSeries', name }, 3]);
  const draft = (await client.send(`/api/articles/${thaw}?include=series`)).body.data.series;
  expect(draft).toMatchObject({ position: 2, count: 4, previous: { id: frost }, next: { id: snow } });
  expect((await shown(alone)).series).toBeNull();
  expect((await shown(alone)).jsonld).not.toHaveProperty('isPartOf');
});

test('a cached article changes with its neighbours: published, renamed, taken back, put elsewhere', async () => {
  const { series, ids } = await seriesOf('Neighbours', 'First', 'Second', 'Third');
  const [first, second, third] = ids as [number, number, number];
  const { id: draft } = await client.article({ title: 'Between' });
  await order(series, [first, draft, second, third]);
  const changes: [write: () => Promise<unknown>, previous: string | null, next: string | null][] = [
    [() => client.patch(`/api/articles/${draft}`, { is_published: true }), 'Between', 'Third'],
    [() => client.patch(`/api/articles/${third}`, { title: 'Renamed' }), 'Between', 'Renamed'],
    [() => client.patch(`/api/articles/${draft}`, { is_published: false }), 'First', 'Renamed'],
    [() => client.delete(`/api/articles/${third}`), 'First', null],
    [() => client.post(`/api/articles/${third}/restore`, {}), 'First', 'Renamed'],
    [() => order(series, [third, second, first]), 'Renamed', 'First'],
  ];
  for (const [write, previous, next] of changes) {
    const before = await shown(second);
    expect((await shown(second)).tag).toBe(before.tag);
    await write();
    const after = await until('the other replica has heard', async () => {
      const now = await shown(second);
      return now.tag === before.tag ? undefined : now;
    });
    const { series: now } = after;
    expect([now.previous?.title ?? null, now.next?.title ?? null]).toEqual([previous, next]);
  }
});

test('what cannot be is refused, with nothing moved; of two at once, the later one is told', async () => {
  const { series, ids } = await seriesOf('Refused', 'One', 'Two');
  const { series: other, ids: others } = await seriesOf('Other', 'Elsewhere');
  const [one, two] = ids as [number, number];
  const { id: deleted } = await client.article({ title: 'Deleted' });
  await client.delete(`/api/articles/${deleted}`);
  const refused = await order(series, [two, 2_000_000_000, deleted, others[0], two]);
  expect([refused.status, refused.body.errors[0].field]).toEqual([422, 'articles.4']);
  const { status, body } = await order(series, [two, 2_000_000_000, deleted, others[0]]);
  expect([status, body.errors.map(({ field, code }: JsonBody) => `${field} ${code}`)]).toEqual([
    422,
    ['articles.1 not_found', 'articles.2 not_found', 'articles.3 invalid_value'],
  ]);
  const huge = (await order(series, [2 ** 40, 2 ** 41])).body.errors;
  expect(huge.map(({ code }: JsonBody) => code)).toEqual(['not_found', 'not_found']);
  for (const wrong of [null, ['1'], [0], Array.from({ length: 501 }, (_, n) => n + 1)])
    expect((await order(series, wrong)).status).toBe(422);
  expect([await titlesOf(series), await titlesOf(other)]).toEqual([['One', 'Two'], ['Elsewhere']]);
  expect((await order({ ...series, id: 2_000_000_000 }, [])).status).toBe(404);

  const seen = await client.send(`/api/series/${series.id}`);
  const match = { 'if-match': seen.headers.get('etag') ?? '' };
  const edited = (await client.send(`/api/articles/${one}`)).headers.get('etag');
  const both = await Promise.all([order(series, [two, one], match), order(series, [one], match)]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  const done = both.find(({ status }) => status === 200);
  const again = { 'if-match': done?.headers.get('etag') ?? '' };
  expect((await order(series, [two, one], again)).status).toBe(200);
  expect(await titlesOf(series)).toEqual(['Two', 'One']);
  // Who edits an article loses nothing to whoever orders its series.
  expect((await client.send(`/api/articles/${one}`)).headers.get('etag')).toBe(edited);
  expect((await client.send(`/api/articles/${one}/revisions`)).body.data).toHaveLength(1);
});

test('a series goes once it is empty; an article from the trash comes back without it', async () => {
  const { series, ids } = await seriesOf('Short-lived', 'Kept', 'Thrown away');
  const [kept, thrown] = ids as [number, number];
  await client.delete(`/api/articles/${thrown}`);
  const full = await client.delete(`/api/series/${series.id}`);
  expect([full.status, full.body.code]).toEqual([409, 'series_not_empty']);
  await order(series, []);
  expect((await client.delete(`/api/series/${series.id}`)).status).toBe(200);
  expect((await client.anonymously(`/api/series/by-slug/${series.slug}`)).status).toBe(404);
  expect((await client.post(`/api/articles/${thrown}/restore`, {})).status).toBe(200);
  for (const id of [kept, thrown]) expect((await shown(id, fixture.url)).series).toBeNull();
});

test('copies and hooks follow a series, what is sent again tells nothing of articles', async () => {
  const { cursor } = (await client.anonymously('/api/sync/snapshot')).body.meta;
  const hook = {
    url: 'https://site.example/',
    events: ['series.*', 'article.*'],
    categoryId: null,
    drafts: false,
  };
  await new HookStore(queriesOf(fixture.database)).add(hook, new SecretBox(randomBytes(32)));
  const { series, ids } = await seriesOf('Followed', 'Here', 'There');
  const events = async () => {
    const { rows } = await fixture.database.pool.query(
      'select type, subject, cache_tags from content.event order by id',
    );
    return rows;
  };
  const [here, there] = ids as [number, number];
  const tag = `series:${series.id}`;
  const told = await events();
  expect(told[0]).toEqual({ type: 'series.created', subject: tag, cache_tags: ['series', tag] });
  expect(told.slice(-3).map(({ type, cache_tags }) => [type, cache_tags.includes(tag)])).toEqual([
    ['article.updated', true],
    ['article.updated', true],
    ['series.updated', true],
  ]);
  expect((await order(series, ids)).status).toBe(200);
  expect((await events()).slice(told.length).map(({ type }) => type)).toEqual(['series.updated']);

  const { body } = await client.anonymously(`/api/sync/changes?cursor=${cursor}`);
  const items = body.data.map(({ item }: JsonBody) => item);
  expect(items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'series', id: series.id, name: 'Followed', description: null }),
      expect.objectContaining({ id: here, series_id: series.id, series_position: 1 }),
      expect.objectContaining({ id: there, series_id: series.id, series_position: 2 }),
    ]),
  );
});
