import { withChangedUrls } from '../html/changed-urls.ts';

/** Attributes that name what a page shows. */
const SHOWN = /^(?:img src|img srcset|source src|source srcset|video src|video poster|audio src)$/;

/** A link to a picture or a file of an article, not to a page of the site. */
const FILE = /\.(?:avif|gif|jpe?g|png|webp|svg|mp3|mp4|pdf)(?:[?#]|$)/i;

/** An address without scheme and host. */
const RELATIVE = /^(?![a-z][a-z\d+.-]*:|\/\/|#|$)/i;

/**
 * HTML from elsewhere as it can be shown here: what it shows from its own site has whole addresses, and
 * frames come over https.
 *
 * @param site its address, if it is known
 */
export function withPlacedUrls(html: string, site: string | undefined, notes: string[]): string {
  const left = new Set<string>();
  const placed = withChangedUrls(html, (url, attribute) => {
    if (attribute === 'iframe src') return url.replace(/^\s*http:/i, 'https:');
    const trimmed = url.trim();
    const isShown = SHOWN.test(attribute) || (attribute === 'a href' && FILE.test(trimmed));
    if (!isShown || !RELATIVE.test(trimmed)) return url;
    const whole = URL.parse(trimmed, site)?.href;
    if (whole === undefined) left.add(trimmed);
    return whole ?? url;
  });
  for (const url of left) notes.push(`${url}: leads nowhere without the address of its site`);
  return placed;
}
