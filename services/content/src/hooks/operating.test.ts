import { expect, test } from 'vitest';
import { readTime } from '../cli/keys.ts';
import { readUrl } from './commands.ts';
import { readEvents } from './store.ts';

test.each([
  [readUrl, 'ftp://a.example', '"ftp://a.example" is not an http or https URL'],
  [readUrl, `https://a.example/${'x'.repeat(2000)}`, 'is not an http or https URL'],
  [readUrl, `https://a.example/${'é'.repeat(700)}`, 'is not an http or https URL of at most 2000 characters'],
  [readUrl, 'https://me:pw@a.example', 'the URL must not contain a user name or password'],
  [readEvents, 'article.*,article.read', '"article.read" is not an event: article.created'],
  [readEvents, '', '"" is not an event'],
  [readTime, 'monday', '"monday" is not a date such as'],
])('%o refuses %j', (read, value, message) => {
  expect(() => read(value)).toThrow(message);
});

test('events are named one by one or by a pattern, once each', () => {
  expect(readEvents('article.*, tag.deleted,article.*')).toEqual(['article.*', 'tag.deleted']);
});
