import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesOf } from '../../support/feed-entries.ts';
import { expectRoundTrip, uniqueEntries } from '../../support/feed-round-trip.ts';
import { realFile } from '../../support/real-data.ts';

/** A page that is not a feed, and a feed whose entries hold nothing that an item could. */
const NOT_FOR_ITEMS = ['unrecognized.rss', 'incomplete-fields.atom'];

test('the texts of the real feeds come back as they were, by paging and by searching', async () => {
  const folder = realFile('feeds');
  const files = readdirSync(folder).filter((file) => !NOT_FOR_ITEMS.includes(file));
  const entries = uniqueEntries(files.flatMap((file) => entriesOf(file, readFileSync(join(folder, file)))));
  expect(entries.length).toBeGreaterThan(200);
  expect(new Set(entries.map((entry) => entry.feed)).size).toBe(10);
  await expectRoundTrip(entries);
});
