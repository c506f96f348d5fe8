import { setTimeout as pause } from 'node:timers/promises';
import { isDatabaseAway } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import type { Kysely } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import { storeFailure } from '../buckets/store-errors.ts';
import { filename, isInTrash, parentOf } from '../names.ts';
import type { OriginalDates } from '../objects/object-page.ts';
import type { GalleryTables } from '../tables.ts';
import {
  type Asked,
  type BatchRequest,
  type BatchStore,
  type BatchView,
  type Begun,
  type Claim,
  fingerprintOf,
  type Looked,
  NOTHING_LEFT,
  type Outcome,
  type Steps,
  stillRunning,
  type Undoing,
} from './batches-store.ts';
import {
  type CopyLimits,
  LockLost,
  loggedPaths,
  TransferRunning,
  type Watch,
  withTransferLock,
} from './objects.ts';
import {
  deletePaths,
  lastName,
  type Transfer,
  type TransferRequest,
  type Transferred,
  transfer,
  transferred,
} from './transfer.ts';

/** The interval at which a run renews its lease and records its progress, in ms. */
const RENEWAL_MS = 1000;

/** The interval at which a request that waits for another run of itself looks for its end, in ms. */
const POLL_MS = 250;

/** The interval at which a copy or move in the background looks for its turn, in ms. */
const TURN_MS = 500;

/** The longest that a request waits for its outcome to be recorded, in ms, before it is told to ask again. */
const RECORD_MS = 2000;

/** The pause before a failed recording is tried again, in ms. */
const RECORD_AGAIN_MS = 250;

interface OperationParts {
  store: BatchStore;
  /** The database without a pooler, for locks of a session. */
  direct: Kysely<GalleryTables>;
  limits: CopyLimits;
  dates: OriginalDates;
  /** Deletes what was made from the files at paths where they are no more. */
  discard: (bucket: Bucket, paths: readonly string[]) => Promise<void>;
  log: Logger;
  /** {@link RECORD_MS}, unless it is given. */
  recordMs?: number;
}

/**
 * Runs deletions, copies and moves in this process, each recorded with a lease, so that it can be asked for
 * and resumed on any replica. A request either waits for the end or is answered at once and asks later.
 */
