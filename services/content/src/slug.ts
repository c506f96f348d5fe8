import { violates } from '@pressroom/common/database/database-fault';
import anyAscii from 'any-ascii';

/** The longest slug that is made, in characters (`docs/spec/wire.md`, "Slug"). */
const MAX_LENGTH = 100;

/** What a slug is made of: words of ASCII letters and digits, joined by `-`. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * The slug of a text in any script: transliterated to ASCII, lower case, words joined by `-`, at most
 * `maxLength` characters, cut at a word where there is one. `fallback` stands for a text without a letter.
 */
export function slugify(text: string, fallback: string, maxLength = MAX_LENGTH): string {
  const ascii = anyAscii(text.normalize('NFKC')).toLowerCase();
  const words = ascii.replaceAll(/['’]/g, '').match(/[a-z0-9]+/g) ?? [fallback];
  const slug = words.join('-');
  if (slug.length <= maxLength) return slug;
  const cut = slug.lastIndexOf('-', maxLength);
  return cut > 0 ? slug.slice(0, cut) : slug.slice(0, maxLength);
}

/** `base` for 1, else `base-n`, shortened at its end where the number would not fit. */
export function numberedSlug(base: string, n: number): string {
  if (n === 1) return base;
  const suffix = `-${n}`;
  return `${base.slice(0, MAX_LENGTH - suffix.length).replace(/-$/, '')}${suffix}`;
}

/** Tells which of some slugs are taken. */
export type TakenSlugs = (slugs: string[]) => Promise<Set<string>>;

/** How many numbers are looked at in one query. */
const BATCH = 16;

/**
 * The first free slug of `base`, `base-2`, `base-3`, … The numbers are searched in strides that widen until one
 * is free and narrow again, so that the ten-thousandth article of one title costs a handful of queries. Another
 * writer may take it first; the unique constraint tells.
 */
export async function freeSlug(base: string, taken: TakenSlugs): Promise<string> {
  let last = 0;
  let stride = 1;
  for (;;) {
    const slugs = Array.from({ length: BATCH }, (_, index) =>
      numberedSlug(base, last + stride * (index + 1)),
    );
    const used = await taken(slugs);
    const index = slugs.findIndex((slug) => !used.has(slug));
    const free = slugs[index];
    if (free !== undefined && stride === 1) return free;
    last += stride * (free === undefined ? BATCH : index);
    stride = free === undefined ? stride * BATCH : stride / BATCH;
  }
}

/** After so many writers that took the same slug first, something other than a race is wrong. */
const ATTEMPTS = 20;

/** Writes again, with another slug, while others take the slug first; `constraint` is the one that tells. */
export async function retryTakenSlug<T>(constraint: string, write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!violates(error, constraint) || attempt === ATTEMPTS) throw error;
    }
  }
}
