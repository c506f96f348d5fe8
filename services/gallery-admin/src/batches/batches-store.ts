import { hash, randomUUID } from 'node:crypto';
import { lockUntilCommit } from '@pressroom/common/database/database';
import { Lease } from '@pressroom/common/database/leases';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { Bucket } from '../buckets/bucket.ts';
import type { BatchTable, GalleryTables } from '../tables.ts';
import type { Transfer } from './transfer.ts';

const SHOWN_PATHS = 20;

const undoing = z.discriminatedUnion('action', [
  z.object({
    action: z.literal('move'),
    paths: z.array(z.string()),
    dest: z.string(),
    names: z
      .array(z.object({ path: z.string(), name: z.string() }))
      .optional()
      .describe('The old names of those that got another.'),
  }),
  z.object({ action: z.literal('rename'), path: z.string(), name: z.string() }),
  z.object({ action: z.literal('restore'), paths: z.array(z.string()) }),
]);

const batchView = z
  .object({
    id: z.uuid(),
    action: z.enum(['delete', 'restore', 'copy', 'move', 'rename']),
    paths: z.array(z.string()).describe(`The paths of the request, at most ${SHOWN_PATHS} of them.`),
    pathCount: z.int().describe('The number of paths in the request.'),
    dest: z.string().nullable().describe('The destination folder of a copy or move.'),
    name: z.string().nullable().describe('The new name, for a renaming.'),
    bucketId: z.string(),
    state: z
      .enum(['running', 'interrupted', 'done', 'failed'])
      .describe('interrupted: its process ended. An interrupted or failed batch can be resumed.'),
    progress: z
      .object({ done: z.int(), total: z.int().nullable() })
      .describe(
        'Steps: one for each object; two for each that is moved, renamed, restored or deleted to the trash. total is null while it is unknown.',
      ),
    message: z.string().nullable().describe('The outcome, for people; null while it runs.'),
    code: z.string().nullable().describe('Why it failed, such as destination_conflict; else null.'),
    affected: z
      .int()
      .nullable()
      .describe('Number of objects deleted, restored, copied or moved; null until it is done.'),
    startedAt: z.string().describe('RFC 3339, UTC.'),
    endedAt: z.string().nullable().describe('RFC 3339, UTC; null while it runs.'),
  })
  .meta({ id: 'Batch' });

export type BatchView = z.infer<typeof batchView>;

export const batchPath = z.strictObject({ id: z.uuid('must be the id of a batch') });

/** The query string of the list, which takes no parameters. */
export const batchListQuery = z.strictObject({});

/** The response to a request that started or resumed a batch. */
export const batchStarted = z.object({ success: z.literal(true), message: z.string(), batch: batchView });

/** The response to a read of one batch. */
export const batchRead = z.object({
  success: z.literal(true),
  batch: batchView,
  undo: z
    .array(undoing)
    .describe(
      'The requests that take a finished move, renaming or deletion to the trash back; empty if nothing can be taken back.',
    ),
});

/** The response to a read of the history. */
export const batchList = z.object({
  success: z.literal(true),
  data: z.array(batchView).describe('The newest first: those of the last 30 days, at most 100.'),
});

/** The name that a path gets at its destination, without a `/`. */
export interface NewName {
  path: string;
  name: string;
}

/** A request for an operation, as it is recorded. */
export interface BatchRequest {
  /** `trash` is a deletion to the trash. */
  action: 'delete' | 'trash' | 'restore' | 'copy' | 'move' | 'rename';
  paths: string[];
  /** The destination folder as a prefix, empty for the root; for a renaming the folder of the path. */
  dest: string;
  name?: string | undefined;
  /** The names that some paths of a copy, move or restoration get at the destination. */
  names?: NewName[] | undefined;
  /** For a deletion of a file: a folder with its name is not deleted instead. */
  filesOnly?: true | undefined;
}

