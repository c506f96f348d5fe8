import { convert, type HtmlToTextOptions } from 'html-to-text';

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
    { selector: 'table', format: 'block' },
    { selector: 'ul', options: { itemPrefix: '' } },
  ],
};

/**
 * Looks like a tag, a comment or a reference: the text was meant as HTML. A tag ends before the next one, so
 * that text with many tags that are never closed is not searched to its end for each.
 */
const HTML = /<\/?[a-z!][^<>]*>|&(#\d+|#x[\da-f]+|[a-z][a-z\d]*);/i;

/**
 * What neither JSON clients, nor XML, nor PostgreSQL take (control characters, unpaired surrogates and what
 * is not a character), and what deceives readers: characters that turn the direction of text around or that
 * hide in it. Joiners and direction marks stay, which scripts and emoji need.
 */
const UNUSABLE =
  /(?!\s)\p{Cc}|\p{Cs}|\p{Noncharacter_Code_Point}|[\u{ad}\u{180e}\u{200b}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/gu;

/**
 * The words of HTML as one line. Text without markup stays as it is, apart from its white space. HTML that
 * was escaped twice, as in many feeds, is unpacked twice.
 */
export function plainText(html: string): string {
  let text = html;
  for (let round = 0; round < 2 && HTML.test(text); round += 1)
    text = convert(cutText(text, MOST_HTML), OPTIONS);
  return text.replace(UNUSABLE, '').replace(/\s+/g, ' ').trim();
}

/** At most `most` UTF-16 code units of a text, without half a character at the end. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(/\p{Cs}$/u, '');
}
