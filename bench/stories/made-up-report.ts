import type { LabelledReport } from './labelled-set.ts';

/**
 * A report whose words are distributed as words are (Zipf): a title of nine and a summary of twenty, every
 * third in Chinese characters, with two names and a number.
 */
export function madeUpReport(index: number, publishedAt: Date, random: () => number): LabelledReport {
  const rank = (most: number) => Math.floor(most ** random());
  const word = () => (index % 3 === 0 ? characters(rank(20_000)) : `w${rank(40_000).toString(36)}x`);
  const words = (count: number) => Array.from({ length: count }, word).join(index % 3 === 0 ? '' : ' ');
  const name = () => `N${rank(30_000).toString(36)}`;
  return {
    id: `made-up-${index}`,
    event: '',
    set: 'made up',
    title: `${name()} ${words(9)} ${name()}`,
    originalTitle: null,
    summary: `${words(20)} ${rank(5000)} ${name()}.`,
    sourceName: `Source ${index % 200}`,
    category: null,
    publishedAt,
    discoveredAt: publishedAt,
  };
}

function characters(number: number): string {
  return String.fromCodePoint(0x4e00 + (number % 3000), 0x4e00 + ((number * 31) % 3000));
}

/** A generator of numbers from 0 to 1 that repeats itself in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
