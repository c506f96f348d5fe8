import { violates } from '@pressroom/common/database/database-fault';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { ExtraSchema } from '../articles/extra-schema.ts';
import { keepKey } from '../articles/idempotency.ts';
import { importArticle } from '../articles/store.ts';
import { contentFaults } from '../html/content-faults.ts';
import { HtmlInspector } from '../html/html-inspector.ts';
import type { InspectionRules } from '../html/inspection.ts';
import type { ContentTables } from '../tables.ts';
import { batchesOf } from './batches.ts';
import { DiskMap } from './disk-map.ts';
import { keepFormerSlugs } from './former-slugs.ts';
import {
  type ImportedArticle,
  type ImportedRelease,
  type ImportedTermLine,
  type LineOptions,
  readImportLine,
} from './import-line.ts';
import { importedBefore } from './imported-before.ts';
import { findOrMakeTerm, TERM_KINDS } from './imported-terms.ts';
import type { MediaMover } from './media/media-mover.ts';
import type { ImportEntry, SourceEntry } from './source-entry.ts';

type Database = Kysely<ContentTables>;

/** How an import goes about it. */
export interface ImportOptions extends LineOptions {
  /** Whether to report what would happen, and write nothing. */
  dryRun: boolean;
  /** Whether HTML that is not allowed is removed, rather than its article refused. */
  clean: boolean;
  /** Whether an article may have less text than the API accepts. */
  short: boolean;
  /** Brings the pictures of articles along; without it they stay where they are. */
  media?: MediaMover | undefined;
  /** What HTML is allowed. */
  rules: InspectionRules;
  extraSchema?: ExtraSchema | undefined;
}

/** The outcome of an entry. */
export type Outcome =
  | { kind: 'created' | 'known'; entry: ImportEntry; id: number }
  | { kind: 'term created' | 'term known'; entry: ImportEntry }
  | { kind: 'refused'; place: string; source: string; reason: string }
  | { kind: 'skipped'; place: string; reason: string };

/** An entry with an article, or with a term. */
interface Read<Item> {
  entry: ImportEntry;
  item: Item;
}

/** The terms of an article, as columns and tags of a create. */
interface Terms {
  category_id?: number;
  tags: string[];
  authors: string[];
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
  /** The slugs that a dry run would have given to articles. */
  readonly #slugs = new DiskMap<true>();

  constructor(db: Database, options: ImportOptions) {
    this.#db = db;
    this.#inspector = new HtmlInspector(options.rules, PATIENCE);
    this.#options = options;
  }

  /** Ends what checks the HTML. */
  close(): Promise<void> {
    return this.#inspector.close();
  }

  /** Imports the entries, and yields the outcomes of each batch when it is there to stay. */
  async *run(entries: AsyncIterable<SourceEntry>): AsyncGenerator<Outcome[]> {
    for await (const batch of batchesOf(entries)) yield await this.#batch(batch);
  }

  async #batch(entries: readonly SourceEntry[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    const terms: Read<ImportedTermLine | ImportedRelease>[] = [];
    const articles: Read<ImportedArticle>[] = [];
    for (const entry of entries) {
      if (!('line' in entry)) {
        outcomes.push(notImported(entry));
        continue;
      }
      try {
        const item = readImportLine(entry.line, entry.identity, this.#options);
        if (item.type === 'article') articles.push({ entry, item });
        else terms.push({ entry, item });
      } catch (error) {
        outcomes.push(refused(entry, error));
      }
    }
    const fit = await this.#fit(articles, outcomes);
    if (terms.length + fit.length > 0) await this.#write(terms, fit, outcomes);
    return inOrderOf(entries, outcomes);
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
    const moved: Read<ImportedArticle>[] = [];
    for (const one of fit) moved.push(await withMedia(one, media));
    return moved;
  }

  /** The article with HTML and `extra` that are allowed, or what is wrong. An export is restored as it is. */
  async #checked(read: Read<ImportedArticle>): Promise<Read<ImportedArticle> | Error> {
    const { entry, item } = read;
    const { exact, extraSchema } = this.#options;
    if (exact) return read;
    const [unfit] = item.body.extra ? (extraSchema?.faults(item.body.extra) ?? []) : [];
    if (unfit !== undefined) return new Error(`${unfit.field}: ${unfit.message}`);
    const fault = await this.#faultOf(item.body.content, entry);
    if (fault === undefined) return read;
    if (!this.#options.clean) return fault;
    const cleaned = await this.#inspector.clean(item.body.content, entry.place);
    if ('unfinished' in cleaned) return fault;
    const { html, removed } = cleaned;
    const left = await this.#faultOf(html, entry);
    if (left !== undefined) return left;
    const notes = [...(entry.notes ?? []), `removed ${counted(removed)}`];
    return { entry: { ...entry, notes }, item: { ...item, body: { ...item.body, content: html } } };
  }

  async #faultOf(html: string, { place }: ImportEntry): Promise<Error | undefined> {
    const all = await contentFaults(this.#inspector, html, place);
    const faults = this.#options.short ? all.filter(({ code }) => code !== 'too_short') : all;
    if (faults.length === 0) return undefined;
    return new Error(`content: ${faults.map(({ message }) => message).join('; ')}`);
  }

