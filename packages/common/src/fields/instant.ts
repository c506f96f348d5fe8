import { z } from 'zod';

/** A time in ISO 8601 with an offset, as text on the wire; `expected` is the error message. */
export function instant(expected: string) {
  return z.iso
    .datetime({ offset: true, error: expected })
    .transform((text) => new Date(text))
    .meta({ type: 'string', format: 'date-time' });
}
