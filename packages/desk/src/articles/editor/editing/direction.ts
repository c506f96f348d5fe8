import type { Node } from 'prosemirror-model';
import { type Command, Plugin } from 'prosemirror-state';

const STRONG = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The direction of a block, as it is written. */
export function directionOf(block: Node): string | undefined {
  return block.attrs.kept?.dir;
}

/** True if the first letter of a text is of a script that is written from right to left. */
function startsRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(STRONG.exec(text)?.[0] ?? '');
}

function withDirection(block: Node, dir: string | undefined): Node['attrs'] {
  const { dir: _, ...others } = block.attrs.kept ?? {};
  const kept = dir === undefined ? others : { ...others, dir };
  return { ...block.attrs, kept: Object.keys(kept).length === 0 ? null : kept };
}

/** Makes the selected blocks run from right to left, or as the page does. */
export const toggleRightToLeft: Command = (state, dispatch) => {
  const { from, to, $from } = state.selection;
  if (!$from.parent.isTextblock) return false;
  const dir = directionOf($from.parent) === 'rtl' ? undefined : 'rtl';
  const { tr } = state;
  state.doc.nodesBetween(from, to, (node, pos) => {
    if (node.isTextblock) tr.setNodeMarkup(pos, null, withDirection(node, dir));
  });
  dispatch?.(tr);
  return true;
};

/** Lets a block that begins in Arabic or Hebrew, and says nothing of its direction, follow its text. */
export const automaticDirection = new Plugin({
  appendTransaction: (transactions, _before, { selection, tr }) => {
    if (!transactions.some(({ docChanged }) => docChanged)) return null;
    const { $from } = selection;
    const { parent } = $from;
    const isUnset = parent.isTextblock && !parent.type.spec.code && directionOf(parent) === undefined;
    if (!isUnset || !startsRightToLeft(parent.textContent)) return null;
    return tr.setNodeMarkup($from.before(), null, withDirection(parent, 'auto'));
  },
});
