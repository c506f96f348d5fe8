import type { AnswerOf, OperationOf } from './api-client.ts';
import type { paths as ContentPaths } from './openapi/content.ts';
import type { paths as NewsFeedPaths } from './openapi/news-feed.ts';
import { patient, type WalkOptions } from './pages.ts';
import { isProblem } from './problem.ts';
import type { ContentClient, NewsFeedClient } from './services.ts';

/**
 * Keeps a set for a mirror: in a database, a directory, a `Map`. Each call has to be durable when it
 * resolves, and calls come one after the other; several calls need not be atomic together.
 */
export interface MirrorStore<Item, Id> {
  /** The cursor that was saved last; undefined at the beginning. */
  readCursor(): Promise<string | undefined>;
  /** Saves the cursor; undefined says that the copy is not whole. */
  saveCursor(cursor: string | undefined): Promise<void>;
  /** Adds items, or replaces those with the same id. */
  put(items: readonly Item[]): Promise<void>;
  /** Removes the items with these ids; unknown ids are not an error. */
  remove(ids: readonly Id[]): Promise<void>;
  ids(): Promise<Iterable<Id>>;
}

export interface Mirrored {
  /** Number of times that it read the whole set. */
  snapshots: number;
  upserted: number;
  removed: number;
}

type Change<Item, Id> = { op: 'upsert'; item: Item } | { op: 'remove'; id: Id };

/** A set that a server has, with its changes. */
interface MirroredSet<Item, Id> {
  /** A page of the snapshot; the first without its cursor. */
  snapshot(page: string | undefined): Promise<{ items: Item[]; cursor: string; next: string | null }>;
  /** A page of the changes since a cursor. */
  changes(cursor: string): Promise<{ changes: Change<Item, Id>[]; cursor: string; hasMore: boolean }>;
  idOf(item: Item): Id;
  nameOf(id: Id): string;
}

/** Most times that one call reads the whole set: more would be a fault of the server. */
const MOST_SNAPSHOTS = 10;

/**
 * Brings a copy of a set up to date, and returns when the server has nothing more at the moment.
 *
 * Changes are applied first and their cursor is saved then, so a crash in between applies them twice, which
 * changes nothing. A snapshot begins by clearing the cursor and ends with removing what it did not contain.
 */
async function mirror<Item, Id>(set: MirroredSet<Item, Id>, store: MirrorStore<Item, Id>): Promise<Mirrored> {
  const done: Mirrored = { snapshots: 0, upserted: 0, removed: 0 };
  const mirroring = { set, store, done };
  for (;;) {
    const cursor = await store.readCursor();
    try {
      if (cursor === undefined) await readSnapshot(mirroring);
      else if (!(await readChanges(mirroring, cursor))) return done;
    } catch (error) {
      if (!isProblem(error, 'snapshot_required') || done.snapshots >= MOST_SNAPSHOTS) throw error;
      await store.saveCursor(undefined);
    }
  }
}

/** A copy that is being brought up to date. */
interface Mirroring<Item, Id> {
  set: MirroredSet<Item, Id>;
  store: MirrorStore<Item, Id>;
  done: Mirrored;
}

async function readSnapshot<Item, Id>(mirroring: Mirroring<Item, Id>): Promise<void> {
  const { set, store, done } = mirroring;
  done.snapshots += 1;
  const seen = new Set<string>();
  let start: string | undefined;
  let page: string | undefined;
  do {
    const { items, cursor, next } = await set.snapshot(page);
    // The changes since the first page include those since the others.
    start ??= cursor;
    await put(mirroring, items);
    for (const item of items) seen.add(set.nameOf(set.idOf(item)));
    page = next ?? undefined;
  } while (page !== undefined);
  const gone = [...(await store.ids())].filter((id) => !seen.has(set.nameOf(id)));
  await remove(mirroring, gone);
  await store.saveCursor(start);
}

/** Reads, applies and saves one page of changes; false when it was the last one for now. */
async function readChanges<Item, Id>(mirroring: Mirroring<Item, Id>, before: string): Promise<boolean> {
  const { set, store } = mirroring;
  const { changes, cursor, hasMore } = await set.changes(before);
  const idOf = (change: Change<Item, Id>) => (change.op === 'upsert' ? set.idOf(change.item) : change.id);
  // The last change of an item is the one that holds.
  const last = new Map(changes.map((change) => [set.nameOf(idOf(change)), change]));
  const kept = [...last.values()];
  await put(
    mirroring,
    kept.flatMap((change) => (change.op === 'upsert' ? [change.item] : [])),
  );
  await remove(
    mirroring,
    kept.flatMap((change) => (change.op === 'remove' ? [change.id] : [])),
  );
  if (cursor !== before) await store.saveCursor(cursor);
  return hasMore;
}

async function put<Item, Id>({ store, done }: Mirroring<Item, Id>, items: Item[]): Promise<void> {
  if (items.length > 0) await store.put(items);
  done.upserted += items.length;
}

async function remove<Item, Id>({ store, done }: Mirroring<Item, Id>, ids: Id[]): Promise<void> {
  if (ids.length > 0) await store.remove(ids);
  done.removed += ids.length;
}

type AnyItem = AnswerOf<OperationOf<ContentPaths, '/api/sync/snapshot', 'get'>>['data'][number];

type AnyArticle = Extract<AnyItem, { kind: 'article' }>;

