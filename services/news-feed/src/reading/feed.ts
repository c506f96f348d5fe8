import { hash } from 'node:crypto';
import { type Image, imageUrl } from '../fields.ts';
import type { Credits, RawCredits } from './credits.ts';
import { cutText, type MarkedText, plainText } from './text.ts';

/** An entry of a feed, of a list or of a sitemap, in plain text, as far as an item can hold it. */
export interface FeedEntry extends Credits {
  /** Identifies the entry in its feed: guid, id, else the address. */
  key: string;
  /** The guid or id that the feed gives to others too, where it does; `key` is its own then. */
  sharedId?: string;
  /** The guid or id, else the address, where an editor has said what tells its source's entries apart. */
  id?: string;
  /** One line; the first sentence of its text if the feed gives none. */
  title: string;
  /** At most three sentences. */
  summary: string | null;
  url: string;
  /** The date in the feed; null if it has no usable one. */
  publishedAt: Date | null;
  /** Its picture; null if it names none that is public and https. */
  image: Image | null;
  /** Language that the entry, else its feed, declares (BCP 47). */
  language: string | null;
  /** Present if its title is made of its address: its page has a better one. */
  isUntitled?: true;
}

/** An entry that is not read, and why. */
export interface LeftOut {
  title: string;
  reason: string;
  code: (typeof LEFT_OUT_CODES)[number];
}

export const LEFT_OUT_CODES = ['address_too_long', 'no_address', 'no_words', 'repeated', 'too_many'] as const;

/** Entries left out that are named in the log. */
export const MOST_NAMED = 10;

/** An entry that says nothing that another one does not. */
export function repeatedEntry({ title }: FeedEntry): LeftOut {
  return { title, reason: 'it repeats another entry', code: 'repeated' };
}

export interface ParsedFeed {
  title: string | null;
  /** The page that the feed belongs to, else its own address. */
  home: string;
  entries: readonly FeedEntry[];
  /** Number of entries that cannot become items: without an address, or with neither title nor text. */
  unusable: number;
  /** Number of entries left out because the feed has more than are read. */
  unread: number;
  /** Number of entries that are exact copies of another. */
  repeated: number;
  /** The first of all that is not read, by name. */
  leftOut: readonly LeftOut[];
  /** Declared interval between updates, in seconds (`sy:updatePeriod`, `ttl`). */
  updateSeconds: number | undefined;
  /** Its links to itself and to hubs, as written. */
  links: readonly { href?: string | undefined; rel?: string | undefined }[];
}

/** A feed of any format, before its texts and dates are interpreted. */
export interface RawFeed {
  title: MarkedText | undefined;
  home: string | undefined;
  entries: RawEntry[];
  updatePeriod?: string | undefined;
  updateFrequency?: number | undefined;
  ttlMinutes?: number | undefined;
  /** Languages that it declares for its entries. */
  languages: string[];
  /** Authors of the entries that name none. */
  authors?: RawCredits['authors'];
  links: ParsedFeed['links'];
  /** True of a sitemap, whose entries may have no more than an address. */
  isSitemap?: boolean;
  /** Sitemaps that an index lists. */
  sitemaps?: RawEntry[];
}

/** An entry of it; where there are several of a kind, the first usable one counts. */
export interface RawEntry extends RawCredits {
  key: string | undefined;
  titles: MarkedText[];
  texts: MarkedText[];
  links: RawLink[];
  dates: string[];
  images: RawImage[];
  languages: string[];
  /** True if the title was made from the address. */
  isUntitled?: true;
}

/** An address, and its base if the feed gives one. */
export interface RawLink {
  href: string;
  base?: string | undefined;
}

export interface RawImage extends RawLink {
  width?: string | undefined;
  height?: string | undefined;
  alt?: string | undefined;
}

/** The most characters of an image's alternative text. */
const MAX_ALT = 1000;

/** The portrait of the author: WordPress lists it among the entry's pictures. */
const AVATAR = /^https:\/\/(?:[^/]+\.)?gravatar\.com\/avatar\//;

