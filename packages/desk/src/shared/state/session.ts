import { type ReadonlySignal, signal } from '@preact/signals';

/** Whether somebody is logged in; requests that need it wait here. */
export class Session {
  readonly #needed = signal(false);
  readonly #isConfirmed = signal(false);
  #waiting: (() => void)[] = [];

  /** True while requests wait for a login. */
  get needed(): ReadonlySignal<boolean> {
    return this.#needed;
  }

  /** Whether the service has answered somebody who is logged in: before, there is nothing to look at. */
  get isConfirmed(): ReadonlySignal<boolean> {
    return this.#isConfirmed;
  }

  /** Says that the service has answered. */
  confirm(): void {
    this.#isConfirmed.value = true;
  }

  /** Resolves when somebody has logged in. */
  wait(): Promise<void> {
    this.#needed.value = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Lets the waiting requests go on. */
  begin(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#needed.value = false;
    for (const resolve of waiting) resolve();
  }
}
