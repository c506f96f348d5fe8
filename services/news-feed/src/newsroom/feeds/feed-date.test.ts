import { afterEach, expect, test } from 'vitest';
import { feedDate } from './feed-date.ts';

const ZONE = process.env.TZ;
afterEach(() => {
  if (ZONE === undefined) delete process.env.TZ;
  else process.env.TZ = ZONE;
});

test.each([
  ['2026-11-20T10:30:00Z', '2026-11-20T10:30:00.000Z'],
  ['2026-11-20t10:30:00.1234567+08:00', '2026-11-20T02:30:00.123Z'],
  ['2026-11-20T10:30-0500', '2026-11-20T15:30:00.000Z'],
  ['2026-11-20 10:30:00 +0800', '2026-11-20T02:30:00.000Z'],
  ['2026-11-20 10:30:00 UTC', '2026-11-20T10:30:00.000Z'],
  [' 2026-11-20 10:30 ', '2026-11-20T10:30:00.000Z'],
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['Fri, 20 Nov 2026 10:30:00 GMT', '2026-11-20T10:30:00.000Z'],
  ['Friday, 20 November 2026 10:30:00 UT', '2026-11-20T10:30:00.000Z'],
  ['20 Nov 26 9:30 EST', '2026-11-20T14:30:00.000Z'],
  ['20 Nov 99 09:30 PDT', '1999-11-20T16:30:00.000Z'],
  ['Fri, 20 Nov 2026 10:30:00 +0530', '2026-11-20T05:00:00.000Z'],
  ['Fri, 20 Nov 2026 10:30:00 +0100 (CET)', '2026-11-20T09:30:00.000Z'],
  ['Fri, 20 Nov 2026 10:30:00 GMT+8', '2026-11-20T02:30:00.000Z'],
  ['Ven, 20 Nov 2026 10:30:00', '2026-11-20T10:30:00.000Z'],
  ['20 Nov 2026', '2026-11-20T00:00:00.000Z'],
])('%j is %s, wherever the worker is', (text, iso) => {
  for (const zone of ['UTC', 'Asia/Shanghai', 'America/New_York']) {
    process.env.TZ = zone;
    expect(feedDate(text)?.toISOString(), zone).toBe(iso);
  }
});

test.each([
  '',
  'sometime',
  'Day 3',
  'Nov 20',
  '11-20 10:30',
  '11/20 10:30',
  '20 Nov',
  '2026',
  '12/11/2026',
  '1792540000',
  '2026-02-29',
  '2026-13-01',
  '2026-11-20T25:00:00Z',
  '31 Nov 2026',
  '20 Nom 2026 10:30 GMT',
  'Fri, 20 Nov 2026 10:30:00 NOWHERE',
  '31 Dec 1989 23:59:59 GMT',
  `20 Nov 2026 ${'('.repeat(100_000)}`,
])('%j is not a date', (text) => {
  expect(feedDate(text)).toBeUndefined();
});
