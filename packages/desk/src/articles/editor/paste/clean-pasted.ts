import { inertElement, STYLE } from '../html/inert-element.ts';
import { attributeText, isEmbedAddress, isLinkAddress, isPictureAddress } from '../html/urls.ts';
import { isBlock, isInk, nameOf } from '../schema/elements.ts';
import { makeWordLists } from './word-lists.ts';

/** Elements that mean something in an article, and the attributes that they keep. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title'],
  abbr: ['title'],
  blockquote: [],
  br: [],
  caption: [],
  cite: [],
  code: ['class'],
  em: [],
  figcaption: [],
  figure: [],
  h2: [],
  h3: [],
  h4: [],
  hr: [],
  iframe: ['src', 'title', 'width', 'height', 'allowfullscreen'],
  img: ['src', 'alt', 'width', 'height', 'role'],
  kbd: [],
  li: [],
  mark: [],
  ol: ['start', 'type'],
  p: ['dir'],
  pre: [],
  q: [],
  s: [],
  strong: [],
  sub: [],
  sup: [],
  table: [],
  tbody: [],
  td: ['colspan', 'rowspan'],
  tfoot: [],
  th: ['colspan', 'rowspan', 'scope'],
  thead: [],
  tr: [],
  ul: [],
};

/** Elements that an article's own element stands for. */
const RENAMED: Readonly<Record<string, string>> = {
  ...{ b: 'strong', del: 's', h1: 'h2', h5: 'h4', h6: 'h4', i: 'em', strike: 's', tt: 'code', samp: 'code' },
  ...{ dt: 'p', dd: 'p', summary: 'p', address: 'p' },
};

/** Elements that go with what is in them. */
const DROPPED = [
  ...[
    'audio',
    'button',
    'canvas',
    'colgroup',
    'dialog',
    'embed',
    'form',
    'head',
    'input',
    'link',
    'math',
    'meta',
  ],
  ...[
    'nav',
    'noscript',
    'object',
    'script',
    'select',
    'style',
    'svg',
    'template',
    'textarea',
    'title',
    'video',
  ],
  ...['[hidden]', '[aria-hidden="true"]', '[data-footnote-backref]', '.footnotes > .sr-only'],
].join(', ');

/** The elements for a style of text; Google Docs and Word write nothing else. */
const STYLED: readonly (readonly [style: RegExp, tag: string])[] = [
  [/(?<![\w-])font-weight:\s*(?:bold|[6-9]00)/i, 'strong'],
  [/(?<![\w-])font-style:\s*(?:italic|oblique)/i, 'em'],
  [/(?<![\w-])text-decoration[\w-]*:[^;]*line-through/i, 's'],
  [/vertical-align:\s*sub/i, 'sub'],
  [/vertical-align:\s*super/i, 'sup'],
];

/** Styles that take away what the element around them says. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  strong: /(?<![\w-])font-weight:\s*(?:normal|[1-4]00)/i,
  em: /(?<![\w-])font-style:\s*normal/i,
};

const REDIRECT = /^https?:\/\/(?:www\.)?google\.\w+\/url\?/;

/** Keeps the structure, links, pictures and emphasis of HTML from the clipboard, without its looks. */
export function cleanPasted(html: string, document: Document = globalThis.document): string {
  const root = inertElement(fragmentOf(html), document);
  removeComments(root);
  makeWordLists(root);
  for (const one of root.querySelectorAll('li input[type="checkbox"]'))
    one.replaceWith(one.hasAttribute('checked') ? '☑ ' : '☐ ');
  for (const one of root.querySelectorAll(DROPPED)) one.remove();
  for (const one of [...root.querySelectorAll('*')]) applyStyle(one);
  for (const one of [...root.querySelectorAll('*')]) rename(one);
  for (const one of [...root.querySelectorAll('*')]) strip(one);
  for (const one of [...root.querySelectorAll('p, h2, h3, h4, li, td, strong, em, s, a')].reverse())
    removeEmpty(one);
  for (const one of root.querySelectorAll('br')) if (isBetweenBlocks(one, root)) one.remove();
  for (const one of root.querySelectorAll('li, td, th')) tighten(one);
  return root.innerHTML;
}

/** Windows says where in the document the copied part is; Excel says so within its table. */
function fragmentOf(html: string): string {
  const fragment = /<!--StartFragment-->([\s\S]*?)<!--EndFragment-->/.exec(html)?.[1] ?? html;
  return /^\s*<(?:col|t[dhr]|tbody|thead)\b/i.test(fragment) ? html : fragment;
}

function removeComments(parent: Node): void {
  for (const node of [...parent.childNodes]) {
    if (node.nodeType === 8) node.remove();
    else removeComments(node);
  }
}

