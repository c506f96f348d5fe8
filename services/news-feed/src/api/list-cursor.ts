import { hash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';

/** The item after which a page begins, by newest first. */
export interface Anchor {
  /** Its time in the ordering of the query. */
  at: Date;
  id: string;
}

/** Bytes of the query's digest in a cursor: enough to distinguish queries; a cursor grants no access. */
const DIGEST_LENGTH = 12;

/** The end of the year 9999, in ms since 1970; items cannot be newer. */
const MAX_TIME = 253_402_300_799_999;

/** The failure of a cursor that cannot be continued; `why` is the reason. */
export function invalidCursor(why: string): Failure {
  return new Failure('refused', `${why}; start again from the first page`, { code: 'invalid_cursor' });
}

/**
 * The values of a query that determine its list: all but the size of a page and the page itself. Lists at
 * different addresses have different values.
 */
export type ListKey = readonly (string | null)[];

/** Names `anchor` as the end of a page of a list. Opaque: clients send it back unchanged. */
export function writeCursor(list: ListKey, { at, id }: Anchor): string {
  return Buffer.from(JSON.stringify([digest(list), at.getTime(), id])).toString('base64url');
}

/** Reads the cursor of a list. Throws `invalid_cursor` if it is not a cursor or belongs to another list. */
export function readCursor(list: ListKey, cursor: string): Anchor {
  const [made, at, id] = decode(cursor);
  if (made !== digest(list)) throw invalidCursor('the cursor belongs to another query');
  return { at: new Date(at), id };
}

function decode(cursor: string): [digest: string, at: number, id: string] {
  try {
    const bytes = Buffer.from(cursor, 'base64url');
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    // An anchor has exactly one cursor: a different encoding of the same bytes is rejected.
    if (isParts(value) && bytes.toString('base64url') === cursor) return value;
  } catch {
    // Not JSON: falls through to the error.
  }
  throw invalidCursor('the cursor is malformed');
}

function isParts(value: unknown): value is [string, number, string] {
  if (!Array.isArray(value) || value.length !== 3) return false;
  const [made, at, id] = value;
  return (
    typeof made === 'string' &&
    Number.isInteger(at) &&
    at >= 0 &&
    at <= MAX_TIME &&
    typeof id === 'string' &&
    !id.includes('\0') &&
    id.isWellFormed()
  );
}

function digest(list: ListKey): string {
  return hash('sha256', JSON.stringify(list), 'base64url').slice(0, DIGEST_LENGTH);
}
