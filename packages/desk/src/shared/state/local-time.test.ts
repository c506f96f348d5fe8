import { expect, test } from 'vitest';
import { localTime, zonedTime } from './local-time.ts';

test.each([
  ['Asia/Shanghai', '2026-11-25T18:00', '2026-11-25T10:00:00.000Z'],
  ['America/New_York', '2026-11-01T23:30', '2026-11-02T04:30:00.000Z'],
  ['America/New_York', '2026-03-08T03:00', '2026-03-08T07:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  ['Europe/Berlin', '2026-10-25T04:00', '2026-10-25T03:00:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15:00.000Z'],
  ['Pacific/Kiritimati', '2026-11-30T00:00', '2026-11-29T10:00:00.000Z'],
])('a clock in %s that shows %s', (zone, local, time) => {
  expect(zonedTime(local, zone)).toBe(time);
  expect(localTime(time, zone)).toBe(local);
});

test('without a zone it is that of the browser, and none stays none', () => {
  expect(zonedTime('2026-11-25T18:00', undefined)).toBe(new Date('2026-11-25T18:00').toISOString());
  expect(localTime(new Date('2026-11-25T18:00').toISOString(), undefined)).toBe('2026-11-25T18:00');
  expect([zonedTime('', 'Asia/Shanghai'), localTime(null, 'Asia/Shanghai')]).toEqual([null, '']);
});

test('an hour that the clocks leave out is the one after it, as browsers have it', () => {
  expect(zonedTime('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
});
