import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { listObjects, type StoredObject } from '../listing/object-page.ts';
import { forEachConcurrently } from '../operations/concurrently.ts';
import { parentOf } from '../operations/destination.ts';
import { named } from '../operations/messages.ts';
import { foldOverlaps } from '../operations/overlaps.ts';
import { findSources } from '../operations/sources.ts';
import { findObject } from '../operations/stored-object.ts';

/** The most files in one archive: its list is in memory. */
const MAX_FILES = 50_000;

/** Paths looked up at a time. */
const LOOKUPS = 16;

/** What a name in an archive may not have: it could leave the folder where it is unpacked, or mislead. */
const UNSAFE = /[\\\p{Cc}\p{Bidi_Control}]/gu;

/** A file in an archive, or an empty folder, whose name ends with `/`. */
export interface ArchiveEntry {
  name: string;
  object: StoredObject;
}

/** The files of an archive, and the path after which it is named; empty if that is the bucket. */
export interface ArchiveContent {
  about: string;
  entries: ArchiveEntry[];
}

/**
 * Everything at `paths`, folders with all that is in them, each under its path from the folder that holds
 * them all. Fails as `refused` if nothing exists at a path, or for more than 50,000 files.
 */
export async function archiveContent(bucket: Bucket, paths: readonly string[]): Promise<ArchiveContent> {
  const found = await findSources(bucket, paths);
  if (found.missing.length > 0) {
    throw new Failure('refused', `paths: nothing exists at ${named(found.missing)}`);
  }
  const { sources } = foldOverlaps(found.sources);
  const objects: StoredObject[] = [];
  const add = (object: StoredObject | undefined) => {
    if (object !== undefined) objects.push(object);
    if (objects.length <= MAX_FILES) return;
    throw new Failure('refused', `paths: more than ${MAX_FILES} files; choose fewer for one archive`);
  };
  await forEachConcurrently(sources, LOOKUPS, async ({ kind, path }) => {
    if (kind === 'object') return add(await findObject(bucket, path));
    for await (const object of listObjects(bucket, path)) add(object);
  });
  const folder = commonFolder(sources.map(({ path }) => parentOf(path)));
  objects.sort((a, b) => (a.key < b.key ? -1 : 1));
  const [only = { path: '' }, second] = sources;
  return { about: second === undefined ? only.path : folder, entries: entriesOf(objects, folder) };
}

/** The longest prefix that ends with `/` and that all folders begin with. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  let folder = first;
  for (const other of others) while (!other.startsWith(folder)) folder = parentOf(folder);
  return folder;
}

/**
 * Two files may have one name once what is unsafe is replaced or where case does not count, and a file may
 * have the name of a folder: the last segment of its name then gets a number.
 */
function entriesOf(objects: readonly StoredObject[], folder: string): ArchiveEntry[] {
  const entries = objects.map((object) => ({ name: safeName(object.key.slice(folder.length)), object }));
  const folders = [...new Set(entries.map(({ name }) => placeOf(parentOf(`${name}.`))))].sort();
  /** Where files are, with the number to try next. */
  const files = new Map<string, number>();
  const isTaken = (place: string) => files.has(place) || hasPrefixed(folders, place);
  return entries.map((entry) => {
    if (entry.name.endsWith('/')) return entry;
    let { name } = entry;
    let number = files.get(placeOf(name)) ?? 2;
    for (; isTaken(placeOf(name)); number += 1) name = entry.name.replace(/[^/]*$/, `${number} $&`);
    files.set(placeOf(entry.name), number).set(placeOf(name), 2);
    return { ...entry, name };
  });
}

/** Whether any of the sorted `texts` begins with `prefix`; a set of all their folders could be huge. */
function hasPrefixed(texts: readonly string[], prefix: string): boolean {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((texts[middle] ?? '') < prefix) low = middle + 1;
    else high = middle;
  }
  return texts[low]?.startsWith(prefix) ?? false;
}

/** Equal for names that are one place where neither case nor the composition of characters counts. */
function placeOf(name: string): string {
  return name.normalize().toLowerCase().replace(/\/?$/, '/');
}

function safeName(path: string): string {
  const isFolder = path.endsWith('/');
  const segments = (isFolder ? path.slice(0, -1) : path).replaceAll(UNSAFE, '_').split('/');
  const safe = segments.map((segment) => (/^\.{0,2}$/.test(segment) ? '_' : segment)).join('/');
  return isFolder ? `${safe}/` : safe;
}
