import { Fragment, type Node } from 'prosemirror-model';

/** Blocks in which an empty paragraph is only space, too. */
const AROUND = new Set(['doc', 'blockquote', 'container']);

/** An article without the empty paragraphs that are left where somebody stops writing; one always stays. */
export function withoutEmpty(node: Node): Node {
  if (!AROUND.has(node.type.name)) return node;
  const left = shownIn(node).map(withoutEmpty);
  const isSame = left.length === node.childCount && left.every((child, index) => child === node.child(index));
  return isSame ? node : node.copy(Fragment.from(left));
}

/** The children of a node without those that are only space, but at least one. */
export function shownIn({ children }: Node): readonly Node[] {
  const shown = children.filter((child) => !isEmpty(child));
  return shown.length > 0 ? shown : children.slice(0, 1);
}

/** An empty paragraph with an `id` or a class may be there for it. */
function isEmpty({ type, attrs, children }: Node): boolean {
  if (type.name !== 'paragraph' || Object.keys(attrs.kept ?? {}).some((name) => name !== 'dir')) return false;
  return children.every((child) => child.type.name === 'hard_break' || child.text?.trim() === '');
}
