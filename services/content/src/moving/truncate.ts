import { codePoints } from '@pressroom/common/fields/text';

/**
 * The longest prefix of `text` of at most `max` code points that ends with a whole word, if it contains one.
 */
export function truncateAtWord(text: string, max: number): string {
  if (codePoints(text) <= max) return text;
  const points = [...text];
  const beginning = points.slice(0, max).join('');
  if (/^\s/.test(points[max] ?? '')) return beginning.trimEnd();
  return beginning.replace(/(?<=\S)\s+\S*$/, '');
}
