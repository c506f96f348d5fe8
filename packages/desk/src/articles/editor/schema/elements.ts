/** Elements around blocks that mean nothing to the editor, and stay where they are. */
export const CONTAINERS: readonly string[] = [
  ...['address', 'article', 'aside', 'center', 'div', 'footer', 'header', 'hgroup', 'main', 'nav', 'search'],
  'section',
];

/** Elements that begin a line of their own. */
const BLOCKS = new Set([
  ...CONTAINERS,
  ...[
    'blockquote',
    'caption',
    'col',
    'colgroup',
    'dd',
    'details',
    'dir',
    'dl',
    'dt',
    'fieldset',
    'figcaption',
  ],
  ...[
    'figure',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'hr',
    'legend',
    'li',
    'menu',
    'ol',
    'p',
    'pre',
    'summary',
  ],
  ...['table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr', 'ul'],
]);

/** Elements that are kept as they are, see {@link isIsland}. */
const ISLANDS = new Set([
  ...[
    'audio',
    'button',
    'details',
    'dir',
    'dl',
    'fieldset',
    'input',
    'label',
    'legend',
    'map',
    'math',
    'menu',
  ],
  ...[
    'meta',
    'meter',
    'mjx-container',
    'nobr',
    'output',
    'progress',
    'ruby',
    'summary',
    'svg',
    'video',
    'wbr',
  ],
]);

/** Elements with nodes of their own, or that belong to them. */
const EDITED = new Set(['br', 'iframe', 'img', 'picture', 'source']);

const EMBEDS = new Set(['iframe']);

/** Elements that are no line of text in a figure, although they may be elsewhere. */
const IN_FIGURES = new Set(['a', 'iframe', 'img', 'picture']);

const VISIBLE_WITHOUT_TEXT = [...EDITED, ...ISLANDS, 'hr'].join(', ');

/** Elements that contain lines of text and nothing else. */
const LINES = /^(?:p|h[1-6]|pre|summary|dt)$/;

const HTML = 'http://www.w3.org/1999/xhtml';

/** The name of a node in lower case. */
export function nameOf(node: Node): string {
  return node.nodeName.toLowerCase();
}

/** True if there is more than white space in a text. */
export function isInk(text: string | null): boolean {
  return /[^ \t\r\n\f]/.test(text ?? '');
}

/** True if an element shows anything, be it text or not. */
export function isShown(element: Element): boolean {
  return isInk(element.textContent) || element.querySelector(VISIBLE_WITHOUT_TEXT) !== null;
}

/** True for the name, in lower case, of an element that begins a line of its own. */
export function isBlockName(name: string): boolean {
  return BLOCKS.has(name);
}

/** True if a node stands between lines of text, and not in one. */
export function isBlock(node: Node): boolean {
  return BLOCKS.has(nameOf(node)) || hasBlocks(node) || isBlockEmbed(node);
}

function hasBlocks(node: Node): boolean {
  return [...node.childNodes].some((child) => BLOCKS.has(nameOf(child)) || hasBlocks(child));
}

/** True for an `iframe` with nothing beside it in its line. */
function isBlockEmbed(node: Node): boolean {
  const parent = node.parentNode;
  if (nameOf(node) !== 'iframe' || parent === null) return false;
  const isAmongBlocks = BLOCKS.has(nameOf(parent)) || nameOf(parent) === 'body';
  if (!isAmongBlocks || LINES.test(nameOf(parent))) return false;
  const beside = nameOf(parent) === 'figure' ? IN_FIGURES : EMBEDS;
  return [...parent.childNodes].every((one) =>
    one.nodeType === 1
      ? beside.has(nameOf(one)) || BLOCKS.has(nameOf(one)) || hasBlocks(one)
      : one.nodeType !== 3 || !isInk(one.nodeValue),
  );
}

/** True if the first thing in an element is text, without an element such as `p` around it. */
export function startsWithLine(element: Element): boolean {
  const first = [...element.childNodes].find(
    (child) => child.nodeType === 1 || (child.nodeType === 3 && isInk(child.nodeValue)),
  );
  return first === undefined || !isBlock(first);
}

/**
 * True if the editor keeps an element as it is: it shows that there is something, moves and removes it, and
 * writes it as it has read it.
 */
export function isIsland(element: Element): boolean {
  const name = nameOf(element);
  if (ISLANDS.has(name) || element.namespaceURI !== HTML) return true;
  if (name === 'iframe') return !isBlockEmbed(element);
  if (name === 'pre') return !isPlainCode(element);
  if (name === 'table') return !isPlainTable(element);
  const isCode = element.parentElement !== null && nameOf(element.parentElement) === 'pre';
  if (BLOCKS.has(name) || EDITED.has(name) || isCode) return false;
  if (hasBlocks(element)) return true;
  // An anchor, or an icon that a style sheet draws.
  const isEmpty = element.textContent === '' && element.querySelector(VISIBLE_WITHOUT_TEXT) === null;
  return isEmpty && element.attributes.length > 0;
}

/** True if a `pre` has only text, or a `code` with only text. */
function isPlainCode(pre: Element): boolean {
  const [code, ...others] = pre.children;
  if (code === undefined) return true;
  const isOnly = others.length === 0 && pre.textContent === code.textContent;
  return isOnly && nameOf(code) === 'code' && code.children.length === 0;
}

/** True if a table has nothing but rows of cells, and a caption of text. */
function isPlainTable(table: Element): boolean {
  const parts = [...table.children];
  const rows = parts.flatMap((part) => [...part.children]).filter((one) => nameOf(one) === 'tr');
  return (
    rows.some(({ children }) => children.length > 0) &&
    parts.every((part) => !/^col/.test(nameOf(part)) && part.attributes.length === 0) &&
    parts.every((part) => nameOf(part) !== 'caption' || part.children.length === 0)
  );
}
