import { Problem } from '@pressroom/common/problems/problem';
import { parse, parseFragment } from 'parse5';
import { descendants, type HtmlElement, type HtmlNode, isElement } from './html-tree.ts';

/** Something in HTML that can run code or take the reader elsewhere: what, and where (both count from 1). */
export interface UnsafeHtml {
  what: string;
  line: number;
  column: number;
}

/** Attributes that a browser follows as a URL, or sets one to (SVG animations). */
const URL_ATTRIBUTES = new Set([
  'href',
  'src',
  'data',
  'action',
  'formaction',
  'poster',
  'background',
  'to',
  'from',
  'by',
]);

/** Schemes whose URLs run code. */
const CODE_SCHEMES = new Set(['javascript:', 'vbscript:']);

/** Elements that load a URL as a document, in which `data:` may hold a script. */
const DOCUMENT_ELEMENTS = new Set(['iframe', 'frame', 'object', 'embed', 'use']);

/** Where relative URLs are resolved: a site that is nobody's, with and without TLS, since `https:x` depends on it. */
const SITES = ['https://site.invalid', 'http://site.invalid'];

/** How a page surrounds an article: what follows may still reach `<body>` and `<html>`. */
const PAGE = '<!doctype html><html><body><div>';

/** Ends a tag that the article left open, in whatever quotes it was: the page that follows would. */
const REST_OF_PAGE = ' "\'>';

/**
 * Stands for `select` in one of the readings: the HTML standard once dropped most elements within one, as parse5
 * does, and now keeps them, as browsers do. It is as long, so that positions hold.
 */
const LIKE_SELECT = 'selecx';

/** How many findings an answer names. */
const MOST_NAMED = 10;

/**
 * Throws 422 `unsafe_html`, naming what and where, when `html` can run code in a page that contains it: script,
 * event handlers, `javascript:` URLs, `<base>`, form actions and refreshes that lead elsewhere (`docs/spec/wire.md`).
 */
export function assertSafeHtml(html: string): void {
  const found = findUnsafeHtml(html);
  if (found.length === 0) return;
  const errors = found.slice(0, MOST_NAMED).map(({ what, line, column }) => ({
    field: 'content',
    code: 'unsafe_html',
    message: `${what} at line ${line}, column ${column}`,
  }));
  const detail = `content can run code: ${errors.map(({ message }) => message).join('; ')}; remove it`;
  throw new Problem(422, 'unsafe_html', detail, { errors });
}

/**
 * Everything in `html` that {@link assertSafeHtml} refuses, in order. It is read by the algorithm of the HTML
 * standard in each way that a browser may read it: within a page, with scripts on and off (which changes what
 * `<noscript>` holds), and as a fragment. `isDocument` says that it is a document within the article (`srcdoc`).
 */
export function findUnsafeHtml(html: string, isDocument = false): UnsafeHtml[] {
  const readings = readingsOf(html + REST_OF_PAGE);
  const found = new Map<string, UnsafeHtml>();
  for (const [root, prefix] of readings) {
    for (const node of descendants(root)) {
      if (!isElement(node)) continue;
      for (const what of faults(node, isDocument)) {
        const unsafe = { what, ...placeOf(node, prefix, html) };
        found.set(JSON.stringify(unsafe), unsafe);
      }
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** The trees of an article, each with how many characters stand before it. */
function readingsOf(html: string): [root: HtmlNode, prefix: number][] {
  const page = PAGE + html;
  const options = { sourceCodeLocationInfo: true };
  const readings: [HtmlNode, number][] = [[parseFragment(html, options), 0]];
  for (const text of new Set([page, page.replaceAll(/(<\/?)select(?![^\s/>])/gi, `$1${LIKE_SELECT}`)])) {
    for (const scriptingEnabled of /<noscript/i.test(html) ? [true, false] : [true]) {
      readings.push([parse(text, { ...options, scriptingEnabled }), PAGE.length]);
    }
  }
  return readings;
}

function placeOf({ tagName, sourceCodeLocation }: HtmlElement, prefix: number, html: string) {
  if (sourceCodeLocation && sourceCodeLocation.startOffset >= prefix) {
    const { startLine: line, startCol } = sourceCodeLocation;
    return { line, column: startCol - (line === 1 ? prefix : 0) };
  }
  // An element of the page, which takes the attributes of a later tag of its name.
  const before = html.slice(0, Math.max(0, html.toLowerCase().indexOf(`<${tagName}`))).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function* faults(element: HtmlElement, isDocument: boolean): Generator<string> {
  const tag = element.tagName === LIKE_SELECT ? 'select' : element.tagName;
  if (tag === 'script' || tag === 'base') yield `<${tag}>`;
  for (const { name, value } of element.attrs) {
    const fault =
      name === 'srcdoc'
        ? documentFault(value, isDocument)
        : attributeFault(tag, name.replace(/^xlink:/, ''), value);
    if (fault !== undefined) yield `${fault} on <${tag}>`;
  }
}

/** A document within a document within an article has no good use, and each depth would be read several times. */
function documentFault(html: string, isDocument: boolean): string | undefined {
  return isDocument || findUnsafeHtml(html, true).length > 0 ? 'code in srcdoc' : undefined;
}

function attributeFault(tag: string, name: string, value: string): string | undefined {
  if (/^on[a-z]/i.test(name)) return `event handler ${name}`;
  if (name === 'http-equiv' && value.trim().toLowerCase() === 'refresh') return 'refresh';
  if (name === 'values') return value.split(';').some(isCode) ? 'code in values' : undefined;
  if (!URL_ATTRIBUTES.has(name)) return undefined;
  if (isCode(value)) return `${schemeOf(value)} URL in ${name}`;
  if (DOCUMENT_ELEMENTS.has(tag) && schemeOf(value) === 'data:') return `data: document in ${name}`;
  if ((name === 'action' || name === 'formaction') && isForeign(value)) return `foreign ${name}`;
  return undefined;
}

/**
 * The scheme of a URL as the URL standard finds it, whether the rest is a URL or not: white space and controls
 * before it, and tabs and newlines within it, do not count.
 */
function schemeOf(value: string): string {
  const [, scheme = ''] = /^[\p{Cc} ]*([a-z][a-z\d+.-]*:)/iu.exec(value.replaceAll(/[\t\n\r]/g, '')) ?? [];
  return scheme.toLowerCase();
}

function isCode(value: string): boolean {
  return CODE_SCHEMES.has(schemeOf(value));
}

function isForeign(value: string): boolean {
  return SITES.some((site) => URL.parse(value, site)?.origin !== site);
}
