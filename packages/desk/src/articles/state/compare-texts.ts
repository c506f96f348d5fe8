import { blockChanges } from '../editor/editing/block-changes.ts';
import { asBlock, blocksOf, lookOf } from './merge-text.ts';

/** Blocks that are other than before, as HTML; empty where there are none. */
export interface BlockDifference {
  readonly before: string;
  readonly now: string;
}

/** The blocks of a text that are as before, or what has become of others. */
export type ComparedPart = string | BlockDifference;

/** Compares two versions of a text by paragraphs, headings, figures and other blocks as wholes. */
export function compareTexts(
  before: string,
  now: string,
  document: Document = globalThis.document,
): ComparedPart[] {
  const [old, current] = [blocksOf(before), blocksOf(now)];
  const looks = (blocks: readonly string[]) => blocks.map((block) => lookOf(block, document));
  const parts: ComparedPart[] = [];
  let place = 0;
  for (const { at, removed, from, added } of blockChanges(looks(old), looks(current))) {
    if (from > place) parts.push(current.slice(place, from).join(''));
    place = from + added;
    parts.push({ before: old.slice(at, at + removed).join(''), now: current.slice(from, place).join('') });
  }
  if (place < current.length) parts.push(current.slice(place).join(''));
  return parts;
}

/** The text as it is now, but for one difference, where it says again what it said. */
export function withPartOf(parts: readonly ComparedPart[], restored: BlockDifference): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return part === restored ? asBlock(part.before) : part.now;
    })
    .join('');
}
