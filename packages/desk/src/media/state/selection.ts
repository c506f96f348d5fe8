import { type ReadonlySignal, signal } from '@preact/signals';

/** The selected paths, and the one that the keyboard is on. */
export class Selection {
  readonly #paths = signal<ReadonlySet<string>>(new Set());
  readonly #active = signal<string | undefined>(undefined);
  #anchor: string | undefined;

  /** The selected paths. */
  get paths(): ReadonlySignal<ReadonlySet<string>> {
    return this.#paths;
  }

  /** The path that the keyboard is on. */
  get active(): ReadonlySignal<string | undefined> {
    return this.#active;
  }

  /** Moves the keyboard's place without selecting. */
  focus(path: string | undefined): void {
    this.#active.value = path;
  }

  set(paths: Iterable<string>): void {
    this.#paths.value = new Set(paths);
  }

  /** Selects one path or takes it out of the selection; a range begins here. */
  toggle(path: string): void {
    const paths = new Set(this.#paths.peek());
    if (!paths.delete(path)) paths.add(path);
    this.#paths.value = paths;
    this.#anchor = path;
    this.#active.value = path;
  }

  /** Selects as far as `path` with Shift; otherwise toggles it alone. */
  choose(path: string, isRange: boolean, all: readonly { readonly path: string }[]): void {
    if (isRange) this.extend(path, all);
    else this.toggle(path);
  }

  /** Selects everything between the beginning of the range and `path`, in the order of `all`. */
  extend(path: string, all: readonly { readonly path: string }[]): void {
    this.#anchor ??= this.#active.peek() ?? path;
    const from = all.findIndex((entry) => entry.path === this.#anchor);
    const to = all.findIndex((entry) => entry.path === path);
    const [first, last] = from < to ? [from, to] : [to, from];
    this.set(all.slice(Math.max(first, 0), last + 1).map((entry) => entry.path));
    this.#active.value = path;
  }

  clear(): void {
    if (this.#paths.peek().size > 0) this.#paths.value = new Set();
    this.#anchor = undefined;
  }

  keep(existing: ReadonlySet<string>): void {
    const left = [...this.#paths.peek()].filter((path) => existing.has(path));
    if (left.length < this.#paths.peek().size) this.set(left);
  }
}
