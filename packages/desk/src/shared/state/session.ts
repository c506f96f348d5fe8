import { type ReadonlySignal, signal } from '@preact/signals';

/** Requests that need a login wait here for one. */
export class Session {
  readonly #needed = signal(false);
  readonly #isConfirmed = signal(false);
  readonly #setUp = signal(0);
  readonly #doubted = signal(false);
  #waiting: (() => void)[] = [];
  #doubting: ((isConfirmed: boolean) => void)[] = [];

  /** True while requests wait for a login. */
  get needed(): ReadonlySignal<boolean> {
    return this.#needed;
  }

  /** True once the service has answered somebody who is logged in: before, there is nothing to look at. */
  get isConfirmed(): ReadonlySignal<boolean> {
    return this.#isConfirmed;
  }

  confirm(): void {
    this.#isConfirmed.value = true;
  }

  /** Counts requests that were refused because a second factor has to be set up first. */
  get setUp(): ReadonlySignal<number> {
    return this.#setUp;
  }

  needSetUp(): void {
    this.#setUp.value += 1;
  }

  /** True while requests wait until somebody has shown again who they are. */
  get doubted(): ReadonlySignal<boolean> {
    return this.#doubted;
  }

  /** Waits until somebody has shown that, or does not want to. */
  doubt(): Promise<boolean> {
    this.#doubted.value = true;
    return new Promise((resolve) => this.#doubting.push(resolve));
  }

  trust(isConfirmed: boolean): void {
    const waiting = this.#doubting;
    this.#doubting = [];
    this.#doubted.value = false;
    for (const resolve of waiting) resolve(isConfirmed);
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
