import { readFileSync } from 'node:fs';
import { decodeDocument } from '@pressroom/common/html/decode';
import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { parseFeed } from '@pressroom/news-feed/reading/parse-feed';
import { digestOf, readLexicon } from '@pressroom/stories';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRows, itemRow, type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { realFile } from '../../support/real-data.ts';

let feed: NewsFeedFixture;
const lexicon = readLexicon();

beforeAll(async () => {
  feed = await newsFeedFixture();
});

afterAll(() => feed.close());

function entriesOf(name: string) {
  const document = decodeDocument(readFileSync(realFile(`cases/news/${name}`)), undefined);
  return parseFeed(document, 'https://feed.example/').entries;
}

test.each(['con1', 'con2', 'con3'])('two reports that do not contradict each other: %s', (name) => {
  const [then, now] = ['a', 'b'].flatMap((which) =>
    entriesOf(`01-false-contradiction-${name}-${which}.xml`).map(({ title, summary, language }) => {
      return { title, summary, language, source: which, publishedAt: new Date() };
    }),
  );
  if (then === undefined || now === undefined) throw new Error('a feed has no entry');
  for (const reports of [
    [now, then],
    [then, now],
  ]) {
    const digest = digestOf(reports, lexicon);
    expect(digest).not.toContain('contradicts');
    expect(digest).not.toMatch(/^New since .*(?<=[:,] )\d+(?:\.\d+)?(?:,|\.$)/mu);
  }
});

test('the name of the site behind two titles makes no story of two events', async () => {
  const entries = entriesOf('07-site-name-in-title.xml');
  const now = new Date();
  const about = { originalTitle: null, category: null, publishedAt: now, discoveredAt: now };
  const items = entries.map(({ title, summary }, index) => {
    return { id: `entry-${index}`, title, summary, sourceName: 'A source', ...about };
  });
  const rows = items.map(({ id, title, summary }) => itemRow(id, { id, title, summary, published_at: now }));
  await feed.db.transaction().execute(async (tx) => {
    await new RulesAssigner(new StorySearch(lexicon)).assign(tx, items, now, insertRows(tx, rows));
  });
  const stored = await feed.db.selectFrom('news.item').select('story').execute();
  expect(new Set(stored.map(({ story }) => story)).size).toBe(entries.length);
});
