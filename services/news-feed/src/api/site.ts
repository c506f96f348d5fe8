import type { NewsFeedConfig } from '../config.ts';
import { PERIOD_RULES, type Period } from '../period.ts';

/** The settings for the name and address of the publishing site. */
export type SiteSettings = Pick<
  NewsFeedConfig,
  'SITE_LINK_NAME' | 'SITE_URL' | 'SITE_NAME' | 'SITE_LANGUAGE'
>;

/** The publisher, the same on everything. */
export interface Attribution {
  name: string;
  url: string;
}

/** The paths below, as routes of a service that stands in for the site. */
export const SITE_ROUTES: readonly string[] = [
  '/items/:id',
  '/stories/:id',
  ...Object.values(PERIOD_RULES).map(({ collection }) => `/${collection}/:date`),
];

/** The publishing site: the addresses of its pages, and its name. */
export class Site {
  /** The member of `links` that points to the site (`SITE_LINK_NAME`). */
  readonly linkName: string;
  /** Names the site and links to its front page. */
  readonly attribution: Attribution;
  /** The language of its texts (BCP 47); undefined if it is not set. */
  readonly language: string | undefined;
  readonly #url: string;

  constructor({ SITE_LINK_NAME, SITE_URL, SITE_NAME, SITE_LANGUAGE }: SiteSettings) {
    this.linkName = SITE_LINK_NAME;
    this.attribution = { name: SITE_NAME, url: SITE_URL };
    this.language = SITE_LANGUAGE;
    this.#url = SITE_URL;
  }

  /** The page of an item. */
  item(id: string): string {
    return `${this.#url}/items/${encodeURIComponent(id)}`;
  }

  /** The page of a story; its last segment is the public id. */
  story(publicId: string): string {
    return `${this.#url}/stories/${encodeURIComponent(publicId)}`;
  }

  /** The page of a report. */
  report(period: Period, date: string): string {
    return `${this.#url}/${PERIOD_RULES[period].collection}/${date}`;
  }
}
