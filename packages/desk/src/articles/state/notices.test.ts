import { afterEach, expect, test, vi } from 'vitest';
import { Notices } from './notices.ts';

afterEach(() => void vi.useRealTimers());

test('what was done leaves by itself, later where it can be undone, and what failed stays', () => {
  vi.useFakeTimers();
  const notices = new Notices();
  notices.done('Done: send back');
  vi.advanceTimersByTime(9_000);
  notices.done('Done: approve');
  vi.advanceTimersByTime(9_000);
  expect(notices.latest.value?.text).toBe('Done: approve');
  vi.advanceTimersByTime(1_000);
  expect(notices.latest.value).toBeUndefined();
  notices.done('Deleted', async () => undefined);
  vi.advanceTimersByTime(29_000);
  expect(notices.latest.value?.text).toBe('Deleted');
  vi.advanceTimersByTime(1_000);
  expect(notices.latest.value).toBeUndefined();
  notices.failed('Not saved');
  vi.advanceTimersByTime(60_000);
  expect(notices.latest.value?.text).toBe('Not saved');
});
