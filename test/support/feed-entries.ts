import { isUtf8 } from 'node:buffer';
import { parseFeed } from 'feedsmith';

/** An entry of a feed, as far as an item can hold it. */
export interface FeedEntry {
  feed: string;
  title: string;
  link: string;
  text: string | null;
}

/** The members by which the formats call what an entry has. */
interface Entry {
  title?: string | { value?: string };
  link?: string;
  links?: { href?: string; rel?: string }[];
  description?: string;
  summary?: string | { value?: string };
  content?: string | { value?: string; encoded?: string };
}

/** The entries of a feed that have a title and a link; those without are not for an item. */
export function entriesOf(file: string, bytes: Buffer): FeedEntry[] {
  const { feed } = parseFeed(decode(bytes)) as { feed: { items?: Entry[]; entries?: Entry[] } };
  return (feed.items ?? feed.entries ?? []).flatMap((entry) => {
    const title = textOf(entry.title);
    const link = entry.link ?? entry.links?.find(({ rel }) => rel === undefined || rel === 'alternate')?.href;
    if (!title?.trim() || link === undefined) return [];
    const text = entry.description ?? textOf(entry.summary) ?? textOf(entry.content) ?? null;
    return [{ feed: file, title, link: new URL(link, 'https://github.com').href, text }];
  });
}

/** Some say ISO-8859-1, one is it without saying so. */
function decode(bytes: Buffer): string {
  return new TextDecoder(isUtf8(bytes) ? 'utf-8' : 'iso-8859-1').decode(bytes);
}

function textOf(value: string | { value?: string; encoded?: string } | undefined): string | undefined {
  return typeof value === 'object' ? (value.value ?? value.encoded) : value;
}
