import {
  baseKeymap,
  chainCommands,
  createParagraphNear,
  exitCode,
  liftEmptyBlock,
  newlineInCode,
  splitBlockAs,
  toggleMark,
} from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import { undoInputRule } from 'prosemirror-inputrules';
import { liftListItem, sinkListItem, splitListItem } from 'prosemirror-schema-list';
import type { Command } from 'prosemirror-state';
import { goToNextCell } from 'prosemirror-tables';
import { markType, nodeType } from '../schema/schema.ts';
import { leaveCaption, toggleBlock, toggleList, toggleQuote } from './blocks.ts';
import { toggleRightToLeft } from './direction.ts';
import { toggleRow } from './picture-rows.ts';
import { nextCell } from './tables.ts';

/** The second half of a block is like the first, but an address within the page leads to one only. */
const splitBlock = splitBlockAs((node, atEnd) => {
  const { id: _, ...others } = node.attrs.kept ?? {};
  const kept = Object.keys(others).length === 0 ? null : others;
  if (!atEnd) return { type: node.type, attrs: { ...node.attrs, kept } };
  const { dir } = others;
  return { type: nodeType('paragraph'), attrs: { kept: dir === undefined ? null : { dir } } };
});

const breakLine: Command = chainCommands(exitCode, (state, dispatch) => {
  if (!state.selection.$from.parent.inlineContent) return false;
  dispatch?.(state.tr.replaceSelectionWith(nodeType('hard_break').create()).scrollIntoView());
  return true;
});

const item = nodeType('list_item');

/** Mod-Enter is the page's: it publishes. */
const { 'Mod-Enter': _publishes, ...BASE } = baseKeymap;

/** Keys in the text; `Mod` is Cmd on Apple's systems, else Ctrl. Dialogs are the surface's own. */
export const KEYS: Readonly<Record<string, Command>> = {
  ...BASE,
  Enter: chainCommands(
    newlineInCode,
    leaveCaption,
    splitListItem(item),
    createParagraphNear,
    liftEmptyBlock,
    splitBlock,
  ),
  'Shift-Enter': breakLine,
  Tab: chainCommands(nextCell, sinkListItem(item)),
  'Shift-Tab': chainCommands(goToNextCell(-1), liftListItem(item)),
  Backspace: chainCommands(undoInputRule, baseKeymap.Backspace ?? (() => false)),
  'Mod-z': undo,
  'Mod-y': redo,
  'Shift-Mod-z': redo,
  'Mod-b': toggleMark(markType('strong')),
  'Mod-i': toggleMark(markType('em')),
  'Mod-Shift-s': toggleMark(markType('strike')),
  'Mod-e': toggleMark(markType('code')),
  'Mod-,': toggleMark(markType('sub')),
  'Mod-.': toggleMark(markType('sup')),
  'Mod-Alt-0': toggleBlock('paragraph'),
  'Mod-Alt-2': toggleBlock('heading', { level: 2 }),
  'Mod-Alt-3': toggleBlock('heading', { level: 3 }),
  'Mod-Alt-4': toggleBlock('heading', { level: 4 }),
  'Mod-Alt-c': toggleBlock('code_block'),
  'Mod-Shift-b': toggleQuote,
  'Mod-Shift-7': toggleList('ordered_list'),
  'Mod-Shift-8': toggleList('bullet_list'),
  'Mod-Alt-r': toggleRightToLeft,
  'Mod-Alt-b': toggleRow,
};
