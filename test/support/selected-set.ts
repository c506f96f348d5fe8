import type { Pool } from 'pg';
import { SITE_URL } from './news-feed.ts';

/** The items of the set as the API should show them, by id: read from the table, not from the service. */
export async function selectedSet(
  pool: Pool,
  fields: 'default' | 'minimal',
): Promise<Map<string, Record<string, unknown>>> {
  const { rows } = await pool.query('select * from news.item where selected and withdrawn_at is null');
  return new Map(
    rows.map((row) => {
      const page = `${SITE_URL}/items/${encodeURIComponent(row.id)}`;
      const minimal = {
        id: row.id,
        title: row.title,
        source: { name: row.source_name },
        links: { site: page },
        publishedAt: row.published_at.toISOString(),
        discoveredAt: row.discovered_at.toISOString(),
        category: row.category,
        score: row.score,
        selected: true,
        directions: row.directions,
      };
      const whole = {
        ...minimal,
        originalTitle: row.original_title,
        summary: row.summary,
        links: { site: page, original: row.original_url },
        attribution: { name: 'Pressroom', url: SITE_URL },
        ...(row.image !== null && { image: row.image }),
        ...(row.language !== null && { language: row.language }),
      };
      return [row.id, fields === 'minimal' ? minimal : whole];
    }),
  );
}
