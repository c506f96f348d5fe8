import fc from 'fast-check';
import { deleteSelection, joinBackward, lift, toggleMark, wrapIn } from 'prosemirror-commands';
import { redo, undo } from 'prosemirror-history';
import { type Command, type EditorState, NodeSelection, TextSelection } from 'prosemirror-state';
import {
  addColumnAfter,
  addColumnBefore,
  addRowAfter,
  addRowBefore,
  CellSelection,
  deleteColumn,
  deleteRow,
  deleteTable,
  mergeCells,
  splitCell,
  TableMap,
} from 'prosemirror-tables';
import {
  insertBlock,
  leaveCaption,
  setCodeLanguage,
  toggleBlock,
  toggleList,
  toggleQuote,
} from '../../packages/desk/src/articles/editor/editing/blocks.ts';
import { toggleRightToLeft } from '../../packages/desk/src/articles/editor/editing/direction.ts';
import { insertEmbed } from '../../packages/desk/src/articles/editor/editing/embeds.ts';
import { describePicture, insertFigure } from '../../packages/desk/src/articles/editor/editing/figures.ts';
import { KEYS } from '../../packages/desk/src/articles/editor/editing/keys.ts';
import { linkPlace, setLink } from '../../packages/desk/src/articles/editor/editing/links.ts';
import { addBeside } from '../../packages/desk/src/articles/editor/editing/picture-rows.ts';
import { insertTable, toggleHeaderRow } from '../../packages/desk/src/articles/editor/editing/tables.ts';
import { nodeType, schema } from '../../packages/desk/src/articles/editor/schema/schema.ts';

/** Something that a writer, or whoever sends steps to the editor, does. */
export type Edit = (state: EditorState) => EditorState;

/** Texts as they are typed and pasted in any language, markup among them. */
const text = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '新闻编辑',
    'مرحبا',
    'שלום',
    '👩‍👩‍👧',
    '<script>alert(1)</script>',
    '&amp;',
    '-->',
    '\u00a0',
    '# ',
    '\n',
  ),
);

const address = fc.oneof(
  fc.webUrl(),
  fc.constantFrom(
    '/a',
    '#b',
    'mailto:a@b.example',
    'javascript:alert(1)',
    'java\tscript:x',
    'data:text/html,x',
    '//x.example/"',
  ),
  fc.string(),
);

/** A command as the toolbar and the keys run it. */
function commanded(command: Command): Edit {
  return (state) => {
    let after = state;
    command(state, (tr) => {
      after = state.apply(tr);
    });
    return after;
  };
}

/** Selects between two places, each a part of the whole. */
function selected(from: number, to: number, edit: Edit): Edit {
  return (state) => {
    const size = state.doc.content.size;
    const places = [from, to].map((part) => state.doc.resolve(Math.round(part * size)));
    const [$from = state.doc.resolve(0), $to = $from] = places;
    return edit(state.apply(state.tr.setSelection(TextSelection.between($from, $to))));
  };
}

/** Selects a node, if one can be selected there. */
function selectedNode(at: number, edit: Edit): Edit {
  return (state) => {
    const found: number[] = [];
    state.doc.descendants((node, pos) => {
      if (NodeSelection.isSelectable(node)) found.push(pos);
    });
    const pos = found[Math.floor(at * found.length)];
    if (pos === undefined) return state;
    return edit(state.apply(state.tr.setSelection(NodeSelection.create(state.doc, pos))));
  };
}

/** Selects cells of a table, if there is one. */
function selectedCells(from: number, to: number, edit: Edit): Edit {
  return (state) => {
    const cells: number[] = [];
    // Only cells of the first table: a selection does not reach into a table within it.
    state.doc.descendants((node, pos) => {
      if (node.type.name !== 'table' || cells.length > 0) return;
      cells.push(...new Set(TableMap.get(node).map.map((offset) => pos + 1 + offset)));
    });
    const [anchor, head] = [from, to].map((part) => cells[Math.floor(part * cells.length)]);
    if (anchor === undefined || head === undefined) return state;
    return edit(state.apply(state.tr.setSelection(CellSelection.create(state.doc, anchor, head))));
  };
}