/** A request that takes a batch back, or a part of it. */
export type Undoing =
  | { action: 'move'; paths: string[]; dest: string; names?: NewName[] | undefined }
  | { action: 'rename'; path: string; name: string }
  | { action: 'restore'; paths: string[] };

/** The end of an operation, as it is recorded and reported to the client. */
export interface Outcome {
  message: string;
  /** Why it failed; undefined if it is done. */
  code?: string | undefined;
  /** Number of objects deleted, copied or moved. */
  affected?: number;
  undo?: Undoing[];
  /** After a renaming: where the file or the folder is now. */
  path?: string | undefined;
}

/** The progress of a run; `total` is null while it is unknown. */
export interface Steps {
  done: number;
  total: number | null;
}

const RUNS = new Lease({
  table: 'gallery.batch',
  key: ['id'],
  until: 'leased_until',
  // The same request waits that long for a run that is gone, and is to be answered within 10 s.
  seconds: 5,
});

/**
 * Hours for which a repeated request gets the recorded outcome (RFC draft "The Idempotency-Key HTTP Header
 * Field").
 */
const KEPT_HOURS = 24;

/** The bounds of the history of background batches. */
const KEPT_DAYS = 30;
const KEPT_BATCHES = 100;

/** Batches in the background that may run in one bucket at a time. */
const MAX_RUNNING = 10;

/** The outcome of a batch that the same request has finished elsewhere. */
export const NOTHING_LEFT: Outcome = { message: 'nothing was left to do', affected: 0 };

/** An operation that a client asks for. */
export interface Asked {
  request: BatchRequest;
  /** Its `Idempotency-Key`. */
  key: string | undefined;
  /**
   * A background operation is answered at once, listed, and can be resumed; for another, the client waits.
   */
  background: boolean;
}

export interface Claim {
  id: string;
  run: string;
  request: BatchRequest;
  background: boolean;
  /** True if a batch in the background ran before. */
  resumed: boolean;
  /** The outcome of the same earlier request, if its answer may have been lost. */
  before: Outcome | undefined;
  /** The transfers that an earlier run of this operation has begun. */
  begun: readonly Transfer[] | undefined;
  fingerprint: Buffer;
}

/** An operation as it is recorded, and the claim on it if the caller is to run it. */
export interface Begun {
  id: string;
  batch: BatchView;
  claim: Claim | undefined;
}

export interface Looked {
  running: boolean;
  /** The run that runs, or that has ended it. */
  run: string | null;
  outcome: Outcome | undefined;
}

type Row = Selectable<BatchTable> & { leased: boolean };

/**
 * Records operations in PostgreSQL: what runs, how far it has come, and how it ended, so that a client can
 * ask on any replica.
 */
