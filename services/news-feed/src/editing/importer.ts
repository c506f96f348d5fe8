import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseAway } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { jsonLinesOf, type LineText, parseJsonLine, readJsonLines } from '@pressroom/common/files/json-lines';
import { readLexicon } from '@pressroom/stories';
import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { CATEGORY_PATTERN, itemId, storyId, time } from '../fields.ts';
import type { RenewalParts } from '../grouping/story-renewal.ts';
import type { NewsTables } from '../tables.ts';
import { type RunWork, runAndRollBack, transactWithRetries, type Work } from '../transactions.ts';
import type { Vocabulary } from '../words.ts';
import { addNotices } from '../work/notices.ts';
import { asManyEdits, type Outcome } from './edits.ts';
import { itemInput } from './item-members.ts';
import { upsertItems, urlOf, withdrawItem } from './items.ts';
import { parseInput } from './parse-input.ts';
import {
  resetActivityInput,
  resetEventInput,
  resetStateInput,
  setResetState,
  upsertResetActivity,
  upsertResetEvent,
} from './resets.ts';
import {
  mergeStories,
  referencesOf,
  refuseWrongReferences,
  storyInput,
  unknownStories,
  upsertStories,
} from './stories.ts';

/** The options of {@link importFile}. */
interface Import {
  db: Kysely<NewsTables>;
  /** The JSON Lines: a file, `-` for standard input, or their bytes. */
  file: string | Uint8Array;
  actor: string;
  vocabulary: Vocabulary;
  /** True to roll everything back at the end. */
  dryRun: boolean;
  /** Called with the number of lines from time to time. */
  onProgress: (lines: number, tally: Readonly<ImportTally>) => void;
}

/** Refused lines listed in a notice. */
const MOST_LINES = 10;

/**
 * Longest time that an item waits to be batched with others, in ms: piped lines must show up soon. The
 * categories that a line is checked by are those of no longer ago.
 */
const SHOWN_AFTER_MS = 300;

/**
 * Imports the lines of a file and returns their outcome. Throws if the file or the database cannot be read.
 */
export async function importFile(options: Import): Promise<ImportTally> {
  const { db, dryRun } = options;
  const run = (runWork: RunWork) => importLines(options, runWork);
  if (dryRun) return runAndRollBack(db, run);
  const tally = await run((work) => transactWithRetries(db, work));
  if (tally.refused.length > 0) await noteRefused(options, tally);
  return tally;
}

/** Notices give only the numbers of refused lines: the faults may quote private text. */
function noteRefused({ db, actor }: Import, { refused, ...counts }: ImportTally): Promise<void> {
  const lines = refused.slice(0, MOST_LINES).map(({ number }) => number);
  const data = { actor, ...counts, refused: refused.length, lines };
  return addNotices(db, [{ type: 'import.refused', key: randomUUID(), data }]);
}

async function importLines(
  { file, actor, vocabulary, onProgress }: Import,
  run: RunWork,
): Promise<ImportTally> {
  const runWork: RunWork = (work) =>
    run(async (tx) => {
      await asManyEdits(tx, { actor, action: 'import' });
      return work(tx);
    });
  const read = importLineReader(vocabulary);
  const importer = new Importer({ read, runWork, packs: vocabulary.packs, now: () => new Date() });
  const lines = typeof file === 'string' ? readJsonLines(file) : jsonLinesOf(Readable.from([file]));
  let shown = 0;
  let followedAt = performance.now();
  for (let next = lines.next(); ; ) {
    const waited = importer.waitedMs;
    if (waited !== undefined && (waited > SHOWN_AFTER_MS || (await isLate(next, SHOWN_AFTER_MS - waited)))) {
      await importer.flush();
      onProgress(shown, importer.tally);
    }
    const { done, value } = await next;
    if (done) return importer.finish();
    if (performance.now() - followedAt > SHOWN_AFTER_MS) {
      await run((tx) => vocabulary.settings.follow(tx));
      followedAt = performance.now();
    }
    await importer.add(value.text, value.number);
    shown = value.number;
    next = lines.next();
  }
}

