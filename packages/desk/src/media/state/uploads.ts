import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { ApiProblem } from '../../shared/api/problem.ts';
import type { GalleryApi } from '../api/gallery.ts';
import { isInTrash } from '../trash.ts';
import { type Chosen, keysOf } from './chosen-files.ts';
import type { Dialogs } from './dialogs.ts';
import { nameOf } from './place.ts';
import { Rate } from './rate.ts';
import { newUpload, type Upload, unfinishedUpload } from './upload.ts';
import type { UploadMemory } from './upload-memory.ts';
import { isPassing, statusOf } from './upload-problem.ts';
import type { OpenUpload, Uploader } from './uploader.ts';

/** The pauses before each automatic retry of a file, in ms. */
const PAUSES_MS = [1000, 2000, 5000, 10_000, 20_000, 30_000];

/** Files that go up at the same time. */
const CONCURRENCY = 4;

/** The files that go up, together and one by one. */
export class Uploads {
  readonly #api: GalleryApi;
  readonly #dialogs: Dialogs;
  readonly #arrived: (key: string) => void;
  readonly #list = signal<readonly Upload[]>([]);
  readonly #rate = signal(0);
  readonly #samples = new Rate();
  readonly #memory: UploadMemory;
  readonly #tries = new Map<string, number>();
  /** The files that wait until they are tried again. */
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #uploader: Promise<Uploader> | undefined;
  #count = 0;

  /** True to remove the places where pictures were made from those that are chosen from now on. */
  readonly withoutPlaces = signal(true);

  /** Bytes that have arrived, and all of them. */
  readonly progress = computed(() => {
    const counted = this.#list.value.filter(({ state }) => state !== 'unfinished');
    const total = counted.reduce((sum, { size }) => sum + size, 0);
    return { total, uploaded: counted.reduce((sum, { uploaded }) => sum + uploaded, 0) };
  });

