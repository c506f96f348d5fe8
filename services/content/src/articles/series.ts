import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { ContentTables } from '../tables.ts';

const neighbour = z
  .object({
    id: z.int(),
    title: z.string(),
    slug: z.string(),
    published_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'SeriesNeighbour', description: 'The published article before or after one in its series.' });

/** The series of an article, in answers. */
export const shownSeries = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    position: z.int().describe('From 1, among the published articles of the series; a draft counts itself.'),
    count: z.int().describe('The number of these articles.'),
    previous: neighbour.nullable(),
    next: neighbour.nullable(),
  })
  .meta({
    id: 'ArticleSeries',
    description: 'The series of an article, and its place among the published ones.',
  });

export type ShownSeries = z.infer<typeof shownSeries>;

interface PlacedRow {
  id: number;
  title: string;
  slug: string;
  published_at: Date;
  position: number;
  count: number;
  series: Pick<ShownSeries, 'id' | 'name' | 'slug'>;
}

/** The series that an article is in, with its neighbours; null if it is in none. Reads one series at most. */
export async function seriesOf(db: Kysely<ContentTables>, articleId: number): Promise<ShownSeries | null> {
  const { rows } = await sql<PlacedRow>`
    with placed as (
      select id, title, slug, published_at, series_id,
        (row_number() over (order by series_position, id))::integer as position, (count(*) over ())::integer as count
      from content.article
      where series_id = (select series_id from content.article where id = ${articleId})
        and (is_published or id = ${articleId})
    )
    select placed.*, json_build_object('id', series.id, 'name', series.name, 'slug', series.slug) as series
    from placed join placed as own on own.id = ${articleId} and abs(placed.position - own.position) <= 1
    join content.series as series on series.id = placed.series_id`.execute(db);
  const own = rows.find(({ id }) => id === articleId);
  if (own === undefined) return null;
  const { position, count, series } = own;
  const at = (place: number) => {
    const row = rows.find((one) => one.position === place);
    if (row === undefined) return null;
    const { id, title, slug, published_at } = row;
    return { id, title, slug, published_at: published_at.toISOString() };
  };
  return { ...series, position, count, previous: at(position - 1), next: at(position + 1) };
}
