import type { MenuItem } from '../../shared/views/menu-item.ts';
import type { Entry } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { isInTrash } from '../trash.ts';
import type { Actions } from './actions.ts';
import { openEntry } from './entry-link.tsx';

/** The lines of the menu of the selection, or of the folder if nothing is selected. */
export function useItems(): MenuItem[] {
  const { clip, folder, place, selection, texts } = useApp();
  const { say } = texts;
  const paths = selection.paths.value;
  const one = paths.size === 1 ? folder.loaded.value.find(({ path }) => paths.has(path)) : undefined;
  const paste: MenuItem[] =
    clip.value === undefined
      ? []
      : [{ value: 'paste', label: say('paste'), icon: 'check', shortcut: 'Ctrl V' }];
  const isTrash = isInTrash(place.value.value.folder);
  if (isTrash && paths.size > 0) {
    return [
      { value: 'restore', label: say('restore'), icon: 'undo' },
      { value: 'download', label: say('download'), icon: 'download' },
      { value: 'delete', label: say('delete'), icon: 'delete', danger: true, shortcut: 'Del' },
    ];
  }
  if (paths.size === 0) {
    if (isTrash) return [{ value: 'select-all', label: say('selectAll'), icon: 'done', shortcut: 'Ctrl A' }];
    return [
      { value: 'new-folder', label: say('newFolder'), icon: 'newFolder' },
      ...paste,
      { value: 'select-all', label: say('selectAll'), icon: 'done', shortcut: 'Ctrl A' },
    ];
  }
  return [
    ...(one === undefined ? [] : [{ value: 'open', label: say('open'), icon: 'file' as const }]),
    { value: 'download', label: say('download'), icon: 'download' as const },
    ...(one === undefined || one.kind === 'folder' ? [] : linkItems(one, say)),
    { value: 'rename', label: say('rename'), icon: 'edit' as const, shortcut: 'F2' },
    { value: 'move', label: say('moveTo'), icon: 'move' as const },
    { value: 'copy-to', label: say('copyTo'), icon: 'copy' as const },
    { value: 'cut', label: say('cut'), shortcut: 'Ctrl X' },
    { value: 'copy', label: say('copy'), shortcut: 'Ctrl C' },
    ...paste,
    { value: 'delete', label: say('delete'), icon: 'delete' as const, danger: true, shortcut: 'Del' },
  ].filter(({ value }) => value !== 'rename' || one !== undefined);
}

function linkItems({ kind }: Entry, say: ReturnType<typeof useApp>['texts']['say']): MenuItem[] {
  return [
    { value: 'link', label: say('copyLink'), icon: 'link' },
    { value: 'signed', label: say('copySigned') },
    ...(kind === 'image'
      ? [
          { value: 'markdown', label: say('copyMarkdown') },
          { value: 'img', label: say('copyImg') },
        ]
      : []),
  ];
}

/** Does what a line of the menu says. */
export async function runAction(
  value: string,
  app: ReturnType<typeof useApp>,
  actions: Actions,
): Promise<void> {
  const { dialogs, folder, selection } = app;
  const paths = selection.paths.peek();
  const one = folder.loaded.peek().find(({ path }) => paths.has(path));
  switch (value) {
    case 'new-folder':
      return dialogs.show({ kind: 'new-folder' });
    case 'select-all':
      return actions.selectAll();
    case 'paste':
      return actions.paste();
    case 'restore':
      return actions.restore();
    case 'rename':
      return actions.rename();
    case 'move':
      return actions.move();
    case 'copy-to':
      return actions.copyTo();
    case 'cut':
      return actions.cut();
    case 'copy':
      return actions.copy();
    case 'delete':
      return actions.remove();
    case 'download':
      return actions.download();
  }
  if (one === undefined) return;
  if (value === 'open') return openEntry(app, one);
  if (value === 'link' || value === 'signed' || value === 'markdown' || value === 'img') {
    await actions.copyText(value, one);
  }
}
