import { z } from 'zod';

/**
 * The number of Unicode code points of `text`: the unit of length limits, here and in PostgreSQL's
 * `char_length`.
 */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Invisible characters: zero-width and other ignorable ones (Unicode), controls, and the Braille blank. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;

/**
 * The number of characters of `text` that a reader could notice, white space included; 0 for white space
 * alone.
 */
export function readableCharacters(text: string): number {
  const readable = text.replace(INVISIBLE, '');
  return hasText(readable) ? codePoints(readable) : 0;
}

/** Whether `text` contains anything visible: not only white space, controls and zero-width characters. */
export function hasText(text: string): boolean {
  return /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/**
 * PostgreSQL cannot store U+0000, and a lone surrogate is not valid text: neither would be returned as sent.
 */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Text that is stored and returned as sent, of any length. */
export function anyText() {
  return z.string('must be a string').refine(isStorable, {
    message: 'contains a NUL character or half a surrogate pair; remove it',
    params: { code: 'invalid_characters' },
  });
}

/** Text of at most `max` code points. */
export function text(max: number) {
  return anyText()
    .refine((value) => codePoints(value) <= max, {
      message: `must be at most ${max} characters long`,
      params: { code: 'too_long' },
    })
    .meta({ maxLength: max });
}

/** Text of 1 to `max` code points, at least one of which is visible. */
export function requiredText(max: number) {
  return text(max)
    .refine(hasText, { message: 'must not be empty', params: { code: 'required' } })
    .meta({ minLength: 1 });
}

/** Rejects what a URL parser would silently repair: white space, control characters, missing slashes. */
const WEB_URL = /^https?:\/\/[^\s\p{Cc}]+$/iu;

/** An absolute http or https URL of at most `max` characters, kept as written. */
export function webUrl(max: number) {
  const accept = (value: string) => WEB_URL.test(value) && URL.canParse(value);
  return text(max)
    .refine(accept, { message: 'must be an absolute http or https URL', params: { code: 'invalid_format' } })
    .meta({ format: 'uri' });
}
