import { asHtml } from '@pressroom/common/feeds/xml';
import { readVocabulary } from '@pressroom/news-feed/config';
import { addSample } from '@pressroom/news-feed/editing/sample';
import { parseFeed } from '@pressroom/news-feed/reading/parse-feed';
import { parseAtomFeed, parseJsonFeed, parseRssFeed } from 'feedsmith';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const SETTINGS = {
  SITE_API_URL: 'https://api.news.example',
  NEWS_HUB_URL: 'https://hub.example/',
  SITE_LANGUAGE: 'zh-CN',
};
/** An item that the site received when it was published. */
function line(id: string, publishedAt: string, members: object = {}) {
  return itemLine(id, { publishedAt, discoveredAt: publishedAt, ...members });
}

const VOCABULARY = readVocabulary({ NEWS_CATEGORIES: 'technology,research,policy-standard' });

/** A title and a summary with everything that breaks a feed that is written carelessly. */
const HOSTILE = {
  title: ']]> & <b>"标题"</b> \u0008 &amp; 😀',
  summary: '<script>alert(1)</script> \u001b & ]]>',
};

let feed: NewsFeedFixture;
beforeAll(async () => {
  feed = await newsFeedFixture(SETTINGS, () => NOW);
  const lines = [
    { type: 'story', publicId: 'quake', title: 'Quake <1>' },
    itemLine('selected', {
      ...HOSTILE,
      selected: true,
      category: 'research',
      directions: ['domestic'],
      publishedAt: '2026-11-20T10:00:00.000Z',
      discoveredAt: '2026-11-20T10:05:00.000Z',
    }),
    line('no-summary', '2026-11-20T09:00:00.000Z', {
      selected: true,
      source: { name: 'Rare & Herald' },
      language: 'pt-BR',
      story: 'quake',
    }),
    line('not-selected', '2026-11-20T11:00:00.000Z'),
    line('too-old', '2026-11-10T09:00:00.000Z', { selected: true }),
  ];
  await importLines(feed.db, lines, NOW);
});
afterAll(() => feed?.close());

const get = (path: string, headers: Record<string, string> = {}) => send(`${feed.url}${path}`, { headers });

/** Returns a feed as readers of each format see it. */
async function readAs(ending: string, base = '', query = '') {
  const { status, text, headers } = await get(`${base}/feed.${ending}${query}`);
  expect(status).toBe(200);
  const type = headers.get('content-type');
  if (ending === 'xml') {
    const { items = [], ...rest } = parseRssFeed(text);
    return {
      type,
      self: rest.atom?.links?.find(({ rel }) => rel === 'self')?.href,
      hub: rest.atom?.links?.find(({ rel }) => rel === 'hub')?.href,
      entries: items.map((item) => ({ id: item.guid?.value, title: item.title, url: item.link })),
      html: items.map(({ content }) => content?.encoded),
    };
  }
  if (ending === 'atom') {
    const { entries = [], links } = parseAtomFeed(text);
    return {
      type,
      self: links?.find(({ rel }) => rel === 'self')?.href,
      hub: links?.find(({ rel }) => rel === 'hub')?.href,
      entries: entries.map((entry) => ({
        id: entry.id,
        title: entry.title?.value,
        url: entry.links?.[0]?.href,
      })),
      html: entries.map(({ content }) => content?.value),
    };
  }
  const { items = [], hubs, feed_url: self } = parseJsonFeed(text);
  return {
    type,
    self,
    hub: hubs?.[0]?.url,
    entries: items.map(({ id, title, url }) => ({ id, title, url })),
    html: items.map(({ content_html }) => content_html),
  };
}

const FORMATS = [
  ['xml', 'application/rss+xml; charset=utf-8'],
  ['atom', 'application/atom+xml; charset=utf-8'],
  ['json', 'application/feed+json; charset=utf-8'],
] as const;

