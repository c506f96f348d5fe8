import { type ReadonlySignal, signal } from '@preact/signals';

/** An article with which something failed, and why, in words. */
export interface Failure {
  readonly id: number;
  readonly title: string;
  readonly reason: string;
}

export interface Notice {
  readonly text: string;
  readonly isFault: boolean;
  /** Resolves to what it could not bring back, in words. */
  readonly undo?: (() => Promise<string | undefined>) | undefined;
  /** The failures among many, if there is more than one reason. */
  readonly failures?: readonly Failure[] | undefined;
}

/** The progress of work on many articles, and the way to stop it. */
export interface Progress {
  readonly done: number;
  readonly count: number;
  readonly stop: () => void;
}

/** What would go with articles that are to be deleted, and what does it. */
export interface Removal {
  readonly count: number;
  readonly published: number;
  readonly scheduled: number;
  /** Others who have one of them open. */
  readonly names: string;
  readonly go: () => void;
}

/** How long what was done is shown where nothing can be undone, in ms. */
const SHOWN_MS = 10_000;

/** The last thing that was done, until it is dismissed or the next one comes, and what is being done. */
export class Notices {
  readonly #latest = signal<Notice | undefined>(undefined);
  readonly progress = signal<Progress | undefined>(undefined);

  /** The deletion that waits for an answer. */
  readonly removal = signal<Removal | undefined>(undefined);

  /** The notice that is shown. */
  get latest(): ReadonlySignal<Notice | undefined> {
    return this.#latest;
  }

  done(text: string, undo?: Notice['undo']): void {
    const notice = { text, isFault: false, undo };
    this.#latest.value = notice;
    if (undo !== undefined) return;
    setTimeout(() => {
      if (this.#latest.peek() === notice) this.dismiss();
    }, SHOWN_MS);
  }

  /** Says what could not be done. */
  failed(text: string, more: Pick<Notice, 'undo' | 'failures'> = {}): void {
    this.#latest.value = { text, isFault: true, ...more };
  }

  /** Forgets what could not be done, once something of the kind was. */
  settle(): void {
    if (this.#latest.peek()?.isFault) this.dismiss();
  }

  /** Deletes at once what nobody would miss, and asks before the rest. */
  askToRemove(removal: Removal): void {
    const { published, scheduled, names, go } = removal;
    if (published > 0 || scheduled > 0 || names !== '') this.removal.value = removal;
    else go();
  }

  /** Takes a notice away, unless the next one has come. */
  leave(notice: Notice): void {
    if (this.#latest.peek() === notice) this.dismiss();
  }

  dismiss(): void {
    this.#latest.value = undefined;
  }
}