export class BatchStore {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /**
   * Records an operation, or finds the one that the same request began: the one with its key, or the one that
   * runs. Fails as `conflict` (`idempotency_key_reused`) for a key that belongs to another request, and as
   * `unavailable` if too many batches run.
   */
  begin(bucket: Bucket, asked: Asked): Promise<Begun> {
    const { request, background, key } = asked;
    const fingerprint = fingerprintOf(bucket, request);
    const idempotencyKey = key === undefined ? null : hash('sha256', JSON.stringify([key]), 'buffer');
    return this.#db.transaction().execute(async (db) => {
      await lockUntilCommit(db, 'begin an operation');
      await forgetOld(db, background);
      const same = await findSame(db, fingerprint, idempotencyKey, background);
      const isOther = !same?.fingerprint.equals(fingerprint) || same.background !== background;
      if (same && isOther) throw keyReused();
      if (same && isAnswer(same)) return { id: same.id, batch: viewOf(same), claim: undefined };
      if (same) return claim(db, same);
      if (background) await assertRoom(db, bucket);
      const run = randomUUID();
      const row = await db
        .insertInto('gallery.batch')
        .values({
          id: randomUUID(),
          run,
          bucket_id: bucket.id,
          bucket_name: bucket.name,
          request: JSON.stringify(request),
          background,
          fingerprint,
          idempotency_key: idempotencyKey,
          leased_until: RUNS.end(),
        })
        .returningAll()
        .returning(sql<boolean>`true`.as('leased'))
        .executeTakeFirstOrThrow();
      const { id } = row;
      const fresh = { resumed: false, before: undefined, begun: undefined };
      return { id, batch: viewOf(row), claim: { id, run, request, background, fingerprint, ...fresh } };
    });
  }

  /**
   * Claims a batch in the background that was interrupted or has failed; one that runs or is done is returned
   * as it is. Fails as `missing` if there is none, and as `refused` if it belongs to another bucket.
   */
  resume(bucket: Bucket, id: string): Promise<Begun> {
    return this.#db.transaction().execute(async (db) => {
      const row = await selectBatches(db).where('id', '=', id).forUpdate().executeTakeFirst();
      if (!row?.background) throw unknownBatch();
      if (row.state === 'done' || isRunning(row)) return { id, batch: viewOf(row), claim: undefined };
      if (row.bucket_id === bucket.id && row.bucket_name === bucket.name) return claim(db, row);
      const name = JSON.stringify(row.bucket_name);
      throw new Failure('refused', `this batch belongs to the bucket ${name}; make it the active one first`);
    });
  }

  /** The history, the newest first. */
  async list(): Promise<BatchView[]> {
    const rows = await selectBatches(this.#db)
      .where('background', '=', true)
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc')
      .limit(KEPT_BATCHES)
      .execute();
    return rows.map(viewOf);
  }

  /** One batch in the background, with the steps that undo it. Fails as `missing` if there is none. */
  async read(id: string): Promise<{ batch: BatchView; undo: Undoing[] }> {
    const row = await selectBatches(this.#db).where('id', '=', id).executeTakeFirst();
    if (!row?.background) throw unknownBatch();
    return { batch: viewOf(row), undo: outcomeOf(row)?.undo ?? [] };
  }

  /** Returns the outcome only once the operation is done. */
  async look(id: string): Promise<Looked> {
    const row = await selectBatches(this.#db).where('id', '=', id).executeTakeFirst();
    const outcome = row?.state === 'done' ? outcomeOf(row) : undefined;
    return { running: row !== undefined && isRunning(row), run: row?.run ?? null, outcome };
  }

  /** Renews the lease of a run and records its progress; false if the operation is no longer this run's. */
  async renew(claimed: Claim, { done, total }: Steps): Promise<boolean> {
    const { numUpdatedRows } = await updateRun(this.#db, claimed)
      .set({ steps_done: done, steps_total: total, leased_until: RUNS.end() })
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /**
   * The transfers that the same request has begun and not finished, under another key or in the background.
   * Call it while no other transfer runs: one that has just died still holds its lease.
   */
  async begunElsewhere({ id, fingerprint }: Claim): Promise<readonly Transfer[] | undefined> {
    const row = await this.#db
      .selectFrom('gallery.batch')
      .select('transfers')
      .where('fingerprint', '=', fingerprint)
      .where('id', '<>', id)
      .where(isUnfinished())
      .orderBy('changed_at', 'desc')
      .executeTakeFirst();
    return row?.transfers as Transfer[] | undefined;
  }

  /** Records what a run is going to copy or move. Fails as `unavailable` if the operation is not its own. */
  async note(claimed: Claim, transfers: readonly Transfer[]): Promise<void> {
    const { numUpdatedRows } = await updateRun(this.#db, claimed)
      .set({ transfers: JSON.stringify(transfers) })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw stillRunning();
  }

  /**
   * Records what a run has done. It also finishes what others began for the same request, so that resuming
   * their batch does not start it again. Fails as `unavailable` if the operation no longer belongs to the
   * run.
   */
  async end(claimed: Claim, outcome: Outcome, { done, total }: Steps): Promise<void> {
    const others = this.#db
      .updateTable('gallery.batch')
      .set({ transfers: null })
      .where('fingerprint', '=', claimed.fingerprint)
      .where('id', '<>', claimed.id)
      .where(isUnfinished());
    await others
      .set({ state: 'done', outcome: JSON.stringify(NOTHING_LEFT), ...ENDED })
      .where('background', '=', true)
      .execute();
    await others.execute();
    const { numUpdatedRows } = await updateRun(this.#db, claimed)
      .set({
        outcome: JSON.stringify(outcome),
        state: 'done',
        delivered: false,
        steps_done: done,
        steps_total: total,
        // Whoever has not heard of it asks again, and has it finished.
        ...(claimed.background && { transfers: null }),
        ...ENDED,
        // The run whose outcome a client has received.
        run: claimed.run,
      })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw stillRunning();
  }

  /**
   * Records why a run failed. The caller gets the reason and may ask again: then an earlier outcome whose
   * answer may have been lost counts.
   */
  async fail(claimed: Claim, failure: Outcome, { done, total }: Steps): Promise<void> {
    const outcome = claimed.background ? { outcome: JSON.stringify(failure) } : {};
    await updateRun(this.#db, claimed)
      .set({ ...outcome, state: 'failed', steps_done: done, steps_total: total, ...ENDED })
      .execute();
  }

  /** Gives a run up, because its process ends: the operation is interrupted from now on. */
  async abandon(claimed: Claim): Promise<void> {
    await updateRun(this.#db, claimed).set({ run: null, leased_until: null }).execute();
  }

  /** Records that the client received the outcome: the same request without a key is new work from now on. */
  async delivered({ id, run }: { id: string; run: string | null }): Promise<void> {
    await this.#db
      .updateTable('gallery.batch')
      .set({ delivered: true })
      .where('id', '=', id)
      .where('run', 'is not distinct from', run)
      .where('state', '=', 'done')
      .execute();
  }
}

/** Identifies an operation regardless of the order of its paths. */
export function fingerprintOf(bucket: Pick<Bucket, 'id' | 'name'>, request: BatchRequest): Buffer {
  const { action, paths, dest, name, names = [], filesOnly } = request;
  const renamed = names.map((one) => [one.path, one.name]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const asked = [action, paths.toSorted(), dest, name, renamed, filesOnly];
  return hash('sha256', JSON.stringify([bucket.id, bucket.name, ...asked]), 'buffer');
}

const ENDED = { run: null, leased_until: null, ended_at: now() };

function selectBatches(db: Kysely<GalleryTables>) {
  return db.selectFrom('gallery.batch').selectAll().select(RUNS.isHeld().as('leased'));
}

function updateRun(db: Kysely<GalleryTables>, { id, run }: Claim) {
  return db
    .updateTable('gallery.batch')
    .set({ changed_at: now() })
    .where('id', '=', id)
    .where('run', '=', run);
}

/** The operation with the key, or that of the same request; in the background only if it runs. */
function findSame(
  db: Transaction<GalleryTables>,
  fingerprint: Buffer,
  key: Buffer | null,
  background: boolean,
): Promise<Row | undefined> {
  const select = selectBatches(db).forUpdate();
  if (key !== null) return select.where('idempotency_key', '=', key).executeTakeFirst();
  return select
    .where('fingerprint', '=', fingerprint)
    .where('idempotency_key', 'is', null)
    .where('background', '=', background)
    .$if(background, (query) => query.where('state', '=', 'running').where(RUNS.isHeld()))
    .executeTakeFirst();
}

/**
 * True for an operation that answers the same request: one that runs, one in the background that the same key
 * began, and one with a key that is done.
 */
function isAnswer(row: Row): boolean {
  return row.background || isRunning(row) || (row.idempotency_key !== null && row.state === 'done');
}

function isRunning({ state, leased }: Row): boolean {
  return state === 'running' && leased;
}

/** Lets the caller run an operation that ran before. */
async function claim(db: Transaction<GalleryTables>, row: Row): Promise<Begun> {
  const { id, background } = row;
  const run = randomUUID();
  const changed = { state: 'running' as const, run, leased_until: RUNS.end(), ended_at: null };
  const outcome = background ? { outcome: null } : {};
  // The client has received the earlier outcome: this is new work.
  const isNew = row.state === 'done' && row.delivered;
  const begun = isNew || row.transfers === null ? undefined : (row.transfers as Transfer[]);
  await db
    .updateTable('gallery.batch')
    .set({ ...changed, ...outcome, ...(isNew && { transfers: null }) })
    .where('id', '=', id)
    .execute();
  return {
    id,
    batch: viewOf({ ...row, ...changed, ...outcome, leased_until: null, leased: true }),
    claim: {
      id,
      run,
      request: row.request as BatchRequest,
      background,
      resumed: background,
      before: background || row.delivered ? undefined : outcomeOf(row),
      begun,
      fingerprint: row.fingerprint,
    },
  };
}

async function assertRoom(db: Transaction<GalleryTables>, { id, name }: Bucket): Promise<void> {
  const { running } = await db
    .selectFrom('gallery.batch')
    .select(({ fn }) => fn.countAll<number>().as('running'))
    .where('state', '=', 'running')
    .where('background', '=', true)
    .where('bucket_id', '=', id)
    .where('bucket_name', '=', name)
    .where(RUNS.isHeld())
    .executeTakeFirstOrThrow();
  if (running < MAX_RUNNING) return;
  const detail = `${MAX_RUNNING} batches are running in this bucket; try again later`;
  throw new Failure('unavailable', detail, { reason: 'busy' });
}

/** Deletes finished batches that are beyond the history, or a day old if in the foreground. */
async function forgetOld(db: Transaction<GalleryTables>, background: boolean): Promise<void> {
  const deleting = db
    .deleteFrom('gallery.batch')
    .where('background', '=', background)
    .where((row) => row.not(RUNS.isHeld()));
  if (!background) {
    const kept = sql<Date>`now() - ${KEPT_HOURS} * interval '1 hour'`;
    const resumable = sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`;
    await deleting
      .where('changed_at', '<=', kept)
      .where((row) => row.or([row.not(isUnfinished()), row('changed_at', '<=', resumable)]))
      .execute();
    return;
  }
  const kept = db
    .selectFrom('gallery.batch')
    .select('id')
    .where('background', '=', true)
    .where('started_at', '>', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    // One is about to be added.
    .limit(KEPT_BATCHES - 1);
  await deleting.where('id', 'not in', kept).execute();
}

function viewOf(row: Row): BatchView {
  const { action, paths, dest, name } = row.request as BatchRequest;
  const outcome = outcomeOf(row);
  return {
    id: row.id,
    action: action === 'trash' ? 'delete' : action,
    paths: paths.slice(0, SHOWN_PATHS),
    pathCount: paths.length,
    dest: action === 'copy' || action === 'move' ? dest : null,
    name: name ?? null,
    bucketId: row.bucket_id,
    state: row.state === 'running' && !row.leased ? 'interrupted' : row.state,
    progress: { done: row.steps_done, total: row.steps_total },
    message: outcome?.message ?? null,
    code: outcome?.code ?? null,
    affected: outcome?.affected ?? null,
    startedAt: row.started_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

function outcomeOf(row: Row): Outcome | undefined {
  return (row.outcome ?? undefined) as Outcome | undefined;
}

/** A copy or move that has begun and is not done. */
function isUnfinished() {
  return sql<boolean>`(transfers is not null and state <> 'done')`;
}

function now() {
  return sql<Date>`clock_timestamp()`;
}

function keyReused(): Failure {
  const message = 'this Idempotency-Key belongs to another request; use a new key for each new request';
  return new Failure('conflict', message, { code: 'idempotency_key_reused' });
}

/** The failure of a request whose work goes on without it. */
export function stillRunning(): Failure {
  return new Failure('unavailable', 'this request is still running; send it again to get its outcome');
}

function unknownBatch(): Failure {
  return new Failure('missing', 'there is no batch with this id; the history keeps the last 100 of 30 days');
}
