import { withChangedUrls } from '../html/changed-urls.ts';

/** A URL that has a scheme, after the white space that parsers leave out. */
const ABSOLUTE = /^\s*[a-z][a-z0-9+.-]*:/i;

/** HTML of a page at `base` for readers elsewhere: its relative URLs made absolute, all else as it is. */
export function withAbsoluteUrls(html: string, base: string): string {
  return withChangedUrls(html, (url) => (ABSOLUTE.test(url) ? url : (URL.parse(url, base)?.href ?? url)));
}
