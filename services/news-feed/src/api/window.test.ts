import { expect, test } from 'vitest';
import { Window } from './items-store.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');

test.each([
  ['24h', '2026-11-19T12:00:00.000Z', true],
  ['24h', '2026-11-19T12:00:00.001Z', false],
  ['7d', '2026-11-13T12:00:00.000Z', true],
  ['7d', '2026-11-13T12:00:00.001Z', false],
] as const)('in the window %s, %s has left: %s', (window, time, left) => {
  expect(new Window({ window }, NOW).hasLeft(new Date(time))).toBe(left);
});

test('a page is valid until the first of its items leaves the window', () => {
  const window = new Window({ window: '24h' }, NOW);
  const leaving = new Date(window.after.getTime() + 7);
  expect(window.expiryOf([NOW, leaving])).toEqual(new Date(NOW.getTime() + 7));
});

test('a page is checked again after five seconds', () => {
  const window = new Window({ window: '7d' }, NOW);
  expect(window.expiryOf([])).toEqual(new Date(NOW.getTime() + 5000));
  expect(window.expiryOf([NOW])).toEqual(new Date(NOW.getTime() + 5000));
});
