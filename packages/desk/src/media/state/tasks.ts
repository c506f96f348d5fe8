import { type ReadonlySignal, signal } from '@preact/signals';
import { ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { Me } from '../../shared/state/me.ts';
import type { GalleryApi } from '../api/gallery.ts';
import type { BatchState } from '../api/types.ts';
import { nameOf } from './place.ts';
import { goneAfter, type Step } from './steps.ts';
import type { Task, Work } from './task.ts';
import { TaskMemory } from './task-memory.ts';

/** The pauses between questions about the progress of a batch, in ms. */
const ASKING_MS = [150, 250, 500, 1000];

/** The pause while the service does not answer, in ms. */
const SILENCE_MS = 2000;

/** The most outcomes that are kept beside a new task. */
const SHOWN = 2;

/** Work on files and folders, and its outcome: batches in the background, which outlive the page. */
export class Tasks {
  readonly #api: GalleryApi;
  readonly #changed: (removed: ReadonlySet<string>) => Promise<void>;
  readonly #list = signal<readonly Task[]>([]);
  readonly #memory: TaskMemory;

  /** @param changed called after each task with the paths that are no longer there */
  constructor(api: GalleryApi, me: Me, changed: (removed: ReadonlySet<string>) => Promise<void>) {
    this.#api = api;
    this.#memory = new TaskMemory(me, newId);
    this.#changed = changed;
    const kept = this.#memory.list();
    this.#list.value = kept;
    for (const task of kept) if (task.state === 'running') void this.#goOn(task);
    void this.#findOthers(kept);
  }

  /** The running tasks and the latest outcomes, newest last. */
  get list(): ReadonlySignal<readonly Task[]> {
    return this.#list;
  }

  /** Does it; resolves with the outcome, which is also on the page. */
  run(work: Work, steps: readonly Step[]): Promise<Task> {
    const { tab } = this.#memory;
    const begun = { done: 0, batches: [], affected: 0, undo: [], state: 'running' } as const;
    const task: Task = { id: newId(), tab, work, steps, ...begun };
    this.#add(task);
    return this.#work(task);
  }

  /** Goes on with a task that failed or was interrupted. */
  async resume(task: Task): Promise<void> {
    const { done, batches } = task;
    const running: Task = { ...task, tab: this.#memory.tab, state: 'running', problem: undefined };
    this.#replace(running);
    const current = batches[done];
    try {
      if (current !== undefined) await this.#api.resumeBatch(current);
    } catch (error) {
      return this.#replace(failed(running, error));
    }
    await this.#work(running);
  }

  dismiss(task: Task): void {
    this.#list.value = this.#list.peek().filter(({ id }) => id !== task.id);
    this.#memory.forget(task);
    this.#memory.dismiss(task.batches);
  }

  /** Puts back what a move, a new name or a deletion has changed. */
  async undo(task: Task): Promise<Task> {
    this.dismiss(task);
    const [step] = task.undo;
    if (step?.action === 'rename') {
      return this.run({ action: 'rename', from: nameOf(step.path), to: step.name }, task.undo);
    }
    return this.run({ action: 'undo', count: task.affected }, task.undo);
  }

  /** After a reload a task goes on. One of a closed tab ends what it began; a person decides on the rest. */
  async #goOn(task: Task): Promise<void> {
    if (task.tab === this.#memory.tab) return void (await this.#work(task));
    if (task.batches[task.done] === undefined) return this.#replace({ ...task, state: 'interrupted' });
    await this.#work(task, task.done + 1);
  }

  /** Shows what other pages have begun, and what this one began before the browser forgot it. */
  async #findOthers(kept: readonly Task[]): Promise<void> {
    const known = new Set([...kept.flatMap(({ batches }) => batches), ...this.#memory.dismissed()]);
    const all = await this.#api.batches().catch(() => []);
    const own = new Set(this.#list.peek().flatMap(({ batches }) => batches));
    for (const batch of all.toReversed()) {
      const isOpen = batch.state === 'running' || batch.state === 'interrupted';
      if (!isOpen || known.has(batch.id) || own.has(batch.id)) continue;
      const task = taskOf(batch, this.#memory.tab);
      this.#add(task);
      if (task.state === 'running') void this.#work(task);
    }
  }

  /** Carries the steps out, as far as the one before `end`. */
  async #work(begun: Task, end = begun.steps.length): Promise<Task> {
    let task = begun;
    const show = (change: Partial<Task>) => {
      task = { ...task, ...change };
      this.#replace(task);
    };
    try {
      while (task.state === 'running' && task.done < end) {
        const id = await this.#start(task);
        show({ batches: [...task.batches.slice(0, task.done), id] });
        const { batch, undo } = await this.#watch(id, show);
        if (batch.state === 'done') {
          const isCounted = batch.action === task.work.action || task.work.action === 'undo';
          const affected = task.affected + (isCounted ? (batch.affected ?? 0) : 0);
          show({ done: task.done + 1, affected, undo: [...undo, ...task.undo], progress: undefined });
        } else {
          const state = batch.state === 'failed' ? 'failed' : 'interrupted';
          const problem = new ApiProblem(400, batch.code ?? '', batch.message ?? '');
          show({ state, problem: state === 'failed' ? problem : undefined });
        }
      }
      if (task.state === 'running') show({ state: task.done === task.steps.length ? 'done' : 'interrupted' });
    } catch (error) {
      this.#replace(failed(task, error));
    }
    const done = task.steps.slice(begun.done, task.done).filter((step) => step !== null);
    await this.#changed(new Set(done.flatMap(goneAfter)));
    return task;
  }

  /** Starts the current step, or finds the batch that it has become: the key is the same each time. */
  async #start(task: Task): Promise<string> {
    const begun = task.batches[task.done];
    const step = task.steps[task.done];
    if (begun !== undefined) return begun;
    if (step === undefined || step === null) throw new ApiProblem(404, 'not_found', 'the batch is gone');
    const { id } = await this.#insist(task, () => this.#api.start(step, `${task.id}.${task.done}`));
    return id;
  }

  /** Follows a batch until it has ended. */
  async #watch(id: string, show: (change: Partial<Task>) => void) {
    for (let turn = 0; ; turn += 1) {
      const found = await this.#api.readBatch(id).catch((error: unknown) => {
        if (!(error instanceof ApiProblem && error.passes)) throw error;
        show({ problem: error });
      });
      if (found !== undefined && found.batch.state !== 'running') return found;
      if (found !== undefined) show({ progress: found.batch.progress, problem: undefined });
      await pause(found === undefined ? SILENCE_MS : (ASKING_MS[turn] ?? 1000));
    }
  }

  /** Sends a request until there is an answer: without one, whether it was done is unknown. */
  async #insist<Answer>(task: Task, ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof ApiProblem && error.passes)) throw error;
        this.#replace({ ...task, problem: error });
        await pause(error.retryAfterMs ?? SILENCE_MS);
      }
    }
  }

  #add(task: Task): void {
    const isOver = ({ state }: Task) => state === 'done';
    const over = this.#list.peek().filter(isOver).slice(-SHOWN);
    this.#list.value = [...this.#list.peek().filter((one) => !isOver(one) || over.includes(one)), task];
    this.#memory.keep(task);
  }

  #replace(task: Task): void {
    const before = this.#list.peek().find(({ id }) => id === task.id);
    // Dismissed while it ran.
    if (before === undefined) return;
    this.#list.value = this.#list.peek().map((one) => (one === before ? task : one));
    // Progress alone is not worth writing thousands of paths down again.
    if (before.state !== task.state || before.batches !== task.batches) this.#memory.keep(task);
  }
}

function failed(task: Task, error: unknown): Task {
  const problem = asProblem(error);
  return { ...task, state: 'failed', problem };
}

/** The task of a batch that this page has not begun. */
function taskOf({ id, action, state, pathCount, paths, dest, name }: BatchState, tab: string): Task {
  const works = {
    delete: { action: 'delete', count: pathCount },
    restore: { action: 'restore', count: pathCount },
    copy: { action: 'copy', count: pathCount, dest: dest ?? '' },
    move: { action: 'move', count: pathCount, dest: dest ?? '' },
    rename: { action: 'rename', from: nameOf(paths[0] ?? ''), to: name ?? '' },
  } as const;
  const shown = state === 'running' ? state : 'interrupted';
  const begun = { steps: [null], done: 0, batches: [id], affected: 0, undo: [] } as const;
  return { id, tab, work: works[action], state: shown, ...begun };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A name for a request, also where the page is not served over https and `randomUUID` is missing. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
