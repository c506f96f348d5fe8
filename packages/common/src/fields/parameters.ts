import { z } from 'zod';

/**
 * A whole number from `min` to `max` in a query string, in plain decimal digits: text on the wire, an integer
 * in the OpenAPI description.
 */
export function integerParameter(min: number, max = Number.MAX_SAFE_INTEGER) {
  const expected =
    max === Number.MAX_SAFE_INTEGER
      ? `must be a whole number of at least ${min}`
      : `must be a whole number from ${min} to ${max}`;
  return z
    .string(expected)
    .regex(/^(0|[1-9]\d{0,15})$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected)
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** The largest id that can exist: PostgreSQL's `integer`. */
const MAX_ID = 2 ** 31 - 1;

/**
 * The OpenAPI description of every id that a client sends; one that is too large is accepted, and not found.
 */
const ID_BOUNDS = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;

/** An id too large to exist is read as 0, which no row has: it is well formed but simply not found. */
function existable(id: number): number {
  return id > MAX_ID ? 0 : id;
}

/** An id in a path or a query string: a positive integer; 0 for one too large to exist. */
export function idParameter() {
  const expected = 'must be a positive integer';
  return z
    .string(expected)
    .regex(/^[1-9]\d*$/, expected)
    .transform((value) => existable(Number(value)))
    .meta(ID_BOUNDS);
}

/** An id in a body, read like {@link idParameter}; `expected` is the error message. */
export function idMember(expected: string) {
  return z.int(expected).positive(expected).transform(existable).meta(ID_BOUNDS);
}
