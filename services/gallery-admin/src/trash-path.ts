import { randomBytes } from 'node:crypto';

/**
 * Where deletions to the trash put objects: below a folder for each, `20261123T235959Z-SECRET.2/`, under the
 * whole of their old key. The number says how many `/` are before the name of what was deleted, so that a
 * folder is told from a file that was in it. What was public under its old key is not, because of the secret.
 */
export const TRASH = '.pressroom-trash/';

/** For how many days the trash keeps what is deleted. */
export const TRASH_DAYS = 30;

const TRASHED = /^\.pressroom-trash\/((\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[\w-]{16})\.(\d{1,4})\//;

/** What a path in the trash says of itself. */
export interface Trashed {
  /** The deletion that put it there. */
  deletion: string;
  deletedAt: Date;
  /** Its path before. */
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

/** Whether a path is the trash or in it. */
export function isInTrash(path: string): boolean {
  return `${path}/`.startsWith(TRASH);
}
