import { randomBytes } from 'node:crypto';
import { anyText, codePoints } from '@pressroom/common/fields/fields';
import { z } from 'zod';

/** The longest object key that S3 accepts, in bytes of UTF-8. */
export const MAX_KEY_BYTES = 1024;

/**
 * The folder of what is made from public pictures, in the bucket itself; the root's listing leaves it out.
 */
export const RENDITIONS = '.pressroom-renditions/';

const CONTROL = /\p{Cc}/u;

/**
 * Characters that cannot be seen or that turn the text around them, so that a name looks like another one:
 * `\u202egpj.exe` is shown as `exe.jpg`. Joiners and variation selectors are not among them, as many scripts
 * and emoji need those.
 */
const HIDDEN_MARKS = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb`;

const HIDDEN_MARK = new RegExp(`[${HIDDEN_MARKS}]`, 'gu');

/** A media type with parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE =
  /^[!#$%&'*+.^_`|~\w-]+\/[!#$%&'*+.^_`|~\w-]+(?:[ \t]*;[ \t]*[!#$%&'*+.^_`|~\w-]+=(?:[!#$%&'*+.^_`|~\w-]+|"[\x20-\x21\x23-\x5b\x5d-\x7e]*"))*$/;

/**
 * A segment of a path as a regular expression: `max` characters, not `.` or `..`, no `\`, control character
 * or one of `others`.
 */
function segment(max?: number, others = ''): string {
  const excluded = String.raw`/\\\u0000-\u001f\u007f-\u009f` + others;
  const any = `[^${excluded}]`;
  const notDot = `[^.${excluded}]`;
  const upTo = (fixed: number) => (max === undefined ? '' : max - fixed);
  return String.raw`(?:${notDot}${any}{0,${upTo(1)}}|\.${notDot}${any}{0,${upTo(2)}}|\.\.${any}{1,${upTo(2)}})`;
}

/** The longest filename, in characters. */
const MAX_FILENAME = 255;

const SEGMENT = segment();

/** {@link isFilename} for descriptions. */
const FILENAME_PATTERN = `^${segment(MAX_FILENAME, HIDDEN_MARKS)}$`;

/** {@link isPath} for descriptions. */
const PATH_PATTERN = `^(?:${SEGMENT}(?:/${SEGMENT})*/?)?$`;

/** The keys of new files for descriptions: a path that does not end with `/`. */
export const NEW_KEY_PATTERN = `^(?:${SEGMENT}/)*${segment(MAX_FILENAME, HIDDEN_MARKS)}$`;

/**
 * Text of `min` to `max` characters, in Unicode's composed form (NFC): one spelling for names that look the
 * same.
 * `pattern` describes what the caller refines it to.
 */
function name(min: number, max: number, pattern: string) {
  const expected = `must be ${min} to ${max} characters long`;
  return (
    anyText()
      .meta({ minLength: min, maxLength: max, pattern })
      // Decomposed, a character has at most four; to compose a text of any length could take minutes.
      .refine((value) => value.length <= 6 * max, expected)
      .transform((value) => value.normalize('NFC'))
      .refine((value) => value.length >= min && codePoints(value) <= max, expected)
  );
}

function isFilename(value: string): boolean {
  return !/[/\\]/.test(value) && !CONTROL.test(value) && value !== '.' && value !== '..';
}

/** The last mark in `text` that cannot be seen or turns text around, and its place; undefined without any. */
export function hiddenMark(text: string): { character: string; last: number } | undefined {
  const match = [...text.matchAll(HIDDEN_MARK)].at(-1);
  return match && { character: match[0], last: match.index };
}

/** Says of a name which mark it must not contain. */
export function markInWords(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `must not contain U+${code}, which cannot be seen or turns text around; remove it`;
}

/** The last part of a new object key: 1–255 characters of any script. */
export const filename = name(1, MAX_FILENAME, FILENAME_PATTERN)
  .refine(isFilename, 'must not contain "/", "\\" or control characters, and must not be "." or ".."')
  .refine((value) => hiddenMark(value) === undefined, {
    error: ({ input }) => markInWords(hiddenMark(String(input))?.character ?? ''),
  });

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

/**
 * A folder that new files may be in: an {@link objectPath}, read as the prefix of its keys
 * ({@link folderPrefix}).
 */
export const folderPath = objectPath
  .refine((value) => !isInTrash(value), 'must not be in the trash, where only deletions put files')
  .transform(folderPrefix);

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

/**
 * The folder of the trash. Each deletion puts objects below a folder of its own,
 * `20261123T235959Z-SECRET.2/`, under their whole old key. The number counts the `/` before the name of the
 * deleted thing, so that a folder is told from a file that was in it. The secret keeps what was public under
 * its old key from being public here.
 */
export const TRASH = '.pressroom-trash/';

/** For how many days the trash keeps what is deleted. */
export const TRASH_DAYS = 30;

const TRASHED = /^\.pressroom-trash\/((\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[\w-]{16})\.(\d{1,4})\//;

interface Trashed {
  deletion: string;
  deletedAt: Date;
  original: string;
  /** The path, in the trash, of the file or folder that was deleted: itself, or one around it. */
  whole: string;
}

/** A new deletion: what the paths of all that it puts into the trash have in common. */
export function newDeletion(now: Date): string {
  return `${stampOf(now)}-${randomBytes(12).toString('base64url')}`;
}

/** The time as {@link TRASH} has it: the keys of later deletions come later. */
export function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:]|\.\d+/g, '');
}

/** The place in the trash of `path`, a key or the prefix of a folder, which lies in the folder `parent`. */
export function trashPath(deletion: string, path: string, parent: string): string {
  return `${TRASH}${deletion}.${parent.split('/').length - 1}/${path}`;
}

/** Reads a path in the trash; undefined for any other. */
export function trashedAt(path: string): Trashed | undefined {
  const [start, deletion, ...numbers] = TRASHED.exec(path) ?? [];
  if (start === undefined || deletion === undefined || start === path) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, depth = 0] = numbers.map(Number);
  const original = path.slice(start.length);
  const name = original
    .split('/')
    .slice(0, depth + 1)
    .join('/');
  const whole = original.length > name.length ? `${name}/` : name;
  const deletedAt = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  return { deletion, deletedAt, original, whole: start + whole };
}

/** True for the trash itself and everything in it. */
export function isInTrash(path: string): boolean {
  return `${path}/`.startsWith(TRASH);
}

/** The folder that a path lies in, as a prefix; empty for the root. */
export function parentOf(path: string): string {
  return path.slice(0, path.replace(/\/$/, '').lastIndexOf('/') + 1);
}
