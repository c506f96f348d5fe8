import type { GalleryApi } from '../api/gallery.ts';
import type { Entry } from '../api/types.ts';
import type { Dialogs } from './dialogs.ts';
import { nameOf, parentOf } from './place.ts';
import type { Tasks } from './tasks.ts';

/** Moves and copies, with what a person wants done about names that are taken. */
export class Transfers {
  readonly #api: GalleryApi;
  readonly #tasks: Tasks;
  readonly #dialogs: Dialogs;

  constructor(api: GalleryApi, tasks: Tasks, dialogs: Dialogs) {
    this.#api = api;
    this.#tasks = tasks;
    this.#dialogs = dialogs;
  }

  /** Moves or copies into the folder `dest`; asks first where names are taken. */
  async run(action: 'move' | 'copy', entries: readonly Pick<Entry, 'path'>[], dest: string): Promise<void> {
    const paths = entries.map(({ path }) => path).filter((path) => this.#makesSense(path, dest));
    if (paths.length === 0) return;
    const names = new Map(paths.map((path) => [path, nameOf(path)]));
    const taken = new Set(await this.#api.takenNames(dest, [...names.values()]).catch(() => []));
    const conflicts = paths.filter((path) => taken.has(names.get(path) ?? ''));
    const free = paths.filter((path) => !conflicts.includes(path));
    if (conflicts.length > 0) {
      const choice = await this.#ask(conflicts, dest);
      if (choice === undefined) return;
      if (choice === 'replace') {
        const there = conflicts.map((path) => `${dest}${nameOf(path)}`);
        const cleared = await this.#tasks.run({ action: 'delete', paths: there });
        if (cleared.state !== 'done') return;
        free.push(...conflicts);
      }
    }
    if (free.length > 0) await this.#tasks.run({ action, paths: free, dest });
  }

  /** Nothing can go into itself, or to where it is already. */
  #makesSense(path: string, dest: string): boolean {
    if (path.endsWith('/') && dest.startsWith(path)) return false;
    return parentOf(path) !== dest;
  }

  #ask(conflicts: readonly string[], dest: string) {
    // A folder is not replaced: its files would be gone with it, without having been named.
    const replaceable = conflicts.every((path) => !path.endsWith('/'));
    const choices = replaceable ? (['replace', 'skip'] as const) : (['skip'] as const);
    return this.#dialogs.askConflict(dest, conflicts.map(nameOf), choices);
  }
}
