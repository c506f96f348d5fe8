/** Everything that XML 1.0 (section 2.2) has no way to write, not even escaped. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** `text` without characters that would make an XML document unreadable. */
export function xmlText(text: string): string {
  return text.replace(NOT_XML, '');
}
