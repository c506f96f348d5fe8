import type { paths } from './openapi/news-feed.ts';
import { patient, type WalkOptions } from './pages.ts';
import { isProblem } from './problem.ts';
import type { NewsFeedClient } from './services.ts';
import type { AnswerOf, OperationOf } from './typed-paths.ts';

/** An item of the selected set; the smaller form where `fields` is `minimal`. */
export type SelectedItem = AnswerOf<OperationOf<paths, '/api/v1/selected/snapshot', 'get'>>['items'][number];

/**
 * Where a mirror keeps the set: a database, a directory, a `Map`. Each call has to be durable when it
 * resolves, and calls come one after the other; several calls need not be atomic together.
 */
export interface SelectedStore {
  /** The cursor that was saved last; undefined at the beginning. */
  readCursor(): Promise<string | undefined>;
  /** Saves the cursor; undefined says that the copy is not whole. */
  saveCursor(cursor: string | undefined): Promise<void>;
  /** Adds items, or replaces those with the same id. */
  put(items: readonly SelectedItem[]): Promise<void>;
  /** Removes the items with these ids; unknown ids are not an error. */
  remove(ids: readonly string[]): Promise<void>;
  /** The ids of all items. */
  ids(): Promise<Iterable<string>>;
}

/** How a mirror reads. */
export interface MirrorOptions extends WalkOptions {
  /** `minimal` for smaller items; asked for with a snapshot, and kept by the changes that follow it. */
  fields?: 'default' | 'minimal';
  /** Items a page of the snapshot, and changes a page. */
  snapshotLimit?: number;
  changesLimit?: number;
}

/** What a mirror did. */
export interface Mirrored {
  /** How often it read the whole set. */
  snapshots: number;
  upserted: number;
  removed: number;
}

/** How often one call reads the whole set: more would be a fault of the server. */
const MOST_SNAPSHOTS = 10;

/**
 * Brings a copy of the selected set up to date, and returns when the server has nothing more at the moment;
 * call it again later for what has changed since. It may be ended at any point, by a crash as well: the next
 * call goes on. Only one may work on a store at a time. While the store has no cursor, its copy is not whole.
 *
 * Changes are applied first and their cursor is saved then, so a crash in between applies them twice, which
 * changes nothing. A snapshot begins by clearing the cursor and ends with removing what it did not contain.
 */
export async function mirrorSelected(
  client: NewsFeedClient,
  store: SelectedStore,
  options: MirrorOptions = {},
): Promise<Mirrored> {
  const done: Mirrored = { snapshots: 0, upserted: 0, removed: 0 };
  for (;;) {
    const cursor = await store.readCursor();
    const step = cursor === undefined ? readSnapshot : readChanges;
    try {
      if (!(await step({ client, store, options, done, cursor: cursor ?? '' }))) return done;
    } catch (error) {
      if (!isProblem(error, 'snapshot_required') || done.snapshots >= MOST_SNAPSHOTS) throw error;
      await store.saveCursor(undefined);
    }
  }
}

interface Step {
  client: NewsFeedClient;
  store: SelectedStore;
  options: MirrorOptions;
  done: Mirrored;
  /** Of the changes to read. */
  cursor: string;
}

async function readSnapshot({ client, store, options, done }: Step): Promise<boolean> {
  const { fields = 'default', snapshotLimit } = options;
  done.snapshots += 1;
  const seen = new Set<string>();
  let cursor: string | undefined;
  let page: string | null = null;
  do {
    const body: AnswerOf<OperationOf<paths, '/api/v1/selected/snapshot', 'get'>> = await client.get(
      '/api/v1/selected/snapshot',
      {
        ...patient(options),
        query: { fields, ...(snapshotLimit && { limit: snapshotLimit }), ...(page !== null && { page }) },
      },
    );
    // The changes since the first page include those since the others.
    cursor ??= body.cursor;
    if (body.items.length > 0) await store.put(body.items);
    for (const { id } of body.items) seen.add(id);
    done.upserted += body.items.length;
    page = body.nextPage;
  } while (page !== null);
  const gone = [...(await store.ids())].filter((id) => !seen.has(id));
  if (gone.length > 0) await store.remove(gone);
  done.removed += gone.length;
  await store.saveCursor(cursor);
  return true;
}

/** Reads, applies and saves one page of changes; false when it was the last one for now. */
async function readChanges({ client, store, options, done, cursor }: Step): Promise<boolean> {
  const { changesLimit } = options;
  const body = await client.get('/api/v1/selected/changes', {
    ...patient(options),
    query: { cursor, ...(changesLimit && { limit: changesLimit }) },
  });
  // The last change of an item is the one that holds.
  const last = new Map(
    body.changes.map((change) => [change.op === 'upsert' ? change.item.id : change.id, change]),
  );
  const changes = [...last.values()];
  const items = changes.flatMap((change) => (change.op === 'upsert' ? [change.item] : []));
  const ids = changes.flatMap((change) => (change.op === 'remove' ? [change.id] : []));
  if (items.length > 0) await store.put(items);
  if (ids.length > 0) await store.remove(ids);
  if (body.cursor !== cursor) await store.saveCursor(body.cursor);
  done.upserted += items.length;
  done.removed += ids.length;
  return body.hasMore;
}
