import { isPublicAddress, literalAddress } from '@pressroom/common/fetching/guarded-agents';
import { webUri } from '@pressroom/common/fields/fields';

/** The picture of an item; what is not known is absent. */
export interface Image {
  url: string;
  /** In pixels. */
  width?: number;
  height?: number;
  /** Describes the picture for readers who do not see it. */
  alt?: string;
}

/** The most characters of an image's address. */
export const MAX_IMAGE_URL = 2048;

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
