import {
  memoryCache,
  mirrorSelected,
  type NewsFeedClient,
  newsFeedClient,
  type SelectedItem,
  type SelectedStore,
} from '@pressroom/client';

/** What a mirror keeps between two runs of its program. */
export interface Disk {
  /** Items by id, as they were received. */
  copy: Map<string, SelectedItem>;
  /** Where to go on; absent before the first snapshot has been read whole. */
  cursor: string | undefined;
}

/** Where a mirror's program may end without warning: in the middle of any call of its store. */
type CrashPoint = 'put' | 'remove' | 'list' | 'save';

/** Thrown by the test where the mirror's program is to end. */
export class Crash extends Error {}

/** What a {@link Mirror} is made with. */
export interface MirrorOptions {
  /** The address that the next request goes to, without a path: one of the replicas. */
  server: () => string;
  fields: 'default' | 'minimal';
  /** Items a page of the snapshot, and changes a page. */
  snapshotLimit: () => number;
  changesLimit: () => number;
  /** Called at each point; throws {@link Crash} where the program is to end. */
  mayCrash?: (point: CrashPoint) => void;
  /** What earlier runs of the program left. */
  disk?: Disk;
}

/** A copy of the selected set that the client's `mirrorSelected` keeps on a disk; a crash loses the rest. */
export class Mirror {
  readonly disk: Disk;
  readonly #options: MirrorOptions;
  readonly #client: NewsFeedClient;
  /** How often the snapshot was begun. */
  snapshots = 0;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.disk = options.disk ?? { copy: new Map(), cursor: undefined };
    const send = async (path: string, init: RequestInit) => {
      const url = new URL(path, options.server());
      const isSnapshot = url.pathname.endsWith('/snapshot');
      if (isSnapshot && !url.searchParams.has('page')) this.snapshots += 1;
      // Each page has another size.
      const limit = isSnapshot ? options.snapshotLimit() : options.changesLimit();
      url.searchParams.set('limit', String(limit));
      return fetch(url, init);
    };
    this.#client = newsFeedClient({ baseUrl: '', fetch: send, cache: memoryCache() });
  }

  /** Follows the server until it has nothing more at the moment. */
  async catchUp(): Promise<void> {
    const { fields, mayCrash = () => undefined } = this.#options;
    await mirrorSelected(this.#client, storeOn(this.disk, mayCrash), { fields });
  }
}

/** A store without transactions: a crash leaves what was written before it. */
function storeOn(disk: Disk, mayCrash: (point: CrashPoint) => void): SelectedStore {
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
        disk.copy.set(item.id, item);
      }
    },
    remove: async (ids) => {
      for (const id of ids) {
        mayCrash('remove');
        disk.copy.delete(id);
      }
    },
    ids: async () => {
      mayCrash('list');
      return [...disk.copy.keys()];
    },
  };
}
