import type { Bucket } from '../buckets/bucket.ts';
import { isFolder } from '../listing/marked-folders.ts';
import { isNameRefused } from '../store-names.ts';
import { forEachConcurrently } from './concurrently.ts';
import type { Source } from './destination.ts';
import { findObject } from './stored-object.ts';

/** Paths looked up at a time. */
const LOOKUPS = 16;

/** What the paths of a request name. */
export interface FoundSources {
  /** In the order of the paths. */
  sources: Source[];
  /** The paths at which nothing exists. */
  missing: string[];
}

/**
 * Finds what each path names: with a trailing `/` a folder; otherwise the object with that key, or else the
 * folder with that name.
 */
export async function findSources(bucket: Bucket, paths: readonly string[]): Promise<FoundSources> {
  const found = new Map<string, Source | undefined>(paths.map((path) => [path, undefined]));
  await forEachConcurrently([...found.keys()], LOOKUPS, async (path) => {
    found.set(path, await findSource(bucket, path));
  });
  const sources = [...found.values()].filter((source) => source !== undefined);
  const missing = [...found].filter(([, source]) => source === undefined).map(([path]) => path);
  return { sources, missing };
}

async function findSource(bucket: Bucket, path: string): Promise<Source | undefined> {
  if (!path.endsWith('/') && (await isFile(bucket, path))) return { kind: 'object', path };
  const prefix = path.endsWith('/') ? path : `${path}/`;
  return (await isFolder(bucket, prefix)) ? { kind: 'folder', path: prefix } : undefined;
}

/** Nothing exists under a name that the store does not accept. */
async function isFile(bucket: Bucket, key: string): Promise<boolean> {
  return findObject(bucket, key).then(
    (object) => object !== undefined,
    (error: unknown) => {
      if (isNameRefused(error)) return false;
      throw error;
    },
  );
}
