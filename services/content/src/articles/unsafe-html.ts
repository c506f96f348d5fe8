import { Problem } from '@pressroom/common/problem';
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

/** Elements that load a URL as a document of its own, in which `data:` may hold a script. */
const DOCUMENT_ELEMENTS = new Set(['iframe', 'frame', 'object', 'embed']);

/** Where relative URLs are resolved: a site that is nobody's. */
const SITE = 'https://site.invalid';

/** How a page surrounds an article: what follows may still reach `<body>` and `<html>`. */
const PAGE = '<!doctype html><html><body><div>';

/** How many findings an answer names. */
const MOST_NAMED = 10;

/**
 * Throws 422 `unsafe_html`, naming what and where, when `html` can run code in a page that contains it: script,
 * event handlers, `javascript:` URLs, `<base>`, form actions and refreshes that lead elsewhere (`wire.md`).
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
 * `<noscript>` holds), and as a fragment.
 */
export function findUnsafeHtml(html: string): UnsafeHtml[] {
  const readings: [root: HtmlNode, prefix: number][] = [
    [parse(PAGE + html, { sourceCodeLocationInfo: true, scriptingEnabled: true }), PAGE.length],
    [parse(PAGE + html, { sourceCodeLocationInfo: true, scriptingEnabled: false }), PAGE.length],
    [parseFragment(html, { sourceCodeLocationInfo: true }), 0],
  ];
  const found = new Map<string, UnsafeHtml>();
  for (const [root, prefix] of readings) {
    for (const unsafe of unsafeNodes(root, prefix)) found.set(JSON.stringify(unsafe), unsafe);
  }
  return [...found.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

function* unsafeNodes(root: HtmlNode, prefix: number): Generator<UnsafeHtml> {
  for (const node of descendants(root)) {
    if (!isElement(node)) continue;
    const location = node.sourceCodeLocation;
    const line = location?.startLine ?? 1;
    const column = (location?.startCol ?? 1) - (line === 1 ? prefix : 0);
    for (const what of faults(node)) yield { what, line, column: Math.max(1, column) };
  }
}

function* faults(element: HtmlElement): Generator<string> {
  const tag = element.tagName;
  if (tag === 'script' || tag === 'base') yield `<${tag}>`;
  for (const { name, value } of element.attrs) {
    const fault = attributeFault(element, name.replace(/^xlink:/, ''), value);
    if (fault !== undefined) yield `${fault} on <${tag}>`;
  }
}

function attributeFault(element: HtmlElement, name: string, value: string): string | undefined {
  const tag = element.tagName;
  if (/^on[a-z]/i.test(name)) return `event handler ${name}`;
  if (name === 'srcdoc') return findUnsafeHtml(value).length > 0 ? 'code in srcdoc' : undefined;
  if (name === 'http-equiv' && value.trim().toLowerCase() === 'refresh') return 'refresh';
  if (name === 'values') return value.split(';').some(isCode) ? 'code in values' : undefined;
  if (!URL_ATTRIBUTES.has(name)) return undefined;
  if (isCode(value)) return `${schemeOf(value)} URL in ${name}`;
  if (DOCUMENT_ELEMENTS.has(tag) && schemeOf(value) === 'data:') return `data: document in ${name}`;
  if ((name === 'action' || name === 'formaction') && isForeign(value)) return `foreign ${name}`;
  return undefined;
}

function resolve(value: string): URL | undefined {
  return URL.parse(value, SITE) ?? undefined;
}

function schemeOf(value: string): string {
  return resolve(value)?.protocol ?? '';
}

function isCode(value: string): boolean {
  return CODE_SCHEMES.has(schemeOf(value));
}

function isForeign(value: string): boolean {
  return resolve(value)?.origin !== SITE;
}
