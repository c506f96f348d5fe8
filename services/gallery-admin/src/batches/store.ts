import { hash, randomUUID } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { NewName } from '../operations/transfer.ts';
import type { BatchTable, GalleryTables } from '../tables.ts';
import { type BatchView, SHOWN_PATHS, type Undoing } from './schema.ts';

/** After how many seconds a batch whose lease is not renewed counts as interrupted. */
const LEASE_S = 15;

/** How long the history is. */
const KEPT_DAYS = 30;
const KEPT_BATCHES = 100;

/** Batches that may run in one bucket at a time. */
const MAX_RUNNING = 10;

/** What a batch is asked to do. */
export interface BatchRequest {
  action: 'delete' | 'copy' | 'move' | 'rename';
  paths: string[];
  /** The destination folder as a prefix; for a renaming the folder that the path lies in. */
  dest: string;
  /** The new name, for a renaming. */
  name?: string | undefined;
  /** The names that some paths of a copy or move get at the destination. */
  names?: NewName[];
}

/** How a batch ended. */
export interface BatchOutcome {
  message: string;
  /** Undefined if it is done. */
  code?: string | undefined;
  affected?: number;
  undo?: Undoing[];
}

/** How far a run has come; `total` is null while it is unknown. */
export interface Steps {
  done: number;
  total: number | null;
}

/** A batch that the caller runs. */
export interface ClaimedBatch {
  id: string;
  run: string;
  request: BatchRequest;
  /** True if it ran before. */
  resumed: boolean;
}

/** A batch, and the claim on it if the caller is to run it. */
export interface BegunBatch {
  batch: BatchView;
  claim: ClaimedBatch | undefined;
}

type Row = Selectable<BatchTable> & { leased: boolean };

