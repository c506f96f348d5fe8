import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { text } from '@pressroom/common/fields/fields';
import anyAscii from 'any-ascii';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { TermKind } from './terms/kinds.ts';

/** The longest slug that is made, in characters (`docs/spec/wire.md`, "Slug"). */
const MAX_LENGTH = 100;

/** The format of a slug: words of ASCII letters and digits, joined by `-`. */
export const SLUG_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Letters that languages spell in their own way where they have ASCII alone. */
const SPELLINGS: Record<string, Record<string, string>> = {
  de: { ä: 'ae', ö: 'oe', ü: 'ue', ẞ: 'ss' },
  da: { æ: 'ae', ø: 'oe', å: 'aa' },
};
const NORDIC = ['no', 'nb', 'nn'];

/** The language of the site as its settings are now (BCP 47), in which slugs are spelled. */
export type LanguageOf = () => Promise<string | undefined>;

export const noLanguage: LanguageOf = async () => undefined;

/**
 * The slug of a text in any script: transliterated to ASCII, lower case, words joined by `-`, at most
 * `maxLength` characters, cut between words if possible. `fallback` is used for a text without letters.
 * @param language of the text (BCP 47), which may spell letters in its own way: `ü` is `ue` in German
 */
export function slugify(
  text: string,
  fallback: string,
  { language, maxLength = MAX_LENGTH }: { language?: string | undefined; maxLength?: number } = {},
): string {
  const ascii = anyAscii(spelled(text.normalize('NFKC'), language)).toLowerCase();
  const words = ascii.replaceAll(/['’]/g, '').match(/[a-z0-9]+/g) ?? [fallback];
  const slug = words.join('-');
  if (slug.length <= maxLength) return slug;
  const cut = slug.lastIndexOf('-', maxLength);
  return cut > 0 ? slug.slice(0, cut) : slug.slice(0, maxLength);
}

function spelled(text: string, language = ''): string {
  const [primary = ''] = language.toLowerCase().split('-');
  const spelling = SPELLINGS[NORDIC.includes(primary) ? 'da' : primary];
  if (spelling === undefined) return text;
  return text.toLowerCase().replace(/[^\0-\x7f]/g, (letter) => spelling[letter] ?? letter);
}

export function slugMember() {
  return text(MAX_LENGTH).regex(SLUG_PATTERN, 'must be words of a–z and 0–9 joined by -');
}

/** A slug in the body of a create: null is none, as of other members that are unset. */
export function newSlug() {
  return slugMember()
    .nullable()
    .transform((slug) => slug ?? undefined)
    .optional();
}

/** A slug in a path; any other text is read as an empty slug, which no row has. */
export function slugParameter() {
  return z
    .string()
    .transform((value) => (SLUG_PATTERN.test(value) ? value : ''))
    .meta({ type: 'string', pattern: SLUG_PATTERN.source, maxLength: MAX_LENGTH });
}

/** Tables whose rows have slugs. */
export type Slugged = 'article' | TermKind['noun'];

/**
 * An expression for a slug that stays free while its transaction lasts: `base`, or `base-2`, `base-3`, …
 * `own` is the slug that the row already has. Use it in the statement that writes the slug, so that no other
 * transaction can take the slug in between.
 */
export function freeSlug(
  resource: Slugged,
  base: string | RawBuilder<string>,
  own?: string,
): RawBuilder<string> {
  return sql<string>`content.free_slug(${sql.lit(`content.${resource}`)}, ${base}, ${own ?? null})`;
}

/** An expression for the id of the row that has the slug, or else had it before; null if none did. */
export function idOfSlug(resource: Slugged, slug: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`coalesce(
    (select id from ${sql.id('content', resource)} where slug = ${slug}),
    (select id from content.former_slug where resource = ${sql.lit(resource)} and slug = ${slug}))`;
}

/** Refuses a slug that another row has, or had; throws any other error as it is. */
export function explainSlug(error: unknown, resource: Slugged): never {
  if (violates(error, `${resource}_slug_key`)) throw taken(`another ${resource} already has this slug`);
  if (violates(error, `${resource}_former_slug`))
    throw taken(`this slug is kept for another ${resource}, which had it before`);
  throw error;
}

function taken(why: string): Failure {
  return new Failure('conflict', `${why}; choose a different one`, { code: 'slug_taken' });
}

/** Thrown when the row of a slug has another slug by now, so that the caller can redirect to it. */
export class MovedSlug extends Error {
  readonly slug: string;

  constructor(slug: string) {
    super(`this slug has become ${slug}`);
    this.name = 'MovedSlug';
    this.slug = slug;
  }
}
