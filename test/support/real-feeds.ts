import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFeed } from 'feedsmith';
import { realFile } from './real-data.ts';

/** An entry of a real feed, as far as an item can hold it. */
export interface RealEntry {
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

/** The file that is a page and no feed. */
export const NO_FEED = 'unrecognized.rss';

/** The entries of the real feeds that have a title and a link; those without are not for an item. */
export function realEntries(): RealEntry[] {
  const folder = realFile('feeds');
  return readdirSync(folder)
    .filter((file) => file !== NO_FEED && file !== 'incomplete-fields.atom')
    .flatMap((file) => entriesOf(file, readFileSync(join(folder, file))));
}

function entriesOf(file: string, bytes: Buffer): RealEntry[] {
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