describe.each(FORMATS)('feed.%s', (ending, type) => {
  test('has the selected items of the last 7 days, newest first, with all they say', async () => {
    // In RSS it is HTML, which feedsmith leaves to whoever shows it.
    const titles = {
      xml: asHtml(HOSTILE.title),
      atom: HOSTILE.title.replace('\u0008', ''),
      json: HOSTILE.title,
    };
    expect(await readAs(ending)).toEqual({
      type,
      self: `https://api.news.example/feed.${ending}`,
      hub: 'https://hub.example/',
      entries: [
        {
          id: 'https://news.example/items/selected',
          title: titles[ending],
          url: 'https://source.example/selected',
        },
        {
          id: 'https://news.example/items/no-summary',
          title: 'Title of no-summary',
          url: 'https://source.example/no-summary',
        },
      ],
      html: [undefined, undefined],
    });
  });

  test('is restricted by path, category and direction', async () => {
    const ids = async (base: string, query = '') =>
      (await readAs(ending, base, query)).entries.map(({ id }) => id?.split('/').at(-1));
    expect(await ids('/all')).toEqual(['not-selected', 'selected', 'no-summary']);
    expect(await ids('', '?category=research')).toEqual(['selected']);
    expect(await ids('/all', '?category=research&direction=overseas')).toEqual([]);
    for (const filter of [
      'source=Rare+%26+Herald',
      'language=pt',
      'story=quake',
      'q=no-summary&language=pt',
    ]) {
      expect(await ids('', `?${filter}`), filter).toEqual(['no-summary']);
    }
    expect(await ids('', '?source=Nobody')).toEqual([]);
    for (const refused of [
      'category=nonsense',
      'q=a',
      'source=',
      'language=english',
      'story=a/b',
      'by=published',
    ]) {
      expect((await get(`/feed.${ending}?${refused}`)).status, refused).toBe(400);
    }
    expect((await get(`/feed.${ending}?limit=3`)).status).toBe(400);
    const shared = await get(`/feed.${ending}?fbclid=x&category=research`);
    expect([shared.status, shared.headers.get('location')]).toEqual([
      301,
      `./feed.${ending}?category=research`,
    ]);
  });

  test('is conditional, cached like the rest, and changes when an item does', async () => {
    const first = await get(`/feed.${ending}`);
    const etag = first.headers.get('etag') ?? '';
    expect(first.headers.get('cache-control')).toBe(
      'public, max-age=300, s-maxage=300, stale-while-revalidate=900',
    );
    const again = await get(`/feed.${ending}`, { 'if-none-match': etag });
    expect([again.status, again.text]).toEqual([304, '']);
    await importLines(feed.db, [line(`new-${ending}`, NOW.toISOString(), { selected: true })], NOW);
    await expect.poll(async () => (await get(`/feed.${ending}`, { 'if-none-match': etag })).status).toBe(200);
    expect((await readAs(ending)).entries[0]?.title).toBe(`Title of new-${ending}`);
    await feed.db.deleteFrom('news.item').where('id', '=', `new-${ending}`).execute();
    await expect.poll(async () => (await readAs(ending)).entries.length).toBe(2);
  });
});

test('a feed says what it is of, in its title and at its own address', async () => {
  const of = async (query: string) => {
    const { title, feed_url } = parseJsonFeed((await get(`/all/feed.json?${query}`)).text);
    expect(feed_url).toBe(`https://api.news.example/all/feed.json?${query}`);
    return title;
  };
  expect(await of('story=quake')).toBe('Pressroom: Quake <1>');
  expect(await of('story=unknown')).toBe('Pressroom: unknown');
  expect(await of('source=Rare+%26+Herald')).toBe('Pressroom: Rare & Herald');
  expect(await of('language=pt-BR&q=%22a%22+b')).toBe('Pressroom: 巴西葡萄牙语: “"a" b”');
  const { text } = await get('/feed.xml?source=Rare+%26+Herald&q=%3Cb%3E');
  expect(text).toContain('<title>Pressroom: Rare &#x26;amp; Herald: “&#x26;lt;b&#x26;gt;”</title>');
});

