import { canonicalUrl } from '@pressroom/news-feed/newsroom/canonical-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type JsonValue, send } from '../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';
import { newsroom } from '../support/newsroom.ts';
import { realEntries } from '../support/real-feeds.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

let feed: NewsFeedFixture;
/** A minute between two entries, so that they come back in their order. */
function timeOf(index: number): string {
  return new Date(NOW.getTime() - (index + 1) * 60_000).toISOString();
}

beforeAll(async () => {
  feed = await newsFeedFixture({ NEWS_SEARCH_CONCURRENCY: '100' }, () => NOW);
});

afterAll(() => feed.close());

test('the texts of the real feeds come back as they were, by paging and by searching', async () => {
  const unique = new Map(realEntries().map((entry) => [canonicalUrl(entry.link), entry]));
  const entries = [...unique.values()];
  expect(entries.length).toBeGreaterThan(200);
  expect(new Set(entries.map((entry) => entry.feed)).size).toBe(10);
  const lines = entries.map(({ feed: name, title, link, text }, index) =>
    JSON.stringify({
      type: 'item',
      id: `real-${index}`,
      title,
      summary: text,
      source: { name },
      links: { original: link },
      publishedAt: timeOf(index),
      discoveredAt: timeOf(index),
    }),
  );
  const { code, stdout } = await newsroom(feed.database.url, ['import', '-'], lines.join('\n'));
  expect([code, stdout]).toEqual([0, `${entries.length} created, 0 changed, 0 unchanged, 0 refused\n`]);

  const items: JsonValue[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await send(`${feed.url}/api/v1/items?mode=all&limit=100${cursor}`);
    items.push(...body.items);
    if (!body.page.hasMore) break;
    cursor = `&cursor=${body.page.nextCursor}`;
  }
  const shown = items.map(({ title, summary, source, links, publishedAt }) => ({
    title,
    summary,
    source: source.name,
    original: links.original,
    publishedAt,
  }));
  expect(shown).toEqual(
    entries.map((entry, index) => ({
      title: entry.title,
      summary: entry.text,
      source: entry.feed,
      original: entry.link,
      publishedAt: timeOf(index),
    })),
  );

  for (const [index, { title }] of entries.entries()) {
    const q = [...title.trim().toUpperCase()].slice(0, 100).join('');
    const { body } = await send(`${feed.url}/api/v1/items?mode=all&limit=100&q=${encodeURIComponent(q)}`);
    expect(
      body.items.map(({ id }: JsonValue) => id),
      title,
    ).toContain(`real-${index}`);
  }
});
