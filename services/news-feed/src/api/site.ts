import { z } from 'zod';
import type { Period } from '../calendar.ts';
import { type NewsFeedConfig, ownSite } from '../config.ts';

/** The settings for the name and address of the publishing site, and of the service that stands in for it. */
type SiteSettings = Pick<
  NewsFeedConfig,
  | 'SITE_LINK_NAME'
  | 'SITE_URL'
  | 'SITE_NAME'
  | 'SITE_LANGUAGE'
  | 'SITE_ITEM_PATH'
  | 'SITE_STORY_PATH'
  | 'SITE_DAILY_PATH'
  | 'SITE_WEEKLY_PATH'
  | 'SITE_MONTHLY_PATH'
  | 'NEWS_FEED_PORT'
>;

interface Attribution {
  name: string;
  url: string;
}

/** The path of items without `SITE_ITEM_PATH`. */
const ITEM_PATH = '/items/{id}';

/** The publishing site: the addresses of its pages, and its name. */
export class Site {
  /** The member of `links` that points to the site (`SITE_LINK_NAME`). */
  readonly linkName: string;
  /** Names the site and links to its front page. */
  readonly attribution: Attribution;
  /** The language of its texts (BCP 47); undefined if it is not set. */
  readonly language: string | undefined;
  /** Settings that enter every item; without a site, not the port, in which replicas differ. */
  readonly identity: readonly string[];
  /** The paths of its pages as routes, if this service stands in for it. */
  readonly ownRoutes: readonly string[] | undefined;
  readonly #url: string;
  readonly #paths: Readonly<Record<'item' | 'story' | Period, string>>;

  constructor(config: SiteSettings) {
    const { SITE_LINK_NAME, SITE_URL, SITE_NAME, SITE_LANGUAGE, SITE_ITEM_PATH } = config;
    this.linkName = SITE_LINK_NAME;
    this.attribution = { name: SITE_NAME, url: SITE_URL };
    this.language = SITE_LANGUAGE;
    this.#url = SITE_URL;
    this.#paths = {
      item: SITE_ITEM_PATH,
      story: config.SITE_STORY_PATH,
      daily: config.SITE_DAILY_PATH,
      weekly: config.SITE_WEEKLY_PATH,
      monthly: config.SITE_MONTHLY_PATH,
    };
    const isOwn = SITE_URL === ownSite(config);
    // A path that is not set adds nothing, so mirrors of before it could be set go on.
    const path = SITE_ITEM_PATH === ITEM_PATH ? '' : SITE_ITEM_PATH;
    this.identity = [SITE_LINK_NAME, SITE_NAME, (isOwn ? 'http://localhost' : SITE_URL) + path];
    const routes = Object.values(this.#paths).map((one) => one.replaceAll(/\{\w+\}/gu, ':name'));
    this.ownRoutes = isOwn ? [...new Set(routes)].filter((route) => !route.startsWith('/api/')) : undefined;
  }

  item(id: string): string {
    return this.#page('item', '{id}', id);
  }

  /** The page of a story; its last segment is the public id. */
  story(publicId: string): string {
    return this.#page('story', '{id}', publicId);
  }

  report(period: Period, date: string): string {
    return this.#page(period, '{date}', date);
  }

  #page(kind: 'item' | 'story' | Period, member: string, name: string): string {
    return this.#url + this.#paths[kind].replaceAll(member, () => encodeURIComponent(name));
  }
}

/** A success body: `schemaVersion` and the given members. */
export function body<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ schemaVersion: z.literal(1), ...shape });
}

/** Wraps the members of a success body. */
export function success<Members extends object>(members: Members) {
  return { schemaVersion: 1 as const, ...members };
}

/**
 * Cache lifetimes of answers (`docs/spec/wire.md`, "News feed"); `s-maxage` is the shortest interval between
 * two polls, in seconds.
 */
export const CACHE_CONTROL = {
  items: 'public, max-age=60, s-maxage=60, stale-while-revalidate=300',
  item: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  hotTopics: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  stories: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  dailies: 'public, max-age=60, s-maxage=60, stale-while-revalidate=300',
  pastDaily: 'public, max-age=31536000, s-maxage=31536000, immutable',
  currentDaily: 'public, max-age=300, s-maxage=300, stale-while-revalidate=3600',
  snapshot: 'public, max-age=300, s-maxage=300, stale-while-revalidate=900',
  changes: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  feeds: 'public, max-age=300, s-maxage=300, stale-while-revalidate=900',
  codexResets: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
} as const;
