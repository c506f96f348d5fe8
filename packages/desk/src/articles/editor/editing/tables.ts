import { Fragment } from 'prosemirror-model';
import { type Command, Selection } from 'prosemirror-state';
import { addRowAfter, goToNextCell, toggleHeader } from 'prosemirror-tables';
import { nodeType } from '../schema/schema.ts';
import { insertBlock, nodeAround } from './blocks.ts';

/** Adds a table with a row of headings. */
export function insertTable(rows: number, columns: number): Command {
  const row = (section: string, cell: string) => {
    const cells = Array.from({ length: columns }, () => nodeType(cell).createAndFill());
    return nodeType('table_row').create({ section }, Fragment.from(cells.filter((one) => one !== null)));
  };
  const head = row('thead', 'table_header');
  const body = Array.from({ length: rows - 1 }, () => row('tbody', 'table_cell'));
  return insertBlock(nodeType('table'), {}, Fragment.from([head, ...body]));
}

/** Goes to the next cell; behind the last one a new row begins. */
export const nextCell: Command = (state, dispatch, view) => {
  if (goToNextCell(1)(state, dispatch, view)) return true;
  return addRowAfter(state, (tr) => {
    const after = state.apply(tr);
    goToNextCell(1)(after, (next) =>
      dispatch?.(tr.setSelection(Selection.fromJSON(tr.doc, next.selection.toJSON()))),
    );
  });
};

/** Makes the first row of a table its headings, or takes that back. */
export const toggleHeaderRow: Command = (state, dispatch) => {
  const toggle = toggleHeader('row');
  if (dispatch === undefined) return toggle(state);
  return toggle(state, (tr) => {
    const table = nodeAround(state, 'table');
    const row = table && tr.doc.nodeAt(table.pos + 1);
    if (table && row) {
      const isHead = row.children.every(({ type }) => type.name === 'table_header');
      tr.setNodeMarkup(table.pos + 1, null, { ...row.attrs, section: isHead ? 'thead' : 'tbody' });
    }
    dispatch(tr);
  });
};
