import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

/** What no title may have: controls, and marks that turn the text after them around. */
const UNSEEN = /(?!\s)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** The text of HTML on one line, as a title or excerpt needs it. */
export function plainText(html: string): string {
  return textOf(parseFragment(html)).replaceAll(UNSEEN, '').replaceAll(/\s+/g, ' ').trim();
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ('value' in node) return node.value;
  if (!('childNodes' in node) || /^(?:script|style)$/.test(node.nodeName)) return '';
  const text = node.childNodes.map(textOf).join('');
  return /^(?:p|div|h[1-6]|li|br|figure|blockquote|tr)$/.test(node.nodeName) ? ` ${text} ` : text;
}
