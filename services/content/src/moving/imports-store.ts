import { isDeepStrictEqual } from 'node:util';
import { lockUntilCommit } from '@pressroom/common/database/database';
import { LEASE_SECONDS, Lease } from '@pressroom/common/database/leases';
import { Failure } from '@pressroom/common/failures/failure';
import type { Reason, ReasonCode } from '@pressroom/moving/reasons';
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import { type Actor, writtenBy } from '../envelope.ts';
import type { ContentTables } from '../tables.ts';
import { undoPictures } from './imported-pictures.ts';

type Database = Kysely<ContentTables>;

/** The channel that tells replicas of work. */
export const IMPORTS_DUE = 'content_imports';

export const FORMATS = ['wordpress', 'ghost', 'jsonl'] as const;

export type ImportFormat = (typeof FORMATS)[number];

/** The states in which a process has work, and what each leads to. */
const WORK = { checking: 'checked', running: 'done', undoing: 'undone' } as const;

export type ImportWork = keyof typeof WORK;

export const STATES = [
  'uploading',
  'checking',
  'checked',
  'running',
  'done',
  'undoing',
  'undone',
  'failed',
] as const;

export type ImportState = (typeof STATES)[number];

/** The outcome of an article of the file; `adapted` is one that is created, but not just as it was. */
export const OUTCOMES = ['created', 'adapted', 'known', 'refused'] as const;

export type EntryOutcome = (typeof OUTCOMES)[number];

/** The options for reading a file. */
export interface ImportOptions {
  author: string | null;
  /** The address that a site of Ghost had. */
  site: string | null;
  clean: boolean;
  short: boolean;
  truncate: boolean;
  redirects: boolean;
  /** Restores an export: ids, slugs and times are kept. */
  exact: boolean;
  /** Members of lines that are left out. */
  ignore: string[];
  /** The address at which readers get pictures of the gallery, if they are brought along. */
  pictures: string | null;
}

/** The options that imports of earlier versions lack. */
export const LATER_OPTIONS: Pick<ImportOptions, 'exact' | 'ignore' | 'pictures'> = {
  exact: false,
  ignore: [],
  pictures: null,
};

/** A kind of thing that stays out of an import, and how often. */
interface LeftOut {
  code: ReasonCode;
  about: string | null;
  count: number;
}

/** The findings in a file so far. */
export interface ImportCounts {
  outcomes: Record<EntryOutcome, number>;
  /** Categories, tags, authors and releases that the file lists. */
  terms: number;
  /** Pictures that a check has found. */
  pictures?: number | undefined;
  left_out: LeftOut[];
  /** Entries that are read, and how many there are; null until that is known. */
  done: number;
  total: number | null;
}

export interface ImportFailure {
  at: ImportWork;
  code: ReasonCode;
  about: string | null;
}

export type ImportRow = Selectable<ContentTables['content.import']>;

/** An import, with how many bytes of its file are there, and what an undo did. */
export interface FoundImport extends ImportRow {
  received: number;
  undone: { removed: number; changed: number; gone: number };
  /** Pictures that it has brought along. */
  pictures: number;
  /** Those that it could not. */
  pictures_failed: number;
}

export interface NewEntry {
  outcome: EntryOutcome;
  place: string;
  title: string | null;
  article_id: number | null;
  reasons: Reason[];
}

/** The bytes of a part of a file; the last part has the rest. */
export const PART_BYTES = 2 ** 20;

/** The largest file, and all that are kept together, in bytes. */
export const MOST_BYTES = 128 * 2 ** 20;
const MOST_KEPT = 4 * MOST_BYTES;

/** The entries that are kept of an import; more are counted only. */
const MOST_ENTRIES = 50_000;

/** Files of imports that nothing happens to are kept for so long, in days. */
const FILE_DAYS = 7;

/** Processes that may begin the same work, one after another: what ends each of them is in the file. */
const MOST_ATTEMPTS = 3;

/** Articles that an undo takes back in one transaction. */
const UNDONE = 100;

const LEASE = new Lease({ table: 'content.import', key: ['id'], until: 'lease_until' });

const AT_WORK = sql<boolean>`state in ('checking', 'running', 'undoing')`;

