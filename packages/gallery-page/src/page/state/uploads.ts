import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { GalleryApi } from '../api/gallery.ts';
import type { Dialogs } from './dialogs.ts';
import { freeNames } from './free-names.ts';
import { nameOf, parentOf } from './place.ts';
import { type KeptUpload, UploadMemory } from './upload-memory.ts';
import type { OpenUpload, Uploader } from './uploader.ts';

/** A file on its way to the bucket. */
export interface Upload {
  readonly id: string;
  /** Where it will be. */
  readonly key: string;
  readonly size: number;
  readonly uploaded: number;
  readonly state: 'waiting' | 'sending' | 'paused' | 'done' | 'failed' | 'unfinished';
  readonly problem?: string | undefined;
  /** The file; undefined if a person has to choose it again. */
  readonly file?: File | undefined;
  readonly open?: OpenUpload | undefined;
  readonly lastModified: number;
}

/** A file that somebody wants to upload, and where in the folder it belongs: `2026/a.jpg`. */
export interface Chosen {
  readonly file: File;
  readonly path: string;
}

/** How often a file is tried again by itself, and how long the pauses are, in ms. */
const PAUSES_MS = [1000, 2000, 5000, 10_000, 20_000, 30_000];

/** How far back the rate looks, in ms. */
const RATE_MS = 8000;

/** The files that go up, together and one by one. */
export class Uploads {
  readonly #api: GalleryApi;
  readonly #dialogs: Dialogs;
  readonly #arrived: (key: string) => void;
  readonly #list = signal<readonly Upload[]>([]);
  readonly #rate = signal(0);
  readonly #memory = new UploadMemory();
  readonly #tries = new Map<string, number>();
  #samples: { at: number; bytes: number }[] = [];
  #uploader: Promise<Uploader> | undefined;
  #count = 0;

  /** Bytes that have arrived, and all of them. */
  readonly progress = computed(() => {
    const counted = this.#list.value.filter(({ state }) => state !== 'unfinished');
    const total = counted.reduce((sum, { size }) => sum + size, 0);
    return { total, uploaded: counted.reduce((sum, { uploaded }) => sum + uploaded, 0) };
  });

