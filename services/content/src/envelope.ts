import { z } from 'zod';

/** The position of a page in a list. */
const pageMeta = z.object({
  page: z.int(),
  per_page: z.int(),
  total: z.int(),
  total_pages: z.int(),
  next_cursor: z
    .string()
    .nullable()
    .optional()
    .describe('Leads to the next page of a walk; null at its end.'),
  total_is_exact: z.literal(false).optional().describe('Present if there may be more.'),
});

/** The success body of `docs/spec/content.md`, "Envelope", around `data`. */
export function envelope<Data extends z.ZodType>(data: Data) {
  return z.object({ status: z.literal('success'), message: z.string(), data });
}

/** The success body of a page of a list. */
export function pagedEnvelope<Data extends z.ZodType>(data: Data) {
  return envelope(data).extend({ meta: pageMeta });
}

/** Wraps `data` as a success. */
export function success<Data>(message: string, data: Data) {
  return { status: 'success' as const, message, data };
}

/** Wraps a page of a list as a success. */
export function successPage<Data>(message: string, data: Data, { page, perPage }: Page, counted: Total) {
  const { total, isExact } = counted;
  const meta = { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) };
  return { ...success(message, data), meta: isExact ? meta : { ...meta, total_is_exact: isExact } };
}

/** How long a list is, or if that is not exact, how long at least. */
export interface Total {
  total: number;
  isExact: boolean;
}

/** A page that a client requests: `page` counts from 1. */
export interface Page {
  page: number;
  perPage: number;
}
