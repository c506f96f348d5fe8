import { hash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { getDomain } from 'tldts';
import { canonicalUrl, canonicalUrls } from '../fields.ts';
import { type FeedEntry, MOST_NAMED, type ParsedFeed, repeatedEntry } from '../reading/feed.ts';
import type { Source } from '../reading/sources.ts';
import type { NewsTables } from '../tables.ts';

/** An editor's choice of the member that tells entries apart. */
export type Identity = Exclude<Source['identity'], 'auto'>;

/** The member that tells entries apart. */
type Said = Pick<FeedEntry, 'key' | 'sharedId' | 'id' | 'url' | 'title' | 'summary'>;

/** A stored entry; the address of its item may be another spelling of its own. */
interface KnownEntry {
  key: string;
  id: string;
  url: string;
  title: string;
  summary: string | null;
  canonical: string | null;
}

/** The feed with the first of the entries that an identity does not tell apart; the others are copies. */
export function distinctBy<Feed extends Pick<ParsedFeed, 'entries' | 'repeated' | 'leftOut'>>(
  identity: Source['identity'],
  feed: Feed,
): Feed {
  if (identity === 'auto') return feed;
  const first = new Map(feed.entries.toReversed().map((entry) => [nameOf(identity, entry), entry]));
  const kept = new Set(first.values());
  const copies = feed.entries.filter((entry) => !kept.has(entry));
  return {
    ...feed,
    entries: feed.entries.filter((entry) => kept.has(entry)),
    repeated: feed.repeated + copies.length,
    leftOut: [...feed.leftOut, ...copies.map(repeatedEntry)].slice(0, MOST_NAMED),
  };
}

/**
 * The entries under the keys of the stored ones that they are, by an identity: whatever told them apart when
 * they were stored, so another identity makes nothing new of what is known. A new one has the key that it
 * has without an identity, as far as that is free.
 */
export async function identifiedEntries(
  tx: Transaction<NewsTables>,
  sourceId: number,
  identity: Identity,
  given: readonly FeedEntry[],
): Promise<FeedEntry[]> {
  const stored = Map.groupBy(
    (await likeThese(tx, sourceId, given)).flatMap((row) =>
      namesOf(row).map((name): [string, KnownEntry] => [name, row]),
    ),
    ([name]) => name,
  );
  const taken = new Set<string>();
  const found = given.map((entry): [FeedEntry, string | undefined] => {
    const free = (stored.get(nameOf(identity, entry)) ?? [])
      .map(([, row]) => row)
      .filter(({ key }) => !taken.has(key));
    const row = free.toSorted((a, b) => alike(entry, b) - alike(entry, a))[0];
    if (row !== undefined) taken.add(row.key);
    return [entry, row?.key];
  });
  const fresh = found.flatMap(([entry, key]) => (key === undefined ? keysFor(entry) : []));
  for (const key of await usedKeys(tx, sourceId, fresh)) taken.add(key);
  return found.map(([entry, known]) => {
    const keys = keysFor(entry);
    const key = known ?? keys.find((one) => !taken.has(one)) ?? keys.at(-1) ?? entry.key;
    taken.add(key);
    return { ...entry, key, id: idOf(entry) };
  });
}

/** The number of members of an entry that are stored. */
function alike(entry: FeedEntry, { id, url, title, summary }: KnownEntry): number {
  const same = [id === idOf(entry), url === entry.url, title === entry.title, summary === entry.summary];
  return same.filter(Boolean).length;
}

function idOf({ key, sharedId, id }: Pick<Said, 'key' | 'sharedId' | 'id'>): string {
  return id ?? sharedId ?? key;
}

/** An address in one of its spellings; the place on its page counts. */
function linkOf(url: string): string {
  const anchor = anchorOf(url);
  return anchor === '' ? pageOf(url) : `${pageOf(url)}#${anchor}`;
}

/** The same for entries that an identity does not tell apart; without an id, the address counts for it. */
function nameOf(identity: Identity, entry: Said): string {
  const id = idOf(entry);
  if (identity === 'content') return JSON.stringify(['content', entry.title, entry.summary]);
  if (identity === 'link' || hasNoId({ key: id, url: entry.url }))
    return JSON.stringify(['link', linkOf(entry.url)]);
  return JSON.stringify(identity === 'guid' ? ['guid', id] : ['both', id, linkOf(entry.url)]);
}

/** The names of a stored entry by every identity. */
function namesOf({ id, url, title, summary, canonical }: KnownEntry): string[] {
  const links = [...new Set([linkOf(url), canonical ?? linkOf(url)])];
  return [
    ['content', title, summary],
    ['guid', id],
    ...links.flatMap((link) => [
      ['link', link],
      ['both', id, link],
    ]),
  ].map((name) => JSON.stringify(name));
}

/** The keys that a new entry may have, the one that it has without an identity first. */
function keysFor(entry: FeedEntry): string[] {
  const { url, title, summary } = entry;
  const id = idOf(entry);
  const own = [
    [id, url],
    [id, url, title],
    [id, url, title, summary],
  ];
  return [id, ...own.map((members) => hash('sha256', JSON.stringify(members)))];
}

/** Stored entries with the id, the address or the title of one of these, the last that was seen first. */
async function likeThese(
  tx: Transaction<NewsTables>,
  sourceId: number,
  given: readonly FeedEntry[],
): Promise<KnownEntry[]> {
  const { rows } = await sql<KnownEntry>`
    select known.key, coalesce(entry ->> 'id', entry ->> 'sharedId', known.key) as id, entry ->> 'url' as url,
      entry ->> 'title' as title, entry ->> 'summary' as summary, item.canonical_url as canonical
    from news.source_entry as known left join news.item on item.id = known.item_id and known.owns_item
    where source_id = ${sourceId} and (
      coalesce(entry ->> 'id', entry ->> 'sharedId', known.key) = any(${given.map(idOf)})
      or entry ->> 'url' = any(${given.map(({ url }) => url)})
      or entry ->> 'title' = any(${given.map(({ title }) => title)})
      or item.canonical_url = any(${given.map(({ url }) => linkOf(url))})
    )
    order by last_seen_at desc, known.key
  `.execute(tx);
  return rows;
}

async function usedKeys(tx: Transaction<NewsTables>, sourceId: number, keys: readonly string[]) {
  const rows = await tx
    .selectFrom('news.source_entry')
    .select('key')
    .where('source_id', '=', sourceId)
    .where('key', '=', sql<string>`any(${keys})`)
    .execute();
  return rows.map(({ key }) => key);
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
 * have the same list, so it does not matter which of them came first, but for those of earlier versions.
 */
export function articleSpellings(address: string): string[] {
  return [...new Set(canonicalUrls(address).flatMap(spellingsAt))];
}

function spellingsAt(own: string): string[] {
  const copied = AMP_COPY.exec(own)?.[1];
  const isCopy = copied !== undefined && URL.canParse(`https://${copied}`);
  const page = isCopy ? canonicalUrl(`https://${copied}`) : own;
  const [, host = '', rest = ''] = /^([^/?#]*)(.*)$/.exec(page) ?? [];
  const hosts = hostSpellings(host);
  const [plain = '', ...amp] = pathSpellings(rest);
  const pages = hosts.flatMap((one) => [plain, ...amp].map((path) => `${one}${path}`));
  const copies = hosts.flatMap((one) => [plain, ...amp].flatMap((path) => copiesOf(one, path)));
  // A rare spelling is found by itself at least.
  return [...pages.slice(0, 1), own, ...pages, ...copies];
}

/**
 * The canonical URLs under which an article or a part of a page may be known; a part has the plain one, with
 * a fragment that names it.
 */
export function spellingsOf({ url, part }: { url: string; part?: string | undefined }): string[] {
  if (part === undefined) return articleSpellings(url);
  const plain = canonicalUrls(url).map((one) => spellingsAt(one)[0]);
  return [...new Set(plain.map((one) => `${one}#${part}`))];
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

/** The page of an article, in its plain spelling. */
export function pageOf(url: string): string {
  return articleSpellings(url)[0] ?? url;
}

/** The most characters of an anchor that names a part; a longer one is hashed. */
const MOST_ANCHOR = 100;

/** The place on its page that an address names; empty if it names none. */
export function anchorOf(url: string): string {
  const anchor = new URL(url).hash.slice(1);
  return anchor.length <= MOST_ANCHOR ? anchor : hash('sha256', anchor).slice(0, 16);
}

/** True if the feed knows the entry by its address alone. */
export function hasNoId({ key, url }: { key: string; url: string }): boolean {
  return URL.canParse(key) && pageOf(key) === pageOf(url);
}
