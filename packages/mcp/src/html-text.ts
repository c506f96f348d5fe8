import { shallowHtml } from '@pressroom/common/html/shallow-html';
import { Parser } from 'htmlparser2';

/** Elements that begin and end a line. */
const LINES =
  /^(?:p|div|h[1-6]|li|br|hr|tr|pre|ul|ol|dl|dt|dd|table|figure|figcaption|blockquote|section|article)$/;

/** Elements whose text is not for readers. */
const HIDDEN = /^(?:script|style|template|noscript|iframe)$/;

/** The text of HTML, a paragraph a line. Comments, scripts and styles are not in it. */
export function htmlText(html: string): string {
  const parts: string[] = [];
  let hidden = 0;
  const edge = (name: string, inside: 1 | -1) => {
    if (HIDDEN.test(name)) hidden += inside;
    if (LINES.test(name)) parts.push('\n');
  };
  const parser = new Parser({
    ontext: (text) => void (hidden === 0 && parts.push(text)),
    onopentagname: (name) => edge(name, 1),
    onclosetag: (name) => edge(name, -1),
  });
  parser.end(shallowHtml(html));
  const lines = parts.join('').split('\n');
  return lines
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}
