import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

/** Who writes by the API, as the audit trail has it. */
export interface Actor {
  /** The public prefix of the API key. */
  key: string;
  requestId: string;
  /** The address of the client. */
  address: string;
}

/**
 * An expression that tells the triggers of its statement, and of what follows in the transaction, who writes;
 * its value is the prefix of the key.
 */
export function writtenBy({ key, requestId, address }: Actor): RawBuilder<string> {
  return sql<string>`content.written_by(${key}, ${requestId}, ${address})`;
}

/** The key that something was written with. */
export const keyMember = z
  .object({ prefix: z.string(), name: z.string().nullable() })
  .nullable()
  .describe(
    'The key that it was written with; null if by SQL, at a planned time, or before revisions were kept.',
  );

/** {@link keyMember} of a row that has the prefix and the name apart. */
export function keyOf(prefix: string | null, name: string | null): z.infer<typeof keyMember> {
  return prefix === null ? null : { prefix, name };
}
