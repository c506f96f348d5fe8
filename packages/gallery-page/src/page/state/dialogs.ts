import { type ReadonlySignal, signal } from '@preact/signals';
import type { Entry } from '../api/types.ts';

/** What to do about names that are taken. */
export type Choice = 'both' | 'replace' | 'skip';

/** A dialog that is open, with what it is about. */
export type Dialog =
  | { readonly kind: 'delete'; readonly entries: readonly Entry[] }
  | { readonly kind: 'rename'; readonly entry: Entry }
  | { readonly kind: 'new-folder' }
  | { readonly kind: 'move' | 'copy'; readonly entries: readonly Entry[] }
  | { readonly kind: 'keyboard' }
  /** What could not be done, and why, in words. */
  | { readonly kind: 'failure'; readonly what: 'copy' | 'download'; readonly reason: string }
  | {
      readonly kind: 'conflict';
      readonly folder: string;
      readonly names: readonly string[];
      readonly choices: readonly Choice[];
      readonly answer: (choice: Choice | undefined) => void;
    };

/** The one dialog that is open, and the questions that wait until it is closed. */
export class Dialogs {
  readonly #open = signal<Dialog | undefined>(undefined);
  readonly #waiting: Dialog[] = [];

  /** The open dialog. */
  get open(): ReadonlySignal<Dialog | undefined> {
    return this.#open;
  }

  /** Opens a dialog. */
  show(dialog: Dialog): void {
    this.#open.value = dialog;
  }

  /** Closes the dialog; the next question opens. */
  close(): void {
    this.#open.value = this.#waiting.shift();
  }

  /**
   * Asks what to do about taken names, once no other dialog is open; undefined if the person gave the whole
   * thing up.
   */
  askConflict(
    folder: string,
    names: readonly string[],
    choices: readonly Choice[],
  ): Promise<Choice | undefined> {
    return new Promise((resolve) => {
      const answer = (choice: Choice | undefined) => {
        this.close();
        resolve(choice);
      };
      const question: Dialog = { kind: 'conflict', folder, names, choices, answer };
      if (this.#open.peek() === undefined) this.show(question);
      else this.#waiting.push(question);
    });
  }
}
