import type { Bucket } from '../buckets/bucket.ts';
import { fileEntry, folderEntry } from '../listing/folder.ts';
import { listPage, type StoredObject } from '../listing/object-page.ts';
import type { OriginalDates } from '../listing/original-dates.ts';
import { signObjectUrls } from '../listing/signed-urls.ts';
import { parentOf } from '../operations/destination.ts';
import { TRASH, TRASH_DAYS, trashedAt } from '../trash-path.ts';
import type { TrashPage, TrashQuery } from './schema.ts';

/** Requests to the store for one page, each of which finds at least one deleted file or folder. */
const MAX_REQUESTS = 20;

/** What follows every key that begins with a folder's prefix. */
const LAST = '\u{10ffff}';

const DAY_MS = 86_400_000;

/** Reads a page of what was deleted. Each folder is one entry. */
export async function readTrash(bucket: Bucket, query: TrashQuery, dates: OriginalDates): Promise<TrashPage> {
  const { folders, objects, next } = await findDeleted(bucket, query);
  const keys = objects.map(({ key }) => key);
  const [urls, modified] = await Promise.all([signObjectUrls(bucket, keys), dates.of(bucket, objects)]);
  const files = objects.map((object, index) => {
    const lastModified = modified[index] ?? object.lastModified;
    const entry = fileEntry({ ...object, lastModified }, urls[index] ?? '', parentOf(object.key));
    return { ...entry, ...deletionOf(object.key) };
  });
  return {
    folders: folders.map((path) => ({ ...folderEntry(path, parentOf(path)), ...deletionOf(path) })),
    files,
    continuationToken: next === undefined ? null : Buffer.from(next).toString('base64url'),
  };
}

/** Passes over what is in a folder by asking for what follows it. */
async function findDeleted(bucket: Bucket, { continuationToken: after = '', maxKeys: most }: TrashQuery) {
  const folders: string[] = [];
  const objects: StoredObject[] = [];
  let last = after;
  for (let requests = 0; requests < MAX_REQUESTS; requests += 1) {
    const maxKeys = most - folders.length - objects.length;
    if (maxKeys === 0) break;
    const startAfter = last.endsWith('/') ? last + LAST : last;
    const page = await listPage(bucket, { prefix: TRASH, startAfter, maxKeys });
    for (const object of page.objects) {
      const { whole = object.key } = trashedAt(object.key) ?? {};
      if (whole === last) continue;
      last = whole;
      if (trashedAt(whole) === undefined) continue;
      if (whole.endsWith('/')) folders.push(whole);
      else objects.push(object);
    }
    if (page.continuationToken === null) return { folders, objects, next: undefined };
  }
  return { folders, objects, next: last };
}

function deletionOf(path: string) {
  const { original = '', deletedAt = new Date(0) } = trashedAt(path) ?? {};
  const expiresAt = new Date(deletedAt.getTime() + TRASH_DAYS * DAY_MS);
  return { original, deletedAt: deletedAt.toISOString(), expiresAt: expiresAt.toISOString() };
}
