import { expect, test } from 'vitest';
import { FEEDS } from '../../fixtures/feeds.ts';
import { entriesOf } from '../../support/feed-entries.ts';
import { expectRoundTrip, uniqueEntries } from '../../support/feed-round-trip.ts';

test('the texts of feeds come back as they were, by paging and by searching', async () => {
  const entries = uniqueEntries(FEEDS.flatMap(({ name, bytes }) => entriesOf(name, bytes)));
  expect(entries.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      'Eleição: apuração começa às 17h',
      'Übermut tut selten gut',
      '<b>Bold</b> & brave',
    ]),
  );
  expect(entries).toHaveLength(9);
  await expectRoundTrip(entries);
});
