import { type JsonValue, send } from './http.ts';

/** What a mirror keeps between two runs of its program. */
export interface Disk {
  /** Items by id, as they were received. */
  copy: Map<string, JsonValue>;
  /** Where to go on; absent before the first snapshot has been read whole. */
  cursor: string | undefined;
}

/** Where a mirror's program may end without warning. */
export type CrashPoint = 'page of the snapshot' | 'apply' | 'save';

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

/**
 * A copy of the selected set, kept as the document tells clients to: the snapshot page by page, the sync
 * cursor of its first page, then the changes; a page is applied first and its cursor saved then; 409
 * `snapshot_required` alone begins again. What is not on `disk` is lost in a crash.
 */
export class Mirror {
  readonly disk: Disk;
  readonly #options: MirrorOptions;
  readonly #known = new Map<string, { etag: string; body: JsonValue }>();
  /** How often the snapshot was begun. */
  snapshots = 0;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.disk = options.disk ?? { copy: new Map(), cursor: undefined };
  }

  /** Follows the server until it has nothing more at the moment. */
  async catchUp(): Promise<void> {
    for (;;) {
      if (this.disk.cursor === undefined) await this.#readSnapshot();
      else if (!(await this.#readChanges(this.disk.cursor))) return;
    }
  }

  async #readSnapshot(): Promise<void> {
    const { fields, snapshotLimit, mayCrash } = this.#options;
    const copy = new Map<string, JsonValue>();
    this.snapshots += 1;
    let cursor: string | undefined;
    let page = '';
    for (;;) {
      const query = `fields=${fields}&limit=${snapshotLimit()}${page && `&page=${page}`}`;
      const body = await this.#get(`/api/v1/selected/snapshot?${query}`);
      if (body === undefined) return;
      cursor ??= body.cursor;
      if (body.cursor !== cursor) throw new Error('the sync cursor differs between pages');
      for (const item of body.items) copy.set(item.id, item);
      mayCrash?.('page of the snapshot');
      if (!body.hasMore) break;
      page = body.nextPage;
    }
    this.disk.copy = copy;
    this.disk.cursor = cursor;
  }

  /** Reads, applies and saves one page; false when it was the last one for now. */
  async #readChanges(cursor: string): Promise<boolean> {
    const { changesLimit, mayCrash } = this.#options;
    const body = await this.#get(`/api/v1/selected/changes?cursor=${cursor}&limit=${changesLimit()}`);
    if (body === undefined) {
      this.disk.cursor = undefined;
      return true;
    }
    for (const change of body.changes) {
      mayCrash?.('apply');
      if (change.op === 'upsert') this.disk.copy.set(change.item.id, change.item);
      else this.disk.copy.delete(change.id);
    }
    mayCrash?.('save');
    this.disk.cursor = body.cursor;
    return body.hasMore;
  }

  /**
   * The body of a path, from the last answer where the server says that it still holds; undefined for 409.
   */
  async #get(path: string): Promise<JsonValue> {
    const url = `${this.#options.server()}${path}`;
    const known = this.#known.get(url);
    const answer = await send(url, known && { headers: { 'if-none-match': known.etag } });
    if (answer.status === 304 && known !== undefined) return known.body;
    if (answer.status === 409 && answer.body.code === 'snapshot_required') return undefined;
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    this.#known.set(url, { etag: answer.headers.get('etag') ?? '', body: answer.body });
    return answer.body;
  }
}
