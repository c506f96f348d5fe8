import { Fragment, type Node } from 'prosemirror-model';

/** Blocks in which an empty paragraph is only space, too. */
const AROUND = new Set(['doc', 'blockquote', 'container']);

/** An article without the empty paragraphs that are left where somebody stops writing; one always stays. */
export function withoutEmpty(node: Node): Node {
  if (!AROUND.has(node.type.name)) return node;
  const children = node.children.map(withoutEmpty);
  const shown = children.filter((child) => !isEmpty(child));
  const left = shown.length > 0 ? shown : children.slice(0, 1);
  const isSame = left.length === node.childCount && left.every((child, index) => child === node.child(index));
  return isSame ? node : node.copy(Fragment.from(left));
}

/** What has an `id` or a class may be there for it. */
function isEmpty({ type, attrs, children }: Node): boolean {
  if (type.name !== 'paragraph' || Object.keys(attrs.kept ?? {}).some((name) => name !== 'dir')) return false;
  return children.every((child) => child.type.name === 'hard_break' || child.text?.trim() === '');
}
