import { pruneInSteps } from '@pressroom/common/concurrency/background-loop';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { ContentTables } from './tables.ts';

export type AuditEntry = Selectable<ContentTables['content.audit']>;

interface AuditQuery {
  /** Those from this time on. */
  since?: Date | undefined;
  /** Those of the key with this prefix. */
  key?: string | undefined;
  article?: number | undefined;
  /** The most entries. */
  limit: number;
}

/** The latest entries of the audit trail, the newest first. */
export function readTrail(
  db: Kysely<ContentTables>,
  { since, key, article, limit }: AuditQuery,
): Promise<AuditEntry[]> {
  let query = db.selectFrom('content.audit').selectAll();
  if (since !== undefined) query = query.where('at', '>=', since);
  if (key !== undefined) query = query.where('key', '=', key);
  if (article !== undefined) query = query.where('article_id', '=', article);
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

const REMOVED = 1000;

/** Removes the entries of more than `days` ago in small steps, and returns how many there were. */
export function pruneTrail(db: Kysely<ContentTables>, days: number, signal?: AbortSignal): Promise<number> {
  const step = async () => {
    const query = sql<{ removed: number }>`select content.prune_audit(${days}, ${REMOVED}) as removed`;
    return (await query.execute(db)).rows[0]?.removed ?? 0;
  };
  return pruneInSteps(REMOVED, step, signal);
}
