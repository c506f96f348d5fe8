import type { MenuItem } from '../../shared/views/menu-item.ts';
import type { Entry } from '../api/types.ts';
import { type App, useApp } from '../app-context.ts';
import { isInTrash } from '../trash.ts';
import { type Actions, CHANGING } from './actions.ts';
import { openEntry } from './entry-link.tsx';

/** The lines of the menu of the selection, or of the folder if nothing is selected, that the role allows. */
export function useItems(): MenuItem[] {
  const { me } = useApp();
  const items = useAllItems();
  if (me.may('organize')) return items;
  const changing: readonly string[] = [...CHANGING, 'newFolder'];
  return items.filter(({ value }) => !changing.includes(value));
}

function useAllItems(): MenuItem[] {
  const { clip, folder, place, selection, texts, visibility } = useApp();
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
      { value: 'remove', label: say('delete'), icon: 'delete', danger: true, shortcut: 'Del' },
    ];
  }
  if (paths.size === 0) {
    if (isTrash) return [{ value: 'selectAll', label: say('selectAll'), icon: 'done', shortcut: 'Ctrl A' }];
    return [
      { value: 'newFolder', label: say('newFolder'), icon: 'newFolder' },
      ...paste,
      { value: 'selectAll', label: say('selectAll'), icon: 'done', shortcut: 'Ctrl A' },
    ];
  }
  return [
    ...(one === undefined ? [] : [{ value: 'open', label: say('open'), icon: 'file' as const }]),
    { value: 'download', label: say('download'), icon: 'download' as const },
    ...(one === undefined || one.kind === 'folder' ? [] : linkItems(one, visibility, say)),
    { value: 'rename', label: say('rename'), icon: 'edit' as const, shortcut: 'F2' },
    { value: 'move', label: say('moveTo'), icon: 'move' as const },
    { value: 'copyTo', label: say('copyTo'), icon: 'copy' as const },
    { value: 'cut', label: say('cut'), shortcut: 'Ctrl X' },
    { value: 'copy', label: say('copy'), shortcut: 'Ctrl C' },
    ...paste,
    { value: 'remove', label: say('delete'), icon: 'delete' as const, danger: true, shortcut: 'Del' },
  ].filter(({ value }) => value !== 'rename' || one !== undefined);
}

function linkItems(
  entry: Entry,
  visibility: App['visibility'],
  say: ReturnType<typeof useApp>['texts']['say'],
): MenuItem[] {
  const isPublic = visibility.of(entry) === 'public';
  return [
    // Readers cannot open the link of a private file.
    ...(isPublic ? [{ value: 'link', label: say('copyLink'), icon: 'link' as const }] : []),
    ...(!isPublic && visibility.prefixes.value.length > 0
      ? [{ value: 'copyToPublic', label: say('copyToPublic'), icon: 'copy' as const }]
      : []),
    { value: 'signed', label: say('copySigned') },
    ...(isPublic && entry.kind === 'image'
      ? [
          { value: 'markdown', label: say('copyMarkdown') },
          { value: 'img', label: say('copyImg') },
        ]
      : []),
  ];
}

/** Does what a line of the menu says: most lines have the name of an action. */
export async function runAction(
  value: string,
  app: ReturnType<typeof useApp>,
  actions: Actions,
): Promise<void> {
  const { dialogs, folder, selection } = app;
  if (value === 'newFolder') return dialogs.show({ kind: 'new-folder' });
  const { copyText, ...others } = actions;
  const named: Readonly<Partial<Record<string, () => void | Promise<void>>>> = others;
  const act = named[value];
  if (act !== undefined) return act();
  const paths = selection.paths.peek();
  const one = folder.loaded.peek().find(({ path }) => paths.has(path));
  if (one === undefined) return;
  if (value === 'open') return openEntry(app, one);
  if (value === 'link' || value === 'signed' || value === 'markdown' || value === 'img') {
    await copyText(value, one);
  }
}