test.each([
  ['/feed/all.xml', '/all/feed.xml'],
  ['/feed/full.xml?direction=domestic', '/feed.xml?direction=domestic'],
  ['/feed/daily.xml', '/dailies/feed.xml'],
  ['/feed/category/research.xml', '/feed.xml?category=research'],
  ['/feed/category/research.xml?q=abc&source=Source', '/feed.xml?category=research&q=abc&source=Source'],
])('%s is %s at a second address', async (path, first) => {
  const withoutSelf = (text: string) => text.replace(/<atom:link[^>]*rel="self"[^>]*>/, '');
  const [second, known] = await Promise.all([get(path), get(first)]);
  expect([second.status, second.headers.get('content-type')]).toEqual([
    200,
    'application/rss+xml; charset=utf-8',
  ]);
  expect(parseRssFeed(second.text).atom?.links?.[0]?.href).toBe(`https://api.news.example${path}`);
  expect(withoutSelf(second.text)).toBe(withoutSelf(known.text));
});

test('the feed of a category is that of a category that there is, and names itself relatively', async () => {
  expect((await get('/feed/category/nonsense.xml')).status).toBe(400);
  expect((await get('/feed/category/research')).status).toBe(404);
  const plain = await startNewsFeed(feed.database.url, {}, () => NOW);
  const { text } = await send(`${plain.url}/feed/category/research.xml`).finally(plain.close);
  expect(parseRssFeed(text).atom?.links?.[0]?.href).toBe('research.xml');
});

test.each(FORMATS)(
  'feed.%s gives plain text back to whoever reads it, and markup to nobody',
  async (ending) => {
    const texts = await newsFeedFixture(SETTINGS, () => NOW);
    const mentions = [
      { title: 'the <dialog> element', summary: 'Use the <img src=x onerror=alert(1)> tag.' },
      { title: 'Vec<T> & Map<K, V>', summary: 'Write &amp;lt; for <, and ]]> for an end.' },
      { title: 'R&D & <b>bold</b> news', summary: '<script>alert(1)</script> is a script.' },
      { title: 'how to write &amp;', summary: '1 < 2 && 3 > 2.' },
    ];
    const credits = {
      authors: ['Ada & Co'],
      tags: ['R&D <b>'],
      enclosures: [{ url: 'https://pod.example/1.mp3?a=1&b=2', type: 'audio/mpeg', length: 9, duration: 62 }],
    };
    const image = { url: 'https://img.example/a.jpg?b=1&c=2', width: 640, height: 480, alt: 'R&D <b>' };
    try {
      const lines = mentions.map((members, index) =>
        line(`mention-${index}`, `2026-11-20T11:00:0${9 - index}.000Z`, {
          ...members,
          selected: true,
          ...(index === 0 && { image, language: 'en', ...credits }),
          ...(index === 3 && { correction: 'It was <b>two</b>.' }),
        }),
      );
      await importLines(texts.db, lines, NOW);
      const { text } = await send(`${texts.url}/feed.${ending}`);
      const { entries } = parseFeed(text, `${texts.url}/feed.${ending}`);
      const shown = mentions.with(3, {
        title: 'how to write &amp;',
        summary: '1 < 2 && 3 > 2. It was <b>two</b>.',
      });
      expect(entries.map(({ title, summary }) => ({ title, summary }))).toEqual(shown);
      expect(entries.map(({ language }) => language)).toEqual(['en', 'zh-CN', 'zh-CN', 'zh-CN']);
      expect(entries.map((entry) => entry.image)).toEqual([
        ending === 'json' ? { url: image.url } : image,
        ...[null, null, null],
      ]);
      const [first] = entries;
      expect({ tags: first?.tags, authors: first?.authors?.at(-1) }).toEqual({
        tags: credits.tags,
        authors: 'Ada & Co',
      });
      expect(first?.enclosures).toEqual(credits.enclosures);
      if (ending === 'json') return;
      // Nothing stands around the words, which some readers would show.
      const title = ending === 'xml' ? 'the &#x26;lt;dialog&#x26;gt; element' : 'the &#x3C;dialog> element';
      expect(text).toContain(`<title>${title}</title>`);
      expect(text).not.toMatch(/CDATA|\]\]>|<(img|script|b)\b/);
    } finally {
      await texts.close();
    }
  },
);

test.each(FORMATS)('feed.%s names its language', async (ending) => {
  const { text } = await get(`/feed.${ending}`);
  const said = { xml: '<language>zh-CN</language>', atom: 'xml:lang="zh-CN"', json: '"language":"zh-CN"' };
  expect(text).toContain(said[ending]);
});

