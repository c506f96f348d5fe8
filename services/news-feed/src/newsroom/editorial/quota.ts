import { type Kysely, sql } from 'kysely';
import { shanghaiDate } from '../../shanghai-calendar.ts';
import type { NewsTables } from '../../tables.ts';

/**
 * Takes a place in the quota of the day (in Shanghai) of `now` for an article, by its canonical URL; true if
 * it has one. An article that is judged again keeps its place, and workers never take more than `quota`
 * together.
 */
export function takeSlot(
  db: Kysely<NewsTables>,
  article: string,
  quota: number,
  now: Date,
): Promise<boolean> {
  const day = shanghaiDate(now);
  return db.transaction().execute(async (tx) => {
    // 1852143475 is "news" in ASCII; 51 is the right to count the quota.
    await sql`select pg_advisory_xact_lock(1852143475, 51)`.execute(tx);
    const { rows } = await sql<{ has: boolean }>`
      insert into news.editorial_slot (day, article)
      select ${day}::date, ${article}
      where (select count(*) from news.editorial_slot where day = ${day}::date) < ${quota}
      on conflict do nothing
      returning true as has
    `.execute(tx);
    if (rows.length > 0) return true;
    const known = await sql`
      select from news.editorial_slot where day = ${day}::date and article = ${article}
    `.execute(tx);
    return known.rows.length > 0;
  });
}
