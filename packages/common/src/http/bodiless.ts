import { z } from 'zod';

/** A response without a body, for the OpenAPI description. */
export function bodiless(description: string) {
  return z.null().describe(description);
}

/**
 * The 304 of a conditional read, for the OpenAPI description: whoever declares it has an `ETag` and takes an
 * `If-None-Match`, and the description says so.
 */
export const NOT_MODIFIED = {
  304: bodiless('Not modified: `If-None-Match` names the current representation.'),
} as const;
