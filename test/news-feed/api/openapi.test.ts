import { readVocabulary } from '@pressroom/news-feed/config';
import { addSample } from '@pressroom/news-feed/editing/sample';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonBody, type JsonValue, send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';

const VOCABULARY = readVocabulary({});

/** The endpoints of the document and of the reset tracking, each by its path in the description. */
const PATHS = [
  '/api/v1/items',
  '/api/v1/items/{id}',
  '/api/v1/archive',
  '/api/v1/sources',
  '/api/public/fingerprint',
  '/api/v1/hot-topics',
  '/api/v1/stories',
  '/api/v1/stories/{publicId}',
  '/api/v1/dailies',
  '/api/v1/dailies/latest',
  '/api/v1/dailies/{date}',
  '/api/v1/weeklies',
  '/api/v1/weeklies/latest',
  '/api/v1/weeklies/{date}',
  '/api/v1/monthlies',
  '/api/v1/monthlies/latest',
  '/api/v1/monthlies/{date}',
  '/api/v1/selected/snapshot',
  '/api/v1/selected/changes',
  '/api/v1/codex-resets',
  '/api/v1/codex-resets/recent',
];

let feed: NewsFeedFixture;
let description: JsonBody;
/** Requests that answer 200, by the paths of the description. */
let requests: Record<string, string[]>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

beforeAll(async () => {
  feed = await newsFeedFixture();
  await addSample(feed.db, VOCABULARY, new Date());
  // The sample is only a week long.
  for (const [table, date] of [
    ['weekly', '2026-11-16'],
    ['monthly', '2026-11-01'],
  ]) {
    await feed.database.pool.query(
      `insert into news.${table} select $1, generated_at, window_start, window_end, report, item_ids from news.daily limit 1`,
      [date],
    );
  }
  description = (await send(`${feed.url}/openapi.json`)).body;
  ajv.addSchema(description, 'description');
  const latest = (await send(`${feed.url}/api/v1/dailies?limit=1`)).body.items[0].date;
  const [{ quoted }] = (await feed.database.pool.query('select item_ids[1] as quoted from news.daily')).rows;
  const snapshot = (await send(`${feed.url}/api/v1/selected/snapshot?limit=3`)).body;
  const minimal = (await send(`${feed.url}/api/v1/selected/snapshot?fields=minimal`)).body;
  const page = (await send(`${feed.url}/api/v1/items?limit=3`)).body.page;
  await feed.db.updateTable('news.item').set({ score: 1 }).where('id', '=', 'sample-item-1').execute();
  await feed.db.updateTable('news.item').set({ selected: false }).where('id', '=', 'sample-item-2').execute();
  requests = {
    '/api/v1/items': [
      '',
      '?mode=all&by=published&window=24h',
      '?mode=all&direction=domestic&category=technology&q=a%20t',
      `?limit=3&cursor=${page.nextCursor}`,
    ],
    '/api/v1/items/{id}': [quoted],
    '/api/v1/archive': ['', '?selected=true&q=the'],
    '/api/v1/sources': [''],
    '/api/public/fingerprint': [''],
    '/api/v1/stories': ['', '?status=active&limit=1'],
    '/api/v1/hot-topics': ['', '?direction=overseas'],
    '/api/v1/stories/{publicId}': ['lantern-2-release', 'lantern-2-preview', 'lending-models'],
    '/api/v1/dailies': ['', '?limit=2'],
    '/api/v1/dailies/latest': [''],
    '/api/v1/dailies/{date}': [latest],
    '/api/v1/weeklies': ['', '?limit=2'],
    '/api/v1/weeklies/latest': [''],
    '/api/v1/weeklies/{date}': ['2026-11-16'],
    '/api/v1/monthlies': ['', '?limit=2'],
    '/api/v1/monthlies/latest': [''],
    '/api/v1/monthlies/{date}': ['2026-11-01'],
    '/api/v1/selected/snapshot': ['', '?fields=minimal&limit=3', `?page=${snapshot.nextPage}`],
    '/api/v1/selected/changes': [`?cursor=${snapshot.cursor}`, `?limit=1&cursor=${minimal.cursor}`],
    '/api/v1/codex-resets': [''],
    '/api/v1/codex-resets/recent': [''],
  };
});

afterAll(() => feed.close());

/** The URLs of a path's requests. */
function urls(path: string): string[] {
  return (requests[path] ?? []).map((rest) => `${feed.url}${path.replace(/\{.*\}$/, '')}${rest}`);
}

