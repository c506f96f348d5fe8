import { DRAGGED } from '../../shared/views/use-file-drops.ts';
import type { Entry } from '../api/types.ts';
import { type App, useApp } from '../app-context.ts';
import { type PlaceValue, parentOf } from '../state/place.ts';
import { originalOf, TRASH } from '../trash.ts';
import { chosenEntries } from './actions.ts';

/** The place that an entry opens: a folder, or the viewer. */
function leadsTo({ kind, path }: Entry): Partial<PlaceValue> {
  return kind === 'folder'
    ? { folder: path, file: undefined, filter: '', everywhere: false }
    : { file: path };
}

/**
 * The folder of what a search has found, from the one that is searched, or of what was deleted; undefined for
 * what lies in the one that is shown.
 */
export function foundIn({ place, texts }: App, path: string): string | undefined {
  const { everywhere, filter, folder } = place.value.value;
  if (folder === TRASH) return texts.folder(parentOf(originalOf(path)));
  const below = parentOf(path).slice(folder.length);
  return everywhere && filter !== '' && below !== '' ? texts.folder(below) : undefined;
}

/** Goes where an entry leads, without loading the page again. */
export function openEntry({ place }: App, entry: Entry): void {
  place.go(leadsTo(entry));
}

/** The mouse handlers for the links of entries and the cells around them. */
export function useEntry(entry: Entry) {
  const app = useApp();
  const { folder, me, place, selection, transfers } = app;
  const onOpen = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.altKey) return;
    event.preventDefault();
    // The keys of a selection select, wherever the pointer is; the cell does that.
    if (event.shiftKey || event.ctrlKey) return;
    event.stopPropagation();
    selection.focus(entry.path);
    openEntry(app, entry);
  };
  const onSelect = ({ shiftKey }: MouseEvent) => selection.choose(entry.path, shiftKey, folder.shown.peek());
  const onDragStart = (event: DragEvent) => {
    if (!selection.paths.peek().has(entry.path)) selection.set([entry.path]);
    const paths = chosenEntries(app).map(({ path }) => path);
    event.dataTransfer?.setData(DRAGGED, JSON.stringify(paths));
    if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copyMove';
  };
  const drop = entry.kind === 'folder' && me.may('organize') ? dropOn(entry.path, transfers) : {};
  const onContextMenu = () => {
    if (!selection.paths.peek().has(entry.path)) selection.set([entry.path]);
    selection.focus(entry.path);
  };
  return {
    href: place.href(leadsTo(entry)),
    found: foundIn(app, entry.path),
    onOpen,
    onSelect,
    cell: { onDragStart, onContextMenu, ...drop },
  };
}

/** Takes what is dragged within the page: it moves, with Ctrl or Alt it is copied. */
export function dropOn(folder: string, transfers: App['transfers']) {
  const mark = (event: DragEvent, isOver: boolean) => {
    if (!event.dataTransfer?.types.includes(DRAGGED)) return false;
    (event.currentTarget as HTMLElement).toggleAttribute('data-over', isOver);
    return true;
  };
  return {
    onDragOver: (event: DragEvent) => {
      if (!mark(event, true)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = event.ctrlKey || event.altKey ? 'copy' : 'move';
    },
    onDragLeave: (event: DragEvent) => void mark(event, false),
    onDrop: (event: DragEvent) => {
      if (!mark(event, false)) return;
      event.preventDefault();
      event.stopPropagation();
      const paths: string[] = JSON.parse(event.dataTransfer?.getData(DRAGGED) || '[]');
      const action = event.ctrlKey || event.altKey ? 'copy' : 'move';
      void transfers.run(action, paths, folder);
    },
  };
}
