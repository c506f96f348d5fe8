import { type ReadonlySignal, signal } from '@preact/signals';

export interface Notice {
  readonly text: string;
  readonly isFault: boolean;
  readonly undo?: (() => Promise<void>) | undefined;
}

/** The last thing that was done, until it is dismissed or the next one comes. */
export class Notices {
  readonly #latest = signal<Notice | undefined>(undefined);

  /** The notice that is shown. */
  get latest(): ReadonlySignal<Notice | undefined> {
    return this.#latest;
  }

  done(text: string, undo?: () => Promise<void>): void {
    this.#latest.value = { text, isFault: false, undo };
  }

  /** Says what could not be done. */
  failed(text: string): void {
    this.#latest.value = { text, isFault: true };
  }

  dismiss(): void {
    this.#latest.value = undefined;
  }
}
