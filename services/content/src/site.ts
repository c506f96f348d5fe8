import { Failure } from '@pressroom/common/failures/failure';
import { Temporal } from 'temporal-polyfill';

/** The subject of a page of the site; also the name of its table. */
export type PageKind = (typeof PAGE_KINDS)[number];

export const PAGE_KINDS = ['article', 'category', 'author'] as const;

/** A former path of pages on the site, with `{id}` and `{slug}`, in the one spelling of addresses. */
export interface FormerPattern {
  /** Higher than that of those that were left before. */
  id: number;
  page: PageKind;
  pattern: string;
}

interface Named {
  id: number;
  slug: string;
}

/** The settings of the site: null is what neither the desk nor the environment says. */
export interface SiteValues {
  name: string;
  description: string | null;
  /** BCP 47. */
  language: string | null;
  /** The name of its time zone; null is UTC. */
  zone: string | null;
  url: string | null;
  logo: string | null;
  article_path: string;
  category_path: string;
  author_path: string;
  former_patterns: readonly FormerPattern[];
}

/** The site that shows the articles: its name and the addresses of its pages. */
export class Site {
  /** The front page, without a slash at the end. */
  readonly url: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The language of its texts (BCP 47); undefined if it is not set. */
  readonly language: string | undefined;
  /** The address of the publisher's logo. */
  readonly logo: string | undefined;
  readonly #values: SiteValues;

  /** The site of the settings; undefined if they do not say where it is. */
  static of(values: SiteValues): Site | undefined {
    return values.url === null ? undefined : new Site(values.url, values);
  }

  private constructor(url: string, values: SiteValues) {
    this.url = new URL(url).href.replace(/\/$/, '');
    this.name = values.name;
    this.description = values.description ?? undefined;
    this.language = values.language ?? undefined;
    this.logo = values.logo ?? undefined;
    this.#values = values;
  }

  /** A time as RFC 3339, by the clock of the site. */
  time(at: Date | string): string {
    const { zone } = this.#values;
    const date = new Date(at);
    if (zone === null) return date.toISOString();
    const instant = Temporal.Instant.fromEpochMilliseconds(date.getTime());
    return instant.toString({ timeZone: zone, fractionalSecondDigits: 3 });
  }

  /** What a site makes its pages by: their paths, with the placeholders `{id}` and `{slug}`, and its zone. */
  get pages(): Pick<SiteValues, `${PageKind}_path` | 'zone'> {
    const { article_path, category_path, author_path, zone } = this.#values;
    return { article_path, category_path, author_path, zone };
  }

  /** Returns the address of a kind of pages, with the placeholders `{id}` and `{slug}`. */
  pattern(kind: PageKind): string {
    return `${this.url}${this.#values[`${kind}_path`]}`;
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
  throw new Failure(
    'missing',
    'there are no feeds and sitemaps: set the address of the site at the desk, or as CONTENT_SITE_URL',
  );
}