test('the feeds of reports have their whole text as clean HTML', async () => {
  const reports = await newsFeedFixture(SETTINGS, () => NOW);
  try {
    await addSample(reports.db, VOCABULARY, NOW);
    const { text } = await send(`${reports.url}/dailies/feed.json`);
    const { items = [], title } = parseJsonFeed(text);
    expect(title).toBe('Pressroom: 日报');
    expect(items).toHaveLength(7);
    expect(items[0]).toMatchObject({
      title: expect.stringMatching(/^2026年11月20日日报: /),
      id: 'https://news.example/dailies/2026-11-20',
      url: 'https://news.example/dailies/2026-11-20',
    });
    const [first] = items;
    const { report } = (await send(`${reports.url}/api/v1/dailies/2026-11-20`)).body;
    expect(first?.content_html).toContain(`<h2>${report.sections[0].label}</h2>`);
    expect(first?.content_html).toContain(`<a href="${report.sections[0].items[0].links.original}">`);
    for (const collection of ['dailies', 'weeklies', 'monthlies']) {
      for (const [ending, type] of FORMATS) {
        const answer = await send(`${reports.url}/${collection}/feed.${ending}`);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      }
    }
  } finally {
    await reports.close();
  }
});

test('a report quotes hostile text as text', async () => {
  const { reportHtml } = await import('@pressroom/news-feed/api/feeds');
  const quote = {
    itemId: 'a',
    ...HOSTILE,
    source: '<i>',
    originalUrl: 'https://source.example/?a="&b',
    publishedAt: NOW.toISOString(),
  };
  const report = {
    lead: { itemId: 'a', title: HOSTILE.title, leadParagraph: HOSTILE.summary },
    sections: [{ label: '<u>', items: [quote] }],
    flashes: [quote],
  };
  const html = reportHtml(report, { inBrief: '<b>' });
  expect(html.match(/<[a-z0-9]+/g)?.toSorted()).toEqual(
    ['<p', '<strong', '<p', '<h2', '<h3', '<a', '<p', '<p', '<small', '<h2', '<ul', '<li', '<a'].toSorted(),
  );
});

test('a service that does not know its address names a relative one, and one behind a proxy names the proxy’s', async () => {
  const service = await startNewsFeed(feed.database.url, { TRUST_PROXY: '1' }, () => NOW);
  try {
    const direct = await send(`${service.url}/feed.xml`);
    // Whatever `Host` a client sends, an address is not taken from it.
    expect(parseRssFeed(direct.text).atom?.links?.[0]?.href).toBe('feed.xml');
    const all = parseAtomFeed((await send(`${service.url}/all/feed.atom?category=research`)).text);
    expect(all.links?.find(({ rel }) => rel === 'self')?.href).toBe('feed.atom?category=research');
    expect(parseJsonFeed((await send(`${service.url}/feed.json`)).text).feed_url).toBeUndefined();
    const headers = {
      'x-forwarded-for': '203.0.113.1',
      'x-forwarded-host': 'news.site',
      'x-forwarded-proto': 'https',
    };
    const proxied = await send(`${service.url}/feed.xml?category=research`, { headers });
    expect(parseRssFeed(proxied.text).atom?.links?.[0]?.href).toBe(
      'https://news.site/feed.xml?category=research',
    );
  } finally {
    await service.close();
  }
});

test('an empty feed is a feed', async () => {
  const empty = await newsFeedFixture({}, () => NOW);
  try {
    for (const [ending] of FORMATS) {
      for (const base of ['', '/all', '/dailies']) {
        expect((await send(`${empty.url}${base}/feed.${ending}`)).status, ending).toBe(200);
      }
    }
    const { id, updated } = parseAtomFeed((await send(`${empty.url}/monthlies/feed.atom`)).text);
    expect(id).toBe('https://news.example/monthlies/feed');
    // W3C's validator doubts dates before 1990.
    expect(new Date(updated ?? '').getUTCFullYear()).toBeGreaterThanOrEqual(1990);
    const { lastBuildDate } = parseRssFeed((await send(`${empty.url}/monthlies/feed.xml`)).text);
    expect(new Date(lastBuildDate ?? '').getUTCFullYear()).toBeGreaterThanOrEqual(1990);
  } finally {
    await empty.close();
  }
});