/** Records batches in PostgreSQL: what runs, how far it has come, and how the last ones ended. */
export class BatchStore {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /**
   * Records a new batch. With the key of an earlier one, and without a key while the same request runs, the
   * batch is the earlier one, and nothing is claimed. Fails as `conflict` (`idempotency_key_reused`) for a
   * key that belongs to another request, and as `unavailable` if too many batches run.
   */
  begin(bucket: Bucket, request: BatchRequest, key: string | undefined): Promise<BegunBatch> {
    const fingerprint = sha256([bucket.id, bucket.name, request]);
    const idempotencyKey = key === undefined ? null : sha256([key]);
    return this.#db.transaction().execute(async (db) => {
      await sql`select pg_advisory_xact_lock(hashtextextended('gallery batch', 0))`.execute(db);
      await forgetOld(db);
      const same = await findSame(db, fingerprint, idempotencyKey);
      if (same && !same.fingerprint.equals(fingerprint)) throw keyReused();
      if (same) return { batch: viewOf(same), claim: undefined };
      await assertRoom(db, bucket);
      const id = randomUUID();
      const run = randomUUID();
      const row = await db
        .insertInto('gallery.batch')
        .values({
          id,
          run,
          bucket_id: bucket.id,
          bucket_name: bucket.name,
          request: JSON.stringify(request),
          fingerprint,
          idempotency_key: idempotencyKey,
          leased_until: leaseEnd(),
        })
        .returningAll()
        .returning(sql<boolean>`true`.as('leased'))
        .executeTakeFirstOrThrow();
      return { batch: viewOf(row), claim: { id, run, request, resumed: false } };
    });
  }

  /**
   * Claims a batch that was interrupted or has failed; one that runs or is done is returned as it is. Fails
   * as `missing` if there is none, and as `refused` if it belongs to another bucket.
   */
  resume(bucket: Bucket, id: string): Promise<BegunBatch> {
    return this.#db.transaction().execute(async (db) => {
      const row = await selectBatches(db).where('id', '=', id).forUpdate().executeTakeFirst();
      if (row === undefined) throw unknownBatch();
      if (row.state === 'done' || (row.state === 'running' && row.leased)) {
        return { batch: viewOf(row), claim: undefined };
      }
      if (row.bucket_id !== bucket.id || row.bucket_name !== bucket.name) {
        const name = JSON.stringify(row.bucket_name);
        throw new Failure(
          'refused',
          `this batch belongs to the bucket ${name}; make it the active one first`,
        );
      }
      const run = randomUUID();
      const changed = {
        state: 'running' as const,
        run,
        leased_until: leaseEnd(),
        outcome: null,
        ended_at: null,
      };
      await db.updateTable('gallery.batch').set(changed).where('id', '=', id).execute();
      const batch = viewOf({ ...row, ...changed, leased_until: null, leased: true });
      return { batch, claim: { id, run, request: row.request as BatchRequest, resumed: true } };
    });
  }

  /** The history, the newest first. */
  async list(): Promise<BatchView[]> {
    const rows = await selectBatches(this.#db)
      .orderBy('started_at', 'desc')
      .orderBy('id', 'desc')
      .limit(KEPT_BATCHES)
      .execute();
    return rows.map(viewOf);
  }

  /** One batch, and what takes it back. Fails as `missing` if there is none. */
  async read(id: string): Promise<{ batch: BatchView; undo: Undoing[] }> {
    const row = await selectBatches(this.#db).where('id', '=', id).executeTakeFirst();
    if (row === undefined) throw unknownBatch();
    return { batch: viewOf(row), undo: outcomeOf(row)?.undo ?? [] };
  }

  /** Renews the lease of a run and records its progress; false if the batch is no longer this run's. */
  async renew({ id, run }: ClaimedBatch, { done, total }: Steps): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('gallery.batch')
      .set({ steps_done: done, steps_total: total, leased_until: leaseEnd(), changed_at: now() })
      .where('id', '=', id)
      .where('run', '=', run)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Records how a run ended, on another connection if something else is to change with it. */
  async end({ id, run }: ClaimedBatch, outcome: BatchOutcome, steps: Steps, db = this.#db): Promise<void> {
    await db
      .updateTable('gallery.batch')
      .set({
        state: outcome.code === undefined ? 'done' : 'failed',
        outcome: JSON.stringify(outcome),
        steps_done: steps.done,
        steps_total: steps.total,
        run: null,
        leased_until: null,
        changed_at: now(),
        ended_at: now(),
      })
      .where('id', '=', id)
      .where('run', '=', run)
      .execute();
  }

  /** Gives a run up, because its process ends: the batch is interrupted from now on. */
  async abandon({ id, run }: ClaimedBatch): Promise<void> {
    await this.#db
      .updateTable('gallery.batch')
      .set({ run: null, leased_until: null, changed_at: now() })
      .where('id', '=', id)
      .where('run', '=', run)
      .execute();
  }
}

function selectBatches(db: Kysely<GalleryTables>) {
  return db
    .selectFrom('gallery.batch')
    .selectAll()
    .select(sql<boolean>`coalesce(leased_until > clock_timestamp(), false)`.as('leased'));
}

/** The batch with the key, or one that runs for the same request. */
async function findSame(
  db: Transaction<GalleryTables>,
  fingerprint: Buffer,
  key: Buffer | null,
): Promise<Row | undefined> {
  if (key !== null) return selectBatches(db).where('idempotency_key', '=', key).executeTakeFirst();
  return selectBatches(db)
    .where('state', '=', 'running')
    .where('fingerprint', '=', fingerprint)
    .where('leased_until', '>', now())
    .executeTakeFirst();
}

async function assertRoom(db: Transaction<GalleryTables>, { id, name }: Bucket): Promise<void> {
  const { running } = await db
    .selectFrom('gallery.batch')
    .select(({ fn }) => fn.countAll<number>().as('running'))
    .where('state', '=', 'running')
    .where('bucket_id', '=', id)
    .where('bucket_name', '=', name)
    .where('leased_until', '>', now())
    .executeTakeFirstOrThrow();
  if (running < MAX_RUNNING) return;
  throw new Failure('unavailable', `${MAX_RUNNING} batches are running in this bucket; try again later`);
}

/** Deletes what is beyond the history. What runs stays. */
async function forgetOld(db: Transaction<GalleryTables>): Promise<void> {
  const kept = db
    .selectFrom('gallery.batch')
    .select('id')
    .where('started_at', '>', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    // One is about to be added.
    .limit(KEPT_BATCHES - 1);
  await db
    .deleteFrom('gallery.batch')
    .where('id', 'not in', kept)
    .where(sql<boolean>`not coalesce(leased_until > clock_timestamp(), false)`)
    .execute();
}

function viewOf(row: Row): BatchView {
  const { action, paths, dest, name } = row.request as BatchRequest;
  const outcome = outcomeOf(row);
  return {
    id: row.id,
    action,
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

function outcomeOf(row: Row): BatchOutcome | undefined {
  return (row.outcome ?? undefined) as BatchOutcome | undefined;
}

function sha256(identity: unknown[]): Buffer {
  return hash('sha256', JSON.stringify(identity), 'buffer');
}

function now() {
  return sql<Date>`clock_timestamp()`;
}

function leaseEnd() {
  return sql<Date>`clock_timestamp() + ${LEASE_S} * interval '1 second'`;
}

function keyReused(): Failure {
  const message = 'this Idempotency-Key belongs to another request; use a new key for each new request';
  return new Failure('conflict', message, { code: 'idempotency_key_reused' });
}

function unknownBatch(): Failure {
  return new Failure('missing', 'there is no batch with this id; the history keeps the last 100 of 30 days');
}
