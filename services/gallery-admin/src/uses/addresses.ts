/** Where an address ends: marks before that belong to the HTML or CSS around it. */
const END = `(?=[',);]*(?:["<>?#\\s]|$))`;

/**
 * Changes the addresses of media in a text, HTML or a single address: those of the file `from`, or of all
 * files in the folder `from` if it ends with `/`, lead to `to`. Their hosts, versions and queries stay.
 */
export function withMoved(text: string, from: string, to: string): string {
  const spellings = [...new Set(spellingsOf(from))].map(escaped).join('|');
  const address = new RegExp(
    `(/media/(?:v[0-9a-f]{12}/)?)(?:${spellings})${from.endsWith('/') ? '' : END}`,
    'g',
  );
  return text.replaceAll(address, (_, start: string) => `${start}${encoded(to)}`);
}

/** A path as addresses may have it, as the filter `media` of the content service finds it. */
function spellingsOf(path: string): string[] {
  const spellings = [path, encodeURI(path), path.split('/').map(encodeURIComponent).join('/'), encoded(path)];
  const inLowerCase = spellings.map((one) => one.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()));
  return [...spellings, ...inLowerCase].flatMap((one) => [one, one.replaceAll('&', '&amp;')]);
}

/** A path in an address (RFC 3986: all but unreserved characters and `/` are percent-encoded). */
function encoded(path: string): string {
  return encodeURIComponent(path)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
