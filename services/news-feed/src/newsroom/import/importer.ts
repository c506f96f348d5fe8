import { isDatabaseAway } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import type { LineText } from '@pressroom/common/files/json-lines';
import type { Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { upsertItems, urlOf, withdrawItem } from '../editing/items.ts';
import type { Outcome } from '../editing/outcome.ts';
import { setResetState, upsertResetActivity, upsertResetEvent } from '../editing/resets.ts';
import {
  mergeStories,
  referencesOf,
  refuseWrongReferences,
  unknownStories,
  upsertStories,
} from '../editing/stories.ts';
import { readLexicon } from '../stories/lexicon.ts';
import type { RenewalParts } from '../stories/renew-stories.ts';
import type { RunWork, Work } from '../transactions.ts';
import { HeldLines, type Numbered } from './held-lines.ts';
import type { ImportLine, LineOf } from './import-line.ts';

/** The outcome of the lines. */
export interface ImportTally {
  created: number;
  changed: number;
  unchanged: number;
  refused: { number: number; reason: string }[];
}

/** How many items are written together. */
const BATCH = 1000;

/** The options of an {@link Importer}. */
export interface ImporterParts {
  read: (text: LineText) => ImportLine;
  runWork: RunWork;
  /** `NEWS_PACKS`, whose lexicon tells stories apart. */
  packs: readonly string[];
  now: () => Date;
}

/**
 * Processes the lines of an import in order: items in batches, everything else one at a time. A refused line
 * changes nothing and does not stop the others. A story that points to one further down waits for it, and so
 * does every line that names the waiting story, so that a story with wrong references leaves nothing behind.
 */
export class Importer {
  readonly #parts: ImporterParts;
  readonly #tally: ImportTally = { created: 0, changed: 0, unchanged: 0, refused: [] };
  readonly #held = new HeldLines();
  #items: Numbered<LineOf<'item'>>[] = [];
  /** The ids and addresses of the waiting items: no two of them may be about the same item. */
  readonly #waiting = new Set<string>();
  #waitingSince: number | undefined;
  #lexicon: RenewalParts['lexicon'] | undefined;

  constructor(parts: ImporterParts) {
    this.#parts = parts;
  }

  /** The outcome of the lines so far; waiting lines are not counted yet. */
  get tally(): Readonly<ImportTally> {
    return this.#tally;
  }

  /** How long the oldest item of the batch has waited, in ms; undefined if the batch is empty. */
  get waitedMs(): number | undefined {
    return this.#waitingSince === undefined ? undefined : performance.now() - this.#waitingSince;
  }

  /** Processes a line, which is undefined if it is not UTF-8. Throws only if the database cannot be used. */
  async add(text: LineText, number: number): Promise<void> {
    let line: ImportLine;
    try {
      line = this.#parts.read(text);
    } catch (error) {
      return this.#refuse(number, error);
    }
    await this.#take({ number, line });
  }

  /** Writes the batch of waiting items. */
  async flush(): Promise<void> {
    const items = this.#items;
    this.#items = [];
    this.#waiting.clear();
    this.#waitingSince = undefined;
    if (items.length === 0) return;
    try {
      await this.#write(items);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      // A row that the database refuses fails its whole batch, so each row is retried separately.
      for (const item of items) {
        await this.#write([item]).catch((fault: unknown) => this.#refuse(item.number, fault));
      }
    }
  }

  /** Writes everything that still waits and returns the outcome of all lines. */
  async finish(): Promise<ImportTally> {
    for (let held = this.#held.stories; held.length > 0; held = this.#held.stories) {
      // The stories that they wait for will not arrive any more.
      for (const { number, line } of held) {
        this.#held.drop(line.publicId);
        const outcomes = await this.#attempt(number, (tx) => upsertStories(tx, [line]));
        for (const outcome of outcomes ?? []) this.#tally[outcome] += 1;
      }
      await this.#takeDeferred();
    }
    await this.flush();
    this.#tally.refused.sort((a, b) => a.number - b.number);
    return this.#tally;
  }

  async #take(entry: Numbered<ImportLine>): Promise<void> {
    const { number, line } = entry;
    const keys = keysOf(line);
    if (this.#held.blocks(line, keys)) return this.#held.defer(entry, keys);
    if (line.type !== 'item') {
      await this.flush();
      return line.type === 'story' ? this.#takeStory({ number, line }) : this.#takeOther({ number, line });
    }
    if (this.#items.length >= BATCH || keys.some((key) => this.#waiting.has(key))) await this.flush();
    this.#items.push({ number, line });
    this.#waitingSince ??= performance.now();
    for (const key of keys) this.#waiting.add(key);
  }

  async #takeStory({ number, line }: Numbered<LineOf<'story'>>): Promise<void> {
    const missing = await this.#attempt(number, (tx) => missingStories(tx, line));
    if (missing === undefined) return;
    this.#held.hold({ number, line }, missing);
    await this.#release(line.publicId);
  }

  /** Writes the stories that are complete now that this one has arrived. */
  async #release(publicId: string): Promise<void> {
    // Stories that wait for a held story may become complete together with it.
    const candidates = [...this.#held.waitersOf(publicId), publicId];
    let released = false;
    for (let id = candidates.pop(); id !== undefined; id = candidates.pop()) {
      const group = this.#held.takeGroup(id);
      if (group === undefined) continue;
      released = true;
      const lines = group.map(({ line }) => line);
      try {
        const outcomes = await this.#parts.runWork((tx) => upsertStories(tx, lines));
        for (const outcome of outcomes) this.#tally[outcome] += 1;
        candidates.push(...lines.flatMap((line) => this.#held.arrived(line.publicId)));
      } catch (error) {
        for (const { number } of group) this.#refuse(number, error);
      }
    }
    if (released) await this.#takeDeferred();
  }

  async #takeDeferred(): Promise<void> {
    for (const entry of this.#held.takeDeferred()) await this.#take(entry);
  }

  async #write(items: readonly Numbered<LineOf<'item'>>[]): Promise<void> {
    const lines = items.map(({ line }) => line);
    const outcomes = await this.#parts.runWork((tx) => upsertItems(tx, lines, this.#parts.now()));
    outcomes.forEach((outcome, index) => {
      if (outcome instanceof Failure) this.#refuse(items[index]?.number ?? 0, outcome);
      else this.#tally[outcome] += 1;
    });
  }

  async #takeOther({ number, line }: Numbered<OtherLine>): Promise<void> {
    // Few imports need it.
    this.#lexicon ??= readLexicon(this.#parts.packs);
    const renewal = { lexicon: this.#lexicon, now: this.#parts.now() };
    const outcome = await this.#attempt(number, (tx) => write(tx, line, renewal));
    if (outcome !== undefined) this.#tally[outcome] += 1;
  }

  async #attempt<T>(number: number, work: Work<T>): Promise<T | undefined> {
    try {
      return await this.#parts.runWork(work);
    } catch (error) {
      this.#refuse(number, error);
      return undefined;
    }
  }

  /** Records that a line was refused, and why. Rethrows errors that the line did not cause. */
  #refuse(number: number, error: unknown): void {
    if (!(error instanceof Error) || isDatabaseAway(error)) throw error;
    this.#tally.refused.push({ number, reason: error.message });
  }
}

