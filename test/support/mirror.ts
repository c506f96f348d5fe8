import {
  type CopiedRedirect,
  contentClient,
  type FullPublishedItem,
  type MirrorStore,
  memoryCache,
  mirrorArticles,
  mirrorSelected,
  newsFeedClient,
  type PublishedId,
  type PublishedItem,
  type SelectedItem,
} from '@pressroom/client';

/** State that a mirror keeps between two runs of its program. */
export interface Disk<Item> {
  /** Items by the names of their ids, as they were received. */
  copy: Map<string, Item>;
  /** Cursor of the next read; absent before the first snapshot has been read whole. */
  cursor: string | undefined;
}

/** Points at which a mirror's program may end without warning: in the middle of any call of its store. */
type CrashPoint = 'put' | 'remove' | 'list' | 'save';

/** Thrown by the test where the mirror's program is to end. */
export class Crash extends Error {}

export interface MirrorOptions<Item, Fields> {
  /** The address that the next request goes to, without a path: one of the replicas. */
  server: () => string;
  fields: Fields;
  /** Items a page of the snapshot, and changes a page. */
  snapshotLimit: () => number;
  changesLimit: () => number;
  /** Called at each point; throws {@link Crash} where the program is to end. */
  mayCrash?: (point: CrashPoint) => void;
  /** State left by earlier runs of the program. */
  disk?: Disk<Item>;
}

/** Sends a client's requests. */
type Send = (path: string, init: RequestInit) => Promise<Response>;

/** The client's functions for mirroring a set. */
export interface MirroredSet<Item, Id, Fields> {
  follow(send: Send, store: MirrorStore<Item, Id>, fields: Fields): Promise<unknown>;
  nameOf(id: Id): string;
  idOf(name: string): Id;
  idOfItem(item: Item): Id;
}

/** A copy of a set that the client keeps on a disk; a crash loses the rest. */
export class MirrorOf<Item, Id, Fields> {
  readonly disk: Disk<Item>;
  readonly #set: MirroredSet<Item, Id, Fields>;
  readonly #options: MirrorOptions<Item, Fields>;
  /** Number of times that the snapshot was begun. */
  snapshots = 0;

  constructor(set: MirroredSet<Item, Id, Fields>, options: MirrorOptions<Item, Fields>) {
    this.#set = set;
    this.#options = options;
    this.disk = options.disk ?? { copy: new Map(), cursor: undefined };
  }

  /** Follows the server until it has nothing more at the moment. */
  async catchUp(): Promise<void> {
    await this.#set.follow((path, init) => this.#send(path, init), this.#store(), this.#options.fields);
  }

  #send(path: string, init: RequestInit): Promise<Response> {
    const { server, snapshotLimit, changesLimit } = this.#options;
    const url = new URL(path, server());
    const isSnapshot = url.pathname.endsWith('/snapshot');
    if (isSnapshot && !url.searchParams.has('page')) this.snapshots += 1;
    // Each page has another size.
    url.searchParams.set('limit', String(isSnapshot ? snapshotLimit() : changesLimit()));
    return fetch(url, init);
  }

  /** A store without transactions: a crash leaves what was written before it. */
  #store(): MirrorStore<Item, Id> {
    const { mayCrash = () => undefined } = this.#options;
    const [set, disk] = [this.#set, this.disk];
    return {
      readCursor: async () => disk.cursor,
      saveCursor: async (cursor) => {
        mayCrash('save');
        disk.cursor = cursor;
        mayCrash('save');
      },
      put: async (items) => {
        for (const item of items) {
          mayCrash('put');
          disk.copy.set(set.nameOf(set.idOfItem(item)), item);
        }
      },
      remove: async (ids) => {
        for (const id of ids) {
          mayCrash('remove');
          disk.copy.delete(set.nameOf(id));
        }
      },
      ids: async () => {
        mayCrash('list');
        return [...disk.copy.keys()].map((name) => set.idOf(name));
      },
    };
  }
}

/** The selected set, as `mirrorSelected` copies it. */
export const SELECTED: MirroredSet<SelectedItem, string, 'default' | 'minimal'> = {
  follow: (send, store, fields) => {
    const client = newsFeedClient({ baseUrl: '', fetch: send, cache: memoryCache() });
    return mirrorSelected(client, store, { fields });
  },
  nameOf: (id) => id,
  idOf: (name) => name,
  idOfItem: ({ id }) => id,
};

/** The forms of a copy of what is published. */
export type PublishedForm = 'default' | 'full' | 'default with redirects' | 'full with redirects';

/** The published articles, as `mirrorArticles` copies them. */
export const PUBLISHED: MirroredSet<
  PublishedItem | FullPublishedItem | CopiedRedirect,
  PublishedId,
  PublishedForm
> = {
  follow: (send, store, form) => {
    const client = contentClient({ baseUrl: '', fetch: send, cache: memoryCache() });
    const fields = form.startsWith('full') ? 'full' : 'default';
    return mirrorArticles(client, store, { fields, redirects: form.endsWith('redirects') });
  },
  nameOf: ({ kind, id }) => `${kind}:${id}`,
  idOf: (name) => {
    const [kind, id] = name.split(':');
    return { kind: kind as PublishedId['kind'], id: Number(id) };
  },
  idOfItem: ({ kind, id }) => ({ kind, id }),
};

/** A copy of the selected set. */
export class Mirror extends MirrorOf<SelectedItem, string, 'default' | 'minimal'> {
  constructor(options: MirrorOptions<SelectedItem, 'default' | 'minimal'>) {
    super(SELECTED, options);
  }
}
