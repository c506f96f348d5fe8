import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../../tables.ts';

/** How many sources are in each state, and how many of the active ones fail. */
export async function countSources(db: Kysely<NewsTables>) {
  const { rows } = await sql<Record<'active' | 'paused' | 'gone' | 'failing', number>>`
    select count(*) filter (where state = 'active')::int as active,
      count(*) filter (where state = 'paused')::int as paused,
      count(*) filter (where state = 'gone')::int as gone,
      count(*) filter (where state = 'active' and failures > 0)::int as failing
    from news.source
  `.execute(db);
  return rows[0] ?? { active: 0, paused: 0, gone: 0, failing: 0 };
}

/** The notices before the one with this id, the newest first. */
export function noticesBefore(db: Kysely<NewsTables>, id: number | undefined, limit: number) {
  return db
    .selectFrom('news.notice')
    .select([
      'id',
      'type',
      'at',
      'attempts',
      'sent_at as sentAt',
      'due_at as dueAt',
      'last_error as lastError',
    ])
    .select(sql<Record<string, unknown>>`data`.as('data'))
    .$if(id !== undefined, (query) => query.where('id', '<', id ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}
