import chardet from 'chardet';
import htmlEncodingSniffer from 'html-encoding-sniffer';

/** The declaration at the head of an XML document that is ASCII so far. */
const XML_ENCODING = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

/** The labels of the only encoding of the web whose bytes are always valid UTF-8 (Encoding Standard, 4.2). */
const ISO_2022_JP = /^(csiso2022jp|iso-2022-jp)$/i;

/** Names that the Encoding Standard lacks, as programs write them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp936: 'gbk',
  'gb_18030-2000': 'gb18030',
  'gb18030-2000': 'gb18030',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  uhc: 'euc-kr',
  cp950: 'big5',
  'win-1251': 'windows-1251',
  'win-1252': 'windows-1252',
};

/** Charsets that servers declare by default, whatever they send. */
const DEFAULTS = /^(?:iso-8859-1|latin1|us-ascii|ascii|windows-1252)$/i;

/** Bytes of the head that are searched for a declaration. */
const HEAD_BYTES = 1024;

/** Bytes from which a charset is guessed if nothing names one. */
const GUESSED_BYTES = 100_000;

/** The parameter of a `Content-Type` that names the charset. */
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i;

/**
 * Decodes a feed or a page. A byte order mark decides; then the charset of `Content-Type`, the XML
 * declaration, or HTML's `meta`. A charset that contradicts the bytes is passed over: what is valid UTF-8 is
 * UTF-8, unless it is said to be ISO-2022-JP, and what nothing names is guessed.
 */
export function decodeDocument(bytes: Buffer, contentType: string | undefined): string {
  const said = CHARSET.exec(contentType ?? '')?.[1];
  const own = declaredIn(bytes);
  const declared = (DEFAULTS.test(said ?? '') ? [own, said] : [said, own]).flatMap((label) => label ?? []);
  const mark = byteOrderMark(bytes);
  if (mark !== undefined) return decodeAs(mark, bytes, false) ?? '';
  const sniffed = htmlEncodingSniffer(bytes, { defaultEncoding: 'windows-1252' });
  const sevenBit = [...declared, sniffed].filter((label) => ISO_2022_JP.test(label));
  // Most wrong charsets are a server's default over a feed that is UTF-8.
  for (const label of [...sevenBit, 'utf-8', ...declared]) {
    const text = decodeAs(label, bytes, true);
    if (text !== undefined) return text;
  }
  const guessed = /^(?:windows-1252|utf-8)$/i.test(sniffed) ? guessEncoding(bytes) : sniffed;
  return decodeAs(guessed, bytes, false) ?? decodeAs('windows-1252', bytes, false) ?? '';
}

/** The encoding of a text in which nothing names one that fits, by how its words look without their tags. */
function guessEncoding(bytes: Buffer): string {
  const words = bytes
    .subarray(0, GUESSED_BYTES)
    .toString('latin1')
    .replace(/<[^<>]*>/g, ' ');
  return chardet.detect(Buffer.from(words, 'latin1')) ?? 'windows-1252';
}

/** The charset's label in an XML declaration. */
function declaredIn(bytes: Buffer): string | undefined {
  return XML_ENCODING.exec(bytes.subarray(0, HEAD_BYTES).toString('latin1'))?.[1];
}

/** The encoding that a byte order mark shows, or the null bytes of UTF-16 without one. */
function byteOrderMark(bytes: Buffer): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return 'utf-16le';
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return 'utf-16be';
  return undefined;
}

/** The text, or undefined for an unknown label, and for bytes that are invalid if they are `checked`. */
function decodeAs(label: string, bytes: Buffer, checked: boolean): string | undefined {
  try {
    const name = OTHER_NAMES[label.toLowerCase()] ?? label;
    return new TextDecoder(name, { fatal: checked }).decode(bytes);
  } catch {
    return undefined;
  }
}
