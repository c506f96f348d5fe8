import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/**
 * Something that a site's operators are to know. It holds no secret, such as the address of a private feed.
 */
export interface Notice {
  type: 'source.dead' | 'source.replaced' | 'report.published' | 'import.refused' | 'schedule.missed';
  /** What tells the event from others of its type. */
  key: string;
  data: Readonly<Record<string, unknown>>;
}

/** Keeps notices until they are sent; those of events that are known already are left out. */
export async function addNotices(db: Kysely<NewsTables>, notices: readonly Notice[]): Promise<void> {
  if (notices.length === 0) return;
  const rows = notices.map(({ type, key, data }) => ({ type, key: `${type}:${key}`, data }));
  await sql`
    insert into news.notice (type, key, data)
    select type, key, data from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (type text, key text, data jsonb)
    where not exists (select from news.notice as known where known.key = row.key collate "C")
    on conflict (key) do nothing
  `.execute(db);
}
