import { type ReadonlySignal, signal } from '@preact/signals';
import type { Entry, Uses } from '../api/types.ts';

export type Choice = 'both' | 'replace' | 'skip';

/** The treatment of moved files' addresses in articles. */
export type AddressChoice = 'keep' | 'change';

/** Why a person is asked whether files are uploaded. */
export type DoubtedKind = 'places' | 'cutOff';

/** An action that failed, and the reason in words. */
interface Failure {
  readonly kind: 'failure';
  readonly what: 'copy' | 'download' | 'articles';
  readonly reason: string;
}

/** A dialog that is open, with what it is about. */
export type Dialog =
  | { readonly kind: 'delete'; readonly entries: readonly Entry[] }
  | { readonly kind: 'rename'; readonly entry: Entry }
  | { readonly kind: 'new-folder' | 'empty-trash' | 'folders' }
  | {
      readonly kind: 'move' | 'copy';
      readonly entries: readonly Entry[];
      /** The folder that is proposed, else the one that is shown. */
      readonly dest?: string | undefined;
    }
  | { readonly kind: 'keyboard' }
  | Failure
  /** Files that may say where they were made, or end before their end. */
  | {
      readonly kind: DoubtedKind;
      readonly names: readonly string[];
      readonly answer: (choice: 'keep' | 'skip' | undefined) => void;
    }
  /** Articles that show files which are about to get new addresses. */
  | {
      readonly kind: 'addresses';
      readonly uses: Uses;
      /** Those of them whose readers will not see a file any more. */
      readonly hidden: Uses | undefined;
      readonly answer: (choice: AddressChoice | undefined) => void;
    }
  | {
      readonly kind: 'conflict';
      readonly folder: string;
      readonly given: readonly Given[];
      readonly choices: readonly Choice[];
      readonly answer: (choice: Choice | undefined) => void;
    };

/** The source of a taken name: a file of the device, or a path. */
export interface Given {
  readonly name: string;
  readonly file?: File;
  readonly path?: string;
}

/** The one dialog that is open, and the questions that wait until it is closed. */
export class Dialogs {
  readonly #open = signal<Dialog | undefined>(undefined);
  readonly #waiting: Dialog[] = [];

  /** The open dialog. */
  get open(): ReadonlySignal<Dialog | undefined> {
    return this.#open;
  }

  show(dialog: Dialog): void {
    this.#open.value = dialog;
  }

  /** Says what could not be done, once no other dialog is open. */
  fail(what: Failure['what'], reason: string): void {
    this.#queue({ kind: 'failure', what, reason });
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
    given: readonly Given[],
    choices: readonly Choice[],
  ): Promise<Choice | undefined> {
    return this.#ask((answer) => ({ kind: 'conflict', folder, given, choices, answer }));
  }

  /** Asks whether files are uploaded as they are; undefined if nothing is. */
  askFiles(kind: DoubtedKind, names: readonly string[]): Promise<'keep' | 'skip' | undefined> {
    return this.#ask((answer) => ({ kind, names, answer }));
  }

  /** Asks what becomes of the addresses in articles; undefined if the person gave the whole thing up. */
  askAddresses(uses: Uses, hidden: Uses | undefined): Promise<AddressChoice | undefined> {
    return this.#ask((answer) => ({ kind: 'addresses', uses, hidden, answer }));
  }

  #ask<Answer>(question: (answer: (choice: Answer) => void) => Dialog): Promise<Answer> {
    return new Promise((resolve) => {
      const asked = question((choice) => {
        this.close();
        resolve(choice);
      });
      this.#queue(asked);
    });
  }

  #queue(dialog: Dialog): void {
    if (this.#open.peek() === undefined) this.show(dialog);
    else this.#waiting.push(dialog);
  }
}
