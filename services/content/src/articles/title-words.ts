/** Splits text into words in any script; the locale only affects which dictionary is used. */
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The distinct words of a title, lower case and normalized: related articles are found by the words they
 * share.
 */
export function titleWords(title: string): string[] {
  const words = [...SEGMENTER.segment(title.normalize('NFKC').toLowerCase())]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
  return [...new Set(words)];
}