  async #write(
    terms: readonly Read<ImportedTermLine | ImportedRelease>[],
    articles: readonly Read<ImportedArticle>[],
    outcomes: Outcome[],
  ): Promise<void> {
    const write = this.#db.transaction().execute(async (tx) => {
      await sql`select set_config('pressroom.import', 'on', true)`.execute(tx);
      const before = outcomes.length;
      // Terms come first: whoever holds the slugs of articles waits for no term.
      for (const one of terms) outcomes.push(await writeTerm(tx, one));
      const found = new Map<ImportedArticle, Terms>();
      for (const { entry, item } of articles) {
        const made = await atomically(tx, () => termsOf(tx, item));
        if (made instanceof Error) outcomes.push(refused(entry, made));
        else found.set(item, made);
      }
      await lockSlugs(tx);
      const known = await importedBefore(tx, [...found.keys()]);
      for (const { entry, item } of articles) {
        const its = found.get(item);
        const id = known.get(item);
        if (id !== undefined) outcomes.push({ kind: 'known', entry, id });
        else if (its !== undefined) outcomes.push(await this.#writeArticle(tx, { entry, item }, its));
      }
      if (this.#options.exact) await passImportedIds(tx);
      const created = outcomes.slice(before).filter(({ kind }) => kind === 'created').length;
      if (created > 0) await tellOfImport(tx, created);
      if (this.#options.dryRun) throw new Undone();
    });
    await write.catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  }

  async #writeArticle(
    tx: Transaction<ContentTables>,
    { entry, item }: Read<ImportedArticle>,
    terms: Terms,
  ): Promise<Outcome> {
    const { slug } = item.body;
    if (this.#options.dryRun && slug !== undefined) {
      if (this.#slugs.has(slug))
        return refused(entry, new Error('another article of the file has this slug'));
      this.#slugs.add(slug, true);
    }
    const written = await atomically(tx, () => writeArticle(tx, item, terms));
    return written instanceof Error ? refused(entry, written) : { kind: 'created', entry, id: written };
  }
}

async function withMedia(
  { entry, item }: Read<ImportedArticle>,
  media: MediaMover,
): Promise<Read<ImportedArticle>> {
  const { article, notes } = await media.move(item.body);
  return { entry: { ...entry, notes: [...(entry.notes ?? []), ...notes] }, item: { ...item, body: article } };
}

async function writeTerm(
  tx: Transaction<ContentTables>,
  read: Read<ImportedTermLine | ImportedRelease>,
): Promise<Outcome> {
  const { entry, item } = read;
  if (item.type === 'release') {
    const insert = tx.insertInto('content.release').values(item.release);
    const made = await insert.onConflict((on) => on.doNothing()).executeTakeFirst();
    return { kind: made.numInsertedOrUpdatedRows ? 'term created' : 'term known', entry };
  }
  const found = await atomically(tx, () => findOrMakeTerm(tx, TERM_KINDS[item.type], item.term, item.past));
  if (found instanceof Error) return refused(entry, found);
  return { kind: found.isNew ? 'term created' : 'term known', entry };
}

async function termsOf(
  tx: Transaction<ContentTables>,
  { category, tags, authors }: ImportedArticle,
): Promise<Terms> {
  const found = category && (await findOrMakeTerm(tx, TERM_KINDS.category, category));
  const slugs = new Set<string>();
  for (const tag of tags) slugs.add((await findOrMakeTerm(tx, TERM_KINDS.tag, tag)).slug);
  const writers = new Set<string>();
  for (const author of authors) writers.add((await findOrMakeTerm(tx, TERM_KINDS.author, author)).slug);
  return { ...(found && { category_id: found.id }), tags: [...slugs], authors: [...writers] };
}

async function writeArticle(
  tx: Transaction<ContentTables>,
  { body, key, past: { former_slugs, ...past } }: ImportedArticle,
  terms: Terms,
): Promise<number> {
  const given = Object.fromEntries(Object.entries(past).filter(([, value]) => value !== undefined));
  const id = await importArticle(tx, { ...body, ...terms }, given);
  await keepFormerSlugs(tx, 'article', id, former_slugs);
  if (key !== undefined) await keepKey(tx, { sender: '', key, body }, id);
  return id;
}

/** Adds what one transaction has created to the audit trail, which has no entry for each. */
async function tellOfImport(tx: Transaction<ContentTables>, created: number): Promise<void> {
  await tx.insertInto('content.audit').values({ action: 'import', detail: { created } }).execute();
}

/** Waits for whoever writes a slug of an article, or draws an id, as the trigger of a statement that does. */
async function lockSlugs(tx: Transaction<ContentTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock('content.article'::regclass::oid::integer, 0)`.execute(tx);
}

/** Lets the next rows have ids beyond those that were given. */
async function passImportedIds(tx: Transaction<ContentTables>): Promise<void> {
  for (const table of ['content.category', 'content.tag', 'content.author', 'content.article']) {
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

/** Why a row is refused, in words for whoever wrote the file. */
function explained(error: unknown): Error {
  for (const noun of ['article', 'category', 'tag', 'author'] as const) {
    if (violates(error, `${noun}_pkey`))
      return new Error(`id: another ${noun} has this id; restore into an empty database`);
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Names with how often each comes. */
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
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'refused', place, source: typeof named === 'string' ? named : '', reason };
}