function applyStyle(element: Element): void {
  const style = element.getAttribute(STYLE) ?? '';
  const tag = RENAMED[nameOf(element)] ?? nameOf(element);
  if (PLAIN[tag]?.test(style)) {
    element.replaceWith(...element.childNodes);
    return;
  }
  if (/display:\s*none|mso-hide:\s*all/i.test(style)) {
    element.remove();
    return;
  }
  // A heading is bold anyway; a block that is styled as a whole has its style in its parts.
  if (
    !['span', 'font', 'a', 'p', 'td'].includes(tag) ||
    element.closest('pre, h1, h2, h3, h4, h5, h6, th') !== null
  )
    return;
  for (const [pattern, format] of STYLED) {
    if (!pattern.test(style) || element.closest(format) !== null || !isInk(element.textContent)) continue;
    const wrapper = element.ownerDocument.createElement(format);
    wrapper.append(...element.childNodes);
    element.append(wrapper);
  }
}

function rename(element: Element): void {
  const name = RENAMED[nameOf(element)];
  if (name === undefined) return;
  const renamed = element.ownerDocument.createElement(name);
  for (const { name, value } of element.attributes) renamed.setAttribute(name, value);
  renamed.append(...element.childNodes);
  element.replaceWith(renamed);
}

/** Blocks that are only boxes, whose edges are ends of lines. */
const BOX = /^(?:article|aside|center|details|div|dl|fieldset|footer|header|hgroup|main|search|section)$/;

function strip(element: Element): void {
  const name = nameOf(element);
  const kept = KEPT[name];
  if (kept === undefined || !isUseful(element, name)) {
    unwrap(element, BOX.test(name));
    return;
  }
  for (const { name } of [...element.attributes]) {
    if (!kept.includes(name)) element.removeAttribute(name);
    else element.setAttribute(name, attributeText(element.getAttribute(name) ?? ''));
  }
}

/** True if there is something to link to, show or embed. */
function isUseful(element: Element, name: string): boolean {
  if (name === 'a') {
    const href = element.getAttribute('href') ?? '';
    if (REDIRECT.test(href)) element.setAttribute('href', new URL(href).searchParams.get('q') ?? '');
    const address = (element.getAttribute('href') ?? '').trim();
    element.setAttribute('href', address);
    // An address within the page that it comes from leads nowhere.
    return isLinkAddress(address) && /^(?:https?|mailto|tel|sms):/i.test(address);
  }
  if (name === 'img') {
    const isShown =
      /^https?:/i.test(element.getAttribute('src') ?? '') &&
      isPictureAddress(element.getAttribute('src') ?? '');
    if (!/^(?:presentation|none)$/.test(element.getAttribute('role') ?? '')) element.removeAttribute('role');
    if (isShown && !element.hasAttribute('alt')) element.setAttribute('alt', '');
    return isShown && element.getAttribute('width') !== '1' && element.getAttribute('height') !== '1';
  }
  if (name === 'iframe') return isEmbedAddress(element.getAttribute('src') ?? '');
  if (name === 'code' && !/^language-[\w+#.-]+$/.test(element.className)) element.removeAttribute('class');
  if (name === 'p' && !/^(?:rtl|auto)$/.test(element.getAttribute('dir') ?? ''))
    element.removeAttribute('dir');
  return true;
}

/** Leaves what is in an element; in a box without blocks it is a paragraph. */
function unwrap(element: Element, isBox: boolean): void {
  if (['img', 'iframe'].includes(nameOf(element))) {
    element.remove();
    return;
  }
  const hasBlocks =
    element.querySelector('p, h2, h3, h4, ul, ol, table, blockquote, pre, figure, hr, div, section') !== null;
  const isLine = isBox && !hasBlocks && isInk(element.textContent);
  if (isLine && element.closest('li, td, th, p, figcaption') === null) {
    const line = element.ownerDocument.createElement('p');
    line.append(...element.childNodes);
    element.replaceWith(line);
  } else element.replaceWith(...element.childNodes);
}

/** Word and Google Docs write empty paragraphs for space between others. */
function removeEmpty(element: Element): void {
  if (isInk(element.textContent?.replaceAll('\u00a0', ' ') ?? '')) return;
  if (element.querySelector('img, iframe, table, hr') !== null) return;
  if (/^(?:p|h2|h3|h4|li)$/.test(nameOf(element))) element.remove();
  else if (nameOf(element) === 'td') element.textContent = '';
  else element.replaceWith(...element.childNodes);
}

/** True if a line break only makes space between blocks. */
function isBetweenBlocks(line: Element, root: Element): boolean {
  const isText = (node: Node | null) =>
    node !== null && (node.nodeType === 3 ? isInk(node.nodeValue) : !isBlock(node));
  return line.parentElement === root && !isText(line.previousSibling) && !isText(line.nextSibling);
}

/** Items and cells of one paragraph each are written without it. */
function tighten(item: Element): void {
  const [first, ...others] = item.children;
  const isAlone =
    first !== undefined && nameOf(first) === 'p' && others.every((one) => /^[uo]l$/.test(nameOf(one)));
  if (isAlone && !first.hasAttributes()) first.replaceWith(...first.childNodes);
}
