import { hash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import type { ArticleScope } from './list-plan.ts';

/** Where a page of a walk begins: after this article, in the order of the list. */
export interface Position {
  /** The time by which the list is sorted; null for a draft that was never published. */
  at: Date | null;
  id: number;
  /** The number of the page that begins here. */
  page: number;
}

/** Bytes of the list's digest in a cursor: enough to distinguish lists; a cursor grants no access. */
const DIGEST_LENGTH = 12;

/** The years 1 and 9999, in ms since 1970: articles have no other times, and PostgreSQL knows these. */
const [MIN_TIME, MAX_TIME] = [-62_135_596_800_000, 253_402_300_799_999];

/** Names a position in a list. Opaque: clients send it back unchanged. */
export function writeCursor(scope: ArticleScope, { at, id, page }: Position): string {
  return Buffer.from(JSON.stringify([digest(scope), at?.getTime() ?? null, id, page])).toString('base64url');
}

/**
 * Reads the cursor of a list; an empty one is its beginning, undefined.
 *
 * @throws Failure `refused` with code `invalid_cursor` if it is not a cursor, or belongs to another list
 */
export function readCursor(scope: ArticleScope, cursor: string): Position | undefined {
  if (cursor === '') return undefined;
  const [made, at, id, page] = decode(cursor);
  if (made !== digest(scope)) throw invalidCursor('the cursor belongs to another list');
  return { at: at === null ? null : new Date(at), id, page };
}

type Parts = [digest: string, at: number | null, id: number, page: number];

function decode(cursor: string): Parts {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (isParts(value)) return value;
  } catch {
    // Not JSON: falls through to the error.
  }
  throw invalidCursor('the cursor is malformed');
}

function isParts(value: unknown): value is Parts {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [made, at, id, page] = value;
  const isTime = at === null || (Number.isInteger(at) && at >= MIN_TIME && at <= MAX_TIME);
  return typeof made === 'string' && isTime && isNatural(id, 2 ** 31 - 1) && isNatural(page, 2 ** 31 - 1);
}

function isNatural(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= most;
}

function invalidCursor(why: string): Failure {
  return new Failure('refused', `${why}; start again with an empty cursor`, { code: 'invalid_cursor' });
}

function digest({ status, sort, filters }: ArticleScope): string {
  const text = JSON.stringify([status, sort, Object.entries(filters).sort()]);
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}
