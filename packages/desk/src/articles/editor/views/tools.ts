import {
  Bold,
  Captions,
  Code,
  CodeXml,
  Columns2,
  Heading2,
  Heading3,
  Heading4,
  Image,
  ImagePlus,
  Italic,
  Link,
  List,
  ListOrdered,
  type LucideIcon,
  MessageSquarePlus,
  Minus,
  Pencil,
  PilcrowLeft,
  Quote,
  Redo2,
  Rows2,
  Search,
  Strikethrough,
  Subscript,
  Superscript,
  Table,
  TableCellsMerge,
  TableCellsSplit,
  Trash2,
  Undo2,
  Video,
} from 'lucide-preact';
import { toggleMark } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import type { Command, EditorState } from 'prosemirror-state';
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  deleteColumn,
  deleteRow,
  deleteTable,
  mergeCells,
  splitCell,
} from 'prosemirror-tables';
import { insertBlock, nodeAround, toggleBlock, toggleList, toggleQuote } from '../editing/blocks.ts';
import { directionOf, toggleRightToLeft } from '../editing/direction.ts';
import { selectedPicture } from '../editing/figures.ts';
import { canAddBeside, isInRow, toggleRow } from '../editing/picture-rows.ts';
import { insertTable, toggleHeaderRow } from '../editing/tables.ts';
import { markType, nodeType } from '../schema/schema.ts';
import type { EditorTextName } from '../text/editor-texts.ts';

/** Tools that open a dialog or a bar, or ask the page for a picture. */
export type Asking = 'link' | 'embed' | 'picture' | 'comment' | 'find' | 'beside' | 'describe';

export interface Tool {
  readonly text: EditorTextName;
  readonly icon: LucideIcon;
  readonly does: Command | Asking;
  /** The keys that do it, shown with its name. */
  readonly keys?: string;
  /** For what asks: whether there is something to ask about. */
  readonly isPossible?: (state: EditorState) => boolean;
  /** For what is on or off: whether it is on. */
  readonly isOn?: (state: EditorState) => boolean;
}

function markTool(name: string, text: EditorTextName, icon: LucideIcon): Tool {
  const type = markType(name);
  const isOn = ({ doc, selection: { empty, from, to, $from }, storedMarks }: EditorState) =>
    empty ? type.isInSet(storedMarks ?? $from.marks()) !== undefined : doc.rangeHasMark(from, to, type);
  return { text, icon, does: toggleMark(type), isOn };
}

function headingTool(level: number, text: EditorTextName, icon: LucideIcon): Tool {
  const isOn = ({ selection: { $from } }: EditorState) =>
    $from.parent.type.name === 'heading' && $from.parent.attrs.level === level;
  return { text, icon, does: toggleBlock('heading', { level }), isOn };
}

function blockTool(name: string, text: EditorTextName, icon: LucideIcon, does: Command): Tool {
  return { text, icon, does, isOn: (state) => nodeAround(state, name) !== undefined };
}

const HEADINGS = [
  headingTool(2, 'editorHeading2', Heading2),
  headingTool(3, 'editorHeading3', Heading3),
  headingTool(4, 'editorHeading4', Heading4),
] as const;

const QUOTE = blockTool('blockquote', 'editorQuote', Quote, toggleQuote);

const LISTS: readonly Tool[] = [
  blockTool('bullet_list', 'editorBulletList', List, toggleList('bullet_list')),
  blockTool('ordered_list', 'editorOrderedList', ListOrdered, toggleList('ordered_list')),
  QUOTE,
];

const FIGURES: readonly Tool[] = [
  { text: 'editorPicture', icon: Image, does: 'picture' },
  { text: 'editorEmbed', icon: Video, does: 'embed' },
];

const CODE_BLOCK = blockTool('code_block', 'editorCodeBlock', CodeXml, toggleBlock('code_block'));

const INSERTED: readonly Tool[] = [
  { text: 'editorTable', icon: Table, does: insertTable(3, 3) },
  { text: 'editorRule', icon: Minus, does: insertBlock(nodeType('horizontal_rule')) },
];

const WORDS: readonly Tool[] = [
  markTool('strong', 'editorBold', Bold),
  markTool('em', 'editorItalic', Italic),
  { ...markTool('link', 'editorLink', Link), does: 'link' },
];

/** The tools that most articles take. */
export const TOOLS: readonly (readonly Tool[])[] = [HEADINGS.slice(0, 2), WORDS, FIGURES, LISTS];

/** The others, which are asked for. */
export const MORE_TOOLS: readonly (readonly Tool[])[] = [
  [
    { text: 'undo', icon: Undo2, does: undo },
    { text: 'editorRedo', icon: Redo2, does: redo },
    { text: 'editorFind', icon: Search, does: 'find', keys: 'Ctrl + F' },
  ],
  [
    HEADINGS[2],
    markTool('strike', 'editorStrike', Strikethrough),
    markTool('code', 'editorCode', Code),
    markTool('sub', 'editorSubscript', Subscript),
    markTool('sup', 'editorSuperscript', Superscript),
  ],
  [CODE_BLOCK, ...INSERTED],
  [
    {
      text: 'editorRightToLeft',
      icon: PilcrowLeft,
      does: toggleRightToLeft,
      isOn: ({ selection: { $from } }) => directionOf($from.parent) === 'rtl',
    },
  ],
];

/** The tools that appear with selected text. */
export const SELECTION_TOOLS: readonly (readonly Tool[])[] = [WORDS, [HEADINGS[0], QUOTE]];

/** The blocks that a `/` in an empty paragraph offers. */
export const BLOCK_TOOLS: readonly Tool[] = [...HEADINGS, ...LISTS, ...FIGURES, CODE_BLOCK, ...INSERTED];

/** For whoever may read the text, too. */
export const COMMENT_TOOL: Tool = { text: 'editorComment', icon: MessageSquarePlus, does: 'comment' };

/** Additional tools while a picture is selected. */
export const PICTURE_TOOLS: readonly Tool[] = [
  {
    text: 'editorKeyDescribe',
    icon: Pencil,
    does: 'describe',
    keys: 'Enter',
    isPossible: (state) => selectedPicture(state) !== undefined,
  },
  { text: 'editorBeside', icon: Columns2, does: toggleRow, keys: 'Ctrl + Alt + B', isOn: isInRow },
  { text: 'editorAddBeside', icon: ImagePlus, does: 'beside', isPossible: canAddBeside },
];

/** Additional tools while the cursor is in a table. */
export const TABLE_TOOLS: readonly Tool[] = [
  { text: 'editorRowBefore', icon: Rows2, does: addRowBefore },
  { text: 'editorRowAfter', icon: Rows2, does: addRowAfter },
  { text: 'editorColumnBefore', icon: Columns2, does: addColumnBefore },
  { text: 'editorColumnAfter', icon: Columns2, does: addColumnAfter },
  { text: 'editorHeaderRow', icon: Captions, does: toggleHeaderRow },
  { text: 'editorMergeCells', icon: TableCellsMerge, does: mergeCells },
  { text: 'editorSplitCell', icon: TableCellsSplit, does: splitCell },
  { text: 'editorDeleteRow', icon: Trash2, does: deleteRow },
  { text: 'editorDeleteColumn', icon: Trash2, does: deleteColumn },
  { text: 'editorDeleteTable', icon: Trash2, does: deleteTable },
];
