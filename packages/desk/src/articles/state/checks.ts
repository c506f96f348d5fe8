import type { BrokenLink } from '../api/types.ts';
import { inertElement } from '../editor/html/inert-element.ts';
import type { Fields } from './fields.ts';
import { SHOWN, shownLength } from './shown-length.ts';

/** A field by its name. */
export type FieldPlace =
  | ('title' | 'content' | 'excerpt' | 'slug')
  | ('picture' | 'altText' | 'authors' | 'metaTitle');

/** An element of the text, with its address or its words. */
export interface TextPlace {
  readonly element: string;
  readonly words: string;
}

/** A warning for the writer, and its place. */
export interface Check {
  readonly name:
    | 'summary'
    | 'author'
    | 'picture'
    | 'featured'
    | 'title'
    | 'pictures'
    | 'heading'
    | BrokenLink['fault'];
  readonly count?: number;
  readonly words?: string;
  readonly place: FieldPlace | TextPlace;
}

/** The most links that are judged at once, and that the service takes. */
const MOST_LINKS = 200;

/** The links of a text to the site at this origin, and those to other sites, each once. */
export function linksOf(html: string, origin: string | undefined): { own: string[]; external: string[] } {
  const links = [...inertElement(html, document).querySelectorAll('a[href]')];
  const addresses = new Set(links.map((link) => link.getAttribute('href') ?? ''));
  const known = [...addresses].filter((one) => one.length <= 2000);
  const own = known.filter((one) => origin !== undefined && URL.parse(one, origin)?.origin === origin);
  const external = known.filter((one) => /^https?:/i.test(one) && !own.includes(one));
  return { own: own.slice(0, MOST_LINKS), external: external.slice(0, MOST_LINKS) };
}

/** Warnings; none keeps an article from readers. */
export function checksOf(fields: Fields, broken: readonly BrokenLink[]): Check[] {
  const { title, content, excerpt, authors, featuredImage, altText, metaTitle } = fields;
  const text = inertElement(content, document);
  const isLong = shownLength(metaTitle || title) > SHOWN.search.title;
  const checks: (Check | false | undefined)[] = [
    excerpt.trim() === '' && { name: 'summary', place: 'excerpt' },
    authors.length === 0 && { name: 'author', place: 'authors' },
    featuredImage === '' && { name: 'picture', place: 'picture' },
    featuredImage !== '' && altText.trim() === '' && { name: 'featured', place: 'altText' },
    isLong && { name: 'title', place: 'metaTitle' },
    undescribedIn(text),
    skippedIn(text),
  ];
  const links = broken.map(({ url, fault }): Check => {
    return { name: fault, words: url, place: { element: 'a', words: url } };
  });
  return [...checks, ...links].filter((check): check is Check => Boolean(check));
}

/** Pictures without a description that nobody has called decorative. */
function undescribedIn(text: Element): Check | undefined {
  const pictures = [...text.querySelectorAll('img')].filter(
    (one) => (one.getAttribute('alt') ?? '').trim() === '' && !/^(?:presentation|none)$/.test(one.role ?? ''),
  );
  const [first] = pictures;
  const place = { element: 'img', words: first?.getAttribute('src') ?? '' };
  return first && { name: 'pictures', count: pictures.length, place };
}

/** The first heading that is more than one level below the one before; the title is of the first level. */
function skippedIn(text: Element): Check | undefined {
  let level = 1;
  for (const heading of text.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const own = Number(heading.localName.slice(1));
    const words = (heading.textContent ?? '').trim();
    if (own > level + 1) return { name: 'heading', words, place: { element: heading.localName, words } };
    level = own;
  }
  return undefined;
}
