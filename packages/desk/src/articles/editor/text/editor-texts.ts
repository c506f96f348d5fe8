import type { Say, SharedTextName, TextNameOf } from '../../../shared/text/texts.ts';
import type { editorEn } from './en.ts';

/** The name of a text of the editor, or of all sections. */
export type EditorTextName = TextNameOf<typeof editorEn> | SharedTextName;

/** The source of the editor's texts: the page, which has them among its own. */
export interface EditorTexts {
  readonly say: Say<EditorTextName>;
}
