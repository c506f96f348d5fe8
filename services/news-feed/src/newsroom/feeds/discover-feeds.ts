import { parseHTML } from 'linkedom';

/** The media types by which a page names its feeds. */
const TYPES = ['application/atom+xml', 'application/rss+xml', 'application/feed+json', 'application/rdf+xml'];

/** The most characters of a page that are searched. */
const MAX_CHARACTERS = 2_000_000;

/** The feeds that a page names (`link rel=alternate`), absolute, in the page's order. */
export function discoverFeeds(html: string, url: string): string[] {
  const { document } = parseHTML(html.slice(0, MAX_CHARACTERS));
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? '';
  const root = URL.canParse(base, url) ? new URL(base, url).href : url;
  const links = [...document.querySelectorAll('link[rel~="alternate"][href]')].flatMap((link) => {
    const type = link.getAttribute('type')?.trim().toLowerCase() ?? '';
    const href = link.getAttribute('href') ?? '';
    return TYPES.includes(type) && URL.canParse(href, root) ? [new URL(href, root).href] : [];
  });
  return [...new Set(links)];
}
