import type { Document } from 'domhandler';
import type { RawEntry } from '../feeds/raw-feed.ts';
import { elementsIn } from './html-tree.ts';

/** The most values of a page's JSON-LD that are looked at. */
const MOST_VALUES = 20_000;

/** The types of schema.org that are articles, and places in a list, which may name one. */
const TYPES = /(?:Article|BlogPosting|Report|ListItem)$/;

/** The articles that a page lists in JSON-LD (schema.org), with what it says of them there. */
export function linkedArticles(tree: Document, base: string): Map<string, RawEntry> {
  const found = new Map<string, RawEntry>();
  const values = [...elementsIn(tree)]
    .filter(({ name, attribs }) => name === 'script' && /^application\/ld\+json/i.test(attribs.type ?? ''))
    .flatMap(({ children }) => parsed(children.map((child) => ('data' in child ? child.data : '')).join('')));
  // What is found is looked into later; a list of breadcrumbs names no articles.
  for (let next = 0; next < Math.min(values.length, MOST_VALUES); next += 1) {
    const value = values[next];
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && text(value, '@type') === 'BreadcrumbList') continue;
    for (const inner of Object.values(value)) if (values.length < MOST_VALUES) values.push(inner);
    const entry = Array.isArray(value) ? undefined : entryOf(value, base);
    if (entry?.key !== undefined && !found.has(entry.key)) found.set(entry.key, entry);
  }
  return found;
}

function entryOf(value: object, base: string): RawEntry | undefined {
  const types = [member(value, '@type')].flat();
  const title = text(value, 'headline') ?? text(value, 'name');
  const address = text(value, 'url') ?? text(value, 'mainEntityOfPage') ?? text(value, '@id');
  const url = URL.parse(address ?? '', base);
  if (
    !types.some((type) => TYPES.test(String(type))) ||
    title === undefined ||
    address === undefined ||
    url === null
  ) {
    return undefined;
  }
  url.hash = '';
  const image = text(value, 'image') ?? text(value, 'thumbnailUrl');
  return {
    key: url.href,
    titles: [{ value: title, markup: 'unknown' }],
    texts: [{ value: text(value, 'description') ?? '', markup: 'unknown' }],
    links: [{ href: url.href }],
    dates: [text(value, 'datePublished')].filter((date) => date !== undefined),
    images: image === undefined ? [] : [{ href: image }],
    languages: [text(value, 'inLanguage')].filter((language) => language !== undefined),
  };
}

function parsed(json: string): unknown[] {
  try {
    return [JSON.parse(json)];
  } catch {
    return [];
  }
}

function member(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

/** A text, the first of several, or the address of a thing. */
function text(value: object, name: string): string | undefined {
  const [given] = [member(value, name)].flat();
  if (typeof given === 'string') return given;
  if (typeof given !== 'object' || given === null) return undefined;
  return text(given, 'url') ?? text(given, '@id');
}
