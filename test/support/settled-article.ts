import { Fragment, type Node } from 'prosemirror-model';
import { schema } from '../../packages/desk/src/articles/editor/schema/schema.ts';

/** Parses an article as a browser does: without anything that HTML cannot express. */
export function settled(node: Node): Node {
  if (node.isTextblock) return node.copy(node.type.spec.code ? codeOf(node) : lineOf(node));
  const children = node.children.map(settled);
  if (node.type.name === 'table') return node.copy(Fragment.from(rowsOf(children)));
  const { attrs } = node;
  if (attrs.bare !== true) return node.copy(Fragment.from(children));
  const [first] = node.children;
  const isPlain = first?.type.name === 'paragraph' && first.attrs.kept === null;
  const isSomething = children[0]?.content.size !== 0 || children.length === 1;
  const isBare = isPlain && isSomething && !children.some(({ type }) => type.name === 'embed');
  const isFramed = first?.children.some(({ attrs }) => attrs.html?.startsWith('<iframe'));
  return node.type.create({ ...attrs, bare: isBare && !isFramed }, children);
}

/** Rows: the head comes first, and the foot last. */
function rowsOf(rows: readonly Node[]): Node[] {
  const firstOther = rows.findIndex(({ attrs }) => attrs.section !== 'thead');
  const head = firstOther === -1 ? rows.length : firstOther;
  const foot = Math.max(head, rows.findLastIndex(({ attrs }) => attrs.section !== 'tfoot') + 1);
  return rows.map((row, index) => {
    const section = index < head ? 'thead' : index < foot ? 'tbody' : 'tfoot';
    return row.type.create({ ...row.attrs, section }, row.content);
  });
}

function codeOf(block: Node): Fragment {
  const text = textOf(block.textContent);
  return text === '' ? Fragment.empty : Fragment.from(schema.text(text));
}

/** White space collapses, and is not shown where a line begins or ends. */
function lineOf(block: Node): Fragment {
  const line: Node[] = [];
  for (const child of block.children) {
    if (!child.isText) {
      line.push(unlinked(child));
      continue;
    }
    const previous = line.at(-1);
    let text = textOf(child.text ?? '').replaceAll(/[ \t\n\f]+/g, ' ');
    const follows =
      previous === undefined || previous.type.name === 'hard_break' || previous.text?.endsWith(' ');
    if (follows && text.startsWith(' ')) text = text.slice(1);
    if (text !== '') line.push(schema.text(text, child.marks));
  }
  const last = line.at(-1);
  if (last?.text?.endsWith(' '))
    line.splice(-1, 1, ...(last.text === ' ' ? [] : [last.cut(0, last.text.length - 1)]));
  return Fragment.fromArray(line);
}

/** A link contains no other one. */
function unlinked(node: Node): Node {
  if (!/<a[\s>]/.test(node.attrs.html ?? '')) return node;
  return node.mark(node.marks.filter(({ type }) => type.name !== 'link'));
}

function textOf(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').replaceAll(/\r\n?/g, '\n');
}
