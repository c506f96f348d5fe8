import { codePoints } from '@pressroom/common/fields/fields';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateAtWord } from './source-entry.ts';

describe('truncateAtWord', () => {
  test.each([
    ['fits', 10, 'fits'],
    ['exactly ten', 11, 'exactly ten'],
    ['one two three', 12, 'one two'],
    ['one two three', 7, 'one two'],
    ['one two three', 8, 'one two'],
    ['one two   three', 10, 'one two'],
    ['one\n\ttwo', 4, 'one'],
    ['unbroken', 4, 'unbr'],
    [' unbroken', 5, ' unbr'],
    ['😀😀 😀😀😀', 4, '😀😀'],
    ['😀😀😀😀', 2, '😀😀'],
    ['日本語の文', 3, '日本語'],
  ])('%j to %i is %j', (text, max, expected) => {
    expect(truncateAtWord(text, max)).toBe(expected);
  });

  test('is the longest prefix of whole words that fits, and is never empty unless the text is', () => {
    const words = fc.array(fc.constantFrom('a', 'word', 'längeres', '😀', '  ', '\n', 'x'.repeat(30)));
    fc.assert(
      fc.property(
        words.map((parts) => parts.join(' ')),
        fc.integer({ min: 1, max: 60 }),
        (text, max) => {
          const short = truncateAtWord(text, max);
          expect(text.startsWith(short)).toBe(true);
          expect(codePoints(short)).toBeLessThanOrEqual(max);
          expect(short.isWellFormed()).toBe(true);
          if (codePoints(text) <= max) expect(short).toBe(text);
          if (codePoints(text) <= max) return;
          const beginning = [...text].slice(0, max).join('');
          if (beginning.trim() !== '') expect(short.trim()).not.toBe('');
          // A word is cut only if it alone is too long.
          const next = text.slice(short.length);
          if (!/^\s/.test(next)) expect(short.trim()).not.toMatch(/\s/);
        },
      ),
      { numRuns: 500 },
    );
  });
});
