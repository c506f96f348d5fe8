import { expect, test } from 'vitest';
import { plainText } from '../plain-text.ts';
import { articleHtml } from './html.ts';

const CONTEXT = {
  attachment: () => undefined,
  own: () => [],
  removeOthers: true,
  onOther: () => undefined,
  onEmptyBlock: () => undefined,
};

const LENGTH = 1_000_000;

/** A text of a megabyte with these parts again and again. */
const megabyteOf = (...parts: string[]) =>
  parts.map((part) => part.repeat(LENGTH / parts.length / part.length)).join('');

// Work that grows with the square of the length would take hours.
test.each([
  ['shortcodes that do not end', megabyteOf('[a x]')],
  ['shortcodes that are cut off', megabyteOf('[a ')],
  ['shortcodes that end elsewhere', megabyteOf('[a]', '[/a]')],
  ['shortcodes in shortcodes', Array.from({ length: 50_000 }, (_, n) => `[a${n} x=1]`).join('')],
  ['code that is not closed', megabyteOf('<pre>')],
  ['tags that are cut off', megabyteOf('<p ')],
  ['comments that are cut off', megabyteOf('<!-- wp:a {} ')],
  ['ends of what was not begun', megabyteOf('<td>', '</p>')],
  ['elements that cross', megabyteOf('<b>x</p>')],
  ['spaces before the end of a line', `a${megabyteOf(' ')}b\n`],
  ['addresses', `${megabyteOf('https://a.example/')}"`],
])('a megabyte of %s is read in time', (_, text) => {
  const html = articleHtml(text, CONTEXT);
  expect(plainText(html).length).toBeLessThanOrEqual(text.length);
});
