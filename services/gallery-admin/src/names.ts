import { anyText, codePoints } from '@pressroom/common/fields/text';
import { z } from 'zod';

/** The longest object key that S3 accepts, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1024;

const CONTROL = /\p{Cc}/u;

/** A media type with parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[\x20-\x21\x23-\x5b\x5d-\x7e]*"))*$/;

/**
 * A segment of a path as a regular expression: `max` characters, not `.` or `..`, no `\` or control
 * character.
 */
function segment(max?: number): string {
  const excluded = String.raw`/\\\u0000-\u001f\u007f-\u009f`;
  const any = `[^${excluded}]`;
  const notDot = `[^.${excluded}]`;
  const upTo = (fixed: number) => (max === undefined ? '' : max - fixed);
  return String.raw`(?:${notDot}${any}{0,${upTo(1)}}|\.${notDot}${any}{0,${upTo(2)}}|\.\.${any}{1,${upTo(2)}})`;
}

/** The longest filename, in characters. */
const MAX_FILENAME = 255;

const SEGMENT = segment();

/** {@link isFilename} for descriptions. */
const FILENAME_PATTERN = `^${segment(MAX_FILENAME)}$`;

/** {@link isPath} for descriptions. */
const PATH_PATTERN = `^(?:${SEGMENT}(?:/${SEGMENT})*/?)?$`;

/** The keys of new files for descriptions: a path that does not end with `/`. */
export const NEW_KEY_PATTERN = `^(?:${SEGMENT}/)*${segment(MAX_FILENAME)}$`;

/**
 * Text of `min` to `max` characters, in Unicode's composed form (NFC): one spelling for names that look the
 * same.
 * `pattern` describes what the caller refines it to.
 */
function name(min: number, max: number, pattern: string) {
  const expected = `must be ${min} to ${max} characters long`;
  return anyText()
    .meta({ minLength: min, maxLength: max, pattern })
    .transform((value) => value.normalize('NFC'))
    .refine((value) => value.length >= min && codePoints(value) <= max, expected);
}

function isFilename(value: string): boolean {
  return !/[/\\]/.test(value) && !CONTROL.test(value) && value !== '.' && value !== '..';
}

/** The last part of an object key: 1–255 characters of any script. */
export const filename = name(1, MAX_FILENAME, FILENAME_PATTERN).refine(
  isFilename,
  'must not contain "/", "\\" or control characters, and must not be "." or ".."',
);

function isPath(value: string): boolean {
  if (value === '') return true;
  if (/\\/.test(value) || CONTROL.test(value)) return false;
  const segments = value.replace(/\/$/, '').split('/');
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

const PATH_RULE =
  'must be a path such as photos/2026/: no leading "/", no empty, "." or ".." segment, no "\\" or control character';

/**
 * A place in the bucket, 0–1024 characters: segments separated by `/`, with or without a trailing one; empty
 * is the bucket's root. Kept as sent (NFC), because it may name a file or a folder.
 */
export const objectPath = name(0, 1024, PATH_PATTERN).refine(isPath, PATH_RULE);

/** An {@link objectPath} that already exists in the bucket: spelled exactly as it is there, NFC or not. */
export const storedPath = anyText()
  .refine((value) => codePoints(value) <= 1024, 'must be at most 1024 characters long')
  .meta({ maxLength: 1024, pattern: PATH_PATTERN })
  .refine(isPath, PATH_RULE);

/**
 * A path that already exists in the bucket, spelled exactly as it is there: 0–1024 characters. Other tools
 * store keys that no new file may have, with `\`, control characters, `//`, a leading `/` or `..`; such keys
 * are listed and managed as well.
 */
export const existingPath = anyText()
  .refine((value) => codePoints(value) <= 1024, 'must be at most 1024 characters long')
  .meta({ maxLength: 1024 });

/**
 * The prefix of the keys in the folder that `path` names: ends with `/`, except for the root, which is empty.
 */
export function folderPrefix(path: string): string {
  return path === '' || path.endsWith('/') ? path : `${path}/`;
}

/** A folder: an {@link objectPath}, read as the prefix of its keys ({@link folderPrefix}). */
export const folderPath = objectPath.transform(folderPrefix);

/** A media type such as `image/jpeg`, with or without parameters, of at most 255 characters. */
export const contentType = z
  .string('must be a string')
  .max(255, 'must be at most 255 characters long')
  .regex(MEDIA_TYPE, 'must be a media type such as image/jpeg');

/** True for a key that S3 accepts: 1–1024 bytes in UTF-8. */
export function isKeyLength(key: string): boolean {
  return key.length > 0 && Buffer.byteLength(key) <= MAX_KEY_BYTES;
}

/** The key of an existing object: any that S3 accepts, spelled exactly as stored. */
export const objectKey = anyText()
  .refine(isKeyLength, `must be 1 to ${MAX_KEY_BYTES} bytes of UTF-8`)
  .meta({ minLength: 1, maxLength: MAX_KEY_BYTES });
