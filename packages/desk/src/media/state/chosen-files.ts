import type { GalleryApi } from '../api/gallery.ts';
import type { Dialogs } from './dialogs.ts';
import { freeNames } from './free-names.ts';
import { nameOf, parentOf } from './place.ts';

/** A file that somebody wants to upload, and where in the folder it belongs: `2026/a.jpg`. */
export interface Chosen {
  readonly file: File;
  readonly path: string;
}

/** A file with the key that its object will have. */
export interface KeyedFile {
  readonly file: File;
  readonly key: string;
}

/**
 * The keys of files that go to `folder`, under the names that the person decides on where some are taken;
 * without those that are skipped.
 */
export async function keysOf(
  chosen: readonly Chosen[],
  folder: string,
  api: GalleryApi,
  dialogs: Dialogs,
): Promise<KeyedFile[]> {
  const byFolder = Map.groupBy(chosen, ({ path }) => parentOf(`${folder}${path}`));
  const keyed: KeyedFile[] = [];
  for (const [parent, files] of byFolder) keyed.push(...(await keysIn(parent, files, api, dialogs)));
  return keyed;
}

async function keysIn(
  folder: string,
  chosen: readonly Chosen[],
  api: GalleryApi,
  dialogs: Dialogs,
): Promise<KeyedFile[]> {
  const names = chosen.map(({ path }) => nameOf(path).normalize('NFC'));
  const taken = await api.takenNames(folder, names);
  const named = chosen.map(({ file }, index) => ({ name: names[index] ?? '', file }));
  const conflicts = named.filter(({ name }) => taken.has(name));
  const choices = ['both', 'replace', 'skip'] as const;
  const choice = conflicts.length === 0 ? 'replace' : await dialogs.askConflict(folder, conflicts, choices);
  if (choice === undefined) return [];
  const wanted = chosen.filter((_, index) => choice !== 'skip' || !taken.has(names[index] ?? ''));
  const originals = wanted.map(({ path }) => nameOf(path).normalize('NFC'));
  const free = originals.map((name) => ({ name, isFolder: false }));
  const given = choice === 'both' ? await freeNames(api, folder, free) : originals;
  return wanted.map(({ file, path }, index) => ({ file, key: `${folder}${given[index] ?? nameOf(path)}` }));
}
