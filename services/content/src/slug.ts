import anyAscii from 'any-ascii';
import { type RawBuilder, sql } from 'kysely';

/** The longest slug that is made, in characters (`docs/spec/wire.md`, "Slug"). */
const MAX_LENGTH = 100;

/** The format of a slug: words of ASCII letters and digits, joined by `-`. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/**
 * The slug of a text in any script: transliterated to ASCII, lower case, words joined by `-`, at most
 * `maxLength` characters, cut between words if possible. `fallback` is used for a text without letters.
 */
export function slugify(text: string, fallback: string, maxLength = MAX_LENGTH): string {
  const ascii = anyAscii(text.normalize('NFKC')).toLowerCase();
  const words = ascii.replaceAll(/['’]/g, '').match(/[a-z0-9]+/g) ?? [fallback];
  const slug = words.join('-');
  if (slug.length <= maxLength) return slug;
  const cut = slug.lastIndexOf('-', maxLength);
  return cut > 0 ? slug.slice(0, cut) : slug.slice(0, maxLength);
}

/** The tables whose rows have slugs. */
type Slugged = 'content.article' | 'content.category';

/**
 * An expression for a slug that stays free while its transaction lasts: `base`, or `base-2`, `base-3`, …
 * `own` is the slug that the row already has. Use it in the statement that writes the slug, so that no other
 * transaction can take the slug in between.
 */
export function freeSlug(table: Slugged, base: string, own?: string): RawBuilder<string> {
  return sql<string>`content.free_slug(${sql.lit(table)}, ${base}, ${own ?? null})`;
}
