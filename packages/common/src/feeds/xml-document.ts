import type { Root } from 'xast';
import { toXml } from 'xast-util-to-xml';

/** What every XML document begins with. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';

/**
 * The text of an XML document, without white space around texts, which some readers would show. The library
 * does not escape the `]]>` that XML forbids in them.
 */
export function xmlDocument(root: Root): string {
  const xml = toXml(root, { closeEmptyElements: true }).replaceAll(']]>', ']]&gt;');
  return `${XML_DECLARATION}${xml}\n`;
}
