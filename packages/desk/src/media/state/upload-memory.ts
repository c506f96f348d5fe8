import type { Me } from '../../shared/state/me.ts';
import { keep, kept } from '../../shared/state/storage.ts';
import type { OpenUpload } from './uploader.ts';

/** A file that was on its way when the page ended. */
export interface KeptUpload {
  readonly key: string;
  readonly size: number;
  /** In ms since 1970; with size and the name in the key it tells whether a chosen file is the same. */
  readonly lastModified: number;
  readonly open: OpenUpload;
}

/** Few visits upload anything. */
const database = () => import('idb-keyval');

const KEPT = 'pressroom-uploads';

/** Held by the tab whose uploads these are. */
const LOCK = 'pressroom-uploads';

/** The largest file whose bytes the browser keeps, in bytes; a larger one has to be chosen again. */
const MAX_KEPT = 2 * 2 ** 30;

/** The open uploads that somebody has begun in this browser: where they stand, and the files. */
export class UploadMemory {
  readonly #me: Me;

  constructor(me: Me) {
    this.#me = me;
  }

  /** Keeps where an upload stands, and its file. */
  async keep(upload: KeptUpload, file: File): Promise<void> {
    const others = this.list().filter(({ key }) => key !== upload.key);
    this.#keep([...others, upload]);
    // If the browser has no room, the person chooses the file again.
    if (file.size > MAX_KEPT) return;
    await database()
      .then(({ set }) => set(this.#nameOf(upload.key), file))
      .catch(() => undefined);
  }

  async forget(key: string): Promise<void> {
    this.#keep(this.list().filter((upload) => upload.key !== key));
    await database()
      .then(({ del }) => del(this.#nameOf(key)))
      .catch(() => undefined);
  }

  list(): KeptUpload[] {
    return (
      kept(() => JSON.parse(localStorage.getItem(this.#me.storedAs(KEPT)) ?? '[]') as KeptUpload[]) ?? []
    );
  }

  #keep(uploads: readonly KeptUpload[]): void {
    keep(() => {
      const name = this.#me.storedAs(KEPT);
      if (uploads.length === 0) localStorage.removeItem(name);
      else localStorage.setItem(name, JSON.stringify(uploads));
    });
  }

  #nameOf(key: string): string {
    return this.#me.storedAs(`upload ${key}`);
  }

  /** The file of an open upload; undefined if it has to be chosen again. */
  async fileOf({ key, size }: KeptUpload): Promise<File | undefined> {
    const file: unknown = await database()
      .then(({ get }) => get(this.#nameOf(key)))
      .catch(() => undefined);
    return file instanceof File && file.size === size ? file : undefined;
  }

  /** Resolves to true if no other tab is uploading; this tab then holds the right until it ends. */
  claim(): Promise<boolean> {
    if (!('locks' in navigator)) return Promise.resolve(true);
    return new Promise((resolve) => {
      void navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise<void>(() => undefined);
      });
    });
  }
}
