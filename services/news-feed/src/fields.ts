import { isPublicAddress, literalAddress } from '@pressroom/common/fetching/public-address';
import { isTracking, requiredText, webUri } from '@pressroom/common/fields/fields';
import { z } from 'zod';

/** The picture of an item; unknown members are absent. */
export interface Image {
  url: string;
  /** In pixels. */
  width?: number;
  height?: number;
  /** Describes the picture for readers who do not see it. */
  alt?: string;
}

/** A file that comes with an item, such as a recording; unknown members are absent. */
export interface Enclosure {
  url: string;
  /** Its media type. */
  type: string;
  /** In bytes. */
  length?: number;
  /** In seconds. */
  duration?: number;
}

/** The most characters of an image's address. */
export const MAX_IMAGE_URL = 2048;

/** The most authors, tags and enclosures of an item, and the most characters of each. */
export const MOST_CREDITS = { authors: 10, tags: 20, enclosures: 10, name: 100, url: 2048 };

/** The largest length and the longest duration that files can have: a terabyte, and 30 days. */
export const LARGEST_FILE = { length: 10 ** 12, duration: 30 * 86_400 };

/** An article published this long before its discovery is back-filled, in ms: `item.timeline_at`. */
export const BACK_FILLED_MS = 72 * 60 * 60 * 1000;

/** The longest address of a source, in bytes. */
export const MAX_SOURCE_URL_BYTES = 2048;

/** The longest title, in characters. */
export const MAX_TITLE = 1000;

/** The longest summary, digest or reason, in characters. */
export const MAX_TEXT = 100_000;

/** The longest note of a correction, in characters. */
const MAX_CORRECTION = 2000;

/** The note that says what was wrong; null if nothing was. */
export const correctionNote = requiredText(MAX_CORRECTION)
  .nullable()
  .describe('What was wrong with it, for its readers; null if nothing was.');

/** The id of an item: a path segment of the item's page. */
export const itemId = z
  .string('must be a string')
  .regex(/^[!-.0-~]{1,128}$/, 'must be 1 to 128 visible ASCII characters other than /')
  .refine((value) => value !== '.' && value !== '..', 'must not be . or ..');

/** A `publicId`: it is a path segment. */
export const storyId = z
  .string('must be a string')
  .regex(/^[A-Za-z0-9._~-]{1,128}$/, 'must be 1 to 128 of the characters A–Z a–z 0–9 . _ ~ -')
  .refine((value) => value !== '.' && value !== '..', 'must not be . or ..');

/** A point in time with its offset, to the millisecond; finer digits are dropped. */
export const time = z.iso
  .datetime({ offset: true, error: 'must be a time with its offset, such as 2026-11-20T08:00:00Z' })
  .refine((value) => new Date(value).getTime() >= 0, 'must not be before 1970')
  .transform((value) => new Date(value));

/** The topics of each list of a ranking; beyond them, it has only the hottest of each category. */
export const RANKED_TOPICS = 50;

/** The form of a category's name. */
export const CATEGORY_PATTERN = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** The schema of a category that items may have when it is asked; descriptions have the form of its name. */
export function categoryName(vocabulary: { categories: readonly string[]; offered: readonly string[] }) {
  const error = () => `must be one of ${vocabulary.offered.join(', ')}`;
  return z
    .string({ error })
    .refine((value) => vocabulary.categories.includes(value), {
      error,
      params: { code: 'invalid_value' },
    })
    .meta({ pattern: CATEGORY_PATTERN.source });
}

/** Names that mean something only inside a network. */
const LOCAL_NAME = /^[^.]*$|(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa|onion)$/;

/**
 * The address of an image as the answers show it, without a fragment; undefined unless it is https and
 * public, as far as an address alone can tell: nothing is fetched.
 */
export function imageUrl(address: string, base?: string): string | undefined {
  const url = URL.parse(address.trim(), base);
  if (address.trim() === '' || url?.protocol !== 'https:') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const host = url.hostname.replace(/\.$/, '');
  const literal = literalAddress(host);
  if (literal === undefined ? LOCAL_NAME.test(host) : !isPublicAddress(literal)) return undefined;
  url.hash = '';
  const uri = webUri(url);
  return uri.length <= MAX_IMAGE_URL ? uri : undefined;
}

const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A language tag with its script, region and so on (BCP 47), but not `und` or `mul`. */
const TAG = /^(?!und|mul|mis|zxx)[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i;

/** The most characters of a tag: BCP 47, section 4.4.1. */
const MAX_TAG = 35;

/** A language tag of BCP 47 in its canonical form: `zh-hant_tw` is `zh-Hant-TW`; undefined if it is none. */
export function languageTag(text: string): string | undefined {
  const given = text.trim().replaceAll('_', '-');
  if (given.length > MAX_TAG || !TAG.test(given)) return undefined;
  try {
    const { baseName, language } = new Intl.Locale(given);
    return NAMES.of(language) === undefined ? undefined : baseName;
  } catch {
    return undefined;
  }
}

/** Percent-encodings of characters that do not need encoding (RFC 3986, section 2.3). */
const UNRESERVED = /%(4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a]|3[0-9]|2d|2e|5f|7e)/gi;