  /** @param arrived called with the key of each file that is complete */
  constructor(api: GalleryApi, dialogs: Dialogs, arrived: (key: string) => void) {
    this.#api = api;
    this.#dialogs = dialogs;
    this.#arrived = arrived;
    void this.#restore();
    addEventListener('beforeunload', (event) => {
      if (this.#list.peek().some(({ state }) => state === 'sending' || state === 'waiting'))
        event.preventDefault();
    });
  }

  /** The files, in the order in which they were chosen. */
  get list(): ReadonlySignal<readonly Upload[]> {
    return this.#list;
  }

  /** Bytes in a second, over the last seconds. */
  get rate(): ReadonlySignal<number> {
    return this.#rate;
  }

  /** Uploads files to a folder; asks first where a name is taken. */
  async add(chosen: readonly Chosen[], folder: string): Promise<void> {
    const left = chosen.filter((one) => !this.#goOn(one, folder));
    const byFolder = Map.groupBy(left, ({ path }) => parentOf(`${folder}${path}`));
    const uploads: Upload[] = [];
    for (const [parent, files] of byFolder) {
      uploads.push(...(await this.#named(parent, files)));
    }
    if (uploads.length === 0) return;
    this.#list.value = [...this.#list.peek().filter(({ state }) => state !== 'done'), ...uploads];
    await this.#start(uploads);
  }

  /** Pauses a file, or goes on with it. */
  async pause({ id, state }: Upload): Promise<void> {
    if (state !== 'sending' && state !== 'waiting' && state !== 'paused') return;
    (await this.#load()).pause(id);
    this.#change(id, { state: state === 'paused' ? 'sending' : 'paused' });
  }

  /** Pauses everything that is on its way. */
  async pauseAll(): Promise<void> {
    for (const upload of this.#list.peek()) if (upload.state !== 'paused') await this.pause(upload);
  }

  /** Goes on with everything that is paused. */
  async resumeAll(): Promise<void> {
    for (const upload of this.#list.peek()) if (upload.state === 'paused') await this.pause(upload);
  }

  /** Tries a failed file again. */
  async retry({ id }: Upload): Promise<void> {
    this.#tries.delete(id);
    this.#change(id, { state: 'sending', problem: undefined });
    (await this.#load()).retry(id);
  }

  /** Gives a file up; what has arrived is deleted in the store. */
  async cancel({ id, key, state, open }: Upload): Promise<void> {
    this.#list.value = this.#list.peek().filter((upload) => upload.id !== id);
    if (state === 'done') return;
    await this.#memory.forget(key);
    if (state !== 'unfinished') return (await this.#load()).cancel(id);
    if (open !== undefined) await this.#abort(open);
  }

  /** Gives everything up that has not arrived, and takes the rest off the page. */
  async cancelAll(): Promise<void> {
    for (const upload of this.#list.peek()) await this.cancel(upload);
  }

  /** Goes on with unfinished uploads of the page before, as far as their files are still there. */
  async #restore(): Promise<void> {
    const kept = this.#memory.list();
    if (kept.length === 0 || !(await this.#memory.claim())) return;
    const uploads = await Promise.all(
      kept.map(async (upload) => unfinished(upload, this.#newId(), await this.#memory.fileOf(upload))),
    );
    this.#list.value = uploads;
    await this.#start(uploads.filter(({ file }) => file !== undefined));
  }

  /** True if the file belongs to an unfinished upload, which then goes on. */
  #goOn({ file, path }: Chosen, folder: string): boolean {
    const upload = this.#list
      .peek()
      .find(
        ({ state, key, size, lastModified }) =>
          state === 'unfinished' &&
          (key === `${folder}${path}` || nameOf(key) === file.name) &&
          size === file.size &&
          lastModified === file.lastModified,
      );
    if (upload === undefined) return false;
    this.#change(upload.id, { file });
    void this.#start([{ ...upload, file }]);
    return true;
  }

  /** The uploads of files to one folder, under the names that the person has decided on. */
  async #named(folder: string, chosen: readonly Chosen[]): Promise<Upload[]> {
    const names = chosen.map(({ path }) => nameOf(path).normalize('NFC'));
    const taken = await this.#api.takenNames(folder, names);
    const conflicts = names.filter((name) => taken.has(name));
    const choices = ['both', 'replace', 'skip'] as const;
    const choice =
      conflicts.length === 0 ? 'replace' : await this.#dialogs.askConflict(folder, conflicts, choices);
    if (choice === undefined) return [];
    const wanted = chosen.filter((_, index) => choice !== 'skip' || !taken.has(names[index] ?? ''));
    const originals = wanted.map(({ path }) => nameOf(path).normalize('NFC'));
    const free = originals.map((name) => ({ name, isFolder: false }));
    const given = choice === 'both' ? await freeNames(this.#api, folder, free) : originals;
    return wanted.map(({ file, path }, index): Upload => {
      const name = given[index] ?? nameOf(path);
      const { size, lastModified } = file;
      const id = this.#newId();
      return { id, key: `${folder}${name}`, size, uploaded: 0, state: 'waiting', file, lastModified };
    });
  }

  async #start(uploads: readonly Upload[]): Promise<void> {
    if (uploads.length === 0) return;
    void this.#memory.claim();
    const uploader = await this.#load();
    const files = uploads.flatMap(({ id, key, file, open }) =>
      file === undefined ? [] : [{ id, key, data: file, open }],
    );
    for (const { id } of files) this.#change(id, { state: 'waiting' });
    uploader.start(files);
  }

  #load(): Promise<Uploader> {
    this.#uploader ??= import('./uploader.ts').then(
      (module) =>
        new module.Uploader((request) => this.#api.signUpload(request), {
          progress: (id, uploaded) => this.#progressed(id, uploaded),
          opened: (id, open) => this.#opened(id, open),
          done: (id) => this.#done(id),
          failed: (id, error) => this.#failed(id, error),
        }),
    );
    return this.#uploader;
  }

  #progressed(id: string, uploaded: number): void {
    const upload = this.#find(id);
    if (upload === undefined) return;
    this.#change(id, { uploaded, ...(upload.state === 'waiting' && { state: 'sending' as const }) });
    // What arrives shows that the way is open again.
    if (uploaded > upload.uploaded) this.#tries.delete(id);
    const at = Date.now();
    const bytes = this.progress.peek().uploaded;
    this.#samples = [...this.#samples.filter((sample) => at - sample.at < RATE_MS), { at, bytes }];
    const [first] = this.#samples;
    if (first === undefined || at - first.at < 500) return;
    this.#rate.value = Math.max(0, ((bytes - first.bytes) / (at - first.at)) * 1000);
  }

  #opened(id: string, open: OpenUpload): void {
    const upload = this.#find(id);
    if (upload?.file === undefined || upload.open?.uploadId === open.uploadId) return;
    this.#change(id, { open });
    const { key, size, lastModified, file } = upload;
    void this.#memory.keep({ key, name: file.name, size, lastModified, open }, file);
  }

  #done(id: string): void {
    const upload = this.#find(id);
    if (upload === undefined) return;
    this.#change(id, { state: 'done', uploaded: upload.size });
    void this.#memory.forget(upload.key);
    this.#arrived(upload.key);
  }

  #failed(id: string, error: unknown): void {
    const tries = this.#tries.get(id) ?? 0;
    this.#tries.set(id, tries + 1);
    const pause = PAUSES_MS[tries];
    const reason = error instanceof Error ? error.message : String(error);
    if (pause === undefined) {
      this.#change(id, { state: 'failed', problem: reason });
      return;
    }
    setTimeout(async () => {
      if (this.#find(id) === undefined) return;
      const uploader = await this.#load();
      // The store may have dropped the parts: then everything is sent again.
      if (/NoSuchUpload|404/.test(reason)) uploader.restart(id);
      uploader.retry(id);
    }, pause);
  }

  async #abort({ key, uploadId }: OpenUpload): Promise<void> {
    const { url, headers } = await this.#api.signUpload({ method: 'DELETE', key, uploadId });
    await fetch(url, { method: 'DELETE', headers }).catch(() => undefined);
  }

  #find(id: string): Upload | undefined {
    return this.#list.peek().find((upload) => upload.id === id);
  }

  #change(id: string, change: Partial<Upload>): void {
    this.#list.value = this.#list.peek().map((one) => (one.id === id ? { ...one, ...change } : one));
  }

  #newId(): string {
    this.#count += 1;
    return `${Date.now()}-${this.#count}`;
  }
}

function unfinished({ key, size, lastModified, open }: KeptUpload, id: string, file?: File): Upload {
  return { id, key, size, lastModified, uploaded: 0, state: 'unfinished', file, open };
}
