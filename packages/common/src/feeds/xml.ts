import type { Root } from 'xast';
import { toXml } from 'xast-util-to-xml';

export const XML_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n';

/**
 * The text of an XML document, without white space around texts, which some readers would show. The library
 * does not escape the `]]>` that XML forbids in them.
 */
export function xmlDocument(root: Root): string {
  const xml = toXml(root, { closeEmptyElements: true }).replaceAll(']]>', ']]&gt;');
  return `${XML_DECLARATION}${xml}\n`;
}

/** Everything that XML 1.0 (section 2.2) has no way to write, not even escaped. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Text that a reader expecting HTML would take for a tag or a reference. */
const MARKUP = /<[a-z/!?]|&#?\w+;/i;

/** `text` without characters that would make an XML document unreadable. */
export function xmlText(text: string): string {
  return text.replace(NOT_XML, '');
}

/** Plain text as HTML, for members that readers take for HTML. */
export function asHtml(text: string): string {
  return xmlText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A title of RSS, which does not say what titles are: as HTML if it could be taken for it, else as it is. */
export function rssTitle(text: string): string {
  return MARKUP.test(text) ? asHtml(text) : xmlText(text);
}
