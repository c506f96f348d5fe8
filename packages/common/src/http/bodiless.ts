import { z } from 'zod';

/** A response without a body, for the OpenAPI description. */
export function bodiless(description: string) {
  return z.null().describe(description);
}

/**
 * The 304 of a conditional read, for the OpenAPI description: an operation that declares it sends an `ETag`
 * and reads `If-None-Match`, which the description then includes.
 */
export const NOT_MODIFIED = {
  304: bodiless('Not modified: `If-None-Match` names the current representation.'),
} as const;
