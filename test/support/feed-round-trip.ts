import { canonicalUrl } from '@pressroom/news-feed/fields';
import { expect, onTestFinished } from 'vitest';
import type { FeedEntry } from './feed-entries.ts';
import { type JsonValue, send } from './http.ts';
import { newsFeedFixture } from './news-feed.ts';
import { newsroom } from './newsroom.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

/** A minute between two entries, so that they come back in their order. */
function timeOf(index: number): string {
  return new Date(NOW.getTime() - (index + 1) * 60_000).toISOString();
}

/** Each entry once, whatever feeds it came in. */
export function uniqueEntries(entries: readonly FeedEntry[]): FeedEntry[] {
  return [...new Map(entries.map((entry) => [canonicalUrl(entry.link), entry])).values()];
}

/**
 * Imports unique entries and expects that they come back as they were, by paging and by searching for their
 * titles.
 */
export async function expectRoundTrip(entries: readonly FeedEntry[]): Promise<void> {
  const feed = await newsFeedFixture({ NEWS_SEARCH_CONCURRENCY: '100' }, () => NOW);
  onTestFinished(feed.close);
  const lines = entries.map(({ feed: name, title, link, text }, index) =>
    JSON.stringify({
      type: 'item',
      id: `entry-${index}`,
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
    ).toContain(`entry-${index}`);
  }
}
