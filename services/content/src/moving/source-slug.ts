import { SLUG_PATTERN, slugify } from '../slug.ts';

/** A slug from elsewhere: as it is, if it may be one of ours, or else the one that is made of it, if any. */
export function sourceSlug(name: string): { given?: string; made?: string } {
  const text = name.replaceAll(/(?:%[\da-f]{2})+/gi, (bytes) =>
    // The last letter may be cut off in the middle.
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8').replaceAll('\ufffd', ''),
  );
  if (SLUG_PATTERN.test(text) && text.length <= 100) return { given: text };
  const made = slugify(text, '');
  return made === '' ? {} : { made };
}
