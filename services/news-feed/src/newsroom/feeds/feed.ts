import type { Image } from '../../image.ts';

/** An entry of a feed, of a list or of a sitemap, in plain text, as far as an item can hold it. */
export interface FeedEntry {
  /** What identifies it in its feed: guid, id, else the address. */
  key: string;
  /** One line; the first sentence of its text if the feed gives none. */
  title: string;
  /** Of at most three sentences. */
  summary: string | null;
  /** Absolute. */
  url: string;
  /** As the feed says; null if it says nothing usable. */
  publishedAt: Date | null;
  /** Its picture; null if it names none that is public and https. */
  image: Image | null;
  /** What it, else its feed, says of its language (BCP 47). */
  language: string | null;
  /** Present if its title is made of its address: its page has a better one. */
  isUntitled?: true;
}

/** An entry that is not read, and why. */
export interface LeftOut {
  title: string;
  reason: string;
}

/** A feed of any format. */
export interface ParsedFeed {
  title: string | null;
  entries: readonly FeedEntry[];
  /** How many entries cannot become items: without an address, or with neither title nor text. */
  unusable: number;
  /** How many entries it has beyond the most that are read. */
  unread: number;
  /** How many entries repeat another one in everything. */
  repeated: number;
  /** The first of all that is not read, by name. */
  leftOut: readonly LeftOut[];
  /** How often it says that it changes, in seconds (`sy:updatePeriod`, `ttl`). */
  updateSeconds: number | undefined;
  /** Its links to itself and to hubs, as written. */
  links: readonly { href?: string | undefined; rel?: string | undefined }[];
}
