import { ApiProblem } from '../../shared/api/problem.ts';
import type { Me } from '../../shared/state/me.ts';
import { keep, kept } from '../../shared/state/storage.ts';
import type { Task } from './task.ts';

/** The prefix of each kept task's name; a task has an entry of its own, because other tabs keep theirs. */
const KEPT = 'pressroom-task';

/** Batches that a person does not want to see any more. */
const DISMISSED = 'pressroom-dismissed-batches';

const MAX_DISMISSED = 100;

/** The name of this tab, which a reload does not change. */
const TAB = 'pressroom-tab';

/** The tasks that somebody has begun here and that have not ended, for when the tab ends before they do. */
export class TaskMemory {
  /** The name of this tab. A browser that keeps nothing gives it another one after each reload. */
  readonly tab: string;
  readonly #me: Me;

  constructor(me: Me, newId: () => string) {
    this.#me = me;
    this.tab = kept(() => sessionStorage.getItem(TAB)) ?? newId();
    keep(() => sessionStorage.setItem(TAB, this.tab));
  }

  list(): Task[] {
    const names = kept(() => Object.keys(localStorage)) ?? [];
    return names
      .filter((name) => name.startsWith(this.#nameOf('')))
      .flatMap((name) => kept(() => JSON.parse(localStorage.getItem(name) ?? '') as Task) ?? [])
      .map((task) => ({ ...task, problem: task.problem && revived(task.problem) }));
  }

  /** Keeps a task that may have to be finished later, and forgets one that has ended. */
  keep(task: Task): void {
    if (task.state === 'done') {
      this.forget(task);
      return;
    }
    const { problem } = task;
    // The message of an error is not among what JSON writes.
    const text = JSON.stringify({ ...task, problem: problem && { ...problem, message: problem.message } });
    keep(() => localStorage.setItem(this.#nameOf(task.id), text));
  }

  forget({ id }: Task): void {
    keep(() => localStorage.removeItem(this.#nameOf(id)));
  }

  dismiss(batches: readonly string[]): void {
    const all = [...this.dismissed(), ...batches].slice(-MAX_DISMISSED);
    keep(() => localStorage.setItem(this.#me.storedAs(DISMISSED), JSON.stringify(all)));
  }

  dismissed(): string[] {
    return (
      kept(() => JSON.parse(localStorage.getItem(this.#me.storedAs(DISMISSED)) ?? '[]') as string[]) ?? []
    );
  }

  #nameOf(id: string): string {
    return `${this.#me.storedAs(KEPT)}.${id}`;
  }
}

function revived({ status, code, message, reason }: ApiProblem): ApiProblem {
  return new ApiProblem(status, code, message, { reason });
}
