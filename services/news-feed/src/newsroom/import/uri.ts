const PERCENT = '%[0-9a-f]{2}';
const REG_NAME = `(?:[a-z0-9._~!$&'()*+,;=-]|${PERCENT})`;
const PCHAR = `(?:[a-z0-9._~!$&'()*+,;=:@-]|${PERCENT})`;
const AUTHORITY = `(?:(?:${REG_NAME}|:)*@)?(?:\\[[0-9a-f:.]+\\]|${REG_NAME}+)(?::\\d*)?`;

const URI = new RegExp(
  `^https?://${AUTHORITY}(?:/${PCHAR}*)*(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?$`,
  'i',
);

/**
 * Whether `text` is an http or https URI (RFC 3986): what answers promise with `format: uri`. A browser takes
 * more, such as characters that are not ASCII, which a URI has percent-encoded.
 */
export function isWebUri(text: string): boolean {
  return URI.test(text) && URL.canParse(text);
}