/** Processes a line that is neither an item nor a story. */
type OtherLine = Exclude<ImportLine, LineOf<'item'> | LineOf<'story'>>;

async function write(tx: Transaction<NewsTables>, line: OtherLine, renewal: RenewalParts): Promise<Outcome> {
  switch (line.type) {
    case 'merge':
      return (await mergeStories(tx, line.from, line.into, renewal)) ? 'changed' : 'unchanged';
    case 'withdraw':
      return (await withdrawItem(tx, line.id, renewal)) ? 'changed' : 'unchanged';
    case 'reset-event':
      return upsertResetEvent(tx, line.event);
    case 'reset-activity':
      return upsertResetActivity(tx, line.activity);
    case 'reset-state':
      return setResetState(tx, line);
  }
}

/**
 * The stories that `line` points to and that do not exist. Throws for references that are always wrong.
 */
function missingStories(tx: Transaction<NewsTables>, line: LineOf<'story'>): Promise<string[]> {
  refuseWrongReferences(line);
  const ids = referencesOf(line).flatMap(({ list }) => list.map(({ publicId }) => publicId));
  return ids.length === 0 ? Promise.resolve([]) : unknownStories(tx, [...new Set(ids)]);
}

/** The keys of the records that a line is about; lines with a common key must keep their order. */
function keysOf(line: ImportLine): string[] {
  switch (line.type) {
    case 'item':
      return [`url ${urlOf(line)}`, ...(line.id === undefined ? [] : [`item ${line.id}`])];
    case 'withdraw':
      return [`item ${line.id}`];
    case 'story':
      return [`story ${line.publicId}`];
    case 'merge':
      return [`story ${line.from}`, `story ${line.into}`];
    default:
      return [];
  }
}
