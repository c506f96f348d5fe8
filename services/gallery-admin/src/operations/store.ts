import { hash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseAway } from '@pressroom/common/database/database-fault';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';

/** How long an outcome is kept, in hours (RFC draft "The Idempotency-Key HTTP Header Field"). */
const KEPT_HOURS = 24;

/**
 * After how many seconds a run that no longer renews its lease counts as dead. The same request waits for it
 * that long, and is to be answered within 10 s.
 */
const LEASE_S = 5;

/** How often a lease is renewed, in ms. */
const RENEWAL_MS = (LEASE_S * 1000) / 3;

/** How often a request that waits for an identical one checks whether it has ended, in ms. */
const POLL_MS = 250;

/**
 * How long an answer waits until its outcome is recorded, in ms: a database that hangs would cost it 5 s. One
 * that has failed for the database's sake does not wait.
 */
const RECORD_MS = 2000;

/** The outcome of an operation, as reported to the client. */
export interface Outcome {
  message: string;
  /** Number of objects deleted, copied or moved. */
  affected: number;
  /** After a renaming: where the file or the folder is now. */
  path?: string;
}

/** What distinguishes a request from others. */
export interface AskedOperation {
  id: Buffer;
  request: Buffer;
  /** True when the client gave an `Idempotency-Key`. */
  keyed: boolean;
}

/** The outcome of {@link OperationStore.answer} and the run that produced it. */
export interface Answered {
  outcome: Outcome;
  run: string;
}

/** Records an outcome on a connection of the caller's, in whose transaction something else may change. */
export type Recording = (outcome: Outcome, db: Kysely<GalleryTables>) => Promise<void>;

/**
 * Does the work; `before` is the outcome of the same earlier request, if nobody can have received it. What
 * is not recorded when it returns is recorded then.
 */
export type Work = (before: Outcome | undefined, record: Recording) => Promise<Outcome>;

/** The record of a run. */
interface Change {
  run?: null;
  outcome?: string;
  delivered?: boolean;
  leased_until?: RawBuilder<Date> | null;
}

/** The caller does the work. */
interface Claimed {
  state: 'claimed';
  run: string;
  before: Outcome | undefined;
}

type Claim = Claimed | { state: 'running'; run: string } | { state: 'done'; run: string; outcome: Outcome };

/** Identifies a request by its key if it has one, otherwise by the bucket and the request itself. */
export function identify(
  bucket: Pick<Bucket, 'id' | 'name'>,
  asked: unknown,
  key: string | undefined,
): AskedOperation {
  const request = sha256([bucket.id, bucket.name, asked]);
  return key === undefined
    ? { id: request, request, keyed: false }
    : { id: sha256(['key', key]), request, keyed: true };
}

function sha256(identity: unknown[]): Buffer {
  return hash('sha256', JSON.stringify(identity), 'buffer');
}

/**
 * Records in PostgreSQL, for a day, which operations run and how they ended, so that a client whose
 * connection broke can ask again, on any replica. While an operation runs, the same request waits for it and
 * gets its outcome. After that, a request with the same `Idempotency-Key` gets the outcome of the first. A
 * request without a key is new work; it receives the earlier outcome if that reached nobody, in case nothing
 * is left to do. Failures are not kept: the next request tries again.
 */
export class OperationStore {
  readonly #db: Kysely<GalleryTables>;
  readonly #recordMs: number;
  /** Pending writes that record a delivery, by id: the next request of the same kind may follow at once. */
  readonly #noting = new Map<string, Promise<void>>();

  /** An answer waits for its record for `recordMs` at most. */
  constructor(db: Kysely<GalleryTables>, recordMs = RECORD_MS) {
    this.#db = db;
    this.#recordMs = recordMs;
  }

  /**
   * Does `work`, or returns the outcome of the same request. Fails as `conflict` (`idempotency_key_reused`)
   * for a key that belongs to another request, and as `unavailable` if `signal` ends the wait.
   */
  async answer(asked: AskedOperation, work: Work, signal: AbortSignal): Promise<Answered> {
    const awaited = new Set<string>();
    for (;;) {
      await this.#noting.get(asked.id.toString('hex'));
      const claim = await this.#claim(asked, awaited);
      if (claim.state === 'done') return claim;
      if (claim.state === 'claimed') return this.#run(asked, claim, work);
      awaited.add(claim.run);
      await pause(POLL_MS, undefined, { signal }).catch(() => {
        throw new Failure('unavailable', 'this request is still running; send it again to get its outcome');
      });
    }
  }

