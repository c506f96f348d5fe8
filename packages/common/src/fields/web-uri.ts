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
