import { isApple } from '../../../shared/state/apple.ts';
import type { EditorTextName } from './editor-texts.ts';

/** The editor's keys for the page's list of them, as they are called outside of Apple's systems. */
export const EDITOR_SHORTCUTS: readonly (readonly [keys: string, text: EditorTextName])[] = [
  ['/', 'editorKeyBlocks'],
  ['Alt + F10', 'editorKeyTools'],
  ['Ctrl + Alt + 2 / 3 / 4', 'editorHeading2'],
  ['Ctrl + Alt + 0', 'editorParagraph'],
  ['Ctrl + B', 'editorBold'],
  ['Ctrl + I', 'editorItalic'],
  ['Ctrl + Shift + S', 'editorStrike'],
  ['Ctrl + E', 'editorCode'],
  ['Ctrl + ,', 'editorSubscript'],
  ['Ctrl + .', 'editorSuperscript'],
  ['Ctrl + K', 'editorLink'],
  ['Ctrl + F', 'editorFind'],
  ['Ctrl + Shift + 8', 'editorBulletList'],
  ['Ctrl + Shift + 7', 'editorOrderedList'],
  ['Ctrl + Shift + B', 'editorQuote'],
  ['Ctrl + Alt + C', 'editorCodeBlock'],
  ['Ctrl + Alt + R', 'editorRightToLeft'],
  ['Ctrl + Alt + B', 'editorBeside'],
  ['Ctrl + Alt + M', 'editorComment'],
  ['Tab / Shift + Tab', 'editorKeyIndent'],
  ['Shift + Enter', 'editorKeyLine'],
  ['Enter', 'editorKeyDescribe'],
  ['Ctrl + Z / Y', 'undo'],
  ['##, -, 1., >, ```', 'editorKeyMarkdown'],
];

/** Keys as they are called where the page is. */
export function shownKeys(keys: string): string {
  return isApple ? keys.replaceAll('Ctrl', 'Cmd') : keys;
}
