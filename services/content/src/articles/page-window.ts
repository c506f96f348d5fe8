import type { Page } from '../envelope.ts';

/** How many rows a list may skip from its nearer end; pages further in are found by day. */
const NEAR = 5000;

/** Whether a page is read from the newest, however long the list is. */
export function isNear({ page, perPage }: Page): boolean {
  return (page - 1) * perPage <= NEAR;
}

/** Where to find the rows of a page. */
export interface PageWindow {
  /** The end from which the rows are counted, or the day by which they are found. */
  from: 'newest' | 'oldest' | 'day';
  /** How many rows come before the page, counted from that end (from the newest if found by day). */
  offset: number;
  /** The number of rows on the page. */
  limit: number;
}

/**
 * Chooses how to read a page of a list of `total` rows without reading everything before it. Undefined for a
 * page past the end.
 */
export function pageWindow({ page, perPage }: Page, total: number): PageWindow | undefined {
  const offset = (page - 1) * perPage;
  const limit = Math.min(perPage, total - offset);
  if (limit <= 0) return undefined;
  if (isNear({ page, perPage })) return { from: 'newest', offset, limit };
  const behind = total - offset - limit;
  if (behind <= NEAR) return { from: 'oldest', offset: behind, limit };
  return { from: 'day', offset, limit };
}