test('the description has version 2.0.0 and is served at both addresses', async () => {
  expect(description.openapi).toBe('3.1.0');
  expect(description.info.version).toBe('2.0.0');
  expect((await send(`${feed.url}/openapi-v1.json`)).body).toEqual(description);
  const operations = Object.keys(description.paths).filter((path) => path.startsWith('/api/'));
  expect(operations.sort()).toEqual([...PATHS].sort());
  for (const path of PATHS) expect(Object.keys(description.paths[path])).toEqual(['get']);
});

describe.each(PATHS)('%s', (path) => {
  test('answers as its description says, with sample data on a first start', async () => {
    const pointer = path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
    const schema = `description#/paths/${pointer}/get/responses/200/content/application~1json/schema`;
    const validate = ajv.compile({ $ref: schema });
    for (const url of urls(path)) {
      const { status, body, headers } = await send(url);
      expect(status, url).toBe(200);
      expect(validate(body), `${url}: ${JSON.stringify(validate.errors)}`).toBe(true);
      expect(headers.get('etag')).toMatch(/^"[\x21\x23-\x7e]+"$/);
      expect(headers.get('cache-control')).toMatch(/^public, max-age=\d+, s-maxage=\d+/);
      expect(headers.get('x-request-id')).toBeTruthy();
      const { items, changes, events, story, report, item } = body;
      const list = items ?? changes ?? events ?? story?.reports ?? report?.sections ?? item?.reports;
      expect(list.length, url).toBeGreaterThan(0);
    }
  });

  test('answers 304 to a client that has the answer, and HEAD without a body', async () => {
    for (const url of urls(path)) {
      const first = await send(url);
      const etag = first.headers.get('etag') ?? '';
      for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await send(url, { headers: { 'if-none-match': ifNoneMatch } });
        expect([again.status, again.text, again.headers.get('content-type')]).toEqual([304, '', null]);
        expect(again.headers.get('etag')).toBe(etag);
        expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
      }
      const head = await send(url, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      for (const name of ['etag', 'cache-control', 'content-type', 'content-length']) {
        expect(head.headers.get(name), name).toBe(first.headers.get(name));
      }
    }
  });

  test('refuses a junk parameter, and other methods', async () => {
    const [url = ''] = urls(path);
    const junk = await send(`${url}${url.includes('?') ? '&' : '?'}junk=1`);
    expect([junk.status, junk.body.code]).toEqual([400, 'invalid_request']);
    expect(junk.body.detail).toContain('unknown parameter "junk"');
    const post = await send(url, { method: 'POST', json: {} });
    expect([post.status, post.body.code, post.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      expect.stringMatching(/GET.*HEAD/),
    ]);
  });

  test('describes every status that it answers', () => {
    const statuses = Object.keys(description.paths[path].get.responses);
    expect(statuses).toEqual(expect.arrayContaining(['200', '304', '400', '403', '405', '429', '503']));
  });
});

describe('the sample', () => {
  async function all(path: string): Promise<JsonValue[]> {
    return (await send(`${feed.url}${path}`)).body.items;
  }

  test('has every category and direction, a full hot list and a week of reports', async () => {
    const items = await all('/api/v1/items?mode=all&limit=100');
    expect(new Set(items.map(({ category }) => category))).toEqual(new Set(VOCABULARY.categories));
    expect(new Set(items.flatMap(({ directions }) => directions))).toEqual(new Set(VOCABULARY.directions));
    for (const query of ['', '?direction=domestic', '?direction=overseas']) {
      expect((await all(`/api/v1/hot-topics${query}`)).length, query).toBeGreaterThanOrEqual(5);
    }
    expect(await all('/api/v1/hot-topics')).toHaveLength(10);
    expect(await all('/api/v1/dailies')).toHaveLength(7);
  });

  test('has a merged story that leads to the one of its top topic', async () => {
    const [top] = await all('/api/v1/hot-topics');
    const merged = await send(`${feed.url}/api/v1/stories/lantern-2-rumour`);
    expect(merged.status).toBe(308);
    expect(top.links.story).toBe(
      `https://news.example/stories/${merged.headers.get('location')?.split('/').at(-1)}`,
    );
  });

  test('is added once, and never to a database that had items', async () => {
    expect(await addSample(feed.db, VOCABULARY, new Date())).toBe(false);
    await feed.db.deleteFrom('news.item').execute();
    expect(await addSample(feed.db, VOCABULARY, new Date())).toBe(false);
  });
});
