import { integerParameter } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { deleteObjects, TransferRunning, withTransferLock } from './batches/objects.ts';
import type { Bucket, BucketSource } from './buckets/bucket.ts';
import { fileEntry, folderEntry, toFileEntry, toFolderEntry } from './listing.ts';
import { isInTrash, isKeyLength, parentOf, stampOf, TRASH, TRASH_DAYS, trashedAt } from './names.ts';
import { listObjects, listPage, OriginalDates, type StoredObject } from './objects/object-page.ts';
import { signObjectUrls } from './objects/read-urls.ts';
import { problemResponses } from './problems.ts';
import type { GalleryTables } from './tables.ts';

/** Reads the cursor of a page, which is the last path of the page before. */
function cursor() {
  return z
    .string('must be given once')
    .regex(/^[\w-]{1,2000}$/, 'must be the continuationToken of a page of the trash')
    .transform((token, context) => {
      const path = Buffer.from(token, 'base64url').toString();
      if (isInTrash(path) && isKeyLength(path) && !path.includes('\0')) return path;
      context.addIssue('must be the continuationToken of a page of the trash');
      return z.NEVER;
    });
}

const trashQuery = z.strictObject({
  continuationToken: cursor().optional().describe('The continuationToken of the previous page.'),
  maxKeys: integerParameter(1, 1000).default(1000).describe('The most folders and files in a page.'),
});

type TrashQuery = z.infer<typeof trashQuery>;

const deletion = {
  original: z.string().describe('The path before the deletion, to which a restoration brings it back.'),
  deletedAt: z.string().describe('RFC 3339, UTC.'),
  expiresAt: z.string().describe(`RFC 3339, UTC: ${TRASH_DAYS} days later, when it is removed for good.`),
};

const trashedFolder = folderEntry.extend(deletion);
const trashedFile = fileEntry.extend(deletion);

const trashPage = z.object({
  folders: z.array(trashedFolder).describe('Folders that were deleted as a whole.'),
  files: z.array(trashedFile),
  continuationToken: z.string().nullable().describe('Cursor of the next page.'),
});

/** A page of the trash, the oldest deletions first. */
type TrashPage = z.infer<typeof trashPage>;

const trashAnswer = z.object({ success: z.literal(true), data: trashPage });

/** The contents of the trash: an addition to `docs/spec/gallery-admin.md`, "Endpoints". */
export function trashOperations(buckets: BucketSource, dates: OriginalDates) {
  const list = operation({
    schema: {
      tags: ['gallery'],
      operationId: 'listTrash',
      summary: 'List what was deleted with "trash": true, the oldest deletions first',
      description:
        'A batch restores or deletes it by its path; deleting the folder `.pressroom-trash/` empties the trash.',
      querystring: trashQuery,
      response: { 200: trashAnswer, ...problemResponses(400, 401, 500, 503) },
    },
    handler: async ({ query }) => {
      const data = await readTrash(await buckets.current(), query, dates);
      return { success: true as const, data };
    },
  });
  return { list };
}

/** The requests to the store for one page: each finds at least one deleted file or folder. */
const MAX_REQUESTS = 20;

/** Sorts after every character that can follow a folder's prefix. */
const LAST_CHARACTER = '\u{10ffff}';

const DAY_MS = 86_400_000;

/** Reads a page of deleted things. Each folder is one entry. */
async function readTrash(bucket: Bucket, query: TrashQuery, dates: OriginalDates): Promise<TrashPage> {
  const { folders, objects, next } = await findDeleted(bucket, query);
  const keys = objects.map(({ key }) => key);
  const [urls, modified] = await Promise.all([signObjectUrls(bucket, keys), dates.of(bucket, objects)]);
  const files = objects.map((object, index) => {
    const lastModified = modified[index] ?? object.lastModified;
    const entry = toFileEntry({ ...object, lastModified }, urls[index] ?? '', parentOf(object.key));
    return { ...entry, ...deletionOf(object.key) };
  });
  return {
    folders: folders.map((path) => ({ ...toFolderEntry(path, parentOf(path)), ...deletionOf(path) })),
    files,
    continuationToken: next === undefined ? null : Buffer.from(next).toString('base64url'),
  };
}

/** Skips the contents of a folder by asking for the keys after it. */
async function findDeleted(bucket: Bucket, { continuationToken: after = '', maxKeys: most }: TrashQuery) {
  const folders: string[] = [];
  const objects: StoredObject[] = [];
  let last = after;
  for (let requests = 0; requests < MAX_REQUESTS; requests += 1) {
    const maxKeys = most - folders.length - objects.length;
    if (maxKeys === 0) break;
    const startAfter = last.endsWith('/') ? last + LAST_CHARACTER : last;
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

/** Objects that one step removes at most. */
const REMOVED = 1000;

interface TrashPruning {
  db: Kysely<GalleryTables>;
  /** The database without a pooler, for locks of a session. */
  direct: Kysely<GalleryTables>;
  signal: AbortSignal;
  now?: Date;
}

/**
 * Removes for good what was deleted more than 30 days ago, in small steps, and returns the number of objects.
 * A step waits for no copy or move, of which one may be finishing an old deletion; the next run comes back.
 */
export async function pruneTrash(bucket: Bucket, pruning: TrashPruning): Promise<number> {
  let objects = 0;
  while (!pruning.signal.aborted) {
    const step = await withTransferLock(pruning.direct, bucket, () => removeSome(bucket, pruning)).catch(
      (error: unknown) => {
        if (error instanceof TransferRunning) return { removed: 0, isLast: true };
        throw error;
      },
    );
    objects += step.removed;
    if (step.isLast) break;
  }
  return objects;
}

async function removeSome(bucket: Bucket, { db, now = new Date() }: TrashPruning) {
  const end = new Date(now);
  end.setUTCDate(end.getUTCDate() - TRASH_DAYS);
  const dates = new OriginalDates(db);
  const old: { key: string }[] = [];
  for await (const { key } of listObjects(bucket, TRASH)) {
    // The oldest come first.
    if (key >= TRASH + stampOf(end) || old.length === REMOVED) break;
    if (trashedAt(key) !== undefined) old.push({ key });
  }
  const { deleted } = await deleteObjects(bucket, each(old), (_, gone) => dates.forget(bucket, gone));
  return { removed: deleted, isLast: deleted < REMOVED };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}
