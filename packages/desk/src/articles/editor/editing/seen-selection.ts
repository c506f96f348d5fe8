import { TextSelection } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';

/** Takes over the selection that is seen: the browser tells of one a moment after the key that makes it. */
export function takeSeenSelection(view: EditorView): void {
  const seen = document.getSelection();
  const { state } = view;
  if (!view.hasFocus() || !seen?.anchorNode || !seen.focusNode) return;
  const isInText = view.dom.contains(seen.anchorNode) && view.dom.contains(seen.focusNode);
  if (!isInText || !(state.selection instanceof TextSelection)) return;
  const anchor = state.doc.resolve(view.posAtDOM(seen.anchorNode, seen.anchorOffset));
  const head = state.doc.resolve(view.posAtDOM(seen.focusNode, seen.focusOffset));
  const selection = TextSelection.between(anchor, head);
  if (!selection.eq(state.selection)) view.dispatch(state.tr.setSelection(selection));
}
