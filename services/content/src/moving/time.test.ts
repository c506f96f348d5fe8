import { expect, test } from 'vitest';
import { impossible, timeOf } from './source-entry.ts';

test.each([
  ['2020-02-29 01:02:03', '2020-02-29T01:02:03.000Z'],
  ['Sat, 29 Feb 2020 00:00:00 +0000', '2020-02-29T00:00:00.000Z'],
  ['Sat, 29 Feb 2020 01:02:03', '2020-02-29T01:02:03.000Z'],
  ['2020-02-29 01:02', '2020-02-29T01:02:00.000Z'],
  ['2020-02-29T01:02:03.5', '2020-02-29T01:02:03.500Z'],
  ['2020-02-29T01:02:03+0100', '2020-02-29T00:02:03.000Z'],
  ['2020-02-29', '2020-02-29T00:00:00.000Z'],
  ['2020-06-01T00:00:00.000Z', '2020-06-01T00:00:00.000Z'],
  [1577836800000, '2020-01-01T00:00:00.000Z'],
  [1577836800, '2020-01-01T00:00:00.000Z'],
  ['1577836800000', '2020-01-01T00:00:00.000Z'],
  ['0000-00-00 00:00:00', undefined],
  ['Mon, 30 Nov -0001 00:00:00 +0000', undefined],
  ['', undefined],
  [null, undefined],
])('%j is %s', (time, iso) => {
  expect(timeOf(time)).toBe(iso);
  expect(impossible([time])).toEqual([]);
});

test.each([
  '2020-02-30 00:00:00',
  '2019-02-29T00:00:00Z',
  'Sun, 30 Feb 2020 00:00:00 +0000',
  'Thu, 31 April 2020 00:00:00 GMT',
  '2020-13-01 00:00:00',
  '2020-01-00 00:00:00',
  '2020-01-01 25:00:00',
  '2020-00-10',
  'yesterday',
])('%s never was, which is told', (time) => {
  expect(timeOf(time)).toBeUndefined();
  expect(impossible([time, time])).toEqual([`the date ${time} does not exist: left out`]);
});
