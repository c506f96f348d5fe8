import { isDatabaseAway } from '@pressroom/common/database/database-fault';
import { Failure } from '@pressroom/common/failures/failure';
import { upsertItems, urlOf, withdrawItem } from '../editing/items.ts';
import { setResetState, upsertResetActivity, upsertResetEvent } from '../editing/resets.ts';
import { mergeStories, upsertStory, writeReferences } from '../editing/stories.ts';
import type { RunWork, Work } from '../transactions.ts';
import type { ImportLine, LineOf } from './import-line.ts';

/** A line with its number, counted from 1. */
interface Numbered<Line> {
  number: number;
  line: Line;
}

/** What has become of the lines. */
export interface ImportTally {
  created: number;
  changed: number;
  unchanged: number;
  refused: { number: number; reason: string }[];
}

/** How many items are written together. */
const BATCH = 1000;

/** What an {@link Importer} is made with. */
export interface ImporterParts {
  read: (text: string | undefined) => ImportLine;
  runWork: RunWork;
  now: () => Date;
}

/**
 * Takes the lines of an import in their order: items many at a time, everything else by itself. A line that is refused
 * changes nothing and stops no other.
 */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #tally: ImportTally = { created: 0, changed: 0, unchanged: 0, refused: [] };
  #items: Numbered<LineOf<'item'>>[] = [];
  /** The ids and addresses of the waiting items: no two of them may be of the same item. */
  readonly #waiting = new Set<string>();
  /** References are written at the end, when every story of the file is there. */
  readonly #references: Numbered<LineOf<'story'>>[] = [];

  constructor(parts: ImporterParts) {
    this.#parts = parts;
  }

  /** What has become of the lines so far; items that wait are not counted yet. */
  get tally(): Readonly<ImportTally> {
    return this.#tally;
  }

  /** Takes a line, undefined when it is not UTF-8. Throws only where the database cannot be used. */
  async add(text: string | undefined, number: number): Promise<void> {
    let line: ImportLine;
    let keys: string[] = [];
    try {
      line = this.#parts.read(text);
      if (line.type === 'item') keys = keysOf(line);
    } catch (error) {
      return this.refuse(number, error);
    }
    if (line.type !== 'item') {
      await this.#flush();
      return this.#one({ number, line });
    }
    if (this.#items.length >= BATCH || keys.some((key) => this.#waiting.has(key))) await this.#flush();
    this.#items.push({ number, line });
    for (const key of keys) this.#waiting.add(key);
  }

  /** Writes what still waits and returns what has become of all. */
  async finish(): Promise<ImportTally> {
    await this.#flush();
    for (const { number, line } of this.#references) {
      await this.#attempt(number, (tx) => writeReferences(tx, line));
    }
    this.#tally.refused.sort((a, b) => a.number - b.number);
    return this.#tally;
  }

  async #flush(): Promise<void> {
    const items = this.#items;
    this.#items = [];
    this.#waiting.clear();
    if (items.length === 0) return;
    try {
      await this.#write(items);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      // A row that the database refuses takes its batch with it: each is tried by itself.
      for (const item of items) {
        await this.#write([item]).catch((fault: unknown) => this.refuse(item.number, fault));
      }
    }
  }

  async #write(items: readonly Numbered<LineOf<'item'>>[]): Promise<void> {
    const lines = items.map(({ line }) => line);
    const outcomes = await this.#parts.runWork((tx) => upsertItems(tx, lines, this.#parts.now()));
    outcomes.forEach((outcome, index) => {
      if (outcome instanceof Failure) this.refuse(items[index]?.number ?? 0, outcome);
      else this.#tally[outcome] += 1;
    });
  }

  async #one({ number, line }: Numbered<Exclude<ImportLine, LineOf<'item'>>>): Promise<void> {
    const created = await this.#attempt(number, (tx) => write(tx, line));
    if (created === undefined) return;
    this.#tally[created ? 'created' : 'changed'] += 1;
    if (line.type === 'story' && (line.storyline || line.related)) this.#references.push({ number, line });
  }

  async #attempt<T>(number: number, work: Work<T>): Promise<T | undefined> {
    try {
      return await this.#parts.runWork(work);
    } catch (error) {
      this.refuse(number, error);
      return undefined;
    }
  }

  /** Notes that a line was refused, and why. Throws what is not the line's fault. */
  refuse(number: number, error: unknown): void {
    if (!(error instanceof Error) || isDatabaseAway(error)) throw error;
    this.#tally.refused.push({ number, reason: error.message });
  }
}

/** Writes a line that is no item; returns whether it made something new. */
async function write(
  tx: Parameters<Work<boolean>>[0],
  line: Exclude<ImportLine, LineOf<'item'>>,
): Promise<boolean> {
  switch (line.type) {
    case 'story':
      return upsertStory(tx, line);
    case 'merge':
      await mergeStories(tx, line.from, line.into);
      return false;
    case 'withdraw':
      await withdrawItem(tx, line.id);
      return false;
    case 'reset-event':
      return upsertResetEvent(tx, line);
    case 'reset-activity':
      return upsertResetActivity(tx, line);
    case 'reset-state':
      await setResetState(tx, line);
      return false;
  }
}

function keysOf(line: LineOf<'item'>): string[] {
  const url = `url ${urlOf(line)}`;
  return line.id === undefined ? [url] : [url, `id ${line.id}`];
}
