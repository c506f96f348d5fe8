import { dropCursor } from 'prosemirror-dropcursor';
import { gapCursor } from 'prosemirror-gapcursor';
import { history } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import type { Node } from 'prosemirror-model';
import { EditorState, type Plugin } from 'prosemirror-state';
import { tableEditing } from 'prosemirror-tables';
import { automaticDirection } from './direction.ts';
import { markdownRules } from './input-rules.ts';
import { KEYS } from './keys.ts';

/** The state of an editor that has just opened an article. */
export function editorState(doc: Node, plugins: readonly Plugin[] = []): EditorState {
  return EditorState.create({
    doc,
    plugins: [
      ...plugins,
      markdownRules,
      keymap({ ...KEYS }),
      history(),
      tableEditing({ allowTableNodeSelection: true }),
      automaticDirection,
      gapCursor(),
      dropCursor({ class: 'rich-text-drop', color: false }),
    ],
  });
}
