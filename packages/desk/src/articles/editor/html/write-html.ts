import type { Mark, Node } from 'prosemirror-model';
import { isInk } from '../schema/elements.ts';
import type { Written } from '../schema/written.ts';

/** Elements without an end tag. */
const VOID = new Set(['br', 'hr', 'img', 'source']);

/** Blocks do not change: after a key, that of one of them is written again. */
const known = new WeakMap<Node, string>();

/**
 * The HTML of an article. It is written as text, not by a document of the browser: that would rewrite each
 * `style`, and takes ten times as long.
 */
export function writeHtml(article: Node): string {
  return childrenOf(article);
}

function childrenOf(parent: Node): string {
  const bare = isBare(parent);
  const open: Mark[] = [];
  let html = '';
  parent.forEach((node, _offset, index) => {
    const marks = node.marks.filter((mark) => !nests(mark, node));
    let same = 0;
    while (same < open.length && same < marks.length && marks[same]?.eq(open[same] as Mark)) same += 1;
    while (open.length > same) html += endOf(open.pop() as Mark);
    for (const mark of marks.slice(same)) {
      open.push(mark);
      html += startOf(mark);
    }
    html += index === 0 && bare ? childrenOf(node) : htmlOf(node);
  });
  while (open.length > 0) html += endOf(open.pop() as Mark);
  return html;
}

/**
 * True if the first paragraph of a node is written without its `p`. An empty one would vanish beside others,
 * and the blocks beside an `iframe` decide if it is a line of its own or part of one.
 */
function isBare({ attrs, firstChild: first, childCount, children }: Node): boolean {
  if (attrs.bare !== true || first?.type.name !== 'paragraph' || first.attrs.kept !== null) return false;
  const hasFrame =
    children.some(({ type }) => type.name === 'embed') ||
    first.children.some((child) => child.attrs.html?.startsWith('<iframe'));
  return (
    !hasFrame &&
    (childCount === 1 || first.children.some((child) => !child.isText || isInk(child.textContent)))
  );
}

/** A link cannot contain another one, which an element that is kept as it is may have. */
function nests(mark: Mark, { attrs }: Node): boolean {
  return mark.type.name === 'link' && /<a[\s>]/i.test(attrs.html ?? '');
}

function htmlOf(node: Node): string {
  if (node.isText) return escapedText(node.text ?? '');
  const html = known.get(node) ?? elementFor(node);
  known.set(node, html);
  return html;
}

function elementFor(node: Node): string {
  if (node.type.name.endsWith('island')) return node.attrs.html;
  if (node.type.name === 'table') return tableOf(node);
  const spec: Written = node.type.spec.write(node);
  // A parser drops a line feed behind `<pre>`.
  const feed = spec.name === 'pre' && spec.children[0] === 0 && node.textContent.startsWith('\n') ? '\n' : '';
  return elementOf(spec, feed + childrenOf(node));
}

function elementOf({ name, attributes, children }: Written, content: string): string {
  const inside = children.map((child) => {
    if (child === 0) return content;
    return typeof child === 'string' ? escapedText(child) : elementOf(child, content);
  });
  return `<${name}${attributesOf(attributes)}>${inside.join('')}${VOID.has(name) ? '' : `</${name}>`}`;
}

function startOf(mark: Mark): string {
  const { name, attributes }: Written = mark.type.spec.write(mark);
  return `<${name}${attributesOf(attributes)}>`;
}

function endOf(mark: Mark): string {
  const { name }: Written = mark.type.spec.write(mark);
  return `</${name}>`;
}

function tableOf(table: Node): string {
  const { caption, kept } = table.attrs;
  const named = caption === null ? '' : `<caption>${escapedText(caption)}</caption>`;
  return `<table${attributesOf(kept ?? {})}>${named}${rowsOf(table)}</table>`;
}

/** Rows in the parts of their table: the first rows are its head, the last ones its foot. */
function rowsOf(table: Node): string {
  const rows = table.children;
  const heads = rows.findIndex(({ attrs }) => attrs.section !== 'thead');
  const head = heads === -1 ? rows.length : heads;
  const foot = Math.max(head, rows.findLastIndex(({ attrs }) => attrs.section !== 'tfoot') + 1);
  const parts = [
    ['thead', rows.slice(0, head)],
    ['tbody', rows.slice(head, foot)],
    ['tfoot', rows.slice(foot)],
  ] as const;
  return parts
    .filter(([, part]) => part.length > 0)
    .map(([name, part]) => `<${name}>${part.map(htmlOf).join('')}</${name}>`)
    .join('');
}

function attributesOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapedText(String(value)).replaceAll('"', '&quot;')}"`)
    .join('');
}

/** Text as HTML; what neither JSON nor a database can hold is left out. */
function escapedText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\u00a0', '&nbsp;');
}
