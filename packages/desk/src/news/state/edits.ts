import { type ReadonlySignal, signal } from '@preact/signals';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import type { NewsroomApi } from '../api/newsroom.ts';

export interface LastEdit {
  readonly words: string;
  readonly canUndo: boolean;
  readonly problem?: ApiProblem;
}

interface Undoable {
  readonly words: string;
  readonly undo: () => Promise<unknown>;
  readonly after: () => void;
}

/** The edits made from this page, to be undone step by step. */
export class Edits {
  readonly #last = signal<LastEdit | undefined>(undefined);
  readonly #api: NewsroomApi;
  readonly #undone: (words: string) => string;
  #done: readonly Undoable[] = [];
  #isBusy = false;

  /** @param undone says that something was taken back */
  constructor(api: NewsroomApi, undone: (words: string) => string) {
    this.#api = api;
    this.#undone = undone;
  }

  get last(): ReadonlySignal<LastEdit | undefined> {
    return this.#last;
  }

  /** Notes edits of the newsroom that one action has made; `after` brings what is shown up to date again. */
  made(words: string, edits: readonly (number | null)[], after: () => void): void {
    const numbers = edits.filter((edit) => edit !== null).reverse();
    if (numbers.length === 0) {
      this.say(words);
      return;
    }
    this.did(
      words,
      async () => {
        // After a failure it goes on with those that are left.
        for (const edit of [...numbers]) {
          await this.#api.undo(edit);
          numbers.shift();
        }
      },
      after,
    );
  }

  /** Notes something that `undo` takes back. */
  did(words: string, undo: () => Promise<unknown>, after: () => void): void {
    this.#done = [...this.#done, { words, undo, after }];
    this.#last.value = { words, canUndo: true };
  }

  /** Says something that cannot be taken back, or was not done. */
  say(words: string, problem?: ApiProblem): void {
    this.#last.value = { words, canUndo: false, ...(problem && { problem }) };
  }

  /** Does something, and says why if it could not be done; `words` say what. */
  async attempt(words: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.say(words, asProblem(error));
    }
  }

  /** Takes back what was done last; what fails for want of an answer can be tried again. */
  async undo(): Promise<void> {
    const undoable = this.#done.at(-1);
    if (undoable === undefined || this.#isBusy) return;
    this.#isBusy = true;
    const forget = () => {
      this.#done = this.#done.filter((one) => one !== undoable);
    };
    try {
      await undoable.undo();
      forget();
      this.#last.value = { words: this.#undone(undoable.words), canUndo: this.#done.length > 0 };
    } catch (error) {
      const problem = asProblem(error);
      if (!problem.passes) forget();
      this.#last.value = { words: undoable.words, canUndo: problem.passes, problem };
    }
    this.#isBusy = false;
    undoable.after();
  }
}
