import { expect, test } from 'vitest';
import { itemId } from './write-entries.ts';

const NOON = new Date('2026-11-20T12:00:00Z');

test('the same article found at the same time has the same id, which is a UUID', () => {
  const id = itemId('source.example/a', NOON);
  expect(id).toBe(itemId('source.example/a', NOON));
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('another article has another id, and a later one a larger one', () => {
  expect(itemId('source.example/b', NOON)).not.toBe(itemId('source.example/a', NOON));
  const later = new Date(NOON.getTime() + 1);
  expect(itemId('source.example/a', later) > itemId('source.example/b', NOON)).toBe(true);
});
