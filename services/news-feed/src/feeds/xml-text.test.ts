import { expect, test } from 'vitest';
import { xmlText } from './xml-text.ts';

test('characters that XML cannot contain are left out, all others stay', () => {
  expect(xmlText('a\u0008b\u001bc\uffffd\ufffee')).toBe('abcde');
  expect(xmlText('tab\tline\r\n中文 \u{1f600} &<>"')).toBe('tab\tline\r\n中文 \u{1f600} &<>"');
});
