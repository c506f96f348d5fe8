import { hash } from 'node:crypto';
import type { FeedEntry } from '../feeds/feed.ts';
import { articleSpellings } from './article-spellings.ts';

/** The most characters of an anchor that names a part; a longer one is hashed. */
const MOST_ANCHOR = 100;

/**
 * Which part of its page each entry is, by the entry's key, where several entries of a document have one page
 * and say different things, such as the notes of a release or the messages of a status page.
 */
export function partsOf(entries: readonly FeedEntry[]): Map<string, string> {
  const parts = new Map<string, string>();
  const pages = Map.groupBy(entries, ({ url }) => articleSpellings(url)[0] ?? url);
  for (const sharing of pages.values()) {
    // Most pages are those of one entry.
    if (sharing.length === 1) continue;
    const contents = [...Map.groupBy(sharing, contentOf).values()];
    if (contents.length === 1) continue;
    const anchors = contents.map(([first]) => anchorOf(first?.url ?? ''));
    const areOwn = new Set(anchors).size === contents.length && anchors.every((anchor) => anchor !== '');
    for (const [index, [first, ...others]] of contents.entries()) {
      if (first === undefined) continue;
      const own = areOwn ? anchors[index] : undefined;
      const part = own ?? hash('sha256', first.key).slice(0, 16);
      for (const { key } of [first, ...others]) parts.set(key, part);
    }
  }
  return parts;
}

function contentOf({ title, summary, publishedAt }: FeedEntry): string {
  return JSON.stringify([title, summary, publishedAt]);
}

function anchorOf(url: string): string {
  const anchor = new URL(url).hash.slice(1);
  return anchor.length <= MOST_ANCHOR ? anchor : hash('sha256', anchor).slice(0, 16);
}