const COMMANDS: readonly Command[] = [
  ...Object.values(KEYS),
  ...[deleteSelection, joinBackward, lift, undo, redo, toggleQuote, leaveCaption, toggleRightToLeft],
  ...[toggleHeaderRow, addColumnAfter, addColumnBefore, addRowAfter, addRowBefore, deleteColumn, deleteRow],
  ...[deleteTable, mergeCells, splitCell, insertTable(2, 3), insertBlock(nodeType('horizontal_rule'))],
  ...[toggleBlock('code_block'), toggleBlock('heading', { level: 3 }), setCodeLanguage('c++')],
  ...[toggleList('bullet_list'), toggleList('ordered_list'), wrapIn(nodeType('container'))],
  ...Object.values(schema.marks)
    .filter(({ name }) => name !== 'inline' && name !== 'link')
    .map((type) => toggleMark(type)),
];

const part = fc.double({ min: 0, max: 1, noNaN: true });

/** A step of the kind that pasting, dropping and collaborators make: anything, anywhere. */
const replaced = fc.record({ from: part, to: part, sourceFrom: part, sourceTo: part }).map(
  (where): Edit =>
    (state) => {
      const size = state.doc.content.size;
      const sorted = (a: number, b: number) =>
        [a, b].map((one) => Math.round(one * size)).sort((a, b) => a - b);
      const [from = 0, to = 0] = sorted(where.from, where.to);
      const [start = 0, end = 0] = sorted(where.sourceFrom, where.sourceTo);
      return state.apply(state.tr.replaceRange(from, to, state.doc.slice(start, end)));
    },
);

/** Random edits. */
export const edits: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(part, part, text).map(([from, to, words]) => selected(from, to, typed(words))),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(part, part, fc.constantFrom(...COMMANDS))
      .map(([from, to, command]) => selected(from, to, commanded(command))),
  },
  fc.tuple(part, fc.constantFrom(...COMMANDS)).map(([at, command]) => selectedNode(at, commanded(command))),
  fc
    .tuple(part, part, fc.constantFrom(...COMMANDS))
    .map(([from, to, command]) => selectedCells(from, to, commanded(command))),
  { weight: 2, arbitrary: replaced },
  fc
    .tuple(part, part, address, text)
    .map(([from, to, href, words]) => selected(from, to, linked(href, words))),
  fc
    .tuple(part, address, text, text)
    .map(([at, src, alt, caption]) =>
      selected(at, at, commanded(insertFigure({ src, alt, width: 4, height: 3 }, { caption, credit: alt }))),
    ),
  fc.tuple(part, address, text).map(([at, src, alt]) => selectedNode(at, commanded(addBeside({ src, alt })))),
  fc
    .tuple(part, address, text)
    .map(([at, src, title]) => selected(at, at, commanded(insertEmbed(src, title)))),
  fc
    .tuple(part, address, text, fc.boolean(), fc.option(text, { nil: undefined }))
    .map(([at, src, alt, isDecorative, caption]) =>
      selectedNode(at, commanded(describePicture({ src, alt, isDecorative }, { caption, credit: alt }))),
    ),
);

function typed(words: string): Edit {
  return (state) => {
    const { $from, $to } = state.selection;
    if (!$from.parent.inlineContent || words === '') return state;
    const marks = $from.marksAcross($to);
    return state.apply(state.tr.replaceSelectionWith(schema.text(words, marks), false));
  };
}

function linked(href: string, words: string): Edit {
  return (state) => {
    const { from, to, text } = linkPlace(state);
    return commanded(setLink({ from, to, text: text || words }, href))(state);
  };
}