/** True if the next line takes longer than `ms`. */
async function isLate(next: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, true, { signal: timer.signal }).catch(() => true);
  try {
    return await Promise.race([next.then(() => false), late]);
  } finally {
    timer.abort();
  }
}

export interface ImportTally {
  created: number;
  changed: number;
  unchanged: number;
  refused: { number: number; reason: string }[];
}

const BATCH = 1000;

/** The options of an {@link Importer}. */
interface ImporterParts {
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

  /** Age of the oldest item of the batch, in ms; undefined if the batch is empty. */
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

/** The stories that `line` points to and that do not exist. Throws for references that are always wrong. */
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

function itemLine(vocabulary: Vocabulary) {
  return z.strictObject({ type: z.literal('item'), ...itemInput(vocabulary, time).shape });
}

const storyLine = z.strictObject({ type: z.literal('story'), ...storyInput.shape });

const mergeLine = z.strictObject({ type: z.literal('merge'), from: storyId, into: storyId });

const withdrawLine = z.strictObject({ type: z.literal('withdraw'), id: itemId });

/** The event is nested in a separate member, because it has its own `type`. */
const resetEventLine = z.strictObject({ type: z.literal('reset-event'), event: resetEventInput });

const resetActivityLine = z.strictObject({ type: z.literal('reset-activity'), activity: resetActivityInput });

const resetStateLine = z.strictObject({ type: z.literal('reset-state'), ...resetStateInput.shape });

/** The schema of an import line, discriminated by `type`. */
function importLine(vocabulary: Vocabulary) {
  return z.discriminatedUnion(
    'type',
    [
      itemLine(vocabulary),
      storyLine,
      mergeLine,
      withdrawLine,
      resetEventLine,
      resetActivityLine,
      resetStateLine,
    ],
    'must be item, story, merge, withdraw, reset-event, reset-activity or reset-state',
  );
}

type ImportLine = z.infer<ReturnType<typeof importLine>>;

type LineOf<Type extends ImportLine['type']> = Extract<ImportLine, { type: Type }>;

/**
 * A parser for import lines; it throws a `Failure` whose message says everything that is wrong with a line.
 */
export function importLineReader(vocabulary: Vocabulary): (text: LineText) => ImportLine {
  const schema = importLine(vocabulary);
  return (text) => parseInput(schema, parseJsonLine(text));
}

/** The JSON Schema (2020-12) of a line, for `import --schema`. */
export function importLineJsonSchema(vocabulary: Vocabulary): object {
  return z.toJSONSchema(importLine(vocabulary), {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.pattern === CATEGORY_PATTERN.source) jsonSchema.enum = [...vocabulary.offered];
    },
  });
}

/** A line with its number, counted from 1. */
interface Numbered<Line> {
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
class HeldLines {
  readonly #stories = new Map<string, HeldStory>();
  readonly #waitingFor = new Map<string, Set<string>>();
  readonly #blockedKeys = new Set<string>();
  #deferred: Numbered<ImportLine>[] = [];

  /** The waiting stories, in the order of their lines. */
  get stories(): HeldStory[] {
    return [...this.#stories.values()].sort((a, b) => a.number - b.number);
  }

  /** True if a line is about a waiting record and must wait with it to keep the order. */
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

/** The outcome of the lines, in numbers. */
export function importCounts({ created, changed, unchanged, refused }: Readonly<ImportTally>): string {
  return `${created} created, ${changed} changed, ${unchanged} unchanged, ${refused.length} refused`;
}

/** The report at the end of an import: the numbers, and a line for each refused line. */
export function importReport(tally: Readonly<ImportTally>, dryRun: boolean): string {
  const summary = `${dryRun ? 'Nothing was written. ' : ''}${importCounts(tally)}`;
  return [summary, ...tally.refused.map(({ number, reason }) => `line ${number}: ${reason}`)].join('\n');
}