/**
 * Where an old address leads, the former slug of an article, category, tag, author or series, or a former
 * pattern of the addresses of pages.
 */
export type CopiedRedirect = Extract<AnyItem, { kind: 'redirect' | 'former_slug' | 'former_pattern' }>;

type Others = Exclude<AnyItem, { kind: 'article' } | CopiedRedirect>;

/** The names of the members that a type always has. */
type Always<Of> = { [Name in keyof Of]-?: undefined extends Of[Name] ? never : Name }[keyof Of];

/** A published article, a category, a tag or an author. */
export type PublishedItem = Pick<AnyArticle, Always<AnyArticle>> | Others;

/** The same with the bodies of articles, and everything else that they show. */
export type FullPublishedItem = Required<AnyArticle> | Others;

export type PublishedId = Pick<AnyItem, 'kind' | 'id'>;

/** Options of a mirror of the published articles. */
export interface ArticleMirrorOptions<Fields extends 'default' | 'full', Redirects extends boolean = false>
  extends WalkOptions {
  /** `full` for bodies; asked for with a snapshot, and kept by the changes that follow it. */
  fields?: Fields;
  /** True for redirects, former slugs and former address patterns, too; likewise. */
  redirects?: Redirects;
}

type ItemOf<Fields extends 'default' | 'full', Redirects extends boolean> =
  | (Fields extends 'full' ? FullPublishedItem : PublishedItem)
  | (Redirects extends true ? CopiedRedirect : never);

/** Keeps the published articles for a mirror. */
export type PublishedStore<
  Fields extends 'default' | 'full' = 'default',
  Redirects extends boolean = false,
> = MirrorStore<ItemOf<Fields, Redirects>, PublishedId>;

/**
 * Brings a copy of the published articles, categories, tags, authors and series up to date, and returns when
 * the server has nothing more at the moment; call it again later for what has changed since. It may be
 * ended at any point, by a crash as well: the next call goes on. Only one may work on a store at a time.
 * While the store has no cursor, its copy is not whole. An article may come before what it refers to.
 */
export function mirrorArticles<
  const Fields extends 'default' | 'full' = 'default',
  const Redirects extends boolean = false,
>(
  client: ContentClient,
  store: PublishedStore<Fields, Redirects>,
  options: ArticleMirrorOptions<Fields, Redirects> = {},
): Promise<Mirrored> {
  const fields: 'default' | 'full' = options.fields ?? 'default';
  type Item = ItemOf<Fields, Redirects>;
  const set = {
    snapshot: async (page: string | undefined) => {
      const query = {
        fields,
        ...(options.redirects === true && { redirects: 'true' as const }),
        ...(page && { page }),
      };
      const { data, meta } = await client.get('/api/sync/snapshot', { ...patient(options), query });
      return { items: data as Item[], cursor: meta.cursor, next: meta.next_page };
    },
    changes: async (cursor: string) => {
      const { data, meta } = await client.get('/api/sync/changes', {
        ...patient(options),
        query: { cursor },
      });
      const changes = data.map(
        (change): Change<Item, PublishedId> =>
          change.op === 'upsert'
            ? { op: 'upsert', item: change.item as Item }
            : { op: 'remove', id: { kind: change.kind, id: change.id } },
      );
      return { changes, cursor: meta.cursor, hasMore: meta.has_more };
    },
    idOf: ({ kind, id }: Item) => ({ kind, id }),
    nameOf: ({ kind, id }: PublishedId) => `${kind}:${id}`,
  };
  return mirror(set, store);
}

/** An item of the selected set; the smaller form where `fields` is `minimal`. */
export type SelectedItem = AnswerOf<
  OperationOf<NewsFeedPaths, '/api/v1/selected/snapshot', 'get'>
>['items'][number];

/** Keeps the selected set for a mirror. */
export type SelectedStore = MirrorStore<SelectedItem, string>;

export interface MirrorOptions extends WalkOptions {
  /** `minimal` for smaller items; asked for with a snapshot, and kept by the changes that follow it. */
  fields?: 'default' | 'minimal';
  /** Items a page of the snapshot, and changes a page. */
  snapshotLimit?: number;
  changesLimit?: number;
}

/**
 * Brings a copy of the selected set up to date, and returns when the server has nothing more at the moment;
 * call it again later for what has changed since. It may be ended at any point, by a crash as well: the next
 * call goes on. Only one may work on a store at a time. While the store has no cursor, its copy is not whole.
 */
export function mirrorSelected(
  client: NewsFeedClient,
  store: SelectedStore,
  options: MirrorOptions = {},
): Promise<Mirrored> {
  const { fields = 'default', snapshotLimit, changesLimit } = options;
  const set = {
    snapshot: async (page: string | undefined) => {
      const query = { fields, ...(snapshotLimit && { limit: snapshotLimit }), ...(page && { page }) };
      const body = await client.get('/api/v1/selected/snapshot', { ...patient(options), query });
      return { items: body.items, cursor: body.cursor, next: body.nextPage };
    },
    changes: async (cursor: string) => {
      const query = { cursor, ...(changesLimit && { limit: changesLimit }) };
      return client.get('/api/v1/selected/changes', { ...patient(options), query });
    },
    idOf: ({ id }: SelectedItem) => id,
    nameOf: (id: string) => id,
  };
  return mirror(set, store);
}
