import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type JsonValue, send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';

let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
});

afterAll(() => feed.close());

beforeEach(async () => {
  await feed.db.deleteFrom('news.item').execute();
  await feed.database.pool.query('truncate news.story cascade');
});

function get(publicId: string) {
  return send(`${feed.url}/api/v1/stories/${publicId}`);
}

function story(publicId: string, members: object = {}) {
  return { type: 'story', publicId, title: `Story ${publicId}`, ...members };
}

function merge(from: string, into: string) {
  return { type: 'merge', from, into };
}

test('a story has its reports newest first, its digest and its neighbours', async () => {
  await importLines(feed.db, [
    story('main', {
      digest: 'What is known.',
      status: 'settled',
      storyline: [
        { publicId: 'before', relation: 'came before' },
        { publicId: 'empty', relation: 'nothing to read' },
      ],
      related: [{ publicId: 'other', relation: 'alike' }],
    }),
    story('before'),
    story('empty'),
    story('other'),
    itemLine('first', {
      story: 'main',
      publishedAt: '2026-11-01T00:00:00Z',
      source: { name: 'Maker', firstParty: true },
      image: { url: 'https://img.source.example/a.jpg' },
      language: 'pt',
    }),
    itemLine('second', { story: 'main', publishedAt: '2026-11-02T00:00:00Z', summary: 'More' }),
    itemLine('gone', { story: 'main', publishedAt: '2026-11-03T00:00:00Z' }),
    { type: 'withdraw', id: 'gone' },
    itemLine('b', { story: 'before' }),
    itemLine('o', { story: 'other' }),
  ]);
  const { body, headers } = await get('main');
  expect(body).toEqual({
    schemaVersion: 1,
    story: {
      publicId: 'main',
      title: 'Story main',
      status: 'settled',
      sourceCount: 2,
      reportCount: 2,
      firstReportAt: '2026-11-01T00:00:00.000Z',
      latestAt: '2026-11-02T00:00:00.000Z',
      latest: 'Title of second',
      digest: 'What is known.',
      digestUpdatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      image: { url: 'https://img.source.example/a.jpg' },
      language: 'pt',
      links: { site: 'https://news.example/stories/main' },
      reports: [
        {
          id: 'second',
          title: 'Title of second',
          summary: 'More',
          source: { name: 'Source', firstParty: false },
          publishedAt: '2026-11-02T00:00:00.000Z',
          links: { site: 'https://news.example/items/second', original: 'https://source.example/second' },
        },
        {
          id: 'first',
          title: 'Title of first',
          summary: null,
          source: { name: 'Maker', firstParty: true },
          publishedAt: '2026-11-01T00:00:00.000Z',
          links: { site: 'https://news.example/items/first', original: 'https://source.example/first' },
          image: { url: 'https://img.source.example/a.jpg' },
          language: 'pt',
        },
      ],
      storyline: [
        {
          publicId: 'before',
          title: 'Story before',
          relation: 'came before',
          links: { site: 'https://news.example/stories/before', api: '/api/v1/stories/before' },
        },
      ],
      related: [
        {
          publicId: 'other',
          title: 'Story other',
          relation: 'alike',
          links: { site: 'https://news.example/stories/other', api: '/api/v1/stories/other' },
        },
      ],
    },
  });
  expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60, stale-while-revalidate=60');
  for (const { links } of [...body.story.storyline, ...body.story.related]) {
    expect((await send(`${feed.url}${links.api}`)).status).toBe(200);
  }
});

describe('a merged story', () => {
  test('redirects directly to the last survivor of a long chain', async () => {
    const chain = Array.from({ length: 60 }, (_, index) => `s${index}`);
    await importLines(feed.db, [
      ...chain.map((publicId) => story(publicId)),
      itemLine('report', { story: 's0' }),
      ...chain.slice(1).map((into, index) => merge(`s${index}`, into)),
    ]);
    for (const publicId of ['s0', 's30', 's58']) {
      const { status, headers, text } = await get(publicId);
      expect([status, headers.get('location'), text]).toEqual([308, '/api/v1/stories/s59', '']);
      expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60, stale-while-revalidate=60');
    }
    const { body } = await get('s59');
    expect(body.story.reports.map(({ id }: JsonValue) => id)).toEqual(['report']);
  });

  test('appears as its survivor among the neighbours, once, and not next to itself', async () => {
    await importLines(feed.db, [
      ...['main', 'a', 'b', 'twin'].map((publicId) => story(publicId)),
      story('main', {
        related: [
          { publicId: 'a', relation: 'first' },
          { publicId: 'b', relation: 'second' },
          { publicId: 'twin', relation: 'same' },
        ],
      }),
      ...['main', 'a', 'b', 'twin'].map((name) => itemLine(`of-${name}`, { story: name })),
      merge('a', 'b'),
      merge('twin', 'main'),
    ]);
    const { related } = (await get('main')).body.story;
    expect(related.map(({ publicId, relation }: JsonValue) => `${publicId} ${relation}`)).toEqual([
      'b first',
    ]);
  });

  test('cannot form a cycle: the database refuses it', async () => {
    await importLines(feed.db, [story('a'), story('b'), story('c'), merge('a', 'b'), merge('b', 'c')]);
    const circle = feed.db
      .updateTable('news.story')
      .set({ merged_into: 'a' })
      .where('public_id', '=', 'c')
      .execute();
    await expect(circle).rejects.toMatchObject({ constraint: 'story_merge_circle' });
  });
});

