const PERCENT = '%[0-9a-f]{2}';
const REG_NAME = `(?:[a-z0-9._~!$&'()*+,;=-]|${PERCENT})`;
const PCHAR = `(?:[a-z0-9._~!$&'()*+,;=:@-]|${PERCENT})`;
const AUTHORITY = `(?:\\[[0-9a-f:.]+\\]|${REG_NAME}+)(?::\\d*)?`;

const URI = new RegExp(
  `^https?://${AUTHORITY}(?:/${PCHAR}*)*(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?$`,
  'i',
);

/**
 * Whether `text` is an http or https URI (RFC 3986) without a user name or password: the answers declare
 * `format: uri`. Browsers accept more, such as non-ASCII characters, which a URI must percent-encode.
 */
export function isWebUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}

/** Characters that browsers accept in an address and RFC 3986 does not. */
const NOT_URI = /[\s"<>\\^`{|}[\]]/g;

/** The address as a URI, which {@link isWebUri} takes. */
export function webUri({ origin, href }: URL): string {
  const rest = href.slice(origin.length);
  return origin + rest.replace(NOT_URI, (character) => encodeURIComponent(character));
}
