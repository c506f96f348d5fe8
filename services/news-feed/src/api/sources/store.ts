import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** A source of public items. */
export interface SourceRow {
  name: string;
  recent: number;
  latest_at: Date;
}

/** The days over which the items of a source are counted. */
export const COUNTED_DAYS = 7;

/**
 * At most `limit` sources with their public items of the last {@link COUNTED_DAYS} days before `now` and the
 * newest one, by name, from the one behind `after`. Each is found by one step in the index, however many
 * items it has.
 */
export async function listSources(
  db: Kysely<NewsTables>,
  { after, limit, now }: { after: string; limit: number; now: Date },
): Promise<SourceRow[]> {
  const next = (name: ReturnType<typeof sql>) => sql`
    select source_name from news.item
    where source_name > ${name} and withdrawn_at is null and published_at <= ${now}
    order by source_name limit 1`;
  const { rows } = await sql<SourceRow>`
    with recursive source (name, position) as (
      select (${next(sql`${after}`)}), 1
      union all
      select (${next(sql`source.name`)}), position + 1 from source where name is not null and position < ${limit}
    )
    select name, latest.published_at as latest_at, (
      select count(*)::int from news.item
      where source_name = name and withdrawn_at is null
        and published_at > ${now}::timestamptz - make_interval(days => ${COUNTED_DAYS}) and published_at <= ${now}
    ) as recent
    from source cross join lateral (
      select published_at from news.item where source_name = name and withdrawn_at is null and published_at <= ${now}
      order by published_at desc, id desc limit 1
    ) as latest
    order by position`.execute(db);
  return rows;
}
