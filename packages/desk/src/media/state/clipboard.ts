import { type ReadonlySignal, signal } from '@preact/signals';

/** What has been cut or copied in the page. */
export interface Clip {
  readonly action: 'move' | 'copy';
  readonly paths: readonly string[];
}

/** Holds what will be pasted; files of the system come with the paste itself. */
export class Clipboard {
  readonly #clip = signal<Clip | undefined>(undefined);

  /** What would be pasted. */
  get clip(): ReadonlySignal<Clip | undefined> {
    return this.#clip;
  }

  /** Cuts or copies. */
  put(clip: Clip | undefined): void {
    this.#clip.value = clip;
  }
}
