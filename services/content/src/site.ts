import { Failure } from '@pressroom/common/failures/failure';
import type { ContentConfig } from './config.ts';

/** The subject of a page of the site; also the name of its table. */
export type PageKind = 'article' | 'category' | 'author';

interface Named {
  id: number;
  slug: string;
}

/** The settings that say where the site is. */
type SiteConfig = Pick<
  ContentConfig,
  | 'CONTENT_SITE_URL'
  | 'CONTENT_ARTICLE_PATH'
  | 'CONTENT_CATEGORY_PATH'
  | 'CONTENT_AUTHOR_PATH'
  | 'SITE_NAME'
  | 'SITE_LANGUAGE'
>;

/** The site that shows the articles: its name and the addresses of its pages. */
export class Site {
  /** The front page, without a slash at the end. */
  readonly url: string;
  readonly name: string;
  /** The language of its texts (BCP 47); undefined if it is not set. */
  readonly language: string | undefined;
  readonly #paths: Record<PageKind, string>;

  /** The site of the settings; undefined if they do not say where it is. */
  static of(config: SiteConfig): Site | undefined {
    const { CONTENT_SITE_URL: url } = config;
    return url === undefined ? undefined : new Site(url, config);
  }

  private constructor(url: string, config: SiteConfig) {
    this.url = new URL(url).href.replace(/\/$/, '');
    this.name = config.SITE_NAME;
    this.language = config.SITE_LANGUAGE;
    this.#paths = {
      article: config.CONTENT_ARTICLE_PATH,
      category: config.CONTENT_CATEGORY_PATH,
      author: config.CONTENT_AUTHOR_PATH,
    };
  }

  /** Returns the address of a kind of pages, with the placeholders `{id}` and `{slug}`. */
  pattern(kind: PageKind): string {
    return `${this.url}${this.#paths[kind]}`;
  }

  page(kind: PageKind, { id, slug }: Named): string {
    return this.pattern(kind).replaceAll('{id}', String(id)).replaceAll('{slug}', slug);
  }
}

/**
 * The site, for operations that need one.
 *
 * @throws Failure `missing` if the settings do not name it
 */
export function knownSite(site: Site | undefined): Site {
  if (site !== undefined) return site;
  throw new Failure('missing', 'there are no feeds and sitemaps: CONTENT_SITE_URL is not set');
}
