import type { ParsedFeed } from './feed.ts';
import type { MarkedText } from './plain-text.ts';

/** A feed of any format, as it is written. */
export interface RawFeed {
  title: MarkedText | undefined;
  /** The page that it belongs to. */
  home: string | undefined;
  entries: RawEntry[];
  updatePeriod?: string | undefined;
  updateFrequency?: number | undefined;
  ttlMinutes?: number | undefined;
  /** What it says of the language of its entries. */
  languages: string[];
  links: ParsedFeed['links'];
  /** Whether it is a sitemap, whose entries may have no more than an address. */
  isSitemap?: boolean;
  /** Those that an index of sitemaps lists. */
  sitemaps?: RawEntry[];
}

/** An entry of it; where there are several of a kind, the first usable one counts. */
export interface RawEntry {
  key: string | undefined;
  titles: MarkedText[];
  texts: MarkedText[];
  links: RawLink[];
  dates: string[];
  images: RawImage[];
  languages: string[];
  /** Whether its title is made of its address. */
  isUntitled?: true;
}

/** An address, and what it is relative to if the feed says so. */
export interface RawLink {
  href: string;
  base?: string | undefined;
}

/** A picture, as it is written. */
export interface RawImage extends RawLink {
  width?: string | undefined;
  height?: string | undefined;
  alt?: string | undefined;
}
