import { ApiProblem } from '../../shared/api/problem.ts';
import { problemWords } from '../../shared/views/problem-view.tsx';
import type { Entry } from '../api/types.ts';
import { type App, useApp } from '../app-context.ts';
import type { Dialog } from '../state/dialogs.ts';
import { shownAddress } from '../state/shown-address.ts';
import { isInTrash } from '../trash.ts';

/** Actions on the selected entries, else on the one with the keyboard's focus. */
export interface Actions {
  remove(): void;
  /** Brings back from the trash. */
  restore(): void;
  rename(): void;
  move(): void;
  copyTo(): void;
  copyToPublic(): void;
  cut(): void;
  copy(): void;
  paste(): void;
  /** Also what is not loaded yet. */
  selectAll(): Promise<void>;
  download(): Promise<void>;
  /** Returns true if it was copied; if not, a dialog says why. */
  copyText(what: 'link' | 'signed' | 'markdown' | 'img', entry: Entry): Promise<boolean>;
}

/** The actions that change what is in the bucket, or lead to that. */
export const CHANGING = [
  'remove',
  'restore',
  'rename',
  'move',
  'copyTo',
  'copyToPublic',
  'cut',
  'copy',
  'paste',
] as const satisfies readonly (keyof Actions)[];

/** The dialog that copies files to a public folder. */
export function publicCopyOf({ visibility }: App, entries: readonly Entry[]): Dialog {
  return { kind: 'copy', entries, dest: visibility.prefixes.peek()[0] };
}

export function useActions(): Actions {
  const app = useApp();
  const actions = actionsOf(app);
  if (app.me.may('organize')) return actions;
  const without = Object.fromEntries(CHANGING.map((name) => [name, () => undefined]));
  return { ...actions, ...without };
}

/** The entries that an action is about. */
export function chosenEntries({ folder, selection }: App): Entry[] {
  const paths = selection.paths.peek();
  const all = folder.loaded.peek();
  if (paths.size > 0) return all.filter(({ path }) => paths.has(path));
  return all.filter(({ path }) => path === selection.active.peek());
}

function actionsOf(app: App): Actions {
  const { announce, api, clip, dialogs, folder, place, selection, texts, transfers } = app;
  const withChosen = (then: (entries: Entry[]) => void) => {
    const entries = chosenEntries(app);
    if (entries.length > 0) then(entries);
  };
  const take = (action: 'move' | 'copy') =>
    withChosen((entries) => {
      clip.value = { action, paths: entries.map(({ path }) => path) };
      announce(texts.say('selected', { count: entries.length }));
    });
  const fail = (what: 'copy' | 'download', error: unknown) => {
    const { say } = texts;
    // Nothing else can go wrong than the request for an address, and the clipboard.
    const reason = error instanceof ApiProblem ? problemWords(error, say) : say('copyFailed');
    dialogs.fail(what, reason);
  };
  return {
    remove: () => withChosen((entries) => dialogs.show({ kind: 'delete', entries })),
    restore: () =>
      withChosen((entries) => {
        selection.clear();
        void transfers.restore(entries.map(({ path }) => path));
      }),
    rename: () =>
      withChosen(([entry]) => {
        if (entry !== undefined && !isInTrash(entry.path)) dialogs.show({ kind: 'rename', entry });
      }),
    move: () => withChosen((entries) => dialogs.show({ kind: 'move', entries })),
    copyTo: () => withChosen((entries) => dialogs.show({ kind: 'copy', entries })),
    copyToPublic: () => withChosen((entries) => dialogs.show(publicCopyOf(app, entries))),
    cut: () => take('move'),
    copy: () => take('copy'),
    paste: () => {
      const held = clip.peek();
      if (held === undefined) return;
      if (held.action === 'move') clip.value = undefined;
      void transfers.run(held.action, held.paths, place.value.peek().folder);
    },
    selectAll: async () => {
      const select = () => selection.set(folder.shown.peek().map(({ path }) => path));
      const { folder: here } = place.value.peek();
      select();
      await folder.loadAll();
      if (place.value.peek().folder === here && selection.paths.peek().size > 0) select();
    },
    download: async () => {
      const chosen = chosenEntries(app);
      const paths = chosen.map(({ path }) => path);
      const [first] = chosen;
      if (first === undefined) return;
      const isFile = chosen.length === 1 && first.kind !== 'folder';
      try {
        save(isFile ? ((await api.signDownloads(paths))[first.path] ?? '') : await api.archive(paths));
      } catch (error) {
        fail('download', error);
      }
    },
    copyText: async (what, entry) => {
      try {
        const text = await textOf(app, what, entry);
        await navigator.clipboard.writeText(text);
        announce(texts.say('copied', { what: text }));
        return true;
      } catch (error) {
        fail('copy', error);
        return false;
      }
    },
  };
}

async function textOf({ api }: App, what: string, entry: Entry): Promise<string> {
  const { path, name } = entry;
  const address = api.address(entry);
  if (what === 'signed') return (await api.sign([path]))[path] ?? address;
  const isPublic = entry.publicPath !== undefined && entry.kind === 'image';
  const shown = isPublic ? shownAddress(address, entry.contentType) : address;
  if (what === 'markdown') return `![${name.replaceAll(/[[\]\\]/g, '\\$&')}](${shown})`;
  if (what === 'img') return `<img src="${attribute(shown)}" alt="${attribute(name)}">`;
  return address;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}

function save(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.target = '_blank';
  link.rel = 'noreferrer';
  link.click();
}
