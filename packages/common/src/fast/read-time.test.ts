import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTime } from './read-time.ts';

/**
 * As PostgreSQL writes a time in UTC: without trailing zeros in the fraction, and without an empty fraction.
 */
function written(time: Date): string {
  return time
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.\d*?)0*Z$/, '$1')
    .replace(/\.$/, '')
    .concat('+00');
}

test('any time in UTC is read to the millisecond', () => {
  const times = fc.date({
    min: new Date('0100-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(fc.property(times, (time) => void expect(readTime(written(time))).toEqual(time)));
});

test.each([
  ['2026-11-21 08:00:00.123999+00', new Date('2026-11-21T08:00:00.123Z')],
  ['2026-11-21 08:00:00.5+05:30', new Date('2026-11-21T02:30:00.500Z')],
  ['2026-11-21 08:00:00-08', new Date('2026-11-21T16:00:00Z')],
  ['10000-01-01 00:00:00+00', new Date('+010000-01-01T00:00:00Z')],
  ['0044-03-15 12:00:00+00 BC', new Date('-000043-03-15T12:00:00Z')],
  ['infinity', Number.POSITIVE_INFINITY],
])('%s is read as well', (text, time) => {
  expect(readTime(text)).toEqual(time);
});