  /** @param arrived called with the key of each file that is complete */
  constructor(api: GalleryApi, memory: UploadMemory, dialogs: Dialogs, arrived: (key: string) => void) {
    this.#api = api;
    this.#memory = memory;
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
    if (isInTrash(folder)) return;
    let left = chosen;
    try {
      left = await this.#examined(chosen);
      left = left.filter((one) => !this.#goOn(one, folder));
      const keyed = await keysOf(left, folder, this.#api, this.#dialogs);
      this.#start(this.#append(keyed.map(({ file, key }) => newUpload(this.#newId(), key, file))));
    } catch (problem) {
      // Nothing is overwritten unasked: the files stay in the list until the names are known.
      this.#append(
        left.map(({ file, path }) => {
          const unasked = { folder, path };
          return { ...newUpload(this.#newId(), `${folder}${path}`, file), state: 'failed', problem, unasked };
        }),
      );
    }
  }

  async #examined(chosen: readonly Chosen[]): Promise<readonly Chosen[]> {
    const { withoutCutOff, withoutPlaces } = await import('./pictures.ts').catch((error: unknown) => {
      throw new ApiProblem(0, 'unreachable', String(error));
    });
    const whole = await withoutCutOff(chosen, this.#dialogs);
    return this.withoutPlaces.peek() ? withoutPlaces(whole, this.#dialogs) : whole;
  }

  /** Pauses a file, or goes on with it. */
  async pause({ id }: Upload): Promise<void> {
    const state = this.#find(id)?.state;
    if (state === 'paused') this.#change(id, { state: 'waiting' });
    if (state === 'waiting' || state === 'sending') {
      this.#change(id, { state: 'paused' });
      if (state === 'sending' && !this.#stopTimer(id)) (await this.#load()).pause(id);
    }
    this.#samples.restart();
    await this.#next();
  }

  /** Pauses everything that is on its way. */
  async pauseAll(): Promise<void> {
    // Those that wait come first: the place of one that is paused is free for them.
    for (const wanted of ['waiting', 'sending']) {
      for (const upload of this.#list.peek()) if (upload.state === wanted) await this.pause(upload);
    }
  }

  /** Goes on with everything that is paused. */
  async resumeAll(): Promise<void> {
    for (const upload of this.#list.peek()) if (upload.state === 'paused') await this.pause(upload);
  }

  async retry({ id, file, unasked }: Upload): Promise<void> {
    if (unasked !== undefined && file !== undefined) {
      this.#list.value = this.#list.peek().filter((upload) => upload.id !== id);
      return this.add([{ file, path: unasked.path }], unasked.folder);
    }
    this.#tries.delete(id);
    this.#change(id, { state: 'waiting', problem: undefined });
    await this.#next();
  }

  /** Tries those again that have failed for something that passes. */
  async retryLost(): Promise<void> {
    for (const upload of this.#list.peek()) {
      if (upload.state === 'failed' && isPassing(upload.problem)) await this.retry(upload);
    }
  }

  /** Gives a file up; what has arrived is deleted in the store. */
  async cancel({ id, key, state, open }: Upload): Promise<void> {
    this.#list.value = this.#list.peek().filter((upload) => upload.id !== id);
    if (state === 'done') return;
    this.#stopTimer(id);
    await this.#memory.forget(key);
    const uploader = await this.#uploader;
    if (uploader?.has(id)) uploader.cancel(id);
    else if (open !== undefined) await this.#abort(open);
    await this.#next();
  }

  /** Gives everything up that has not arrived, and takes the rest off the page. */
  async cancelAll(): Promise<void> {
    const all = this.#list.peek();
    // None of them makes way for the next one.
    this.#list.value = [];
    for (const upload of all) await this.cancel(upload);
  }

  /** Goes on with unfinished uploads of the page before, as far as their files are still there. */
  async #restore(): Promise<void> {
    const kept = this.#memory.list();
    if (kept.length === 0 || !(await this.#memory.claim())) return;
    const uploads = await Promise.all(
      kept.map(async (upload) => unfinishedUpload(this.#newId(), upload, await this.#memory.fileOf(upload))),
    );
    this.#list.value = uploads;
    this.#start(uploads.filter(({ file }) => file !== undefined));
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
    this.#start([{ ...upload, file }]);
    return true;
  }

  /** Puts uploads at the end of the list, in the place of those that are done. */
  #append(uploads: readonly Upload[]): readonly Upload[] {
    if (uploads.length === 0) return uploads;
    this.#list.value = [...this.#list.peek().filter(({ state }) => state !== 'done'), ...uploads];
    return uploads;
  }

  #start(uploads: readonly Upload[]): void {
    if (uploads.length === 0) return;
    void this.#memory.claim();
    const started = new Set(uploads.map(({ id }) => id));
    this.#list.value = this.#list
      .peek()
      .map((one) => (started.has(one.id) ? { ...one, state: 'waiting' } : one));
    void this.#next();
  }

  /** Sends the files that wait, as many as go at the same time. */
  async #next(): Promise<void> {
    if (!this.#list.peek().some(({ state }) => state === 'waiting')) return;
    const uploader = await this.#load();
    const list = this.#list.peek();
    const free = CONCURRENCY - list.filter(({ state }) => state === 'sending').length;
    const waiting = list.filter(({ state }) => state === 'waiting').slice(0, Math.max(free, 0));
    for (const { id, key, file, open } of waiting) {
      this.#change(id, { state: 'sending' });
      if (uploader.has(id)) uploader.pause(id);
      else if (file !== undefined) uploader.send({ id, key, data: file, open });
    }
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
    this.#change(id, { uploaded });
    // Progress shows that the connection works again.
    if (uploaded > upload.uploaded) this.#tries.delete(id);
    this.#rate.value = this.#samples.sample(this.progress.peek().uploaded, Date.now()) ?? this.#rate.peek();
  }

  #opened(id: string, open: OpenUpload): void {
    const upload = this.#find(id);
    if (upload?.file === undefined || upload.open?.uploadId === open.uploadId) return;
    this.#change(id, { open });
    const { key, size, lastModified, file } = upload;
    void this.#memory.keep({ key, size, lastModified, open }, file);
  }

  #done(id: string): void {
    const upload = this.#find(id);
    if (upload === undefined) return;
    this.#change(id, { state: 'done', uploaded: upload.size });
    void this.#memory.forget(upload.key);
    this.#arrived(upload.key);
    void this.#next();
  }

  #failed(id: string, error: unknown): void {
    const upload = this.#find(id);
    if (upload === undefined) return;
    // The store may have dropped the parts: then everything is sent again.
    if (upload.open !== undefined && statusOf(error) === 404) this.#change(id, { open: undefined });
    // It was paused while its last request was on its way, and is sent again when the person wants it.
    if (upload.state === 'paused') return;
    const tries = this.#tries.get(id) ?? 0;
    this.#tries.set(id, tries + 1);
    const pause = isPassing(error) ? PAUSES_MS[tries] : undefined;
    if (pause === undefined) {
      this.#change(id, { state: 'failed', problem: error });
      void this.#next();
      return;
    }
    const again = () => {
      this.#timers.delete(id);
      this.#change(id, { state: 'waiting' });
      void this.#next();
    };
    this.#timers.set(id, setTimeout(again, pause));
  }

  /** True if the file was waiting for a retry, which is now off. */
  #stopTimer(id: string): boolean {
    clearTimeout(this.#timers.get(id));
    return this.#timers.delete(id);
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
