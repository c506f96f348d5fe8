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
  /** That of the article, if it is one. */
  readonly title?: string | undefined;
  readonly published: number;
  readonly scheduled: number;
  /** Others who have one of them open. */
  readonly names: string;
  readonly go: () => void;
}

/** The times after which what was done leaves, in ms: what can be undone later. */
const STAY_MS = { plain: 10_000, undo: 30_000 };

/** What was done last, for a while, or what failed, until it is dismissed; and what is being done. */
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
    setTimeout(
      () => {
        if (this.#latest.peek() === notice) this.dismiss();
      },
      STAY_MS[undo === undefined ? 'plain' : 'undo'],
    );
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

  dismiss(): void {
    this.#latest.value = undefined;
  }
}
