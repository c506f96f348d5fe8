import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { freeSlug, numberedSlug, retryTakenSlug, SLUG_PATTERN, slugify } from './slug.ts';

/** Any title: of any script, emoji, control characters, long or short. */
const title = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 255 }),
  fc.string({ unit: 'grapheme', maxLength: 255 }),
  fc
    .array(fc.constantFrom('word', 'Straße', '東京', 'мир', '😀', "it's", '—', ' ', '-', '\u0301', 'ﬁ', '½'))
    .map((parts) => parts.join(' ')),
);

/** Asks a set, as the database is asked, and counts how often. */
function takenIn(slugs: Set<string>) {
  let queries = 0;
  const taken = async (asked: string[]) => {
    queries += 1;
    return new Set(asked.filter((slug) => slugs.has(slug)));
  };
  return { taken, queries: () => queries };
}

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

  test('an emoji is its name', () => {
    expect(slugify('🚀', 'article')).toBe('rocket');
  });

  test('is cut between words, and within one only where there is nothing else', () => {
    expect(slugify(`${'a'.repeat(50)} ${'b'.repeat(49)} c`, 'article')).toBe(
      `${'a'.repeat(50)}-${'b'.repeat(49)}`,
    );
    expect(slugify(`${'a'.repeat(50)} ${'b'.repeat(50)}`, 'article')).toBe('a'.repeat(50));
    expect(slugify('a'.repeat(101), 'article')).toBe('a'.repeat(100));
  });
});

describe('numberedSlug', () => {
  test('is a slug of at most 100 characters that ends with its number', () => {
    fc.assert(
      fc.property(title, fc.integer({ min: 2, max: 10 ** 9 }), (text, n) => {
        const slug = numberedSlug(slugify(text, 'article'), n);
        expect(slug).toMatch(SLUG_PATTERN);
        expect(slug.length).toBeLessThanOrEqual(100);
        expect(slug.endsWith(`-${n}`)).toBe(true);
      }),
    );
  });

  test('the first has no number', () => {
    expect(numberedSlug('base', 1)).toBe('base');
  });
});

describe('freeSlug', () => {
  test('gives every title of a site a slug of its own', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(title, { maxLength: 40 }), async (titles) => {
        const slugs = new Set<string>();
        for (const text of titles) slugs.add(await freeSlug(slugify(text, 'article'), takenIn(slugs).taken));
        expect(slugs.size).toBe(titles.length);
      }),
    );
  });

  test('numbers without a gap: when n are taken, the next is n + 1', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 20_000 }), async (n) => {
        const slugs = new Set(Array.from({ length: n }, (_, index) => numberedSlug('title', index + 1)));
        const { taken, queries } = takenIn(slugs);
        expect(await freeSlug('title', taken)).toBe(numberedSlug('title', n + 1));
        expect(queries()).toBeLessThanOrEqual(9);
      }),
      {
        numRuns: 40,
        examples: [0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 272, 273, 4096, 10_000].map((n) => [n]),
      },
    );
  });

  test('is free, whatever is taken', async () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 400 });
    await fc.assert(
      fc.asyncProperty(numbers, async (used) => {
        const slugs = new Set(used.map((n) => numberedSlug('title', n)));
        const slug = await freeSlug('title', takenIn(slugs).taken);
        expect(slugs.has(slug)).toBe(false);
        expect(slug).toMatch(/^title(-\d+)?$/);
      }),
    );
  });
});

describe('retryTakenSlug', () => {
  const lost = (constraint: string) => Object.assign(new Error('lost'), { code: '23505', constraint });

  test('writes again while another writer takes the slug first', async () => {
    let attempts = 0;
    const write = async () => {
      attempts += 1;
      if (attempts < 5) throw lost('slug_key');
      return 'written';
    };
    expect(await retryTakenSlug('slug_key', write)).toBe('written');
    expect(attempts).toBe(5);
  });

  test('passes on every other failure at once, and gives up on a race without end', async () => {
    let attempts = 0;
    const fail = (error: Error) => async () => {
      attempts += 1;
      throw error;
    };
    await expect(retryTakenSlug('slug_key', fail(lost('other_key')))).rejects.toThrow('lost');
    expect(attempts).toBe(1);
    await expect(retryTakenSlug('slug_key', fail(lost('slug_key')))).rejects.toThrow('lost');
    expect(attempts).toBeLessThan(100);
  });
});
