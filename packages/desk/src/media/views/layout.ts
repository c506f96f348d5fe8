import type { Entry } from '../api/types.ts';

/** Entries in rows: folders first, each row all folders or all files. */
export interface Layout {
  readonly columns: number;
  readonly rows: number;
  /** The rows that are kept ready above and below the window. */
  readonly overscan: number;
  /** The height of a row, in px. */
  heightOf(row: number): number;
  /** The entries of a row, as a range of indices. */
  rangeOf(row: number): readonly [from: number, to: number];
  rowOf(index: number): number;
  /** The entry above or below another, in its column; the same if there is none. */
  step(index: number, rows: -1 | 1): number;
}

/** The space between cells and around them, in px. */
export const GAP = 12;

const FOLDER_HEIGHT = 48;
const CAPTION_HEIGHT = 44;
const LINE_HEIGHT = 44;

/** The height that is kept ready above and below the window, in px: more than a quick turn of a wheel. */
const OVERSCAN = 400;

/** The narrowest column of a grid, in px, by the width of the window. */
function columnWidth(width: number): number {
  if (width < 560) return 150;
  return width < 1600 ? 190 : 230;
}

/** A grid in a window of some width, in px. */
export function gridLayout(entries: readonly Entry[], width: number): Layout {
  const inner = Math.max(width - GAP, 1);
  const columns = Math.max(2, Math.floor(inner / (columnWidth(width) + GAP)));
  const cell = inner / columns - GAP;
  const picture = Math.round((cell * 3) / 4);
  const first = entries.findIndex(({ kind }) => kind !== 'folder');
  const folders = first === -1 ? entries.length : first;
  const folderRows = Math.ceil(folders / columns);
  const rows = folderRows + Math.ceil((entries.length - folders) / columns);
  const rangeOf = (row: number): readonly [number, number] => {
    if (row < folderRows) return [row * columns, Math.min((row + 1) * columns, folders)];
    const from = folders + (row - folderRows) * columns;
    return [from, Math.min(from + columns, entries.length)];
  };
  const rowOf = (index: number) =>
    index < folders ? Math.floor(index / columns) : folderRows + Math.floor((index - folders) / columns);
  return {
    columns,
    rows,
    overscan: Math.ceil(OVERSCAN / (picture + CAPTION_HEIGHT + GAP)),
    heightOf: (row) => (row < folderRows ? FOLDER_HEIGHT : picture + CAPTION_HEIGHT) + GAP,
    rangeOf,
    rowOf,
    step: (index, by) => {
      const row = rowOf(index) + by;
      if (row < 0 || row >= rows) return index;
      const [from, to] = rangeOf(row);
      return Math.min(from + index - rangeOf(row - by)[0], to - 1);
    },
  };
}

/** A table: one entry in a row. */
export function tableLayout(entries: readonly Entry[]): Layout {
  const last = entries.length - 1;
  return {
    columns: 1,
    rows: entries.length,
    overscan: Math.ceil(OVERSCAN / LINE_HEIGHT),
    heightOf: () => LINE_HEIGHT,
    rangeOf: (row) => [row, row + 1],
    rowOf: (index) => index,
    step: (index, by) => Math.max(0, Math.min(last, index + by)),
  };
}
