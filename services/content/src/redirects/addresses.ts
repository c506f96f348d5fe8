import { isWebUri, webUri } from '@pressroom/common/fields/fields';

/** The longest address, as a URI. */
export const MOST_CHARACTERS = 2000;

const ANY_SITE = 'http://site.invalid';

/** Characters that stay encoded: ASCII that means something there, and what nobody can see. */
const ENCODED = {
  path: /(?![-\w.~!$&'()*+,;=:@])\p{ASCII}|[^\p{ASCII}\p{L}\p{M}\p{N}\p{P}\p{S}]/gu,
  query: /(?![-\w.~])\p{ASCII}|[^\p{ASCII}\p{L}\p{M}\p{N}\p{P}\p{S}]/gu,
};

/**
 * The one spelling of an address of the site: its path and query without a slash at the end of the path, the
 * characters that need no encoding as themselves, in NFC. Undefined for what is no address.
 */
export function siteAddress(text: string): string | undefined {
  const url = onSite(text);
  if (url === undefined) return undefined;
  const address = `${readable(url.pathname, 'path').replace(/(?<=.)\/$/, '')}${readable(url.search, 'query')}`;
  return asUri(address).length <= MOST_CHARACTERS ? address : undefined;
}

/** An address of the site as a URI has it. */
export function asUri(address: string): string {
  return address.replace(/\P{ASCII}+/gu, encodeURIComponent);
}

/**
 * The one spelling of an address that a redirect leads to, a URI: a path of the site or an absolute http or
 * https address. Undefined for anything else, such as the `//host` that browsers take for another site.
 */
export function targetAddress(text: string): string | undefined {
  const isPath = text.startsWith('/');
  if (!isPath && !/^https?:\/\//i.test(text)) return undefined;
  const url = isPath ? onSite(text) : (URL.parse(escapedPercents(text)) ?? undefined);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  const uri = webUri(url);
  const target = isPath ? uri.slice(ANY_SITE.length) : uri;
  return isWebUri(uri) && !target.startsWith('//') && target.length <= MOST_CHARACTERS ? target : undefined;
}

/** The address without its query. */
export function withoutQuery(address: string): string {
  return address.replace(/\?.*$/s, '') || '/';
}

function onSite(text: string): URL | undefined {
  return (text.startsWith('/') && URL.parse(ANY_SITE + escapedPercents(text))) || undefined;
}

/** A sign that encodes nothing stands for itself. */
function escapedPercents(text: string): string {
  return text.replace(/%(?![0-9a-f]{2})/gi, '%25');
}

function readable(part: string, where: keyof typeof ENCODED): string {
  return part
    .replace(/["<>\\^`{|}[\]]/g, encodeURIComponent)
    .replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
      try {
        return decodeURIComponent(encoded).replace(ENCODED[where], encodeURIComponent);
      } catch {
        return encoded.toUpperCase();
      }
    })
    .normalize('NFC');
}
