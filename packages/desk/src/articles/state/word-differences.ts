import { diffWordsWithSpace } from 'diff';

/** A piece of text that both versions have, or one of them. */
export interface Piece {
  readonly text: string;
  readonly kind: 'same' | 'added' | 'removed';
}

/** The longest two texts, in characters together, whose differences are sought. */
const LONGEST = 400_000;

/** The changes between two texts, by words, in whatever language they are. */
export function wordDifferences(before: string, after: string, language: string): Piece[] {
  if (before.length + after.length > LONGEST) {
    return [
      { text: before, kind: 'removed' },
      { text: after, kind: 'added' },
    ];
  }
  const intlSegmenter = new Intl.Segmenter(language, { granularity: 'word' });
  return diffWordsWithSpace(before, after, { intlSegmenter }).map(({ value, added, removed }) => ({
    text: value,
    kind: added ? 'added' : removed ? 'removed' : 'same',
  }));
}
