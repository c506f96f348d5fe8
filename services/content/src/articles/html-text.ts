import { parseFragment } from 'parse5';
import { descendants } from './html-tree.ts';

/** Elements whose text is not for reading. */
const UNREAD = new Set(['script', 'style', 'template']);

/** The text of HTML, tags and comments aside, white space as it stands; empty when it is nothing but white space. */
export function textOf(html: string): string {
  const parts: string[] = [];
  for (const node of descendants(parseFragment(html))) {
    if (node.nodeName !== '#text' || !('value' in node)) continue;
    if (!UNREAD.has(node.parentNode?.nodeName ?? '')) parts.push(node.value);
  }
  const text = parts.join('');
  return text.trim() === '' ? '' : text;
}