/** Pictures that count readers or fill space. */
const PIXEL =
  /^https:\/\/(?:pixel|stats|counter)\.|\/(?:pixel|spacer|blank|transparent|1x1)\.(?:gif|png)(?:[?#]|$)/i;

/** The least width and height of a picture, in pixels, where they are given. */
const LEAST = 10;

/** True if a media type is that of an image. */
export function isImage(type: string | undefined): boolean {
  return /^\s*image\//i.test(type ?? '');
}

/** True if a file is audio or video, judging by its media type, else by its name. */
export function isRecording(type: string, url: string): boolean {
  return type === ''
    ? /\.(?:mp3|m4a|ogg|opus|mp4|m4v|webm)(?:[?#]|$)/i.test(url)
    : /^\s*(?:audio|video)\//i.test(type);
}

/** An address of the web; undefined if it is none. */
export function addressOf({ href, base }: RawLink, feedBase: string): URL | undefined {
  const url = URL.parse(href.trim(), base ?? feedBase);
  if (url === null || href.trim() === '' || !/^https?:$/.test(url.protocol)) return undefined;
  // Credentials would only disguise where the link leads.
  url.username = '';
  url.password = '';
  return url;
}

/** The first of these that can be shown. */
export function entryImage(images: readonly RawImage[], feedBase: string): Image | undefined {
  for (const { href, base, width, height, alt } of images) {
    const url = imageUrl(href, base ?? feedBase);
    if (url === undefined || AVATAR.test(url)) continue;
    const [wide, high] = [pixels(width), pixels(height)];
    if (PIXEL.test(url) || Math.min(wide ?? LEAST, high ?? LEAST) < LEAST) continue;
    const text = cutText(plainText({ value: alt ?? '', markup: 'unknown' }), MAX_ALT).trim();
    return {
      url,
      ...(wide !== undefined && { width: wide }),
      ...(high !== undefined && { height: high }),
      ...(text !== '' && { alt: text }),
    };
  }
  return undefined;
}

/** A number of pixels; undefined if it is none. */
export function pixels(text: string | undefined): number | undefined {
  const digits = /^\s*([1-9]\d{0,4})(?:\.\d+)?(?:px)?\s*$/.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Members that tell apart the entries of one key, the most lasting first. */
const MEMBERS = ['url', 'title', 'summary', 'publishedAt'] as const;

/**
 * The entries of a feed without those that repeat another one in its key and everything that they say: the
 * first counts, which is the newest. If a feed gives one key to many, each gets its own.
 */
export function distinctEntries(entries: readonly FeedEntry[]): {
  entries: FeedEntry[];
  repeated: FeedEntry[];
} {
  const seen = new Set<string>();
  const kept: FeedEntry[] = [];
  const repeated: FeedEntry[] = [];
  for (const entry of entries) {
    // If an entry has no id of its own, only its date may be new.
    const date = entry.key === entry.url ? entry.publishedAt : null;
    const says = JSON.stringify([entry.key, entry.url, entry.title, entry.summary, date]);
    (seen.has(says) ? repeated : kept).push(entry);
    seen.add(says);
  }
  const sharing = Map.groupBy(kept, ({ key }) => key);
  return {
    entries: kept.map((entry) => {
      const others = sharing.get(entry.key) ?? [];
      return others.length > 1 ? { ...entry, key: ownKey(entry, others), sharedId: entry.key } : entry;
    }),
    repeated,
  };
}

/** An entry whose feed has given its key to another article before, of another page or with another title. */
export function withOwnKey(entry: FeedEntry, isElsewhere: boolean): FeedEntry {
  const { key, url, title } = entry;
  const own = isElsewhere ? [key, url] : [key, url, title];
  return { ...entry, key: hash('sha256', JSON.stringify(own)), sharedId: key };
}

/** Made of as few members as tell the entries apart, so that it stays when the others change. */
function ownKey(entry: FeedEntry, others: readonly FeedEntry[]): string {
  const saying = (count: number) => (one: FeedEntry) =>
    JSON.stringify([one.key, ...MEMBERS.slice(0, count).map((member) => one[member])]);
  const count = MEMBERS.findIndex(
    (_, index) => new Set(others.map(saying(index + 1))).size === others.length,
  );
  return hash('sha256', saying(count === -1 ? MEMBERS.length : count + 1)(entry));
}

/** The links with which a feed says where its changes are announced (WebSub, "Discovery"). */
export interface HubLinks {
  hub: string;
  /** The feed's own name for itself, which the hub knows it by. */
  topic: string;
}

/** A link of a feed or of a `Link` header (RFC 8288). */
interface Link {
  href?: string | undefined;
  rel?: string | undefined;
}

/**
 * The first hub that the `Link` header names, else the first of the feed's own links; undefined if neither
 * names one with an http address, or if the topic would be too long an address.
 *
 * @param url the address that answered: the topic if no link says `self`
 */
export function hubLinks(
  header: string | undefined,
  own: readonly Link[],
  url: string,
): HubLinks | undefined {
  const links = [...linksOf(header ?? ''), ...own];
  const hub = target(links, 'hub', url);
  const topic = target([...links, { href: url, rel: 'self' }], 'self', url);
  return hub === undefined || topic === undefined ? undefined : { hub, topic };
}

function linksOf(header: string): Link[] {
  return [...header.matchAll(/<([^>]*)>((?:[^,"]|"[^"]*")*)/g)].map(([, href, parameters = '']) => ({
    href,
    rel: /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)?.slice(1).find(Boolean),
  }));
}

function target(links: readonly Link[], rel: string, base: string): string | undefined {
  for (const link of links) {
    if (!link.rel?.toLowerCase().split(/\s+/).includes(rel)) continue;
    const url = URL.parse(link.href?.trim() ?? '', base);
    if (url !== null && /^https?:$/.test(url.protocol) && url.href.length <= 2048) return url.href;
  }
  return undefined;
}
