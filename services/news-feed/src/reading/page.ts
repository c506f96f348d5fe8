import { Readability } from '@mozilla/readability';
import { decodeDocument } from '@pressroom/common/html/decode';
import { parseHTML } from 'linkedom';
import { type Image, languageTag } from '../fields.ts';
import { entryImage } from './feed.ts';
import { MAX_TITLE } from './parse-feed.ts';
import { cutText, isNotice, plainText, summaryOf, withoutBoilerplate } from './text.ts';
import { USER_AGENT } from './web-fetcher.ts';

/** An article's page. */
export interface Page {
  /** Title for sharing (`og:title`), else that of its article; null if it has neither. */
  title: string | null;
  /** Its text without navigation and advertisements; null if there is none to be found. */
  text: string | null;
  summary: string | null;
  /** The address that the page gives itself, on the same site; undefined if it gives none. */
  canonicalUrl: string | undefined;
  /** The picture that stands for it (`og:image`); undefined if it names none that is public and https. */
  image: Image | undefined;
  /** Language that the page declares (BCP 47). */
  language: string | undefined;
}

/** The answer to a request for an article's address. */
interface PageAnswer {
  body: Uint8Array;
  url: string;
  contentType: string | undefined;
  /** CSS of its text, which an editor has checked and given; it is found without where there is none. */
  textSelector?: string | null | undefined;
}

/** The most characters of a page that are parsed. */
const MAX_PAGE = 2_000_000;

/** The most elements of a page, and how deep they may be nested: reading more can take minutes. */
const MAX_ELEMENTS = 30_000;
const MAX_DEPTH = 100;

/** The most characters of a page's text. */
const MAX_TEXT = 50_000;

/** Reads an article's page; undefined if the answer is not a page, or not one that readers would get. */
export function readPage({ body, url, contentType, textSelector }: PageAnswer): Page | undefined {
  const markup = decodeDocument(Buffer.from(body), contentType).slice(0, MAX_PAGE);
  if ((markup.match(/<[a-z]/gi)?.length ?? 0) > MAX_ELEMENTS) return undefined;
  const { document } = parseHTML(markup);
  if (document.documentElement === null || isDeep(document)) return undefined;
  const canonicalUrl = canonicalOf(document, url);
  const image = imageOf(document, url);
  const language = languageTag(document.documentElement.getAttribute('lang') ?? '');
  const shared = document.querySelector('meta[property="og:title"]')?.getAttribute('content');
  removeNotices(document);
  const chosen = textSelector ? chosenMarkup(document, textSelector) : undefined;
  const article = new Readability(document as never).parse();
  const name = plainText({ value: shared || (article?.title ?? ''), markup: 'none' });
  const words = plainText({ value: chosen ?? article?.content ?? '', markup: 'html' });
  const text = withoutBoilerplate(words).slice(0, MAX_TEXT) || null;
  const title = cutText(name, MAX_TITLE).trim() || null;
  return { title, text, summary: summaryOf(text ?? ''), canonicalUrl, image, language };
}

/** The elements that a selector matches, each with what is in it; empty if there are none. */
function chosenMarkup(document: Document, selector: string): string {
  const found: Element[] = [];
  // In the order of the page: what is inside of another one comes next.
  for (const element of document.querySelectorAll(selector))
    if (!found.at(-1)?.contains(element)) found.push(element);
  return found.map(({ outerHTML }) => outerHTML).join('\n');
}

/** Names of the layers that sites put over their pages for consent and payment. */
const OVERLAY =
  /cookie|consent|gdpr|onetrust|didomi|cybot|qc-cmp|(?:^|[-_ ])cmp(?:[-_ ]|$)|paywall|regwall|subscri|piano/i;

/** Longer ones have the article in them. */
const MOST_NOTICE = 4000;

/** Removes notices to readers, which would be taken for the article. */
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

/** An address, and the rules of its host as {@link readRobots} returns them. */
interface Request {
  rules: string;
  url: string;
}

/** Bytes read of a robots.txt: as many as every crawler has to (RFC 9309, section 2.5). */
const MAX_BYTES = 500 * 1024;

/** The most rules for this crawler, and the most wildcards of one; see {@link readRobots}. */
const MAX_RULES = 5000;
const MAX_WILDCARDS = 20;

/**
 * The rules of a robots.txt for this crawler (RFC 9309): of the groups that name it, or else of those for
 * all. Each is a line: `+` for what it allows or `-` for what it forbids, and its pattern. Beyond the limits
 * more is forbidden than the file means: a rule with too many wildcards ends before the rest, and too many
 * rules are one that forbids everything.
 */
export function readRobots(body: Uint8Array): string {
  const groups = { own: [] as string[], all: [] as string[] };
  let isKnown = false;
  let at = { own: false, all: false, rules: false };
  for (const [key, value] of recordsOf(body)) {
    if (key === 'user-agent') {
      if (at.rules) at = { own: false, all: false, rules: false };
      const [name = ''] = /^[a-z_-]*/i.exec(value) ?? [];
      at.own ||= name.toLowerCase() === USER_AGENT.toLowerCase();
      at.all ||= value.startsWith('*');
      isKnown ||= at.own;
    } else {
      at.rules = true;
      const rule = ruleOf(key === 'allow', value);
      if (rule === undefined) continue;
      if (at.own) groups.own.push(rule);
      if (at.all) groups.all.push(rule);
    }
  }
  const rules = isKnown ? groups.own : groups.all;
  return rules.length > MAX_RULES ? '-/' : rules.join('\n');
}

/** True if an address may be read: the longest matching pattern decides; of equals, one that allows. */
export function mayRead({ rules, url }: Request): boolean {
  const { pathname, search } = new URL(url);
  const path = normalized(pathname + search);
  let longest = '+';
  for (const rule of rules.split('\n')) {
    const more = rule.length - longest.length;
    const decides = more > 0 || (more === 0 && rule.startsWith('+'));
    if (decides && matches(rule.slice(1), path)) longest = rule;
  }
  return longest.startsWith('+');
}

/** The lines that name crawlers or are rules; others end no group. */
function* recordsOf(body: Uint8Array): Generator<[string, string]> {
  const text = new TextDecoder().decode(body.subarray(0, MAX_BYTES));
  const lines = text.split(/[\r\n]+/);
  // Half a rule could allow addresses that the whole one forbids.
  if (body.length > MAX_BYTES) lines.pop();
  for (const line of lines) {
    const [record = ''] = line.split('#', 1);
    const colon = record.indexOf(':');
    const key = record.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (/^(user-agent|allow|disallow)$/.test(key)) yield [key, record.slice(colon + 1).trim()];
  }
}

/** Undefined for an empty value, which is no rule, and for a pattern that would allow too much. */
function ruleOf(allows: boolean, value: string): string | undefined {
  const parts = normalized(value).split(/\*+/);
  if (value === '' || (allows && parts.length > MAX_WILDCARDS + 1)) return undefined;
  return `${allows ? '+' : '-'}${parts.slice(0, MAX_WILDCARDS + 1).join('*')}`;
}

/** With the first place for each part, the rest of the path has the most left for those that follow. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [first = '', ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  const last = isWhole ? parts.pop() : '';
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  if (last === undefined) return at === path.length;
  return path.length - last.length >= at && path.endsWith(last);
}

/** Percent-encodes all but ASCII, and nothing that need not be (RFC 9309, section 2.2.2). */
function normalized(path: string): string {
  return path
    .replace(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text.toWellFormed()))
    .replace(/%[\da-f]{2}/gi, (octet) => {
      const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : octet.toUpperCase();
    });
}
