import type { Page } from '../envelope.ts';

/** How many rows a list may skip from its nearer end, in rows; beyond that it is entered by day. */
const NEAR = 5000;

/** Where the rows of a page are found. */
export interface PageWindow {
  /** The end that the rows are counted from, or the day that they are found by. */
  from: 'newest' | 'oldest' | 'day';
  /** How many rows come before the page, counted from there (from the newest, when found by day). */
  offset: number;
  /** How many rows the page has. */
  limit: number;
}

/**
 * Chooses how to read a page of a list of `total` rows without reading all that comes before it. Undefined for a
 * page past the end.
 */
export function pageWindow({ page, perPage }: Page, total: number): PageWindow | undefined {
  const offset = (page - 1) * perPage;
  const limit = Math.min(perPage, total - offset);
  if (limit <= 0) return undefined;
  if (offset <= NEAR) return { from: 'newest', offset, limit };
  const behind = total - offset - limit;
  if (behind <= NEAR) return { from: 'oldest', offset: behind, limit };
  return { from: 'day', offset, limit };
}