describe('404', () => {
  async function expectUnknown(publicId: string, url = feed.url) {
    const { status, body, headers } = await send(`${url}/api/v1/stories/${publicId}`);
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(headers.get('cache-control')).toBe('public, max-age=60');
  }

  test('for an unknown id of any characters', async () => {
    for (const publicId of ['nothing', '%2e%2e', '%00', '%F0%9F%9A%80', 'x'.repeat(128)])
      await expectUnknown(publicId);
  });

  test('when no public report is left', async () => {
    await importLines(feed.db, [story('s'), itemLine('only', { story: 's' })]);
    expect((await get('s')).status).toBe(200);
    await importLines(feed.db, [{ type: 'withdraw', id: 'only' }]);
    await expectUnknown('s');
  });

  test('for every story when stories are off', async () => {
    await importLines(feed.db, [story('s'), story('t'), itemLine('report', { story: 's' }), merge('t', 's')]);
    const other = await startNewsFeed(feed.database.url, { NEWS_STORIES: 'off' });
    await expectUnknown('s', other.url);
    await expectUnknown('t', other.url);
    await other.close();
  });
});

test('an id of more than 128 characters is 400', async () => {
  const { status, body } = await get('x'.repeat(129));
  expect([status, body.code]).toEqual([400, 'invalid_request']);
});

describe('the address of a neighbour', () => {
  beforeEach(() =>
    importLines(feed.db, [
      story('near'),
      story('here', { related: [{ publicId: 'near', relation: 'alike' }] }),
      itemLine('n', { story: 'near' }),
      itemLine('h', { story: 'here' }),
    ]),
  );

  async function addressFrom(url: string, headers: Record<string, string> = {}): Promise<string> {
    const { body } = await send(`${url}/api/v1/stories/here`, { headers });
    return body.story.related[0].links.api;
  }

  const FORWARDED = {
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-host': 'api.example',
    'x-forwarded-proto': 'https',
  };

  test('comes from SITE_API_URL, whatever a request says', async () => {
    const service = await startNewsFeed(feed.database.url, {
      SITE_API_URL: 'https://api.news.example/feed/',
      TRUST_PROXY: '127.0.0.1',
    });
    const expected = 'https://api.news.example/feed/api/v1/stories/near';
    expect(await addressFrom(service.url)).toBe(expected);
    expect(await addressFrom(service.url, FORWARDED)).toBe(expected);
    await service.close();
  });

  test('comes from a trusted proxy, only for its readers', async () => {
    const service = await startNewsFeed(feed.database.url, { TRUST_PROXY: '127.0.0.1' });
    for (let round = 0; round < 2; round += 1) {
      expect(await addressFrom(service.url)).toBe('/api/v1/stories/near');
      expect(await addressFrom(service.url, FORWARDED)).toBe('https://api.example/api/v1/stories/near');
      expect(await addressFrom(service.url, { ...FORWARDED, 'x-forwarded-host': 'other.example:8443' })).toBe(
        'https://other.example:8443/api/v1/stories/near',
      );
    }
    const { headers } = await send(`${service.url}/api/v1/stories/here`);
    expect(headers.get('vary')).toBe('X-Forwarded-Host, X-Forwarded-Proto');
    await service.close();
  });

  test.each(['evil.example/x?', 'user@evil.example', 'evil.example"', '', 'a b'])(
    'does not come from a trusted proxy if the value is not a host: %j',
    async (host) => {
      const service = await startNewsFeed(feed.database.url, { TRUST_PROXY: '127.0.0.1' });
      expect(await addressFrom(service.url, { ...FORWARDED, 'x-forwarded-host': host })).toBe(
        '/api/v1/stories/near',
      );
      await service.close();
    },
  );

  test('does not come from an untrusted client', async () => {
    expect(await addressFrom(feed.url, FORWARDED)).toBe('/api/v1/stories/near');
    const service = await startNewsFeed(feed.database.url, { TRUST_PROXY: '192.0.2.0/24' });
    expect(await addressFrom(service.url, FORWARDED)).toBe('/api/v1/stories/near');
    await service.close();
  });
});
