/** Most open tags: no text needs more. */
const MAX_DEPTH = 500;

/** Elements without an end tag (HTML Standard, 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

const TAG = /<(\/?)([a-z][^\s<>/]*)/gi;

/**
 * The beginning of HTML, up to where too many tags are open: the time to convert what is nested deeper grows
 * with the square of its depth.
 */
export function shallowHtml(html: string): string {
  let depth = 0;
  for (const { 1: slash, 2: name = '', index } of html.matchAll(TAG)) {
    if (VOID.has(name.toLowerCase())) continue;
    depth = Math.max(0, depth + (slash === '/' ? -1 : 1));
    if (depth > MAX_DEPTH) return html.slice(0, index);
  }
  return html;
}
