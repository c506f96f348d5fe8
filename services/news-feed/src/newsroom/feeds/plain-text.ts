import { shallowHtml } from '@pressroom/common/html/shallow-html';
import { decodeHTMLStrict } from 'entities';
import { convert, type HtmlToTextOptions } from 'html-to-text';

/** A text, and whether its tags and references are markup. */
export interface MarkedText {
  value: string;
  /** `unknown`: its format does not say, and what it contains decides. */
  markup: 'none' | 'html' | 'unknown';
}

/** The most characters of HTML that are read. */
const MOST_HTML = 200_000;

/** Everything but the words is dropped: a summary has no links, images, tables or headings. */
const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxDepth: 100, maxChildNodes: 5000 },
  selectors: [
    { selector: 'a', options: { ignoreHref: true } },
    ...['img', 'script', 'style', 'noscript', 'iframe', 'svg', 'figure', 'video', 'audio', 'form'].map(
      (selector) => ({ selector, format: 'skip' }),
    ),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
      selector,
      options: { uppercase: false },
    })),
    // Without the marks that plain text would draw in their place.
    ...['table', 'ul', 'ol', 'li', 'blockquote'].map((selector) => ({ selector, format: 'block' })),
    { selector: 'hr', format: 'lineBreak' },
  ],
};

/** A tag. It ends before the next one, so that text full of tags that are never closed is searched once. */
const TAG = /<(\/?)([a-z][\w:-]*)(\s[^<>]*|\/)?>/gi;

/** Tags that stand alone, whether or not they have attributes. */
const ALONE = ['br', 'hr', 'p'];

/** An attribute that has a value. */
const ATTRIBUTE = /\s[a-z][\w:-]*=["'\w./#]/i;

const REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);/gi;

/**
 * What neither JSON clients, nor XML, nor PostgreSQL take (control characters, unpaired surrogates and what
 * is not a character), and what deceives readers: characters that turn the direction of text around or that
 * hide in it. Joiners and direction marks stay, which scripts and emoji need.
 */
const UNUSABLE =
  /(?!\s)\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}|[\u{ad}\u{180e}\u{200b}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/gu;

/** Control characters that no text has: quotes and dashes of windows-1252 that nothing has converted. */
const C1 = /[\u{80}-\u{9f}]/gu;

const WINDOWS_1252 = new TextDecoder('windows-1252');

/** The words of a text as one line. */
export function plainText({ value, markup }: MarkedText): string {
  const isHtml = markup === 'html' || (markup === 'unknown' && looksLikeHtml(value));
  const text =
    isHtml && /[<&]/.test(value) ? convert(shallowHtml(cutText(value, MOST_HTML)), OPTIONS) : value;
  const typed = text.replace(C1, (control) => WINDOWS_1252.decode(Buffer.from(control, 'latin1')));
  return typed.replace(UNUSABLE, '').replace(/\s+/g, ' ').trim();
}

/**
 * Whether a text was written as HTML and not as one that mentions a tag: it has a reference, or a tag with an
 * attribute, or an element that is closed, or a line break or a paragraph.
 */
export function looksLikeHtml(text: string): boolean {
  const open = new Set<string>();
  for (const [, slash, tag = '', rest = ''] of text.matchAll(TAG)) {
    const name = tag.toLowerCase();
    if (slash === '/' ? open.has(name) : ALONE.includes(name) || ATTRIBUTE.test(rest)) return true;
    open.add(name);
  }
  return (
    text.includes('<!--') ||
    Array.from(text.matchAll(REFERENCE)).some(([found]) => decodeHTMLStrict(found) !== found)
  );
}

/** At most `most` UTF-16 code units of a text, without half a character at the end. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/\p{Cs}$/u, '');
}