  /** Records that the client received the answer: from now on the same request without a key is new work. */
  async delivered({ id }: AskedOperation, run: string): Promise<void> {
    const name = id.toString('hex');
    const noting = this.#change(id, run, { delivered: true }).finally(() => this.#noting.delete(name));
    this.#noting.set(name, noting);
    await noting;
  }

  #claim(asked: AskedOperation, awaited: ReadonlySet<string>): Promise<Claim> {
    return this.#db.transaction().execute(async (db) => {
      await forgetOld(db);
      const { id, request } = asked;
      await db
        .insertInto('gallery.operation')
        .values({ id, request })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute();
      const kept = await db
        .selectFrom('gallery.operation')
        .select(['request', 'run', 'outcome', 'delivered', 'leased_until'])
        .select(sql<boolean>`coalesce(leased_until > clock_timestamp(), false)`.as('running'))
        .where('id', '=', id)
        .forUpdate()
        .executeTakeFirstOrThrow();
      if (!kept.request.equals(request)) throw keyReused();
      if (kept.running && kept.run) return { state: 'running', run: kept.run };
      const outcome = (kept.outcome ?? undefined) as Outcome | undefined;
      const isAwaited = kept.leased_until === null && awaited.has(kept.run ?? '');
      if (outcome && kept.run && (asked.keyed || isAwaited)) return { state: 'done', run: kept.run, outcome };
      const run = randomUUID();
      await db
        .updateTable('gallery.operation')
        .set({ run, leased_until: leaseEnd() })
        .where('id', '=', id)
        .execute();
      return { state: 'claimed', run, before: kept.delivered ? undefined : outcome };
    });
  }

  async #run({ id }: AskedOperation, { run, before }: Claimed, work: Work): Promise<Answered> {
    const renewal = setInterval(() => this.#renew(id, run), RENEWAL_MS);
    const endedWith = (outcome: Outcome) => ({
      outcome: JSON.stringify(outcome),
      delivered: false,
      leased_until: null,
    });
    try {
      const outcome = await work(before, (done, db) => change(db, id, run, endedWith(done)));
      await this.#record(id, run, endedWith(outcome));
      return { outcome, run };
    } catch (error) {
      const recorded = this.#record(id, run, { run: null, leased_until: null });
      if (!isDatabaseAway(error)) await recorded;
      throw error;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Updates the record of a run that has ended; the answer waits for that, but not for long. */
  async #record(id: Buffer, run: string, change: Change): Promise<void> {
    await Promise.race([this.#change(id, run, change), pause(this.#recordMs, undefined, { ref: false })]);
  }

  /** Renews the lease of a run, unless its outcome has been recorded in the meantime. */
  async #renew(id: Buffer, run: string): Promise<void> {
    await updateRun(this.#db, id, run, { leased_until: leaseEnd() })
      .where('leased_until', 'is not', null)
      .execute()
      .catch(() => undefined);
  }

  /**
   * Updates the record of a run. The work matters more than its record: without a database the record stays
   * as it is.
   */
  async #change(id: Buffer, run: string, changed: Change): Promise<void> {
    await change(this.#db, id, run, changed).catch(() => undefined);
  }
}

async function change(db: Kysely<GalleryTables>, id: Buffer, run: string, changed: Change): Promise<void> {
  await updateRun(db, id, run, changed).execute();
}

function updateRun(db: Kysely<GalleryTables>, id: Buffer, run: string, changed: Change) {
  return db
    .updateTable('gallery.operation')
    .set({ ...changed, changed_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .where('run', '=', run);
}

function leaseEnd() {
  return sql<Date>`clock_timestamp() + ${LEASE_S} * interval '1 second'`;
}

function keyReused(): Failure {
  const message = 'this Idempotency-Key belongs to another request; use a new key for each new request';
  return new Failure('conflict', message, { code: 'idempotency_key_reused' });
}

/** Deletes records that are older than a day and not running. */
async function forgetOld(db: Transaction<GalleryTables>): Promise<void> {
  const old = db
    .selectFrom('gallery.operation')
    .select('id')
    .where('changed_at', '<=', sql<Date>`now() - ${KEPT_HOURS} * interval '1 hour'`)
    .where((row) => row.or([row('leased_until', 'is', null), row('leased_until', '<', sql<Date>`now()`)]))
    .forUpdate()
    .skipLocked();
  await db.deleteFrom('gallery.operation').where('id', 'in', old).execute();
}
