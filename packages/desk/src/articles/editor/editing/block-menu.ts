import { type EditorState, Plugin } from 'prosemirror-state';
import { Decoration, DecorationSet } from 'prosemirror-view';

/** The words behind a `/` that begins a paragraph, and where it stands. */
export interface BlockQuery {
  readonly words: string;
  readonly from: number;
  readonly to: number;
}

/** The words after a `/` in an otherwise empty paragraph; undefined elsewhere. */
export function blockQuery({ selection }: EditorState): BlockQuery | undefined {
  const { $from, empty } = selection;
  const { parent } = $from;
  if (!empty || parent.type.name !== 'paragraph' || $from.parentOffset !== parent.content.size)
    return undefined;
  const text = parent.textBetween(0, parent.content.size, undefined, '\uFFFC');
  const words = /^\/([\p{L}\p{M}\p{N} ]{0,30})$/u.exec(text)?.[1];
  return words === undefined ? undefined : { words, from: $from.start(), to: $from.pos };
}

/** Says in an empty article how to begin. */
export function placeholder(text: string): Plugin {
  return new Plugin({
    props: {
      decorations: ({ doc }) => {
        const { firstChild: first } = doc;
        const isEmpty = doc.childCount === 1 && first?.type.name === 'paragraph' && first.content.size === 0;
        if (!isEmpty) return undefined;
        return DecorationSet.create(doc, [
          Decoration.node(0, first.nodeSize, { class: 'rich-text-empty', 'data-placeholder': text }),
        ]);
      },
    },
  });
}
