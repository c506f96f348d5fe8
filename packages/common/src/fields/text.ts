import { z } from 'zod';
import { isWebUri } from './web-uri.ts';

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
function hasText(text: string): boolean {
  return /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/**
 * PostgreSQL cannot store U+0000, and a lone surrogate is not valid text: neither would be returned as sent.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** What is wrong with a text that cannot be stored. */
export const NOT_STORABLE = 'contains a NUL character or half a surrogate pair; remove it';

/** Text that is stored and returned as sent, of any length. */
export function anyText() {
  return z.string('must be a string').refine(isStorable, {
    message: NOT_STORABLE,
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

/**
 * Line breaks and other controls, and the marks that turn the text after them around (Unicode's embeddings,
 * overrides and isolates), beyond the end of the text if nothing ends them.
 */
const NOT_ON_A_LINE = /(?!\0)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Narrows a text to one that can stand in a line among others, such as a title in a list. */
export function onOneLine<Text extends z.ZodType<string>>(schema: Text): Text {
  return schema.refine((value) => !NOT_ON_A_LINE.test(value), {
    message: 'must be one line, without control characters and marks that reverse text (such as U+202E)',
    params: { code: 'invalid_characters' },
  });
}

/** Rejects what a URL parser would silently repair: white space, control characters, missing slashes. */
const WEB_URL = /^https?:\/\/[^\s\p{Cc}]+$/iu;

/** A user name or password in a URL, or the sign that would end them. */
const CREDENTIALS = /^https?:\/\/[^/?#]*@/i;

/** What is wrong with a {@link webUrl}; undefined if nothing is. */
function webUrlFault(value: string): string | undefined {
  if (!(WEB_URL.test(value) && URL.canParse(value))) return 'must be an absolute http or https URL';
  if (CREDENTIALS.test(value)) return 'must not contain a user name or password';
  if (isWebUri(value)) return undefined;
  return 'must be a URI (RFC 3986): percent-encode non-ASCII characters, spaces and " < > \\ ^ ` { | }';
}

/**
 * An absolute http or https URI (RFC 3986) of at most `max` characters, without credentials, kept as written:
 * a page can put it into an attribute as it is.
 */
export function webUrl(max: number) {
  return text(max)
    .superRefine((value, context) => {
      const message = webUrlFault(value);
      if (message) context.addIssue({ code: 'custom', message, params: { code: 'invalid_format' } });
    })
    .meta({ format: 'uri' });
}
