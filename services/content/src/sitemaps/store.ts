import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Site } from '../site.ts';
import type { ContentTables } from '../tables.ts';

/**
 * How many ids a file covers, so that no page ever moves to another file: as many as the protocol allows, and
 * as the index of `migrations/0023_content_sitemaps.sql` has it.
 */
const IDS = sql.lit(50_000);

/** The number of the file of an article or a category, from 1 on. */
const FILE = sql<number>`(id - 1) / ${IDS} + 1`;

/** A file of the sitemap. */
export interface SitemapFile {
  file: number;
  /** When one of its articles changed last; absent if that is not kept. */
  changed?: Date;
}

/** An article in the sitemap for news. */
export interface NewsArticle {
  id: number;
  slug: string;
  title: string;
  published_at: Date;
}

/** The most articles in the sitemap for news. */
const MOST_NEWS = 1000;

/** What the sitemaps list: published articles and the categories. */
export class SitemapStore {
  readonly #db: Kysely<ContentTables>;

  /** Reads take `db`, which may be a replica. */
  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /** The files with published articles, each found by one look into the index. */
  async articleFiles(): Promise<SitemapFile[]> {
    const newest = (after: RawBuilder<unknown>) => sql`
      select ${FILE} as file, updated_at as changed from content.article
      where is_published and (id - 1) / ${IDS} ${after} order by (id - 1) / ${IDS}, updated_at desc limit 1`;
    const { rows } = await sql<SitemapFile>`
      with recursive found as (
        (${newest(sql`>= 0`)})
        union all
        select next.* from found cross join lateral (${newest(sql`>= found.file`)}) as next
      )
      select * from found`.execute(this.#db);
    return rows;
  }

  /** The files with categories. */
  async categoryFiles(): Promise<SitemapFile[]> {
    const { rows } = await sql<SitemapFile>`
      select distinct ${FILE} as file from content.category order by file`.execute(this.#db);
    return rows;
  }

  /**
   * The `url` elements of a file of articles; undefined if there is no such file. The database writes them,
   * because there are so many. Articles whose canonical address is elsewhere are left out.
   */
  async articleUrls(file: number, site: Site): Promise<string | undefined> {
    const { rows } = await sql<{ pages: number; urls: string | null }>`
      select count(*)::int as pages, string_agg(
        '<url><loc>' || replace(address, '&', '&amp;') || '</loc><lastmod>'
          || to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '</lastmod></url>',
        '' order by id
      ) filter (where coalesce(canonical_url, address) = address) as urls
      from (
        select *, ${addressOf(site.pattern('article'))} as address from content.article
        where is_published and ${isIn(file)}
      ) as article`.execute(this.#db);
    const [found] = rows;
    return found?.pages ? (found.urls ?? '') : undefined;
  }

  /** Like {@link articleUrls}, of categories. */
  async categoryUrls(file: number, site: Site): Promise<string | undefined> {
    const { rows } = await sql<{ urls: string | null }>`
      select string_agg('<url><loc>' || replace(address, '&', '&amp;') || '</loc></url>', '' order by id) as urls
      from (
        select id, ${addressOf(site.pattern('category'))} as address from content.category where ${isIn(file)}
      ) as category`.execute(this.#db);
    return rows[0]?.urls ?? undefined;
  }

  /** The articles that were first published in the last 48 hours, newest first, except as above. */
  news(site: Site): Promise<NewsArticle[]> {
    const address = addressOf(site.pattern('article'));
    return this.#db
      .selectFrom('content.article')
      .select(['id', 'slug', 'title', 'published_at'])
      .where('is_published', '=', true)
      .where('published_at', '>', sql<Date>`now() - interval '48 hours'`)
      .where(sql<boolean>`coalesce(canonical_url, ${address}) = ${address}`)
      .orderBy('published_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_NEWS)
      .$narrowType<{ published_at: Date }>()
      .execute();
  }
}

function addressOf(pattern: string): RawBuilder<string> {
  return sql`replace(replace(${pattern}::text, '{id}', id::text), '{slug}', slug)`;
}

function isIn(file: number): RawBuilder<boolean> {
  return sql`id > ${file - 1}::bigint * ${IDS} and id <= ${file}::bigint * ${IDS}`;
}