/**
 * The one spelling of a web address by which an article is recognised: syntax-based normalization (RFC 3986,
 * section 6.2.2), without the scheme, tracking parameters, a fragment (except `#!`, which names a page) or a
 * trailing slash. Parameters keep their order, because it may matter to a server. Throws a `TypeError` if the
 * text is not a URL.
 */
export function canonicalUrl(address: string): string {
  const { hostname } = new URL(address);
  const shared = namesSharedAt(hostname);
  return spelled(address, (parameter) => saysWhereFrom(parameter) || shared.has(nameOf(parameter)));
}

/**
 * The canonical URL, and the one of earlier versions, under which an item may be stored: they kept the
 * parameters of {@link SHARED_AT}.
 */
export function canonicalUrls(address: string): string[] {
  return [...new Set([canonicalUrl(address), spelled(address, saysWhereFrom)])];
}

function spelled(address: string, isLeftOut: (parameter: string) => boolean): string {
  const url = new URL(address);
  // Not by `searchParams`, which would spell the parameters that stay differently.
  const parameters = url.search.slice(1).split('&');
  // With its question mark: else one that begins the query would be taken for it, and be lost.
  url.search = `?${parameters.filter((parameter) => !isLeftOut(parameter)).join('&')}`;
  if (!url.hash.startsWith('#!')) url.hash = '';
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  return normalizeEscapes(`${url.host}${path}${url.search}${url.hash}`);
}

/**
 * Query values with which feeds mark their links under any name, such as `partner=rss`; journals add `af=R`.
 */
const FROM_FEED = /^(?:(?:rss|feed)(?:[-_.\d].*)?|R)$/i;

/** Names of parameters whose values choose the page. */
const READ = /^(?:q|p|id|page|slug|tag|topic|category|search|query|s|title|name|format|type)$/i;

function saysWhereFrom(parameter: string): boolean {
  const [[name, value] = ['', '']] = new URLSearchParams(parameter);
  if (isTracking(name) || /^rss$/i.test(name)) return true;
  if (value === 'R') return name === 'af';
  return FROM_FEED.test(value) && !READ.test(name);
}

/** Parameters that single sites add to addresses which readers share, and which say something elsewhere. */
const SHARED_AT: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  `
  aktualne.cz dop_ab_variant dop_source_zone_name dop_req_id dop_id sznclid
  bilibili.com spm_id_from from_source seid share_source share_medium share_plat share_tag share_session_id unique_k vd_source
  bloomberg.com srnd sref leadsource
  cnbc.com __source
  cnet.com ftag
  dailymail.co.uk ito
  diepresse.com from xt_at
  ft.com sharetype segmentid accesstoken ftcamp
  gamespot.com ftag
  hs.fi share
  linkedin.com refid trk trackingid
  medium.com source
  mp.weixin.qq.com chksm scene subscene sessionid clicktime enterid srcid mpshare sharer_shareinfo sharer_shareinfo_first sharer_sharetime sharer_shareid from isappinstalled poc_token
  newyorker.com source bxid cndid esrc
  nikkei.co.jp adid i_cid n_cid waad
  nikkei.com adid i_cid n_cid waad
  novinky.cz dop_ab_variant dop_source_zone_name dop_req_id dop_id source seq_no sznclid
  nytimes.com smid smtyp unlocked_article_code
  onet.pl srcc
  reddit.com correlation_id ref_campaign ref_source
  respekt.cz dop_ab_variant dop_source_zone_name dop_req_id dop_id sznclid
  reuters.com taid
  seznamzpravy.cz dop_ab_variant dop_source_zone_name dop_req_id dop_id source seq_no sznclid
  spiegel.de b
  swp.de source
  techcrunch.com sr sr_share
  theguardian.com cmp
  twitter.com s t
  washingtonpost.com itid pwapi_token
  wired.com intcid bxid cndid esrc source
  wsj.com mod reflink st
  x.com s t
  yle.fi origin
  youtu.be si feature
  youtube.com si feature
`
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '))
    .map(([site = '', ...names]) => [site, new Set(names)]),
);

const NONE: ReadonlySet<string> = new Set();

function namesSharedAt(hostname: string): ReadonlySet<string> {
  const labels = hostname.split('.');
  const sites = labels.map((_, index) => labels.slice(index).join('.'));
  return sites.map((site) => SHARED_AT.get(site)).find((names) => names !== undefined) ?? NONE;
}

function nameOf(parameter: string): string {
  const [[name] = ['']] = new URLSearchParams(parameter);
  return name.toLowerCase();
}

function normalizeEscapes(text: string): string {
  return text
    .replace(UNRESERVED, (escaped) => decodeURIComponent(escaped))
    .replace(/%[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase());
}
