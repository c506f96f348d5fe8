import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PageKind, Site } from '../site.ts';
import type { ContentTables } from '../tables.ts';

/**
 * How many ids a file covers, so that no page ever moves to another file: few enough that the default cache
 * keeps the file. The 50,000 files that the protocol allows in an index suffice for 500 million ids.
 */
const IDS = sql.lit(10_000);

/** What has the articles of a file together in an index (`migrations/0001_content.sql`). */
const KEY = sql<number>`(id - 1) / ${IDS}`;

/** A file of the sitemap. */
export interface SitemapFile {
  file: number;
  /** When an article of it changed last; absent if that is not kept. */
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

/** What has pages besides articles. */
type TermPages = Exclude<PageKind, 'article'>;

/** What the sitemaps list: published articles, categories and authors. */
export class SitemapStore {
  readonly #db: Kysely<ContentTables>;

  /** Reads take `db`, which may be a replica. */
  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /** The files with published articles, each found by one look-up in the index. */
  async articleFiles(): Promise<SitemapFile[]> {
    const newest = (after: RawBuilder<unknown>) => sql`
      select ${KEY} as key, updated_at as changed from content.article
      where is_published and ${KEY} ${after} order by ${KEY}, updated_at desc limit 1`;
    const { rows } = await sql<SitemapFile>`
      with recursive found as (
        (${newest(sql`>= 0`)})
        union all
        select next.* from found cross join lateral (${newest(sql`> found.key`)}) as next
      )
      select key + 1 as file, changed from found order by file`.execute(this.#db);
    return rows;
  }

  /** The files with categories or authors. */
  async termFiles(kind: TermPages): Promise<SitemapFile[]> {
    const { rows } = await sql<SitemapFile>`
      select distinct ${KEY} + 1 as file from ${sql.id('content', kind)} order by file`.execute(this.#db);
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
      ) filter (where ${isOwn(sql`address`)}) as urls
      from (
        select *, ${addressOf(site.pattern('article'))} as address from content.article
        where is_published and ${isIn(sql.val(file))}
      ) as article`.execute(this.#db);
    const [found] = rows;
    return found?.pages ? (found.urls ?? '') : undefined;
  }

  /** Like {@link articleUrls}, of categories or authors. */
  async termUrls(kind: TermPages, file: number, site: Site): Promise<string | undefined> {
    const { rows } = await sql<{ urls: string | null }>`
      select string_agg('<url><loc>' || replace(address, '&', '&amp;') || '</loc></url>', '' order by id) as urls
      from (
        select id, ${addressOf(site.pattern(kind))} as address from ${sql.id('content', kind)}
        where ${isIn(sql.val(file))}
      ) as term`.execute(this.#db);
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
      .where(isOwn(address))
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

/** Whether the page at an address is the canonical one, however its `canonical_url` is spelt. */
function isOwn(address: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(canonical_url is null or ${normal(sql`canonical_url`)} = ${normal(address)})`;
}

/** The one spelling of an address: without capitals in scheme and host, its default port and its fragment. */
function normal(address: RawBuilder<unknown>): RawBuilder<string> {
  const origin = sql`lower(substring(${address} from '^[^:]*://[^/?#]*'))`;
  const withoutPort = sql`regexp_replace(${origin}, '^(?:(https://.*):443|(http://.*):80|(.*):)$', '\\1\\2\\3')`;
  const rest = sql`substring(${address} from '^[^:]*://[^/?#]*([^#]*)')`;
  return sql`${withoutPort} || regexp_replace(${rest}, '^(?!/)', '/')`;
}

function isIn(file: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`id > (${file}::bigint - 1) * ${IDS} and id <= ${file}::bigint * ${IDS}`;
}
