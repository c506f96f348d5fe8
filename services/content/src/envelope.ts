import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

/** The position of a page in a list. */
const pageMeta = z
  .object({
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
  })
  .meta({ id: 'PageMeta', description: 'The position of a page in a list.' });

/** The success body of `docs/spec/content.md`, "Envelope", around `data`. */
export function envelope<Data extends z.ZodType>(data: Data) {
  return z.object({ status: z.literal('success'), message: z.string(), data });
}

/** The success body of a page of a list. */
export function pagedEnvelope<Data extends z.ZodType>(data: Data) {
  return envelope(data).extend({ meta: pageMeta });
}

/** The success body of a page of a list that is read by cursors of this form alone. */
export function cursorEnvelope<Data extends z.ZodType, Cursor extends z.ZodType>(data: Data, cursor: Cursor) {
  const next_cursor = cursor.nullable().describe('Leads to the next page; null at the end.');
  return envelope(z.array(data)).extend({ meta: z.object({ next_cursor }) });
}

/** Wraps a page that is read by cursor as a success: `rows` are one more than it has if there is another. */
export function successCursorPage<Row, Data, Cursor>(
  message: string,
  rows: readonly Row[],
  perPage: number,
  { cursorOf, shown }: { cursorOf: (row: Row) => Cursor; shown: (row: Row) => Data },
) {
  const page = rows.slice(0, perPage);
  const last = rows.length > perPage ? page.at(-1) : undefined;
  const next_cursor = last === undefined ? null : cursorOf(last);
  return { ...success(message, page.map(shown)), meta: { next_cursor } };
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

/** The length of a list or, if that is not exact, a lower bound. */
export interface Total {
  total: number;
  isExact: boolean;
}

/** A page that a client requests: `page` counts from 1. */
export interface Page {
  page: number;
  perPage: number;
}

/** The writer of a change by the API, as the audit trail has it. */
export interface Actor {
  /** The public prefix of the API key, or the {@link deskPrefix} of somebody at the desk. */
  key: string;
  /** The account of a person at the desk, who may have another name by now. */
  account: string | null;
  requestId: string;
  address: string;
}

/**
 * True if somebody is who has done something: by the account, or by the name where either has none, as in
 * what is of before accounts were kept.
 */
export function isBy(
  { key, account }: Pick<Actor, 'key' | 'account'>,
  done: { key: string | null; account?: string | null | undefined },
): boolean {
  return account !== null && done.account != null ? account === done.account : key === done.key;
}

/** A command, which writes without a key. */
export const COMMAND: Actor = { key: '', account: null, requestId: '', address: '' };

/**
 * An expression that tells the triggers of its statement, and of what follows in the transaction, who writes;
 * its value is the prefix of the key.
 */
export function writtenBy({
  key,
  account,
  requestId,
  address,
}: {
  [Member in keyof Actor]: Actor[Member] | RawBuilder<Actor[Member]>;
}): RawBuilder<string> {
  return sql<string>`content.written_by(${key}, ${requestId}, ${address}, ${account})`;
}

/** The prefix that clients see for anyone at the desk; no key has it. */
const DESK = 'desk';

/** The text for a person at the desk in the place of the prefix of a key. */
export function deskPrefix(person: string): string {
  return `${DESK}:${person}`;
}

/** The key that something was written with. */
export const keyMember = z
  .object({ prefix: z.string(), name: z.string().nullable() })
  .meta({ id: 'Writer' })
  .nullable()
  .describe(
    'The key that it was written with; null if by SQL or at a planned time. `desk` and the name of the person, if at the desk.',
  );

/** {@link keyMember} of a row that has the prefix and the name apart. */
export function keyOf(prefix: string | null, name: string | null): z.infer<typeof keyMember> {
  if (prefix === null) return null;
  const isDesk = prefix.startsWith(deskPrefix(''));
  return isDesk ? { prefix: DESK, name: prefix.slice(deskPrefix('').length) } : { prefix, name };
}