export class Batches {
  readonly #parts: OperationParts;
  readonly #inBackground = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  /** Pending records of deliveries, by fingerprint: the next request of the same kind may follow at once. */
  readonly #noting = new Map<string, Promise<void>>();
  /** Outcomes that are yet to be recorded, by the identity of their request: it must not run again before. */
  readonly #recording = new Map<string, Promise<void>>();

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  /**
   * Does what is asked, or waits for the run of the same request; see {@link BatchStore.begin}. After a
   * failure the next request tries again. Fails as `unavailable` if `left` ends the wait, or if the outcome
   * is not recorded in time: the same request gets it later. `received` is to be called when the client has
   * the outcome.
   */
  async perform(
    bucket: Bucket,
    asked: Asked,
    left: AbortSignal,
  ): Promise<{ outcome: Outcome; received: () => Promise<void> }> {
    const fingerprint = `${asked.key ?? fingerprintOf(bucket, asked.request).toString('hex')}`;
    for (;;) {
      await this.#noting.get(fingerprint);
      await this.#inTime(this.#recording.get(fingerprint));
      const { id, claim } = await this.#parts.store.begin(bucket, asked);
      const ran = claim
        ? { run: claim.run, outcome: await this.#run(bucket, claim, fingerprint) }
        : await this.#awaited(id, left);
      if (ran.outcome === undefined) continue;
      return { outcome: ran.outcome, received: () => this.#noteDelivery({ id, run: ran.run }, fingerprint) };
    }
  }

  /** Starts a batch in the background, or finds the one that the same request started. */
  async start(bucket: Bucket, asked: Asked): Promise<BatchView> {
    return this.#launch(bucket, await this.#parts.store.begin(bucket, asked));
  }

  /** Finishes an interrupted or failed batch; see {@link BatchStore.resume}. */
  async resume(bucket: Bucket, id: string): Promise<BatchView> {
    await this.#inTime(this.#recording.get(id));
    return this.#launch(bucket, await this.#parts.store.resume(bucket, id));
  }

  /** Stops what runs in the background between two objects; what starts from now on stops at once. */
  stop(): void {
    this.#closing.abort();
  }

  /** Stops what runs in the background, and waits until what has run is recorded. */
  async close(): Promise<void> {
    this.stop();
    await Promise.allSettled([...this.#inBackground, ...this.#recording.values()]);
  }

  /** Waits until the run of another has ended; without an outcome if it failed or was interrupted. */
  async #awaited(id: string, left: AbortSignal): Promise<Looked> {
    for (;;) {
      const looked = await this.#parts.store.look(id);
      if (!looked.running) return looked;
      await pause(POLL_MS, undefined, { signal: left }).catch(() => {
        throw stillRunning();
      });
    }
  }

  async #noteDelivery(ended: { id: string; run: string | null }, fingerprint: string): Promise<void> {
    const noting = this.#parts.store
      .delivered(ended)
      .catch(() => undefined)
      .finally(() => this.#noting.delete(fingerprint));
    this.#noting.set(fingerprint, noting);
    await noting;
  }

  #launch(bucket: Bucket, { batch, claim }: Begun): BatchView {
    if (claim === undefined) return batch;
    const running = this.#run(bucket, claim, claim.id)
      .catch(() => undefined)
      .finally(() => this.#inBackground.delete(running));
    this.#inBackground.add(running);
    return batch;
  }

  async #run(bucket: Bucket, claim: Claim, repeatedAs: string): Promise<Outcome> {
    const { store } = this.#parts;
    const lost = new AbortController();
    const steps: Steps = { done: 0, total: null };
    const signals = claim.background ? [lost.signal, this.#closing.signal] : [lost.signal];
    const watch: Watch = {
      signal: AbortSignal.any(signals),
      progress: (done, total) => Object.assign(steps, { done, total }),
    };
    const renewal = setInterval(() => {
      // Without a database the work goes on; its record follows when the database is back.
      const renewed = store.renew(claim, steps).catch(() => true);
      void renewed.then((ours) => ours || lost.abort(stillRunning()));
    }, RENEWAL_MS);
    try {
      const end = (outcome: Outcome) =>
        this.#recorded(claim, repeatedAs, () => store.end(claim, outcome, steps));
      const outcome = await this.#work(bucket, claim, watch, end);
      this.#logEnd(claim, outcome);
      return outcome;
    } catch (error) {
      if (error instanceof Unrecorded) throw error;
      const isStopped = watch.signal.aborted;
      const failure = failureOf(error);
      const record = isStopped ? store.abandon(claim) : store.fail(claim, failure, steps);
      const recorded = this.#inTime(record).catch((cause) => this.#logUnrecorded(claim, cause));
      if (!isStopped) this.#logEnd(claim, failure, error);
      // The next request tries again, whatever is recorded.
      if (!isDatabaseAway(error)) await recorded;
      throw error;
    } finally {
      // The lease lasts until the outcome is recorded.
      const recording = this.#recording.get(repeatedAs) ?? Promise.resolve();
      void recording.catch(() => undefined).finally(() => clearInterval(renewal));
    }
  }

  /**
   * Records the end of a run. A request does not wait for it for long: the same one gets the outcome later.
   */
  async #recorded(claim: Claim, repeatedAs: string, record: () => Promise<void>): Promise<void> {
    const recording = this.#record(claim, record).finally(() => this.#recording.delete(repeatedAs));
    this.#recording.set(repeatedAs, recording);
    await (claim.background ? recording : this.#inTime(recording));
  }

  /** Tries until it holds, another has the operation, or the process ends. */
  async #record(claim: Claim, record: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await record();
      } catch (error) {
        this.#logUnrecorded(claim, error);
        if (error instanceof Failure || this.#closing.signal.aborted) throw new Unrecorded(error);
        await pause(RECORD_AGAIN_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      }
    }
  }

  async #inTime(recording: Promise<void> | undefined): Promise<void> {
    if (recording === undefined) return;
    const { recordMs = RECORD_MS } = this.#parts;
    const late = pause(recordMs, undefined, { ref: false }).then(() => {
      throw new Unrecorded();
    });
    await Promise.race([recording, late]);
  }

  #logUnrecorded({ id }: Claim, error: unknown): void {
    this.#parts.log.warn({ err: error, batch: id }, 'batch_not_recorded');
  }

