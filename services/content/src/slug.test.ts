import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SLUG_PATTERN, slugify } from './slug.ts';

/** Any title: any script, emoji, control characters, long or short. */
const title = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 255 }),
  fc.string({ unit: 'grapheme', maxLength: 255 }),
  fc
    .array(fc.constantFrom('word', 'Straße', '東京', 'мир', '😀', "it's", '—', ' ', '-', '\u0301', 'ﬁ', '½'))
    .map((parts) => parts.join(' ')),
);

describe('slugify', () => {
  test('is ASCII words joined by hyphens, at most 100 characters, for any title', () => {
    fc.assert(
      fc.property(title, (text) => {
        const slug = slugify(text, 'article');
        expect(slug).toMatch(SLUG_PATTERN);
        expect(slug.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 500 },
    );
  });

  test('is stable: the same for the same title, and for its own slug', () => {
    fc.assert(
      fc.property(title, (text) => {
        const slug = slugify(text, 'article');
        expect(slugify(text, 'article')).toBe(slug);
        expect(slugify(slug, 'article')).toBe(slug);
      }),
    );
  });

  test.each([
    ['Hello, World!', 'hello-world'],
    ['  spaces\tand\nlines  ', 'spaces-and-lines'],
    ['Ærøskøbing', 'aeroskobing'],
    ['Ελλάδα', 'ellada'],
    ['שלום עולם', 'slvm-vlm'],
    ['한국어', 'hangugeo'],
    ['It’s 50% off', 'its-50-off'],
    ['ＦＵＬＬ　ｗｉｄｔｈ', 'full-width'],
    ['e\u0301 is é', 'e-is-e'],
    ['', 'article'],
    ['—…!?', 'article'],
  ])('%j becomes %s', (text, slug) => {
    expect(slugify(text, 'article')).toBe(slug);
  });

  test.each([
    ['de', 'Übergröße für Ärzte, Öl', 'uebergroesse-fuer-aerzte-oel'],
    ['de-AT', 'GRÜSSE U\u0308BER', 'gruesse-ueber'],
    ['da', 'Ærøskøbing på Ås', 'aeroeskoebing-paa-aas'],
    ['nb-NO', 'Ål', 'aal'],
    ['sv', 'Åre ö', 'are-o'],
    ['tr', 'Iğdır İzmir', 'igdir-izmir'],
    [undefined, 'Übergröße', 'ubergrosse'],
  ])('in %s, %j becomes %s', (language, text, slug) => {
    expect(slugify(text, 'article', { language })).toBe(slug);
  });

  test('an emoji is its name', () => {
    expect(slugify('🚀', 'article')).toBe('rocket');
  });

  test('is cut between words, and within a word only if there is no other choice', () => {
    expect(slugify(`${'a'.repeat(50)} ${'b'.repeat(49)} c`, 'article')).toBe(
      `${'a'.repeat(50)}-${'b'.repeat(49)}`,
    );
    expect(slugify(`${'a'.repeat(50)} ${'b'.repeat(50)}`, 'article')).toBe('a'.repeat(50));
    expect(slugify('a'.repeat(101), 'article')).toBe('a'.repeat(100));
  });
});
