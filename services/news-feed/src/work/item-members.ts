import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { getDomain } from 'tldts';
import { canonicalUrl, type ItemChange, type ItemInput } from '../editing/item-input.ts';
import type { Judgement } from '../judging/judge.ts';
import type { FeedEntry } from '../reading/feed.ts';
import type { Source } from '../reading/sources.ts';
import type { StoredEntry } from './entries.ts';

/** The members of an item that the worker writes, and writes again when the source changes its entry. */
export type WrittenMembers = Required<
  Pick<
    ItemChange,
    | 'title'
    | 'originalTitle'
    | 'summary'
    | 'category'
    | 'score'
    | 'selected'
    | 'reason'
    | 'directions'
    | 'language'
  >
> &
  // Absent where the page that shows it could not be read this time.
  Pick<ItemChange, 'image'>;

/** Builds an item from an entry and its judgement. */
export function writtenMembers(entry: StoredEntry, judgement: Judgement): WrittenMembers {
  const { title, summary, category, score, selected, reason, directions } = judgement;
  return {
    title: title ?? entry.title,
    originalTitle: title === undefined || title === entry.title ? null : entry.title,
    summary: summary ?? entry.summary,
    category,
    score,
    selected,
    reason: reason === '' ? null : reason,
    directions: [...directions],
    language: entry.language,
    ...(entry.image !== undefined && { image: entry.image }),
  };
}

/** The values of an item that an entry makes. */
export type NewItem = ItemInput & { id: string };

export function newItem(
  entry: StoredEntry,
  members: WrittenMembers,
  source: Source,
  discoveredAt: Date,
): NewItem {
  return {
    id: itemId(
      entry.part === undefined ? canonicalUrl(entry.url) : `${canonicalUrl(entry.url)}#${entry.part}`,
      discoveredAt,
    ),
    ...members,
    source: { name: source.name, firstParty: source.first_party },
    links: { original: entry.url },
    publishedAt: new Date(entry.publishedAt),
    discoveredAt,
  };
}

/** The members of an existing item, under the names of its input. */
type CurrentMembers = WrittenMembers;

/**
 * Returns the members to update after an edit at the source: those still as the worker last wrote them.
 * Changes by an editor stay.
 */
export function changedMembers(
  current: CurrentMembers,
  written: Partial<WrittenMembers>,
  latest: WrittenMembers,
): Partial<ItemInput> {
  const names = Object.keys(latest) as (keyof WrittenMembers)[];
  const changed = names.filter(
    (name) => same(current[name], written[name]) && !same(current[name], latest[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, latest[name]]));
}

function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a ?? null, b ?? null);
}

/**
 * The id of a new item: a UUID of version 8 (RFC 9562) from the time of discovery and the canonical address.
 * Ids decide between equals in rankings and reports, so the same feeds always end in the same news.
 */
export function itemId(canonicalUrl: string, discoveredAt: Date): string {
  const time = discoveredAt.getTime().toString(16).padStart(12, '0').slice(-12);
  const digits = hash('sha256', canonicalUrl);
  const variant = ((Number.parseInt(digits.slice(3, 4), 16) & 0b0011) | 0b1000).toString(16);
  const parts = [
    time.slice(0, 8),
    time.slice(8),
    `8${digits.slice(0, 3)}`,
    `${variant}${digits.slice(4, 7)}`,
  ];
  return [...parts, digits.slice(7, 19)].join('-');
}

/**
 * The registered domain of a host, by the Public Suffix List, as sites of one owner share it; sites on a host
 * like `github.io` are of different owners. A host without a domain stands for itself.
 */
export function siteOf({ host, hostname }: URL): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? host;
}

/** Names of hosts on which sites show the same articles, most of them to telephones. */
const MOBILE = ['m', 'mobile', 'amp'];

/** The address of an article in Google's copies of AMP pages: `/c/s/host/path`, `/amp/s/host/path`. */
const AMP_COPY =
  /^(?:[^/]+\.cdn\.ampproject\.org\/[cv]|www\.google\.[a-z.]+\/amp)\/(?:s\/)?([^/]+\.[^/]+\/.+)$/;

