import { type RawBuilder, sql } from 'kysely';

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
