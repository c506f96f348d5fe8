import { expect, test } from 'vitest';
import type { Revision } from '../api/types.ts';
import { isBySchedule, sessionsOf } from './sessions.ts';

/** The newest revision first, each with who, when in minutes, and whether readers have seen it. */
function sessions(...entries: readonly (readonly [who: string, minute: number, isPublished?: boolean])[]) {
  const revisions = entries.map(
    ([name, minute, isPublished = false], index): Revision => ({
      revision: entries.length - index,
      created_at: new Date(minute * 60_000).toISOString(),
      key: { name },
      changed: null,
      is_published: isPublished,
    }),
  );
  return sessionsOf(revisions).map((session) => session.map(({ revision }) => revision));
}

test('a session ends with a pause, with another person, and where readers begin to see it', () => {
  expect(sessions()).toEqual([]);
  expect(sessions(['Ada', 80], ['Ada', 60], ['Ada', 30])).toEqual([[3, 2, 1]]);
  expect(sessions(['Ada', 61], ['Ada', 30], ['Ada', 0])).toEqual([[3], [2, 1]]);
  expect(sessions(['Ada', 2], ['Bea', 1], ['Ada', 0])).toEqual([[3], [2], [1]]);
  expect(sessions(['Ada', 3], ['Ada', 2, true], ['Ada', 1, true], ['Ada', 0])).toEqual([[4], [3, 2], [1]]);
});

test('what is published or taken back without a key, as planned, is by the schedule', () => {
  const revision = { revision: 2, created_at: '2026-01-01T00:00:00Z', key: null, is_published: true };
  expect(isBySchedule({ ...revision, changed: ['is_published', 'publish_at'] })).toBe(true);
  expect(isBySchedule({ ...revision, changed: ['is_published', 'unpublish_at'] })).toBe(true);
  expect(isBySchedule({ ...revision, changed: ['publish_at'] })).toBe(false);
  expect(isBySchedule({ ...revision, changed: ['is_published', 'publish_at'], key: { name: 'A' } })).toBe(
    false,
  );
});
