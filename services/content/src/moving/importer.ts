import { setFlagsFromString } from 'node:v8';
import { isRefusedData, violates } from '@pressroom/common/database/database';
import { Failure, invalid } from '@pressroom/common/failures/failure';
import type { MediaMover } from '@pressroom/moving/pictures';
import { because, type Reason, Refusal, reasonFor } from '@pressroom/moving/reasons';
import { DiskMap, type ImportEntry, type SourceEntry } from '@pressroom/moving/source-entry';
import { type Kysely, sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { ExtraSchema } from '../articles/extra-schema.ts';
import { keepKey } from '../articles/idempotency.ts';
import { importArticle } from '../articles/store.ts';
import { type Actor, COMMAND, writtenBy } from '../envelope.ts';
import { faultsOf, HtmlInspector } from '../html/html-inspector.ts';
import type { InspectionRules } from '../html/inspection.ts';
import { SLUG_PATTERN, slugify } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import {
  type ImportedArticle,
  type ImportedRelease,
  type ImportedTermLine,
  type LineOptions,
  readImportLine,
} from './import-line.ts';
import { findOrMakeTerm, forgetUndone, importedBefore, keepFormerSlugs, TERM_KINDS } from './imported.ts';
import type { OldAddresses } from './redirects.ts';

/** The entries between two progress reports if the output is not a terminal. */
const REPORT_EVERY = 1000;

/**
 * V8 collects garbage only once its heap has grown to a multiple of what is in use, and lets new objects have
 * up to 96 MiB: the memory of an import would be what the machine has to give.
 */
const FRUGAL = ['--heap-growing-percent=30', '--semi-space-growth-factor=1'];

/** Has this process take no more memory than it needs, from now on. */
export function saveMemory(): void {
  for (const flag of FRUGAL) setFlagsFromString(flag);
}

/** The number of entries by outcome; skipped entries count by reason. */
type Tally = Map<string, number>;

/**
 * Imports what a reader yields each time that it is called, prints what is refused or changed on the way when
 * it is, and counts at the end. Resolves to the exit code: 1 if something was refused.
 */
export async function runImport(
  db: Kysely<ContentTables>,
  read: () => AsyncIterable<SourceEntry>,
  options: ImportOptions,
  oldAddresses: OldAddresses | undefined,
): Promise<0 | 1> {
  saveMemory();
  const tally: Tally = new Map();
  const leftOut: Tally = new Map();
  const importer = new Importer(db, options);
  let reported = 0;
  try {
    for await (const outcomes of importer.run(read)) {
      for (const outcome of outcomes) tell(outcome);
      await oldAddresses?.add(outcomes);
      for (const outcome of outcomes) add(tally, outcome.kind);
      for (const outcome of outcomes) if (outcome.kind === 'skipped') add(leftOut, outcome.reason.text);
      reported = reportProgress(tally, reported);
    }
  } catch (error) {
    console.log(`${countsOf(tally)} before this:`);
    throw error;
  } finally {
    await importer.close();
    await options.media?.close();
    await oldAddresses?.close();
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(options.dryRun ? `Nothing was written. It would be: ${countsOf(tally)}` : countsOf(tally));
  const [made, known] = [tally.get('term created') ?? 0, tally.get('term known') ?? 0];
  if (made + known > 0)
    console.log(`categories, tags, authors and releases: ${made} created, ${known} already there`);
  for (const [reason, times] of leftOut) print(`left out: ${times} × ${reason}`);
  return tally.has('refused') ? 1 : 0;
}

function tell(outcome: Outcome): void {
  if (outcome.kind === 'refused') {
    const { place, source, reason } = outcome;
    print(`${place}${source && ` (source ${source})`}: ${reason.text}`);
  }
  if (outcome.kind !== 'created' && outcome.kind !== 'term created') return;
  const { place, notes = [] } = outcome.entry;
  for (const note of notes) print(`${place}: ${note.text}`);
}

/** Prints one line; what the file says in it must not control the terminal. */
function print(text: string): void {
  console.log(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
}

function add(tally: Tally, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

/** Returns how many entries there were at the last report. */
function reportProgress(tally: Tally, reported: number): number {
  const all = tally.values().reduce((sum, times) => sum + times, 0);
  if (process.stderr.isTTY) process.stderr.write(`\r${countsOf(tally)}`);
  if (process.stderr.isTTY || all - reported < REPORT_EVERY) return reported;
  console.error(countsOf(tally));
  return all;
}

function countsOf(tally: Tally): string {
  const of = (what: string) => tally.get(what) ?? 0;
  return `${of('created')} created, ${of('known')} already there, ${of('refused')} refused`;
}

type Database = Kysely<ContentTables>;

interface ImportOptions extends LineOptions {
  /** True to report what would happen, and write nothing. */
  dryRun: boolean;
  /** True to remove HTML that is not allowed, rather than refuse its article. */
  clean: boolean;
  /** True to accept articles with less text than the API does. */
  short: boolean;
  /** Brings the pictures of articles along; without it they stay where they are. */
  media?: MediaMover | undefined;
  rules: InspectionRules;
  extraSchema?: ExtraSchema | undefined;
  /** Who imports; a command if absent. */
  actor?: Actor | undefined;
  /** Keeps, in the transaction that makes them, which articles are made. */
  keep?: ((tx: Transaction<ContentTables>, articleIds: readonly number[]) => Promise<void>) | undefined;
}

export type Outcome =
  | { kind: 'created' | 'known'; entry: ImportEntry; id: number }
  | { kind: 'term created' | 'term known'; entry: ImportEntry }
  | { kind: 'refused'; place: string; source: string; title?: string | undefined; reason: Reason }
  | { kind: 'skipped'; place: string; reason: Reason };

/** An entry with an article, or with a term. */
interface Read<Item> {
  entry: ImportEntry;
  item: Item;
  number: number;
}

/** The terms of an article, as members of a create, and its place in a series. */
interface Terms {
  body: { category_id?: number; tags: string[]; authors: string[] };
  placed: { series_id: number; series_position: number } | undefined;
}

/** On a busy machine a command waits, for an hour if need be, where the service would say so. */
const PATIENCE = { startMs: 3_600_000, timeMs: 3_600_000 };

/** Ends a transaction that must leave nothing behind. */
class Undone extends Error {}

/**
 * Writes what a reader yields, each article with its terms, and reports the outcomes. Batches commit one by
 * one, so an interrupted import picks up where it left off when it runs again.
 */
export class Importer {
  readonly #db: Database;
  readonly #inspector: HtmlInspector;
  readonly #options: ImportOptions;
  readonly #slugs = new SlugPlan();
  /** The keys of the articles so far: within a file, none is there already because of another. */
  readonly #keys = new DiskMap<true>();
  #number = 0;

  constructor(db: Database, options: ImportOptions) {
    this.#db = db;
    this.#inspector = new HtmlInspector(options.rules, PATIENCE);
    this.#options = options;
  }

  async close(): Promise<void> {
    await this.#inspector.close();
    await this.#options.extraSchema?.close();
  }

  /**
   * Imports the entries, which are read twice unless an export is restored, and yields the outcomes of each
   * batch when it is there to stay.
   */
  async *run(read: () => AsyncIterable<SourceEntry>): AsyncGenerator<Outcome[]> {
    let number = 0;
    if (!this.#options.exact) for await (const entry of read()) this.#slugs.add(entry, number++);
    for await (const batch of batchesOf(read())) yield await this.#batch(batch);
  }

  async #batch(entries: readonly SourceEntry[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const terms: Read<ImportedTermLine | ImportedRelease>[] = [];
    const articles: Read<ImportedArticle>[] = [];
    for (const given of entries) {
      const number = this.#number++;
      if (!('line' in given)) {
        outcomes.push(notImported(given));
        continue;
      }
      try {
        const item = readImportLine(given.line, given.identity, this.#options);
        const entry = withNotes(given, 'notes' in item ? item.notes : []);
        if (item.type === 'article') articles.push({ entry, item: this.#unlikeOthers(item), number });
        else terms.push({ entry, item, number });
      } catch (error) {
        outcomes.push(refused(given, error));
      }
    }
    const fit = await this.#fit(articles, outcomes);
    if (terms.length + fit.length > 0) await this.#write(terms, fit, outcomes);
    return inOrderOf(entries, outcomes);
  }

  /** The article with keys that none before it in the file has. */
  #unlikeOthers(item: ImportedArticle): ImportedArticle {
    if (item.key === undefined) return item;
    const times = this.#keys.all(item.key).length + 1;
    const isNew = (key: string) => this.#keys.all(key).length === 0;
    const [otherKeys, formerKeys] = [item.otherKeys.filter(isNew), item.formerKeys.filter(isNew)];
    this.#keys.add(item.key, true);
    if (times === 1) return { ...item, otherKeys, formerKeys };
    return { ...item, key: `${item.key}-${times}`, otherKeys: [], formerKeys: [], ownId: undefined };
  }

  /** Those of the articles that are neither there already nor refused. */
  async #fit(
    articles: readonly Read<ImportedArticle>[],
    outcomes: Outcome[],
  ): Promise<Read<ImportedArticle>[]> {
    const known = await importedBefore(
      this.#db,
      articles.map(({ item }) => item),
    );
    const check = async (one: Read<ImportedArticle>) => {
      const id = known.get(one.item);
      if (id === undefined) {
        const checked = await this.#checked(one);
        if (!(checked instanceof Error)) return [checked];
        outcomes.push(refused(one.entry, checked));
      } else outcomes.push({ kind: 'known', entry: one.entry, id });
      return [];
    };
    const fit = (await Promise.all(articles.map(check))).flat();
    const { media, dryRun } = this.#options;
    if (media === undefined || dryRun) return fit;
    await media.prepare(fit.map(({ item }) => item.body));
    const moved: Read<ImportedArticle>[] = [];
    for (const one of fit) moved.push(await withMedia(one, media));
    return moved;
  }

  /** The article with HTML and `extra` that are allowed, or the faults. An export is restored as it is. */
  async #checked(read: Read<ImportedArticle>): Promise<Read<ImportedArticle> | Error> {
    const { entry, item, number } = read;
    const { unchecked, extraSchema } = this.#options;
    if (unchecked) return read;
    const { extra } = item.body;
    const [unfit] = (extra && (await extraSchema?.faults(extra, entry.place))) ?? [];
    if (unfit !== undefined) return invalid([unfit]);
    const fault = await this.#faultOf(item.body.content, entry);
    if (fault === undefined) return read;
    if (!this.#options.clean) return fault;
    const cleaned = await this.#inspector.clean(item.body.content, entry.place);
    if ('unfinished' in cleaned) return fault;
    const { html, removed } = cleaned;
    const left = await this.#faultOf(html, entry);
    if (left !== undefined) return left;
    const cleanedItem = { ...item, body: { ...item.body, content: html } };
    return {
      entry: withNotes(entry, [because('html_removed', counted(removed))]),
      item: cleanedItem,
      number,
    };
  }

  async #faultOf(html: string, { place }: ImportEntry): Promise<Refusal | undefined> {
    const inspection = await this.#inspector.inspect(html, place);
    const all = faultsOf(inspection);
    const faults = this.#options.short ? all.filter(({ code }) => code !== 'too_short') : all;
    if (faults.length === 0) return undefined;
    const sentence = `content: ${faults.map(({ message }) => message).join('; ')}`;
    if ('unfinished' in inspection) return new Refusal('too_complex', null, sentence);
    const [first] = inspection.faults;
    if (first === undefined) return new Refusal('too_short', null, sentence);
    return new Refusal('html_not_allowed', first.what, sentence);
  }

  async #write(
    terms: readonly Read<ImportedTermLine | ImportedRelease>[],
    articles: readonly Read<ImportedArticle>[],
    outcomes: Outcome[],
  ): Promise<void> {
    const write = this.#db.transaction().execute(async (tx) => {
      const { actor = COMMAND, keep, dryRun } = this.#options;
      await sql`select set_config('pressroom.import', 'on', true), ${writtenBy(actor)}`.execute(tx);
      const before = outcomes.length;
      // Terms come first: whoever holds the slugs of articles waits for no term.
      for (const one of terms) outcomes.push(await writeTerm(tx, one, this.#options));
      const found = new Map<ImportedArticle, Terms>();
      for (const { entry, item } of articles) {
        const made = await atomically(tx, () => termsOf(tx, item));
        if (made instanceof Error) outcomes.push(refused(entry, made));
        else found.set(item, made);
      }
      await lockSlugs(tx);
      await forgetUndone(tx, [...found.keys()]);
      const known = await importedBefore(tx, [...found.keys()]);
      for (const one of articles) {
        const its = found.get(one.item);
        const id = known.get(one.item);
        if (id !== undefined) outcomes.push({ kind: 'known', entry: one.entry, id });
        else if (its !== undefined) outcomes.push(await this.#writeArticle(tx, one, its));
      }
      if (this.#options.exact) await passImportedIds(tx);
      const created = outcomes.slice(before).flatMap((one) => (one.kind === 'created' ? [one.id] : []));
      if (created.length > 0) await notifyOfImport(tx, created.length);
      if (dryRun) throw new Undone();
      await keep?.(tx, created);
    });
    await write.catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  }

  async #writeArticle(
    tx: Transaction<ContentTables>,
    { entry, item, number }: Read<ImportedArticle>,
    terms: Terms,
  ): Promise<Outcome> {
    const written = await atomically(tx, async () => {
      if (this.#options.exact) return { id: await restoreArticle(tx, item, terms), notes: [] };
      const { wanted, past, body } = item;
      const slug = await this.#slugs.choose(tx, wanted.slug, number);
      const notes = slug === wanted.slug ? [] : [because('slug_taken', slug, wanted.slug)];
      const free = past.former_slugs.filter((one) => this.#slugs.isFor(one, number));
      const placed = {
        ...item,
        body: { ...body, slug },
        past: { ...past, slug_is_given: past.slug_is_given ?? wanted.isGiven, former_slugs: free },
      };
      const { id, lost } = await writeArticle(tx, placed, terms);
      const others = [...past.former_slugs.filter((one) => !free.includes(one)), ...lost];
      return { id, notes: [...notes, ...others.map((one) => because('former_slug_lost', one))] };
    });
    if (written instanceof Error) return refused(entry, written);
    const { id, notes } = written;
    return { kind: 'created', entry: withNotes(entry, notes), id };
  }
}

function withNotes(entry: ImportEntry, notes: readonly Reason[]): ImportEntry {
  return notes.length === 0 ? entry : { ...entry, notes: [...(entry.notes ?? []), ...notes] };
}

async function withMedia(
  { entry, item, number }: Read<ImportedArticle>,
  media: MediaMover,
): Promise<Read<ImportedArticle>> {
  const { article, notes } = await media.move(item.body);
  return { entry: withNotes(entry, notes), item: { ...item, body: article }, number };
}

async function writeTerm(
  tx: Transaction<ContentTables>,
  read: Read<ImportedTermLine | ImportedRelease>,
  { unchecked }: LineOptions,
): Promise<Outcome> {
  const { entry, item } = read;
  if (item.type === 'release') {
    const insert = tx.insertInto('content.release').values(item.release);
    const made = await insert.onConflict((on) => on.doNothing()).executeTakeFirst();
    return { kind: made.numInsertedOrUpdatedRows ? 'term created' : 'term known', entry };
  }
  const kind = TERM_KINDS[item.type];
  const found = await atomically(tx, () => findOrMakeTerm(tx, kind, item.term, item.past, unchecked));
  if (found instanceof Error) return refused(entry, found);
  if (!found.isNew) return { kind: 'term known', entry };
  const lost = found.lostSlugs.map((slug) => because('former_slug_lost', slug));
  return { kind: 'term created', entry: withNotes(entry, lost) };
}

async function termsOf(
  tx: Transaction<ContentTables>,
  { category, tags, authors, series }: ImportedArticle,
): Promise<Terms> {
  const found = category && (await findOrMakeTerm(tx, TERM_KINDS.category, category));
  const slugs = new Set<string>();
  for (const tag of tags) slugs.add((await findOrMakeTerm(tx, TERM_KINDS.tag, tag)).slug);
  const writers = new Set<string>();
  for (const author of authors) writers.add((await findOrMakeTerm(tx, TERM_KINDS.author, author)).slug);
  const placed = series && {
    series_id: (await findOrMakeTerm(tx, TERM_KINDS.series, series.term)).id,
    series_position: series.position,
  };
  // Locked before articles are counted, as by whoever orders them.
  if (placed) await sql`select from content.series where id = ${placed.series_id} for key share`.execute(tx);
  return {
    body: { ...(found && { category_id: found.id }), tags: [...slugs], authors: [...writers] },
    placed,
  };
}

async function writeArticle(
  tx: Transaction<ContentTables>,
  { body, key, past: { former_slugs, ...past } }: ImportedArticle,
  terms: Terms,
): Promise<{ id: number; lost: string[] }> {
  const given = Object.fromEntries(Object.entries(past).filter(([, value]) => value !== undefined));
  const id = await importArticle(tx, { ...body, ...terms.body }, { ...given, ...terms.placed });
  const lost = await keepFormerSlugs(tx, 'article', id, former_slugs);
  if (key !== undefined) await keepKey(tx, { sender: '', key, body }, id);
  return { id, lost };
}

/** An article of an export as it was, or not at all. */
async function restoreArticle(
  tx: Transaction<ContentTables>,
  item: ImportedArticle,
  terms: Terms,
): Promise<number> {
  await refuseDeletedId(tx, item.past.id);
  const { id, lost } = await writeArticle(tx, item, terms);
  if (lost.length > 0) throw new Error(`former_slugs: ${lost[0]} belongs to another article`);
  return id;
}

/** An article in the trash can be restored with its id. */
async function refuseDeletedId(tx: Transaction<ContentTables>, id = 0): Promise<void> {
  const { rows } = await sql`select from content.deleted_article where article_id = ${id}`.execute(tx);
  if (rows.length > 0)
    throw new Refusal('id_taken', null, `id: the article ${id} is in the trash; erase it first`);
}

/** Adds what one transaction has created to the audit trail, which has no entry for each. */
async function notifyOfImport(tx: Transaction<ContentTables>, created: number): Promise<void> {
  await tx.insertInto('content.audit').values({ action: 'import', detail: { created } }).execute();
}

/** Waits for whoever writes a slug of an article, or draws an id, as the trigger of a statement that does. */
async function lockSlugs(tx: Transaction<ContentTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock('content.article'::regclass::oid::integer, 0)`.execute(tx);
}

/** Lets the next rows have ids beyond those that were given. */
async function passImportedIds(tx: Transaction<ContentTables>): Promise<void> {
  for (const table of [...Object.values(TERM_KINDS).map((kind) => kind.table), 'content.article']) {
    await sql`
      select setval(pg_get_serial_sequence(${table}, 'id'), last) from (select max(id) as last from ${sql.table(table)}) as ids
      where last > coalesce(pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')), 0)
    `.execute(tx);
  }
}

/** Runs `work` whole or not at all; the transaction goes on either way. Returns why it is not to be done. */
async function atomically<Result>(
  tx: Transaction<ContentTables>,
  work: () => Promise<Result>,
): Promise<Result | Error> {
  await sql`savepoint entry`.execute(tx);
  try {
    const result = await work();
    await sql`release savepoint entry`.execute(tx);
    return result;
  } catch (error) {
    // Without its connection, the whole batch has failed.
    await sql`rollback to savepoint entry`.execute(tx);
    return explained(error);
  }
}

/** Explains a refusal to the person who wrote the file. */
function explained(error: unknown): Error {
  for (const noun of ['article', ...Object.keys(TERM_KINDS)]) {
    if (violates(error, `${noun}_pkey`))
      return new Refusal('id_taken', null, `id: another ${noun} has this id; restore into an empty database`);
  }
  if (error instanceof Failure && error.code === 'slug_taken')
    return new Refusal('slug_kept', null, error.message);
  if (isRefusedData(error)) return new Error(unstorable(error));
  return error instanceof Error ? error : new Error(String(error));
}

/** Explains errors of PostgreSQL by their code: their words depend on its language. */
function unstorable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '22003') return 'a number is too large';
  if (/^220(?:07|08)$/.test(code)) return 'a time is too early or too late';
  if (/^22(?:021|P05)$/.test(code)) return 'a text contains a NUL character; remove it';
  if (code.startsWith('54')) return 'a text is too long for the database; shorten it';
  return `the database does not take one of its values (SQLSTATE ${code}); compare them with docs/spec/content.md`;
}

function counted(names: readonly string[]): string {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].map(([name, number]) => (number > 1 ? `${name} (${number})` : name)).join(', ');
}

function inOrderOf(entries: readonly SourceEntry[], outcomes: readonly Outcome[]): Outcome[] {
  const order = new Map(entries.map(({ place }, index) => [place, index]));
  const indexOf = (outcome: Outcome) =>
    order.get('entry' in outcome ? outcome.entry.place : outcome.place) ?? 0;
  return outcomes.toSorted((a, b) => indexOf(a) - indexOf(b));
}

function notImported(entry: Exclude<SourceEntry, ImportEntry>): Outcome {
  const { place } = entry;
  if ('skipped' in entry) return { kind: 'skipped', place, reason: entry.skipped };
  return { kind: 'refused', place, source: '', reason: entry.unreadable };
}

function refused({ place, line }: ImportEntry, error: unknown): Outcome {
  const named = typeof line === 'object' && line !== null && 'source' in line ? line.source : '';
  return {
    kind: 'refused',
    place,
    source: typeof named === 'string' ? named : '',
    title: titleOf(line),
    reason: reasonFor(error),
  };
}

/** The title that an entry gives itself, or the name. */
export function titleOf(line: unknown): string | undefined {
  if (typeof line !== 'object' || line === null) return undefined;
  const { title, name }: { title?: unknown; name?: unknown } = line;
  return [title, name].find((one) => typeof one === 'string');
}

/** The most entries in one transaction, which keeps other writers from making slugs. */
const MAX_ENTRIES = 50;

/** The most characters of those entries together; an entry alone may have more. */
const MAX_CHARACTERS = 2 ** 21;

/** Groups entries into batches of bounded size. */
async function* batchesOf(entries: AsyncIterable<SourceEntry>): AsyncGenerator<SourceEntry[]> {
  let batch: SourceEntry[] = [];
  let characters = 0;
  for await (const entry of entries) {
    batch.push(entry);
    characters += charactersOf(entry);
    if (batch.length < MAX_ENTRIES && characters < MAX_CHARACTERS) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function charactersOf(entry: SourceEntry): number {
  if (!('line' in entry) || typeof entry.line !== 'object' || entry.line === null) return 0;
  const texts = Object.values(entry.line).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** The longest slug, in characters (`docs/spec/wire.md`, "Slug"). */
const LONGEST_SLUG = 100;

/** A claim to a slug, for two articles of a file that are to have the same. */
interface Claim {
  number: number;
  /** Slugs that articles had go before those that are made, then published articles before drafts. */
  rank: number;
}

/** Assigns the slugs of a file's articles: all are looked at before the first is written. */
class SlugPlan {
  readonly #claims = new DiskMap<Claim>();
  /** The last number that was given to a slug. */
  readonly #numbers = new LRUCache<string, number>({ max: 10_000 });

  /** Claims the slug of the entry with this number. */
  add(entry: SourceEntry, number: number): void {
    const line: unknown = 'line' in entry ? entry.line : undefined;
    if (typeof line !== 'object' || line === null) return;
    const { type = 'article', slug, title, is_published, ...others }: Record<string, unknown> = { ...line };
    if (type !== 'article') return;
    const isGiven = typeof slug === 'string' && SLUG_PATTERN.test(slug) && slug.length <= LONGEST_SLUG;
    const made = typeof slug === 'string' ? slug : ('identity' in entry && entry.identity?.slug) || title;
    const claimed = isGiven ? slug : slugify(typeof made === 'string' ? made : '', 'article');
    const isDraft =
      is_published === false || !(others.published_at ?? others.created_at ?? others.updated_at);
    const rank = (isGiven ? 0 : 2) + (isDraft ? 1 : 0);
    const first = this.#claims.get(claimed);
    if (first === undefined || rank < first.rank) this.#claims.add(claimed, { number, rank });
  }

  /** True if no other article of the file is to have the slug. */
  isFor(slug: string, number: number): boolean {
    return (this.#claims.get(slug)?.number ?? number) === number;
  }

  /** The slug that the article gets, which stays free until the transaction ends. */
  async choose(db: Kysely<ContentTables>, wanted: string, number: number): Promise<string> {
    const { rows } = await sql<{ free: string }>`
      select content.free_slug('content.article', ${wanted}) as free`.execute(db);
    const free = rows[0]?.free ?? wanted;
    if (free === wanted && this.isFor(wanted, number)) return wanted;
    const freeNumber = free === wanted ? 2 : Number(/\d+$/.exec(free)?.[0] ?? 2);
    for (let n = Math.max(freeNumber, (this.#numbers.get(wanted) ?? 1) + 1); ; n += 1) {
      const slug = numbered(wanted, n);
      if (!this.isFor(slug, number) || (await isTaken(db, slug))) continue;
      this.#numbers.set(wanted, n);
      return slug;
    }
  }
}

function numbered(slug: string, n: number): string {
  return `${slug.slice(0, LONGEST_SLUG - 1 - String(n).length).replace(/-+$/, '')}-${n}`;
}

async function isTaken(db: Kysely<ContentTables>, slug: string): Promise<boolean> {
  const { rows } = await sql<{ is_taken: boolean }>`
    select content.slug_is_taken('content.article', ${slug}, null) as is_taken`.execute(db);
  return rows[0]?.is_taken === true;
}
