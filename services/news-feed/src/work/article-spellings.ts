import { hash } from 'node:crypto';
import { getDomain } from 'tldts';
import { canonicalUrl, canonicalUrls } from '../fields.ts';

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
