import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

/** Who writes by the API, as the audit trail has it. */
export interface Actor {
  /** The public prefix of the API key, or the {@link deskPrefix} of somebody at the desk. */
  key: string;
  requestId: string;
  /** The address of the client. */
  address: string;
}

/**
 * An expression that tells the triggers of its statement, and of what follows in the transaction, who writes;
 * its value is the prefix of the key.
 */
export function writtenBy({
  key,
  requestId,
  address,
}: {
  [Member in keyof Actor]: Actor[Member] | RawBuilder<Actor[Member]>;
}): RawBuilder<string> {
  return sql<string>`content.written_by(${key}, ${requestId}, ${address})`;
}

/** The prefix of everybody at the desk, as clients see it; no key has it. */
const DESK = 'desk';

/** What stands for somebody at the desk where others have the prefix of their key. */
export function deskPrefix(person: string): string {
  return `${DESK}:${person}`;
}

/** The key that something was written with. */
export const keyMember = z
  .object({ prefix: z.string(), name: z.string().nullable() })
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
