import { queriesOn } from '@pressroom/common/database/database';
import { readVocabulary } from '@pressroom/news-feed/config';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { expect, test } from 'vitest';
import { type ReplayResult, replay } from '../../bench/newsroom/replay.ts';
import { createTestDatabase } from '../support/database.ts';

/** Replays a day of ten sources in a database of its own. */
async function replayed(): Promise<ReplayResult> {
  const database = await createTestDatabase();
  try {
    const db = queriesOn<NewsTables>(database.pool);
    return await replay(db, { vocabulary: readVocabulary({}), sources: 10, days: 1 });
  } finally {
    await database.drop();
  }
}

test('the same feeds end in the same news, sources and reports', async () => {
  const [first, second] = [await replayed(), await replayed()];
  expect(first).toMatchObject({ rankings: 288, dailies: 1 });
  expect(first.items).toBeGreaterThan(9);
  expect(first.stories).toBeGreaterThan(9);
  expect(second).toEqual(first);
});
