import { z } from 'zod';

/** A whole number in a query string from `min` to `max`, in plain decimal digits. */
export function integerParameter(min: number, max = Number.MAX_SAFE_INTEGER) {
  const expected =
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${min}`
      : `must be a whole number from ${min} to ${max}`;
  return z
    .string(expected)
    .regex(/^(0|[1-9]\d{0,15})$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);
}

/** The largest id that can exist: PostgreSQL's `integer`. */
const MAX_ID = 2 ** 31 - 1;

/**
 * An id in a path or a query string: a positive integer. One that is larger than any id can be is read as 0,
 * which no row has: it is a well-formed id of nothing.
 */
export function idParameter() {
  const expected = 'must be a positive integer';
  return z
    .string(expected)
    .regex(/^[1-9]\d*$/, expected)
    .transform((value) => (Number(value) > MAX_ID ? 0 : Number(value)));
}
