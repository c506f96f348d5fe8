import { expect, test } from 'vitest';
import { zoneOf, zonesIn } from './zone-input.tsx';

test.each([
  ['zh-CN', '香港', 'Asia/Hong_Kong'],
  ['en', 'Hong Kong', 'Asia/Hong_Kong'],
  ['en', 'asia/hong_kong', 'Asia/Hong_Kong'],
  ['zh-CN', 'Berlin', 'Europe/Berlin'],
  ['en', 'Mars', undefined],
  ['en', ' ', undefined],
])('in %s, “%s” is %s', (language, text, zone) => {
  expect(zoneOf(text, zonesIn(language))).toBe(zone);
});
