import { type RawBuilder, sql, type Transaction } from 'kysely';

/**
 * What Pressroom's advisory locks protect. Their numbers are hashes of these texts, so two of them cannot be
 * given the same number by mistake. The triggers of the migrations have locks with two numbers, which never
 * meet these.
 */
export type AdvisoryLock =
  | 'set up roles'
  | 'answer a repeated request'
  | 'prune revisions'
  | 'assign stories'
  | 'publish at a time'
  | 'count the quota'
  | 'count the budget'
  | 'write an article'
  | 'compose a report'
  | 'begin an operation'
  | 'transfer in a bucket';

/** The number of a lock; `member` tells apart the locks of one kind, such as the address of an article. */
export function lockNumber(lock: AdvisoryLock, member: string | RawBuilder<string> = ''): RawBuilder<bigint> {
  return sql`hashtextextended(${`${lock}: `}::text || ${member}::text, 0)`;
}

/** Waits for a lock, which is held until the transaction ends. */
export async function lockUntilCommit<Tables>(
  tx: Transaction<Tables>,
  lock: AdvisoryLock,
  member?: string,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockNumber(lock, member)})`.execute(tx);
}
