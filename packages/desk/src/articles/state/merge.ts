import { differing, type FieldName, type Fields, pick } from './fields.ts';
import type { TextPart } from './merge-text.ts';

/** Two versions of an article, brought together. */
export interface Merge {
  /** The changes of both, and mine where they disagree. */
  readonly fields: Fields;
  /** The fields in which something of theirs was taken up. */
  readonly taken: readonly FieldName[];
  /** The fields that both have changed, each in another way. */
  readonly disputed: readonly FieldName[];
  /** The text, where they disagree about it. */
  readonly text: readonly TextPart[] | undefined;
}

/** Fields of one thing: the description of one picture is none of another. */
const PICTURE: readonly FieldName[] = ['featuredImage', 'altText'];

/** Takes each field from whoever has changed it since the two had the same, and the text by its blocks. */
export function mergeFields(
  base: Fields,
  mine: Fields,
  theirs: Fields,
  mergeTexts: (base: string, mine: string, theirs: string) => readonly TextPart[],
): Merge {
  const [byMe, byThem] = [changedIn(base, mine), changedIn(base, theirs)];
  const others = differing(mine, theirs).filter((field) => byThem.has(field));
  const taken = others.filter((field) => !byMe.has(field));
  const disputed = others.filter((field) => byMe.has(field));
  const fields = { ...mine, ...pick(theirs, taken) };
  if (!disputed.includes('content')) return { fields, taken, disputed, text: undefined };
  const text = mergeTexts(base.content, mine.content, theirs.content);
  if (text.some((part) => typeof part !== 'string')) return { fields, taken, disputed, text };
  const content = text.join('');
  return {
    fields: { ...fields, content },
    taken: content === mine.content ? taken : [...taken, 'content'],
    disputed: disputed.filter((field) => field !== 'content'),
    text: undefined,
  };
}

function changedIn(base: Fields, after: Fields): ReadonlySet<FieldName> {
  const changed = differing(base, after);
  return new Set(PICTURE.some((name) => changed.includes(name)) ? [...changed, ...PICTURE] : changed);
}
