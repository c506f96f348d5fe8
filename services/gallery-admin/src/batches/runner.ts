import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import type { Kysely } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import { storeFailure } from '../buckets/store-fault.ts';
import type { OriginalDates } from '../listing/original-dates.ts';
import { filename } from '../names.ts';
import type { CopyLimits } from '../operations/copy-request.ts';
import { deleteFound } from '../operations/delete-paths.ts';
import { lastName, parentOf, type Transfer } from '../operations/destination.ts';
import { loggedPaths } from '../operations/messages.ts';
import { findSources } from '../operations/sources.ts';
import { type TransferRequest, type Transferred, transfer, transferred } from '../operations/transfer.ts';
import { TransferRunning, type UnfinishedTransfers } from '../operations/unfinished.ts';
import type { Watch } from '../operations/watch.ts';
import type { GalleryTables } from '../tables.ts';
import type { BatchView, Undoing } from './schema.ts';
import type { BatchOutcome, BatchRequest, BatchStore, BegunBatch, ClaimedBatch, Steps } from './store.ts';

/** How often a run renews its lease and records its progress, in ms. */
const RENEWAL_MS = 1000;

/** How often a copy or move that waits for another looks whether its turn has come, in ms. */
const TURN_MS = 500;

/** What batches are run with. */
export interface RunnerParts {
  batches: BatchStore;
  unfinished: UnfinishedTransfers;
  limits: CopyLimits;
  dates: OriginalDates;
  log: Logger;
}

/** Runs batches in this process, next to the requests that started them. */
export class BatchRunner {
  readonly #parts: RunnerParts;
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Starts a batch, or finds the one that the same request started; see {@link BatchStore.begin}. */
  async start(bucket: Bucket, request: BatchRequest, key: string | undefined): Promise<BatchView> {
    return this.#launch(bucket, await this.#parts.batches.begin(bucket, request, key));
  }

  /** Finishes an interrupted or failed batch; see {@link BatchStore.resume}. */
  async resume(bucket: Bucket, id: string): Promise<BatchView> {
    return this.#launch(bucket, await this.#parts.batches.resume(bucket, id));
  }

  /** Stops what runs between two objects; what starts from now on stops at once. */
  stop(): void {
    this.#closing.abort();
  }

  /** Stops what runs, and waits until it is recorded as interrupted. */
  async close(): Promise<void> {
    this.stop();
    await Promise.all(this.#running);
  }

  #launch(bucket: Bucket, { batch, claim }: BegunBatch): BatchView {
    if (claim === undefined) return batch;
    const running = this.#run(bucket, claim)
      .catch((error: unknown) => this.#parts.log.error({ err: error, batch: claim.id }, 'batch_not_recorded'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return batch;
  }

  async #run(bucket: Bucket, claim: ClaimedBatch): Promise<void> {
    const { batches } = this.#parts;
    const lost = new AbortController();
    const steps: Steps = { done: 0, total: null };
    const watch: Watch = {
      signal: AbortSignal.any([this.#closing.signal, lost.signal]),
      progress: (done, total) => Object.assign(steps, { done, total }),
    };
    const renewal = setInterval(() => {
      // Without a database the work goes on; its record follows when the database is back.
      const renewed = batches.renew(claim, steps).catch(() => true);
      void renewed.then((ours) => ours || lost.abort());
    }, RENEWAL_MS);
    const end = (outcome: BatchOutcome, db?: Kysely<GalleryTables>) => batches.end(claim, outcome, steps, db);
    try {
      const outcome = await this.#work(bucket, claim, watch, end);
      await end(outcome);
      this.#logEnd(claim, outcome);
    } catch (error) {
      if (watch.signal.aborted) return await batches.abandon(claim);
      const outcome = this.#failed(error, claim);
      await end(outcome);
      this.#logEnd(claim, outcome);
    } finally {
      clearInterval(renewal);
    }
  }

  async #work(
    bucket: Bucket,
    { request, resumed }: ClaimedBatch,
    watch: Watch,
    end: (outcome: BatchOutcome, db: Kysely<GalleryTables>) => Promise<void>,
  ): Promise<BatchOutcome> {
    if (request.action === 'delete') {
      const { sources } = await findSources(bucket, request.paths);
      return deleteFound(bucket, { sources, before: undefined, watch });
    }
    const { unfinished, limits, dates } = this.#parts;
    const action: 'copy' | 'move' = request.action === 'copy' ? 'copy' : 'move';
    const outcomeOf = (done: Transferred): BatchOutcome => {
      const isLeft = !resumed || done.affected > 0;
      const outcome = isLeft ? transferred(asked, done) : { message: 'nothing was left to do', affected: 0 };
      return { ...outcome, undo: undoOf(request, done) };
    };
    const asked: TransferRequest = {
      ...request,
      action,
      // What an interrupted run has begun is recorded; one that was refused has begun nothing.
      repeated: false,
      record: (done, db) => end(outcomeOf(done), db),
      watch,
    };
    for (;;) {
      try {
        return outcomeOf(await transfer({ bucket, unfinished, limits, dates }, asked));
      } catch (error) {
        if (!(error instanceof TransferRunning)) throw error;
        await pause(TURN_MS, undefined, { signal: watch.signal });
      }
    }
  }

  #logEnd({ id, request }: ClaimedBatch, { code, affected }: BatchOutcome): void {
    const { action, paths, dest, name } = request;
    const { log } = this.#parts;
    log.info({ batch: id, action, ...loggedPaths(paths), dest, name, code, affected }, 'batch_ended');
  }

  #failed(error: unknown, { id }: ClaimedBatch): BatchOutcome {
    const failure = error instanceof Failure ? error : storeFailure(error);
    if (failure === undefined) this.#parts.log.error({ err: error, batch: id }, 'batch_failed');
    if (failure === undefined)
      return { message: 'something went wrong on the server', code: 'internal_error' };
    return { message: failure.message, code: failure.code ?? CODES[failure.kind] ?? 'invalid_request' };
  }
}

/** The usual codes of failures, as in the answers to requests. */
const CODES: Readonly<Record<string, string>> = {
  incomplete: 'operation_incomplete',
  unavailable: 'temporarily_unavailable',
  misconfigured: 'server_misconfigured',
};

/** The requests that take a finished move or renaming back; none if something stayed behind. */
function undoOf({ action, name }: BatchRequest, { transfers, stayed }: Transferred): Undoing[] {
  if (action === 'copy' || stayed > 0) return [];
  if (name !== undefined) {
    const [renamed] = transfers;
    const old = renamed ? lastName(renamed.source.path).replace(/\/$/, '') : '';
    return renamed && filename.safeParse(old).data === old
      ? [{ action: 'rename', path: renamed.target, name: old }]
      : [];
  }
  const byParent = Map.groupBy(transfers, ({ source }) => parentOf(source.path));
  const isOther = ({ source, target }: Transfer) => lastName(source.path) !== lastName(target);
  const oldName = ({ source }: Transfer) => lastName(source.path).replace(/\/$/, '');
  // Other tools may have given a name that no request can give back.
  if (transfers.some((one) => isOther(one) && filename.safeParse(oldName(one)).data !== oldName(one)))
    return [];
  return [...byParent].map(([dest, moved]) => {
    const names = moved.filter(isOther).map((one) => ({ path: one.target, name: oldName(one) }));
    const undo = { action: 'move' as const, paths: moved.map(({ target }) => target), dest };
    return names.length === 0 ? undo : { ...undo, names };
  });
}
