import { isTracking } from '@pressroom/common/fields/fields';

/** Percent-encodings of characters that do not need encoding (RFC 3986, section 2.3). */
const UNRESERVED = /%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3[0-9]|2d|2e|5f|7e)/gi;

/**
 * The one spelling of a web address by which an article is recognised: syntax-based normalization (RFC 3986,
 * section 6.2.2), without the scheme, tracking parameters, a fragment (except `#!`, which names a page) or a
 * trailing slash. Parameters keep their order, because it may matter to a server. Throws a `TypeError` if the
 * text is not a URL.
 */
export function canonicalUrl(address: string): string {
  const url = new URL(address);
  // Not by `searchParams`, which would spell the parameters that stay differently.
  const parameters = url.search.slice(1).split('&');
  // With its question mark: else one that begins the query would be taken for it, and be lost.
  url.search = `?${parameters.filter((parameter) => !saysWhereFrom(parameter)).join('&')}`;
  if (!url.hash.startsWith('#!')) url.hash = '';
  const path = url.pathname.replace(/\/+$/, '');
  return normalizeEscapes(`${url.host}${path}${url.search}${url.hash}`);
}

/** What a feed adds to its links under any name, such as `partner=rss`; journals add `af=R`. */
const FROM_FEED = /^(?:(?:rss|feed)(?:[-_.\d].*)?|R)$/i;

/** Names whose values are part of what is read. */
const READ = /^(?:q|p|id|page|slug|tag|topic|category|search|query|s|title|name|format|type)$/i;

function saysWhereFrom(parameter: string): boolean {
  const [[name, value] = ['', '']] = new URLSearchParams(parameter);
  if (isTracking(name) || /^rss$/i.test(name)) return true;
  if (value === 'R') return name === 'af';
  return FROM_FEED.test(value) && !READ.test(name);
}

function normalizeEscapes(text: string): string {
  return text
    .replace(UNRESERVED, (escaped) => decodeURIComponent(escaped))
    .replace(/%[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase());
}
