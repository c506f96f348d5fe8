import { convert, type HtmlToTextOptions } from 'html-to-text';

/** Everything but the words is dropped: a summary has no links, images, tables or headings. */
const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxInputLength: 200_000, maxDepth: 100, maxChildNodes: 5000 },
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

/** Looks like a tag, a comment or a reference: the text was meant as HTML. */
const HTML = /<\/?[a-z!][^>]*>|&(#\d+|#x[\da-f]+|[a-z][a-z\d]*);/i;

/** Control characters and unpaired surrogates, which neither JSON clients nor PostgreSQL take. */
const UNUSABLE = /\p{Cc}|\p{Cs}/gu;

/**
 * The words of HTML as one line. Text without markup stays as it is, apart from its white space. HTML that
 * was escaped twice, as in many feeds, is unpacked twice.
 */
export function plainText(html: string): string {
  let text = html;
  for (let round = 0; round < 2 && HTML.test(text); round += 1) text = convert(text, OPTIONS);
  return text.replace(/\s+/g, ' ').replace(UNUSABLE, '').trim();
}
