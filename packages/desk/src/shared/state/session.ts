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

  confirm(): void {
    this.#isConfirmed.value = true;
  }

  wait(): Promise<void> {
    this.#needed.value = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  begin(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#needed.value = false;
    for (const resolve of waiting) resolve();
  }
}
