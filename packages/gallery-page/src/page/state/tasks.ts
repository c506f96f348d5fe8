import { type ReadonlySignal, signal } from '@preact/signals';
import type { GalleryApi } from '../api/gallery.ts';
import { ApiProblem } from '../api/problem.ts';
import type { Batch } from '../api/types.ts';
import { nameOf, parentOf } from './place.ts';
import { keepJson, keptJson } from './storage.ts';

/** Work on files and folders, from its request to its outcome. */
export interface Task {
  /** Also the `Idempotency-Key` of its first request. */
  readonly id: string;
  readonly batch: Batch | Renaming;
  readonly state: 'running' | 'done' | 'failed' | 'interrupted';
  /** How many paths have been handled. */
  readonly handled: number;
  /** How many objects that were. */
  readonly affected: number;
  readonly problem?: ApiProblem | undefined;
}

/** A file or folder gets another name in its folder. */
export interface Renaming {
  readonly action: 'rename';
  readonly paths: readonly [path: string];
  /** The new path. */
  readonly to: string;
}

/** The most paths in one request. */
const AT_ONCE = 1000;

/** How often a request is repeated whose answer did not arrive, and how long the pauses are, in ms. */
const PAUSES_MS = [1000, 2000, 5000, 10_000, 20_000];

/** Where tasks are kept that have begun, for when the tab ends before they do. */
const KEPT = 'pressroom-tasks';

/** How many outcomes stay on the page. */
const SHOWN = 4;

/** What is done to files and folders, and how it went. */
export class Tasks {
  readonly #api: GalleryApi;
  readonly #changed: (removed: ReadonlySet<string>) => Promise<void>;
  readonly #list = signal<readonly Task[]>([]);

  /** @param changed called after each task with the paths that are no longer there */
  constructor(api: GalleryApi, changed: (removed: ReadonlySet<string>) => Promise<void>) {
    this.#api = api;
    this.#changed = changed;
    const kept = keptJson<Task[]>(KEPT) ?? [];
    this.#list.value = kept.map((task) => ({ ...task, state: 'interrupted' }));
  }

  /** The running tasks and the latest outcomes, newest last. */
  get list(): ReadonlySignal<readonly Task[]> {
    return this.#list;
  }

  /** Does it; resolves with the outcome, which is also on the page. */
  run(batch: Batch | Renaming): Promise<Task> {
    const task: Task = { id: newId(), batch, state: 'running', handled: 0, affected: 0 };
    this.#list.value = [...this.#list.peek().slice(-SHOWN), task];
    return this.#work(task);
  }

  /** Goes on with a task that failed or was interrupted. */
  resume(task: Task): Promise<Task> {
    const key = task.state === 'interrupted' ? task.id : newId();
    return this.#work({ ...task, state: 'running', problem: undefined }, key);
  }

  /** Takes a task off the page. */
  dismiss({ id }: Task): void {
    this.#set(this.#list.peek().filter((task) => task.id !== id));
  }

  /** Puts what a move or a new name has changed back. */
  async undo(task: Task): Promise<void> {
    const { batch } = task;
    this.dismiss(task);
    if (batch.action === 'rename') {
      await this.run({ action: 'rename', paths: [batch.to], to: batch.paths[0] });
      return;
    }
    const { dest } = batch;
    if (batch.action !== 'move' || dest === undefined) return;
    const origins = Map.groupBy(batch.paths, parentOf);
    for (const [origin, paths] of origins) {
      const moved = paths.map((path) => `${dest}${nameOf(path)}${path.endsWith('/') ? '/' : ''}`);
      await this.run({ action: 'move', paths: moved, dest: origin });
    }
  }

  async #work(begun: Task, key = begun.id): Promise<Task> {
    let task = begun;
    this.#replace(task);
    try {
      while (task.handled < task.batch.paths.length) {
        const affected = await this.#send(task, `${key}.${task.handled}`);
        const handled = Math.min(task.handled + AT_ONCE, task.batch.paths.length);
        task = { ...task, handled, affected: task.affected + affected };
        this.#replace(task);
      }
      task = { ...task, state: 'done' };
    } catch (error) {
      const problem = error instanceof ApiProblem ? error : new ApiProblem(0, 'unexpected', String(error));
      task = { ...task, state: 'failed', problem };
    }
    this.#replace(task);
    const gone = task.state === 'done' && task.batch.action !== 'copy' ? task.batch.paths : [];
    await this.#changed(new Set(gone));
    return task;
  }

  /** Sends it again, with the same key, as long as nobody knows whether it was done. */
  async #send({ batch, handled }: Task, key: string): Promise<number> {
    for (const pause of [...PAUSES_MS, undefined]) {
      try {
        if (batch.action === 'rename') return await this.#api.rename(batch.paths[0], nameOf(batch.to), key);
        return await this.#api.batch({ ...batch, paths: batch.paths.slice(handled, handled + AT_ONCE) }, key);
      } catch (error) {
        if (!(error instanceof ApiProblem) || !error.passes || pause === undefined) throw error;
        await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs ?? pause));
      }
    }
    throw new ApiProblem(0, 'unreachable', 'the service does not answer');
  }

  #replace(task: Task): void {
    this.#set(this.#list.peek().map((one) => (one.id === task.id ? task : one)));
  }

  #set(list: readonly Task[]): void {
    this.#list.value = list;
    keepJson(
      KEPT,
      list.filter(({ state }) => state === 'running' || state === 'interrupted'),
    );
  }
}

/** A name for a request, also where the page is not served over https and `randomUUID` is missing. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
