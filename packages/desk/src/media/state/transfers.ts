import type { GalleryApi } from '../api/gallery.ts';
import { isInTrash, originalOf } from '../trash.ts';
import type { Dialogs } from './dialogs.ts';
import { freeNames } from './free-names.ts';
import { nameOf, parentOf } from './place.ts';
import { deletionOf, movedBy, restorationOf, transferOf } from './steps.ts';
import type { Task } from './task.ts';
import type { Tasks } from './tasks.ts';
import type { Uses } from './uses.ts';

/** Moves and copies, with what a person wants done about names that are taken. */
export class Transfers {
  readonly #api: GalleryApi;
  readonly #tasks: Tasks;
  readonly #dialogs: Dialogs;
  readonly #uses: Uses;

  constructor(api: GalleryApi, tasks: Tasks, dialogs: Dialogs, uses: Uses) {
    this.#api = api;
    this.#tasks = tasks;
    this.#dialogs = dialogs;
    this.#uses = uses;
  }

  /** Moves or copies into the folder `dest`; asks first where names are taken or articles show it. */
  async run(action: 'move' | 'copy', all: readonly string[], dest: string): Promise<void> {
    const wanted = all.filter((path) => makesSense(action, path, dest));
    if (wanted.length === 0) return;
    const paths = await this.#existing(wanted);
    const gone = wanted.length - paths.length;
    const settled = await this.#settle(paths, dest);
    if (settled === undefined) return;
    const { left, names, replaced } = settled;
    if (left.length === 0 && gone === 0) return;
    const steps = transferOf(action, left, dest, names);
    const moved = movedBy(steps);
    const plan = moved.size > 0 ? await this.#uses.ask(moved) : ({ choice: 'keep', hidden: 0 } as const);
    if (plan === undefined) return;
    const task = await this.#tasks.run({ action, count: left.length, dest, gone }, [
      ...deletionOf(replaced),
      ...steps,
    ]);
    await this.#uses.follow(task, plan, moved);
  }

  /** Undoes a task; asks first where articles would lose files for their readers. */
  async undo(task: Task): Promise<void> {
    const hidden = await this.#uses.askUndo(movedBy(task.undo));
    // A second click has asked, too.
    const isThere = this.#tasks.list.peek().some(({ id }) => id === task.id);
    if (hidden === undefined || !isThere) return;
    await this.#uses.takeBack(task, await this.#tasks.undo(task), hidden);
  }

  /** Brings back from the trash; asks first where names are taken. */
  async restore(paths: readonly string[]): Promise<void> {
    const [all, given, taken]: [string[], [string, string][], string[]] = [[], [], []];
    for (const [dest, some] of Map.groupBy(paths, (path) => parentOf(originalOf(path)))) {
      const settled = await this.#settle(some, dest);
      if (settled === undefined) return;
      all.push(...settled.left);
      given.push(...settled.names);
      taken.push(...settled.replaced);
    }
    if (all.length === 0) return;
    await this.#tasks.run({ action: 'restore', count: all.length }, [
      ...deletionOf(taken),
      ...restorationOf(all, new Map(given)),
    ]);
  }

  /**
   * Decides which paths go to `dest`, under which other names, and what makes way; asks the person if names
   * are taken.
   */
  async #settle(paths: readonly string[], dest: string) {
    const here = new Set(paths.filter((path) => parentOf(path) === dest));
    const taken = await this.#api.takenNames(dest, paths.map(nameOf)).catch(() => new Set<string>());
    const conflicts = paths.filter((path) => taken.has(nameOf(path)) && !here.has(path));
    const choice = conflicts.length === 0 ? 'both' : await this.#ask(conflicts, dest);
    if (choice === undefined) return undefined;
    const skipped = new Set(choice === 'skip' ? conflicts : []);
    const left = paths.filter((path) => !skipped.has(path));
    const renamed = new Set(choice === 'both' ? conflicts : []);
    const names = await this.#names(left, dest, (path) => renamed.has(path) || here.has(path));
    const replaced = choice === 'replace' ? conflicts.map((path) => `${dest}${nameOf(path)}`) : [];
    return { left, names, replaced };
  }

  /** Without those that somebody else has moved or deleted: the rest is still wanted. */
  async #existing(paths: readonly string[]): Promise<readonly string[]> {
    const existing: string[] = [];
    for (const [folder, some] of Map.groupBy(paths, parentOf)) {
      const names = some.map(nameOf);
      const there = await this.#api.takenNames(folder, names).catch(() => new Set(names));
      existing.push(...some.filter((path) => there.has(nameOf(path))));
    }
    return existing;
  }

  /** The other names that paths get in the folder `dest`: what a search has found may have one name twice. */
  async #names(paths: readonly string[], dest: string, isRenamed: (path: string) => boolean) {
    const kept = new Set<string>();
    const others: string[] = [];
    for (const path of paths) {
      if (isRenamed(path) || kept.has(nameOf(path))) others.push(path);
      else kept.add(nameOf(path));
    }
    const wanted = others.map((path) => ({ name: nameOf(path), isFolder: path.endsWith('/') }));
    const names = others.length === 0 ? [] : await freeNames(this.#api, dest, wanted, kept);
    return new Map(others.map((path, index) => [path, names[index] ?? '']));
  }

  #ask(conflicts: readonly string[], dest: string) {
    // A folder is not replaced: its files would be gone with it, without having been named.
    const replaceable = conflicts.every((path) => !path.endsWith('/'));
    const choices = replaceable ? (['both', 'replace', 'skip'] as const) : (['both', 'skip'] as const);
    const given = conflicts.map((path) => ({ name: nameOf(path), path }));
    return this.#dialogs.askConflict(dest, given, choices);
  }
}

/** Nothing can go into itself, and nothing is moved to where it is. */
function makesSense(action: 'move' | 'copy', path: string, dest: string): boolean {
  if (isInTrash(dest) || (path.endsWith('/') && dest.startsWith(path))) return false;
  return action === 'copy' || parentOf(path) !== dest;
}