/** Work on an import that this process has in hand; `attempts` tells it from others. */
export type ClaimedImport = Pick<
  ImportRow,
  'id' | 'name' | 'format' | 'size' | 'options' | 'actor' | 'attempts'
> & {
  state: ImportWork;
};

/** Another process has the work in hand by now, or it was stopped. */
export class WorkLost extends Error {}

/** The imports of the desk in the database. */
export class ImportStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @throws Failure `conflict` if the files of other imports take all the room */
  create(body: Pick<ImportRow, 'name' | 'format' | 'size'>, actor: Actor): Promise<FoundImport> {
    return this.#db.transaction().execute(async (tx) => {
      await lockUntilCommit(tx, 'begin an import');
      const { rows } = await sql<{ kept: number }>`
        select coalesce(sum(size), 0)::float8 as kept from content.import where has_file`.execute(tx);
      if ((rows[0]?.kept ?? 0) + body.size > MOST_KEPT)
        throw new Failure('conflict', 'the files of other imports take all the room; remove one of them', {
          code: 'too_many_imports',
        });
      const made = await tx
        .insertInto('content.import')
        .values({ ...body, actor: JSON.stringify(actor) })
        .returning('id')
        .executeTakeFirstOrThrow();
      return found(tx, made.id);
    });
  }

  /** The last ones, the newest first: one more than `limit` if there are as many. */
  async list(limit: number, before: number | undefined): Promise<FoundImport[]> {
    const place = before === undefined ? sql`true` : sql`import.id < ${before}`;
    return findWhere(this.#db, place, limit + 1);
  }

  /** @throws Failure `missing` */
  read(id: number): Promise<FoundImport> {
    return found(this.#db, id);
  }

  /**
   * Keeps a part of the file; one that is there is replaced.
   *
   * @throws Failure `missing`, `conflict` once the file is whole and read
   */
  putPart(id: number, number: number, bytes: Buffer): Promise<FoundImport> {
    return this.#db.transaction().execute(async (tx) => {
      const { state, size } = await lock(tx, id);
      if (state !== 'uploading') throw wrongState('its file has come already');
      const expected = Math.min(PART_BYTES, size - (number - 1) * PART_BYTES);
      if (expected <= 0)
        throw new Failure(
          'refused',
          `the file has ${Math.ceil(size / PART_BYTES)} parts; this is none of them`,
        );
      if (bytes.length !== expected)
        throw new Failure('refused', `part ${number} has ${expected} bytes; ${bytes.length} came`);
      await tx
        .insertInto('content.import_part')
        .values({ import_id: id, number, bytes })
        .onConflict((on) => on.columns(['import_id', 'number']).doUpdateSet({ bytes }))
        .execute();
      return found(tx, id);
    });
  }

  /**
   * Has a process begin, anew if need be, to check a file, to run what was checked, or to undo it. Asked
   * again while that is under way, nothing changes.
   *
   * @throws Failure `missing`, `conflict` if it is not the time for it
   */
  ask(id: number, work: ImportWork, actor: Actor, options?: ImportOptions): Promise<FoundImport> {
    return this.#db.transaction().execute(async (tx) => {
      const row = await lock(tx, id);
      const isSame = options === undefined || isDeepStrictEqual(options, row.options);
      if (row.state === work && isSame) return found(tx, id);
      if (options?.exact && row.format !== 'jsonl')
        throw new Failure('conflict', '`exact` is for exports of this service, which are JSON Lines');
      await refuseUntimely(tx, row, work);
      // The result of an earlier undo; one that failed goes on.
      if (work === 'undoing' && row.failure?.at !== 'undoing')
        await tx
          .deleteFrom('content.imported_article')
          .where('import_id', '=', id)
          .where('undone', 'is not', null)
          .execute();
      await tx
        .updateTable('content.import')
        .set({
          state: work,
          ...(options && { options: JSON.stringify(options) }),
          actor: JSON.stringify(actor),
          ...(work !== 'undoing' && { counts: '{}' }),
          failure: null,
          attempts: 0,
          lease_until: null,
          changed_at: sql<Date>`clock_timestamp()`,
        })
        .where('id', '=', id)
        .execute();
      await sql`select pg_notify(${IMPORTS_DUE}, '')`.execute(tx);
      return found(tx, id);
    });
  }

  /** Removes an import, with its file; what is under way ends. Articles stay. @throws Failure `missing` */
  async remove(id: number): Promise<void> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('content.import')
      .where('id', '=', id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw noSuchImport(id);
  }

  /** The entries after a number, in the order of the file: one more than `limit` if there are as many. */
  async entries(id: number, outcome: EntryOutcome | undefined, limit: number, after: number) {
    await found(this.#db, id);
    let query = this.#db
      .selectFrom('content.import_entry')
      .selectAll()
      .where('import_id', '=', id)
      .where('number', '>', after);
    if (outcome !== undefined) query = query.where('outcome', '=', outcome);
    return query
      .orderBy('number')
      .limit(limit + 1)
      .execute();
  }

  /** Takes work that no process has in hand; what others have begun too often has failed. */
  async claim(): Promise<ClaimedImport | undefined> {
    const due = sql<boolean>`${AT_WORK} and ${LEASE.isFree()}`;
    const [claimed] = await LEASE.claim<ClaimedImport>(this.#db, {
      due,
      order: sql`id`,
      most: 1,
      set: sql`attempts = attempts + 1`,
      returning: sql`id, name, format, size, state, options, actor, attempts`,
    });
    if (claimed === undefined || claimed.attempts <= MOST_ATTEMPTS) return claimed;
    await this.finish(claimed, { at: claimed.state, code: 'interrupted', about: null });
    return this.claim();
  }

  /** In how many ms work may be free whose process is gone; undefined if there is none. */
  async msUntilDue(): Promise<number | undefined> {
    const { rows } = await sql<{ ms: number | null }>`
      select extract(epoch from min(coalesce(lease_until, clock_timestamp())) - clock_timestamp())::float8 * 1000 as ms
      from content.import where ${AT_WORK}`.execute(this.#db);
    return rows[0]?.ms ?? undefined;
  }

  /** Goes on having the work in hand. @throws WorkLost */
  async renew(claimed: ClaimedImport): Promise<void> {
    const { rows } = await sql`select from content.import where ${isOwn(claimed)}`.execute(this.#db);
    if (rows.length === 0) throw new WorkLost();
    await LEASE.renew(this.#db, isOwn(claimed));
  }

  /** Leaves the work to another process; `isFault` if it may be why this one cannot go on. */
  async release(claimed: ClaimedImport, isFault: boolean): Promise<void> {
    const attempts = isFault ? sql`attempts` : sql`attempts - 1`;
    await sql`
      update content.import set lease_until = null, attempts = ${attempts} where ${isOwn(claimed)}`.execute(
      this.#db,
    );
    await sql`select pg_notify(${IMPORTS_DUE}, '')`.execute(this.#db);
  }

  /** Ends the work: as it should, or with why it failed. */
  async finish(claimed: ClaimedImport, failure?: ImportFailure): Promise<void> {
    const failed = failure === undefined ? null : JSON.stringify(failure);
    await sql`
      update content.import set state = ${failure === undefined ? WORK[claimed.state] : 'failed'},
        failure = ${failed}::jsonb, lease_until = null, changed_at = clock_timestamp()
      where ${isOwn(claimed)}`.execute(this.#db);
  }

  /** The parts of a file in their order, one in memory at a time. */
  async *file({ id }: Pick<ImportRow, 'id'>): AsyncGenerator<Buffer> {
    for (let number = 1; ; number += 1) {
      const part = await this.#db
        .selectFrom('content.import_part')
        .select('bytes')
        .where('import_id', '=', id)
        .where('number', '=', number)
        .executeTakeFirst();
      if (part === undefined) return;
      yield part.bytes;
    }
  }

  /** Begins the list of what came of a file anew. @throws WorkLost */
  clear(claimed: ClaimedImport): Promise<void> {
    return this.#own(claimed, async (tx) => {
      await tx.deleteFrom('content.import_entry').where('import_id', '=', claimed.id).execute();
    });
  }

  /** Adds what came of some entries, with the counts until then. @throws WorkLost */
  note(
    claimed: ClaimedImport,
    counts: ImportCounts,
    entries: readonly NewEntry[],
    first: number,
  ): Promise<void> {
    return this.#own(claimed, async (tx) => {
      const numbered = entries.map((entry, index) => ({
        ...entry,
        reasons: JSON.stringify(entry.reasons),
        import_id: claimed.id,
        number: first + index,
      }));
      const kept = numbered.filter(({ number }) => number <= MOST_ENTRIES);
      if (kept.length > 0) await tx.insertInto('content.import_entry').values(kept).execute();
      await tx
        .updateTable('content.import')
        .set({ counts: JSON.stringify(counts) })
        .where('id', '=', claimed.id)
        .execute();
    });
  }

  /** Those of these articles that the import has made, perhaps by a process before. */
  async madeBy({ id }: ClaimedImport, articleIds: readonly number[]): Promise<Set<number>> {
    if (articleIds.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('content.imported_article')
      .select('article_id')
      .where('import_id', '=', id)
      .where('article_id', 'in', articleIds)
      .where('undone', 'is', null)
      .execute();
    return new Set(rows.map(({ article_id }) => article_id));
  }

  /**
   * Puts some of the articles that an import made into the trash, with the redirects to them, unless somebody
   * has changed them since. False if there are no more. @throws WorkLost
   */
  async undoSome(claimed: ClaimedImport): Promise<boolean> {
    let count = 0;
    await this.#own(claimed, async (tx) => {
      const made = tx
        .selectFrom('content.imported_article')
        .select('article_id')
        .where('import_id', '=', claimed.id)
        .where('undone', 'is', null)
        .orderBy('article_id')
        .limit(UNDONE);
      const ids = (await made.execute()).map(({ article_id }) => article_id);
      count = ids.length;
      if (count === 0) return undoPictures(tx, claimed.id);
      const { rows } = await sql<{ id: number; is_same: boolean }>`
        select id, revision = 1
          and not exists (select from content.working_copy as copy where copy.article_id = article.id)
          and not exists (select from content.review where review.article_id = article.id)
          and not exists (select from content.article_comment as said where said.article_id = article.id)
          and not exists (select from content.assignment where assignment.article_id = article.id) as is_same
        from content.article where id = any(${ids}::integer[]) order by id for update`.execute(tx);
      const [removed, changed] = [true, false].map((wanted) =>
        rows.filter(({ is_same }) => is_same === wanted).map(({ id }) => id),
      );
      await sql`select ${writtenBy(claimed.actor)}`.execute(tx);
      await sql`delete from content.article where id = any(${removed}::integer[])`.execute(tx);
      await sql`
        delete from content.redirect where source = 'import' and article_id = any(${removed}::integer[])`.execute(
        tx,
      );
      await sql`
        update content.imported_article set undone = case
          when article_id = any(${removed}::integer[]) then 'removed'
          when article_id = any(${changed}::integer[]) then 'changed' else 'gone' end
        where import_id = ${claimed.id} and article_id = any(${ids}::integer[])`.execute(tx);
    });
    return count > 0;
  }

  /** Removes files that nothing happens to, and imports that are older than what is in the trash. */
  async prune(trashDays: number): Promise<Record<string, number>> {
    const idle = (days: number) =>
      sql<boolean>`not ${AT_WORK} and changed_at < clock_timestamp() - make_interval(days => ${days}::integer)`;
    const files = await this.#db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ id: number }>`
        update content.import set has_file = false where has_file and ${idle(FILE_DAYS)} returning id`.execute(
        tx,
      );
      const ids = rows.map(({ id }) => id);
      await sql`delete from content.import_part where import_id = any(${ids}::integer[])`.execute(tx);
      return ids.length;
    });
    const { numAffectedRows = 0n } = await sql`
      delete from content.import where ${idle(Math.max(trashDays, FILE_DAYS))}`.execute(this.#db);
    await sql`
      delete from content.imported_picture as picture where state <> 'undone'
        and not exists (select from content.import where id = picture.import_id)`.execute(this.#db);
    return { files, imports: Number(numAffectedRows) };
  }

  /** Runs `work` while this process has the import in hand, which it begins anew. @throws WorkLost */
  async #own(claimed: ClaimedImport, work: (tx: Transaction<ContentTables>) => Promise<void>): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await holdOwn(tx, claimed);
      await work(tx);
    });
  }
}

/** Keeps, in the transaction that makes them, which articles an import has made. @throws WorkLost */
export async function keepMade(
  tx: Transaction<ContentTables>,
  claimed: ClaimedImport,
  articleIds: readonly number[],
): Promise<void> {
  await holdOwn(tx, claimed);
  if (articleIds.length === 0) return;
  const rows = articleIds.map((article_id) => ({ import_id: claimed.id, article_id }));
  // A restored article has the id that it had before an undo.
  const insert = tx.insertInto('content.imported_article').values(rows);
  await insert
    .onConflict((on) => on.columns(['import_id', 'article_id']).doUpdateSet({ undone: null }))
    .execute();
}

/** Keeps others from taking the work until the transaction ends. */
async function holdOwn(tx: Transaction<ContentTables>, claimed: ClaimedImport): Promise<void> {
  const { rows } = await sql`
    select from content.import where ${isOwn(claimed)} for no key update`.execute(tx);
  if (rows.length === 0) throw new WorkLost();
}

function isOwn({ id, state, attempts }: ClaimedImport): RawBuilder<boolean> {
  return sql<boolean>`id = ${id} and state = ${state} and attempts = ${attempts}`;
}

/** Refuses what an import is not ready for, or what nothing could come of. */
async function refuseUntimely(tx: Database, { id, state, failure, has_file }: ImportRow, work: ImportWork) {
  const failedAt = state === 'failed' ? failure?.at : undefined;
  if (state in WORK) throw wrongState('it is at work; wait until that ends, or remove it');
  if (work === 'undoing') {
    if (state === 'done' || failedAt === 'running' || failedAt === 'undoing') return;
    throw wrongState('it has made no articles');
  }
  if (!has_file) throw wrongState('its file is no longer kept; upload it again');
  if (work === 'running') {
    if (state === 'checked' || failedAt === 'running') return;
    throw wrongState('check it first');
  }
  if (state === 'done' || failedAt === 'running' || failedAt === 'undoing')
    throw wrongState('it has made articles; undo it first');
  const { received, size } = await found(tx, id);
  if (received < size) throw wrongState(`${size - received} bytes of its file have not come yet`);
}

function wrongState(detail: string): Failure {
  return new Failure('conflict', detail, { code: 'import_not_ready' });
}

function noSuchImport(id: number): Failure {
  return new Failure('missing', `import ${id} does not exist`);
}

async function lock(tx: Transaction<ContentTables>, id: number): Promise<ImportRow> {
  const row = await tx
    .selectFrom('content.import')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw noSuchImport(id);
  return row;
}

async function found(db: Database, id: number): Promise<FoundImport> {
  const [row] = await findWhere(db, sql`import.id = ${id}`, 1);
  if (row === undefined) throw noSuchImport(id);
  return row;
}

async function findWhere(db: Database, where: RawBuilder<unknown>, limit: number): Promise<FoundImport[]> {
  const undone = (what: string) =>
    sql`'${sql.raw(what)}', count(*) filter (where undone = '${sql.raw(what)}')`;
  const { rows } = await sql<FoundImport>`
    select import.*,
      case when import.state = 'uploading' then (
        select coalesce(sum(octet_length(bytes)), 0) from content.import_part where import_id = import.id
      ) else import.size end::float8 as received,
      (select jsonb_build_object(${undone('removed')}, ${undone('changed')}, ${undone('gone')})
        from content.imported_article where import_id = import.id) as undone,
      (select count(*) from content.imported_picture
        where import_id = import.id and state = 'there')::integer as pictures,
      (select count(*) from content.imported_picture
        where import_id = import.id and state = 'refused')::integer as pictures_failed
    from content.import where ${where} order by import.id desc limit ${limit}`.execute(db);
  return rows;
}

/** The lease of work in hand, in ms. */
export const LEASE_MS = LEASE_SECONDS * 1000;
