import { hash } from 'node:crypto';
import type { FeedEntry } from './feed.ts';

/** What tells entries apart that have one key, the most lasting first. */
const MEMBERS = ['url', 'title', 'summary', 'publishedAt'] as const;

/**
 * The entries of a feed without those that repeat another one in its key and everything that they say: the
 * first counts, which is the newest. Where a feed gives one key to many, each gets its own.
 */
export function distinctEntries(entries: readonly FeedEntry[]): {
  entries: FeedEntry[];
  repeated: FeedEntry[];
} {
  const seen = new Set<string>();
  const kept: FeedEntry[] = [];
  const repeated: FeedEntry[] = [];
  for (const entry of entries) {
    // Of an entry without an id of its own, only the date may be what is new.
    const date = entry.key === entry.url ? entry.publishedAt : null;
    const says = JSON.stringify([entry.key, entry.url, entry.title, entry.summary, date]);
    (seen.has(says) ? repeated : kept).push(entry);
    seen.add(says);
  }
  const sharing = Map.groupBy(kept, ({ key }) => key);
  return {
    entries: kept.map((entry) => {
      const others = sharing.get(entry.key) ?? [];
      return others.length > 1 ? { ...entry, key: ownKey(entry, others) } : entry;
    }),
    repeated,
  };
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
