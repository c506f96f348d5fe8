import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import type { Image } from '../../image.ts';
import { languageTag } from '../../language-tag.ts';
import { isNotice, withoutBoilerplate } from '../feeds/boilerplate.ts';
import { decodeDocument } from '../feeds/decode.ts';
import { entryImage } from '../feeds/entry-image.ts';
import { MAX_TITLE } from '../feeds/parse-feed.ts';
import { cutText, plainText } from '../feeds/plain-text.ts';
import { summaryOf } from '../feeds/summary.ts';

/** An article's page. */
export interface Page {
  /** What it is called where it is shared (`og:title`), else by its article; null if by neither. */
  title: string | null;
  /** Its text without navigation and advertisements; null if there is none to be found. */
  text: string | null;
  summary: string | null;
  /** The address that the page gives itself, on the same site; undefined if it gives none. */
  canonicalUrl: string | undefined;
  /** The picture that stands for it (`og:image`); undefined if it names none that is public and https. */
  image: Image | undefined;
  /** What it says of its language (BCP 47). */
  language: string | undefined;
}

/** What the address of an article has answered. */
export interface PageAnswer {
  body: Uint8Array;
  /** The address that answered. */
  url: string;
  contentType: string | undefined;
}

/** The most characters of a page that are parsed. */
const MAX_PAGE = 2_000_000;

/** The most elements of a page, and how deep they may be nested: reading more can take minutes. */
const MAX_ELEMENTS = 30_000;
const MAX_DEPTH = 100;

/** The most characters of a page's text. */
const MAX_TEXT = 50_000;

/** What an article's page says; undefined if it is not a page, or not one that a reader would get. */
export function readPage({ body, url, contentType }: PageAnswer): Page | undefined {
  const markup = decodeDocument(Buffer.from(body), contentType).slice(0, MAX_PAGE);
  if ((markup.match(/<[a-z]/gi)?.length ?? 0) > MAX_ELEMENTS) return undefined;
  const { document } = parseHTML(markup);
  if (document.documentElement === null || isDeep(document)) return undefined;
  const canonicalUrl = canonicalOf(document, url);
  const image = imageOf(document, url);
  const language = languageTag(document.documentElement.getAttribute('lang') ?? '');
  const shared = document.querySelector('meta[property="og:title"]')?.getAttribute('content');
  removeNotices(document);
  const article = new Readability(document as never).parse();
  const name = plainText({ value: shared || (article?.title ?? ''), markup: 'none' });
  const words = plainText({ value: article?.content ?? '', markup: 'html' });
  const text = withoutBoilerplate(words).slice(0, MAX_TEXT) || null;
  const title = cutText(name, MAX_TITLE).trim() || null;
  return { title, text, summary: summaryOf(text ?? ''), canonicalUrl, image, language };
}

/** Names of what sites lay over their pages for consent and payment. */
const OVERLAY =
  /cookie|consent|gdpr|onetrust|didomi|cybot|qc-cmp|(?:^|[-_ ])cmp(?:[-_ ]|$)|paywall|regwall|subscri|piano/i;

/** Longer ones have the article in them. */
const MOST_NOTICE = 4000;

/** Removes what is said to readers instead of the article, or it would be taken for that. */
function removeNotices(document: Document): void {
  for (const element of document.querySelectorAll('[class], [id]')) {
    const names = `${element.getAttribute('class') ?? ''} ${element.id}`;
    if (!OVERLAY.test(names) || /^(?:html|body|main|article)$/i.test(element.tagName)) continue;
    const isAround = element.querySelector('article, main, h1') !== null;
    const words = isAround ? '' : (element.textContent ?? '');
    if (words.length <= MOST_NOTICE && isNotice(words)) element.remove();
  }
}

function isDeep(document: Document): boolean {
  let level = [...document.children];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(({ children }) => [...children]);
  }
  return false;
}

/** `rel=canonical`, else `og:url`: only on the page's own site, or a page could take another one's place. */
function canonicalOf(document: Document, url: string): string | undefined {
  const canonical = document.querySelector('link[rel~="canonical"]')?.getAttribute('href');
  const named = canonical ?? document.querySelector('meta[property="og:url"]')?.getAttribute('content');
  if (!named || !URL.canParse(named, url)) return undefined;
  const target = new URL(named, url);
  const isPage = /^https?:$/.test(target.protocol) && target.username === '' && target.pathname !== '/';
  return isPage && siteOf(target) === siteOf(new URL(url)) ? target.href : undefined;
}

/** The first of those that Open Graph lists: its properties come first, too. */
function imageOf(document: Document, url: string): Image | undefined {
  const content = (name: string) =>
    document.querySelector(`meta[property="${name}"], meta[name="${name}"]`)?.getAttribute('content') ??
    undefined;
  const [width, height, alt] = ['og:image:width', 'og:image:height', 'og:image:alt'].map(content);
  const addresses = ['og:image:secure_url', 'og:image', 'og:image:url'].map(content);
  return entryImage(
    addresses.flatMap((href) => (href === undefined ? [] : [{ href, width, height, alt }])),
    url,
  );
}

function siteOf({ host }: URL): string {
  return host.replace(/^(www|m|mobile|amp)\./, '');
}
