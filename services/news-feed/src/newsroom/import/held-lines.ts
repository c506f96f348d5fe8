import type { ImportLine, LineOf } from './import-line.ts';

/** A line with its number, counted from 1. */
export interface Numbered<Line> {
  number: number;
  line: Line;
}

/** A story that waits for others, and the stories that it waits for. */
interface HeldStory extends Numbered<LineOf<'story'>> {
  missing: Set<string>;
}

/**
 * The lines of an import that wait for stories further down in the file, and the lines that wait for those.
 */
export class HeldLines {
  readonly #stories = new Map<string, HeldStory>();
  readonly #waitingFor = new Map<string, Set<string>>();
  readonly #blockedKeys = new Set<string>();
  #deferred: Numbered<ImportLine>[] = [];

  /** The waiting stories, in the order of their lines. */
  get stories(): HeldStory[] {
    return [...this.#stories.values()].sort((a, b) => a.number - b.number);
  }

  /** Whether a line is about a waiting record and must wait with it to keep the order. */
  blocks(line: ImportLine, keys: readonly string[]): boolean {
    if (this.#stories.size === 0 && this.#blockedKeys.size === 0) return false;
    return (
      keys.some((key) => this.#blockedKeys.has(key)) || storiesOf(line).some((id) => this.#stories.has(id))
    );
  }

  /** Defers a line for which {@link blocks} is true. */
  defer(entry: Numbered<ImportLine>, keys: readonly string[]): void {
    this.#deferred.push(entry);
    for (const key of keys) this.#blockedKeys.add(key);
  }

  /** Holds a story until the `missing` ones have arrived. */
  hold(entry: Numbered<LineOf<'story'>>, missing: readonly string[]): void {
    this.#stories.set(entry.line.publicId, { ...entry, missing: new Set(missing) });
    for (const id of missing) {
      const waiting = this.#waitingFor.get(id) ?? new Set();
      this.#waitingFor.set(id, waiting.add(entry.line.publicId));
    }
  }

  /**
   * Removes and returns the story `publicId` and every story that it waits for, if all of them have arrived.
   */
  takeGroup(publicId: string): HeldStory[] | undefined {
    const group = new Map<string, HeldStory>();
    const unseen = [publicId];
    for (let id = unseen.pop(); id !== undefined; id = unseen.pop()) {
      if (group.has(id)) continue;
      const story = this.#stories.get(id);
      if (story === undefined) return undefined;
      group.set(id, story);
      unseen.push(...story.missing);
    }
    for (const id of group.keys()) this.#stories.delete(id);
    return [...group.values()].sort((a, b) => a.number - b.number);
  }

  /** The held stories that wait for this one. */
  waitersOf(publicId: string): string[] {
    return [...(this.#waitingFor.get(publicId) ?? [])].filter((id) => this.#stories.has(id));
  }

  /** Records that a story now exists, and returns those that waited for it. */
  arrived(publicId: string): string[] {
    const waiting = this.waitersOf(publicId);
    this.#waitingFor.delete(publicId);
    for (const id of waiting) this.#stories.get(id)?.missing.delete(publicId);
    return waiting;
  }

  /** Removes a refused story. */
  drop(publicId: string): void {
    this.#stories.delete(publicId);
  }

  /** Removes and returns the deferred lines in their order; some may have to wait again. */
  takeDeferred(): Numbered<ImportLine>[] {
    const deferred = this.#deferred;
    this.#deferred = [];
    this.#blockedKeys.clear();
    return deferred;
  }
}

/** The stories that must exist before a line is processed. */
function storiesOf(line: ImportLine): string[] {
  if (line.type === 'story') return [line.publicId];
  if (line.type === 'merge') return [line.from, line.into];
  return line.type === 'item' && line.story ? [line.story] : [];
}
