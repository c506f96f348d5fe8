import { expect, test } from 'vitest';
import { languageOf } from './language-of.ts';

test.each([
  ['en', ' English ', 'en'],
  ['en', 'deutsch', 'de'],
  ['zh-CN', '英语', 'en'],
  ['zh-CN', 'Chinese', 'zh'],
  ['en', 'zh-CN', undefined],
  ['en', '', undefined],
])('in %s, “%s” is %s', (language, text, tag) => {
  expect(languageOf(text, language)).toBe(tag);
});
