/** A feed, whatever format it is written in. All texts are plain text. */
export interface Feed {
  /** Stays the same for as long as the site's address does; a URL, not necessarily of a page. */
  id: string;
  title: string;
  description: string;
  /** The page that the feed belongs to. */
  homeUrl: string;
  /** The feed's own address in this format; relative to itself if the service does not know its address. */
  selfUrl: string;
  /** The language of its texts (BCP 47); undefined if it is not known. */
  language: string | undefined;
  /** The hub that distributes changes (W3C WebSub); undefined if there is none. */
  hubUrl: string | undefined;
  /** When the newest entry was added or changed. */
  updated: Date;
  /** Newest first. */
  entries: FeedEntry[];
}

/** An entry of a feed. */
export interface FeedEntry {
  /** Like a feed's. */
  id: string;
  title: string;
  /** What the title links to. */
  url: string;
  summary: string | null;
  /** The whole text as clean HTML; null if there is only the summary. */
  html: string | null;
  published: Date;
  updated: Date;
  /** At least one; `url` is a page about them. */
  authors: readonly { name: string; url?: string }[];
  categories: string[];
  /** Its picture, with its size in pixels and what it shows. */
  image?: { url: string; width?: number; height?: number; alt?: string };
  /** The language of its texts (BCP 47) where it may be another one than the feed's. */
  language?: string;
}
