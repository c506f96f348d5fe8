import { parseHTML } from 'linkedom';

/** The media types by which a page names its feeds. */
const TYPES = ['application/atom+xml', 'application/rss+xml', 'application/feed+json', 'application/rdf+xml'];

/** The most characters and elements of a page that are searched: what is nested deeper takes minutes. */
const MAX_CHARACTERS = 2_000_000;
const MAX_ELEMENTS = 5000;

/** The feeds that a page names (`link rel=alternate`) at its beginning, absolute, in the page's order. */
export function discoverFeeds(html: string, url: string): string[] {
  const { document } = parseHTML(beginningOf(html.slice(0, MAX_CHARACTERS)));
  const bases = [...document.querySelectorAll('base')].map((base) => attributeOf(base, 'href'));
  const base = bases.find((href) => href !== '') ?? '';
  const root = URL.canParse(base, url) ? new URL(base, url).href : url;
  const links = [...document.querySelectorAll('link')].flatMap((link) => {
    const words = (name: string) =>
      attributeOf(link, name)
        .toLowerCase()
        .split(/[\s;]+/);
    const href = attributeOf(link, 'href');
    const isFeed = words('rel').includes('alternate') && words('type').some((type) => TYPES.includes(type));
    return isFeed && href !== '' && URL.canParse(href, root) ? [new URL(href, root).href] : [];
  });
  return [...new Set(links)];
}

/** The library keeps the case of names, which HTML does not distinguish; empty if there is none. */
function attributeOf({ attributes }: Element, name: string): string {
  return [...attributes].find((attribute) => attribute.name.toLowerCase() === name)?.value ?? '';
}

function beginningOf(html: string): string {
  const next = html
    .matchAll(/<[a-z]/gi)
    .drop(MAX_ELEMENTS)
    .next().value;
  return next === undefined ? html : html.slice(0, next.index);
}
