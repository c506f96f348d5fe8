import { z } from 'zod';

/** The longest title, in characters. */
export const MAX_TITLE = 1000;

/** The longest summary, digest or reason, in characters. */
export const MAX_TEXT = 100_000;

/** The id of an item: a path segment of the item's page. */
export const itemId = z
  .string('must be a string')
  .regex(/^[!-.0-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters other than /')
  .refine((value) => value !== '.' && value !== '..', 'must not be . or ..');

/** A `publicId`: it is a path segment. */
export const storyId = z
  .string('must be a string')
  .regex(/^[A-Za-z0-9._~-]{1,128}$/, 'must be 1 to 128 of the characters A–Z a–z 0–9 . _ ~ -')
  .refine((value) => value !== '.' && value !== '..', 'must not be . or ..');

/** A point in time with its offset, to the millisecond; finer digits are dropped. */
export const time = z.iso
  .datetime({ offset: true, error: 'must be a time with its offset, such as 2026-11-20T08:00:00Z' })
  .refine((value) => new Date(value).getTime() >= 0, 'must not be before 1970')
  .transform((value) => new Date(value));