/** The last segment of the path of an AMP page that has other segments. */
const AMP_PATH = /^(\/[^?#]+)\/amp(?=[?#]|$)/;

/** The parameter that asks for an AMP page. */
const AMP_PARAMETER = /(?<=[?&])amp(?:=(?:1|true)?)?(?:&|(?=#|$))/;

/**
 * The canonical URLs under which an article may be known: the plain one first, then those of its other hosts,
 * of its AMP pages and of their copies. An item with any of them is the same article. All that are listed
 * have the same list, so it does not matter which of them came first.
 */
export function articleSpellings(address: string): string[] {
  const own = canonicalUrl(address);
  const copied = AMP_COPY.exec(own)?.[1];
  const isCopy = copied !== undefined && URL.canParse(`https://${copied}`);
  const page = isCopy ? canonicalUrl(`https://${copied}`) : own;
  const [, host = '', rest = ''] = /^([^/?#]*)(.*)$/.exec(page) ?? [];
  const hosts = hostSpellings(host);
  const [plain = '', ...amp] = pathSpellings(rest);
  const pages = hosts.flatMap((one) => [plain, ...amp].map((path) => `${one}${path}`));
  const copies = hosts.flatMap((one) => [plain, ...amp].flatMap((path) => copiesOf(one, path)));
  // A rare spelling is found by itself at least.
  return [...new Set([...pages.slice(0, 1), own, ...pages, ...copies])];
}

/**
 * The canonical URLs under which an article or a part of a page may be known; a part has one, whose fragment
 * names it.
 */
export function spellingsOf({ url, part }: { url: string; part?: string | undefined }): string[] {
  const spellings = articleSpellings(url);
  return part === undefined ? spellings : [`${spellings[0]}#${part}`];
}

/** The names of a host, the plain one first: without `www`, `m`, `mobile` and `amp`. */
function hostSpellings(host: string): string[] {
  const { hostname } = new URL(`https://${host}`);
  // The part before the registered domain: `m.example` itself is not a mobile host.
  const domain = getDomain(hostname, { allowPrivateDomains: true });
  if (domain === null) return [host];
  const names = hostname.slice(0, -domain.length).split('.').slice(0, -1);
  const [first, ...others] = (names[0] === 'www' ? names.slice(1) : names).filter(
    (name) => !MOBILE.includes(name),
  );
  const site = `${domain}${host.slice(hostname.length)}`;
  const plain = [...(first === undefined ? [] : [first]), ...others, site].join('.');
  const within = first === undefined ? [] : [[first, 'm', ...others, site].join('.')];
  return [plain, ...['www', ...MOBILE].map((name) => `${name}.${plain}`), ...within];
}

/** Paths of one article after the host: those of the plain page, then those of AMP pages. */
function pathSpellings(rest: string): string[] {
  const plain = rest
    .replace(AMP_PATH, '$1')
    .replace(AMP_PARAMETER, '')
    .replace(/[?&](?=#|$)/, '');
  const [, path = '', search = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(.*)$/.exec(plain) ?? [];
  if (path === '') return [plain];
  const parameter = `${search === '' ? '?' : `${search}&`}amp=1`;
  return [plain, `${path}/amp${search}${fragment}`, `${path}${parameter}${fragment}`];
}

/** The copies of a page that Google keeps. */
function copiesOf(host: string, path: string): string[] {
  const name = host.replaceAll('-', '--').replaceAll('.', '-');
  return [`${name}.cdn.ampproject.org/c/s/${host}${path}`, `www.google.com/amp/s/${host}${path}`];
}

/** The most characters of an anchor that names a part; a longer one is hashed. */
const MOST_ANCHOR = 100;

/**
 * Tells the entries of one page apart, by the entry's key, where they say different things, such as the notes
 * of a release or the messages of a status page: in one document, under other anchors `before`, or where the
 * page is the `home` of all.
 */
export function partsOf(
  entries: readonly FeedEntry[],
  home: string,
  before: readonly string[] = [],
): Map<string, string> {
  const parts = new Map<string, string>();
  const pages = Map.groupBy(entries, ({ url }) => pageOf(url));
  const known = Map.groupBy(before, pageOf);
  for (const [page, sharing] of pages) {
    const isShared = page === pageOf(home) || hasOther(known.get(page), sharing[0]);
    // Most pages are those of one entry.
    if (sharing.length === 1 && !isShared) continue;
    const contents = [...Map.groupBy(sharing, contentOf).values()];
    if (contents.length === 1 && !isShared) continue;
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

function pageOf(url: string): string {
  return articleSpellings(url)[0] ?? url;
}

/** True if a page was known by another anchor than that of an entry. */
function hasOther(known: readonly string[] = [], entry: FeedEntry | undefined): boolean {
  const own = anchorOf(entry?.url ?? '');
  return known.map(anchorOf).some((anchor) => anchor !== '' && anchor !== own);
}

function contentOf({ title, summary, publishedAt }: FeedEntry): string {
  return JSON.stringify([title, summary, publishedAt]);
}

function anchorOf(url: string): string {
  const anchor = new URL(url).hash.slice(1);
  return anchor.length <= MOST_ANCHOR ? anchor : hash('sha256', anchor).slice(0, 16);
}
