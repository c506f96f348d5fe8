import { expect, test } from 'vitest';
import { represent } from './entity-tag.ts';
import { RepresentationCache } from './representation-cache.ts';

const NOON = new Date('2026-11-20T12:00:00Z');

function cacheAt(clock: { now: number }) {
  return new RepresentationCache({ maxBytes: 10_000, lease: { current: true }, now: () => clock.now });
}

test('a representation is served until the moment at which it expires', async () => {
  const clock = { now: NOON.getTime() - 1 };
  const cache = cacheAt(clock);
  await cache.load('/x', async () => represent('morning', NOON));
  expect(cache.get('/x')?.body.toString()).toBe('morning');
  clock.now = NOON.getTime();
  expect(cache.get('/x')).toBeUndefined();
  await cache.load('/x', async () => represent('afternoon'));
  clock.now += 365 * 24 * 3_600_000;
  expect(cache.get('/x')?.body.toString()).toBe('afternoon');
});

test('the moment is no part of the representation', () => {
  expect(represent('same', NOON).etag).toBe(represent('same').etag);
});
