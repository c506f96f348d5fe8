import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type FeedReading, readFeed, type SourceReading } from './read-feed.ts';
import type { SitemapMemory } from './sitemap.ts';

const ADDRESS = 'https://paper.example/sitemap.xml';
const NOTHING: SitemapMemory = { since: null, known: new Uint8Array() };

function read(body: string | Buffer, memory = NOTHING): SourceReading {
  return readFeed({
    ...{ body: Buffer.from(body), url: ADDRESS, contentType: 'application/xml', link: undefined },
    ...{ mayBePage: true, listSelectors: null, memory },
  });
}

function sitemap(addresses: readonly string[], extra = ''): string {
  const urls = addresses.map((path) => `<url><loc> https://paper.example/${path} </loc>${extra}</url>`);
  return `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
    xmlns:n="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
    >${urls.join('')}</urlset>`;
}

/** Reads sitemaps one after the other, as polls do. */
function readInTurn(...bodies: string[]): string[][] {
  let memory = NOTHING;
  return bodies.map((body) => {
    const reading = read(body, memory) as FeedReading;
    memory = { since: new Date('2026-11-20T00:00:00Z'), known: reading.sitemap?.known ?? memory.known };
    return reading.feed.entries.map(({ title }) => title);
  });
}

test('a news sitemap says what an entry needs, and is packed or not', () => {
  const news = `<n:news><n:publication><n:name>The Paper</n:name><n:language>pt</n:language></n:publication>
    <n:publication_date>2026-11-20T09:00:00+00:00</n:publication_date><n:title>A ponte &amp; o rio</n:title></n:news>
    <image:image><image:loc>https://paper.example/ponte.jpg</image:loc></image:image>`;
  for (const body of [sitemap(['ponte'], news), gzipSync(sitemap(['ponte'], news))]) {
    expect(read(body)).toMatchObject({
      kind: 'feed',
      feed: {
        entries: [
          {
            ...{
              key: 'https://paper.example/ponte',
              title: 'A ponte & o rio',
              url: 'https://paper.example/ponte',
            },
            ...{ publishedAt: new Date('2026-11-20T09:00:00Z'), language: 'pt', summary: null },
            image: { url: 'https://paper.example/ponte.jpg' },
          },
        ],
      },
    });
  }
  expect(() => read(gzipSync(Buffer.alloc(11 * 2 ** 20)))).toThrow('larger than 10 MiB');
  expect(() => read(gzipSync('x').subarray(0, 12))).toThrow('not valid gzip');
});

test('of a page that names no feed it is said how to read it', () => {
  expect(() => read('\n<!DOCTYPE html><title>News</title>')).toThrow(
    '--page reads the articles that it lists',
  );
  expect(() => read('<wsdl/>')).toThrow('it is not a feed');
});

test('of a sitemap without titles, what is new since the last read becomes an entry', () => {
  const archive = Array.from({ length: 5000 }, (_, index) => `archive/${index}`);
  expect(
    readInTurn(
      sitemap(archive),
      sitemap([...archive, '2026/the-lantern_is-lit.html']),
      sitemap(['a%20second%E0%20one/', 'neues-aus-%C3%B6sterreich', ...archive]),
      sitemap(['neues-aus-%C3%B6sterreich', '2026/the-lantern_is-lit.html', ...archive]),
    ),
  ).toEqual([[], ['the lantern is lit'], ['a%20second%E0%20one', 'neues aus österreich'], []]);
});

test('an old article that a sitemap lists late is no news, and what does not fit in one read comes with the next', () => {
  const late = sitemap(['old'], '<lastmod>2016-03-01</lastmod>').replace('</urlset>', '');
  const listed = `${late}<url><loc>https://paper.example/new</loc><lastmod>2026-11-20</lastmod></url></urlset>`;
  expect(readInTurn(sitemap(['first']), listed, listed)).toEqual([[], ['new'], []]);
  const many = sitemap(Array.from({ length: 1500 }, (_, index) => `new/${index}`));
  expect(readInTurn(sitemap(['first']), many, many, many).map(({ length }) => length)).toEqual([
    0, 1000, 500, 0,
  ]);
});

test('of an index, the newest sitemaps that list articles are read', () => {
  const index = (entries: readonly (readonly [string, string?])[]) =>
    `<sitemapindex>${entries
      .map(
        ([path, date]) =>
          `<sitemap><loc>https://paper.example/${path}</loc>${date ? `<lastmod>${date}</lastmod>` : ''}</sitemap>`,
      )
      .join('')}</sitemapindex>`;
  const names = (reading: SourceReading) =>
    reading.kind === 'index' ? reading.urls.map((url) => url.slice(22)) : [];
  const many = Array.from(
    { length: 5000 },
    (_, n) => [`s-${n}.xml`, new Date(n * 86_400_000).toISOString()] as const,
  );
  expect(names(read(index(many)))).toEqual([5, 4, 3, 2, 1].map((n) => `s-${5000 - n}.xml`).reverse());
  const since = { since: new Date('2026-11-20T00:00:00Z'), known: new Uint8Array() };
  const yoast = index([
    ['post-sitemap.xml', '2026-11-01T00:00:00Z'],
    ['post-sitemap2.xml', '2026-11-20T10:00:00Z'],
    ['category-sitemap.xml', '2026-11-20T10:00:00Z'],
    ['author-sitemap.xml', '2026-11-20T10:00:00Z'],
  ]);
  expect(read(yoast, since)).toMatchObject({ isDated: true, listed: 4 });
  expect(names(read(yoast, since))).toEqual(['post-sitemap2.xml']);
  const undated = read(index([['posts-9.xml'], ['posts-11.xml'], ['posts-10.xml'], ['tags.xml']]));
  expect(undated).toMatchObject({ isDated: false });
  expect(names(undated)).toEqual(['posts-11.xml', 'posts-10.xml', 'posts-9.xml']);
});
