import { canonicalUrl } from '../editing/canonical-url.ts';

/** Hosts on which sites show the same articles to telephones; a domain of two labels is not one of them. */
const MOBILE_HOST = /^(?:m|mobile|amp)\.(?=[^./]+\.[^/]+)/;

/** The address of an article in Google's copies of AMP pages: `/c/s/host/path`, `/amp/s/host/path`. */
const AMP_COPY =
  /^(?:[^/]+\.cdn\.ampproject\.org\/[cv]|www\.google\.[a-z.]+\/amp)\/(?:s\/)?([^/]+\.[^/]+\/.+)$/;

/** The last segment of the path of an AMP page that has other segments. */
const AMP_PATH = /^([^/?#]+\/[^?#]+)\/amp$/;

/**
 * The canonical URLs under which an article may be known: the plain one first, then those of its mobile and
 * AMP pages. An item with any of them is the same article.
 */
export function articleSpellings(address: string): string[] {
  const own = canonicalUrl(address);
  const copied = AMP_COPY.exec(own)?.[1];
  const page = copied === undefined ? own : canonicalUrl(`https://${copied}`);
  const plain = page.replace(MOBILE_HOST, '').replace(AMP_PATH, '$1');
  const mobile = ['m', 'mobile', 'amp'].map((prefix) => `${prefix}.${plain}`);
  return [...new Set([plain, own, ...mobile, `${plain}/amp`])];
}
