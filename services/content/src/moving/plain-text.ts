import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

/** Characters that no title may have: controls, and marks that reverse the text after them. */
const UNSEEN = /(?!\s)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Elements that stand on lines of their own. */
const LINES = /^(?:p|div|h[1-6]|li|br|figure|blockquote|tr)$/;

/** The text of HTML on one line, as a title or excerpt needs it. */
export function plainText(html: string): string {
  const texts: string[] = [];
  // No function that calls itself: HTML may be nested deeper than the stack.
  const left: (DefaultTreeAdapterTypes.Node | string)[] = [parseFragment(html)];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (typeof node === 'string') texts.push(node);
    else if ('value' in node) texts.push(node.value);
    else if ('childNodes' in node && !/^(?:script|style)$/.test(node.nodeName)) {
      const space = LINES.test(node.nodeName) ? ' ' : '';
      texts.push(space);
      left.push(space);
      for (const child of node.childNodes.toReversed()) left.push(child);
    }
  }
  return texts.join('').replaceAll(UNSEEN, '').replaceAll(/\s+/g, ' ').trim();
}