  /** Does the work, and ends it before the next copy or move looks at what is unfinished. */
  async #work(
    bucket: Bucket,
    claim: Claim,
    watch: Watch,
    end: (outcome: Outcome) => Promise<void>,
  ): Promise<Outcome> {
    const { request, background, before } = claim;
    const ended = async (outcome: Outcome) => {
      await this.#discard(bucket, request);
      await end(outcome);
      return outcome;
    };
    if (request.action === 'delete') return ended(await deletePaths(bucket, request, { before, watch }));
    const work = async (hold: () => Promise<void>) =>
      ended(await this.#transfer(bucket, claim, { watch, hold }));
    for (;;) {
      try {
        return await withTransferLock(this.#parts.direct, bucket, work);
      } catch (error) {
        // It begins anew, and finds what it has copied.
        if (error instanceof LockLost) continue;
        if (!background || !(error instanceof TransferRunning)) throw error;
        await pause(TURN_MS, undefined, { signal: watch.signal });
      }
    }
  }

  /** Leftovers do no harm. */
  async #discard(bucket: Bucket, { action, paths }: BatchRequest): Promise<void> {
    const { discard, log } = this.#parts;
    if (action === 'copy') return;
    await discard(bucket, paths).catch((error: unknown) =>
      log.warn({ err: storeFailure(error) ?? error, ...loggedPaths(paths) }, 'renditions_not_discarded'),
    );
  }

  async #transfer(
    bucket: Bucket,
    claim: Claim,
    { watch, hold }: Pick<TransferRequest, 'watch' | 'hold'>,
  ): Promise<Outcome> {
    const { request, before, resumed } = claim;
    const { action } = request;
    const { store, limits, dates } = this.#parts;
    const asked: TransferRequest = {
      ...request,
      action: action === 'rename' || action === 'delete' ? 'move' : action,
      begun: claim.begun ?? (await store.begunElsewhere(claim)),
      note: async (transfers) => {
        await store.note(claim, transfers);
        claim.begun = transfers;
      },
      hold,
      watch,
    };
    const done = await transfer({ bucket, limits, dates }, asked);
    const undo = undoOf(request, done);
    if (!done.hasChanged && before) return before;
    if (done.affected === 0 && resumed) return { ...NOTHING_LEFT, undo };
    const path = action === 'rename' ? done.transfers[0]?.target : undefined;
    return { ...transferred(asked, done), undo, path };
  }

  /** Logs how a batch in the background ended; of the others the answer tells. */
  #logEnd({ id, request, background }: Claim, { code, affected }: Outcome, error?: unknown): void {
    const { log } = this.#parts;
    if (!background) return;
    if (code === 'internal_error') log.error({ err: error, batch: id }, 'batch_failed');
    const { action, paths, dest, name } = request;
    log.info({ batch: id, action, ...loggedPaths(paths), dest, name, code, affected }, 'batch_ended');
  }
}

/** The work is done, but not recorded yet. */
class Unrecorded extends Failure {
  constructor(cause?: unknown) {
    const message = 'the outcome is not recorded yet; send this request again to get it';
    super('unavailable', message, { cause });
  }
}

/** The usual codes of failures, as in the answers to requests. */
const CODES: Readonly<Record<string, string>> = {
  incomplete: 'operation_incomplete',
  unavailable: 'temporarily_unavailable',
  misconfigured: 'server_misconfigured',
};

/** The reason for a failure, as it is recorded. */
function failureOf(error: unknown): Outcome {
  const failure = error instanceof Failure ? error : storeFailure(error);
  if (failure === undefined) return { message: 'something went wrong on the server', code: 'internal_error' };
  return { message: failure.message, code: failure.code ?? CODES[failure.kind] ?? 'invalid_request' };
}

/**
 * The requests that take a finished deletion to the trash, move or renaming back; none if something stayed
 * behind.
 */
function undoOf(
  { action, name }: BatchRequest,
  { transfers, stayed }: Pick<Transferred, 'transfers' | 'stayed'>,
): Undoing[] {
  if (action === 'copy' || stayed > 0 || transfers.length === 0) return [];
  if (action === 'trash') return [{ action: 'restore', paths: transfers.map(({ target }) => target) }];
  if (transfers.some(({ source }) => isInTrash(source.path))) return [];
  if (name !== undefined) {
    return transfers
      .filter(isRestorable)
      .map((renamed) => ({ action: 'rename', path: renamed.target, name: oldName(renamed) }));
  }
  // Other tools may have given a name that no request can give back.
  if (transfers.some((one) => isRenamed(one) && !isRestorable(one))) return [];
  return [...Map.groupBy(transfers, ({ source }) => parentOf(source.path))].map(([dest, moved]) => {
    const names = moved.filter(isRenamed).map((one) => ({ path: one.target, name: oldName(one) }));
    const undo = { action: 'move' as const, paths: moved.map(({ target }) => target), dest };
    return names.length === 0 ? undo : { ...undo, names };
  });
}

function isRenamed({ source, target }: Transfer): boolean {
  return lastName(source.path) !== lastName(target);
}

function oldName({ source }: Transfer): string {
  return lastName(source.path).replace(/\/$/, '');
}

/** True if a request may give the old name again. */
function isRestorable(transfer: Transfer): boolean {
  return filename.safeParse(oldName(transfer)).data === oldName(transfer);
}
