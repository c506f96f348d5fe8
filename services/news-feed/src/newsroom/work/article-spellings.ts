import { getDomain } from 'tldts';
import { canonicalUrl } from '../editing/canonical-url.ts';

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
  // What is before the registered domain: `m.example` itself is not a mobile host.
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

/** What follows the host, in the plain page first, then in AMP pages. */
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
