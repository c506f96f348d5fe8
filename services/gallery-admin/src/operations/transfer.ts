import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import type { StoredObject } from '../listing/object-page.ts';
import { folderPrefix, isKeyLength, MAX_KEY_BYTES } from '../names.ts';
import { isNameRefused, NAME_REFUSED } from '../store-names.ts';
import { forEachConcurrently } from './concurrently.ts';
import { copyObject } from './copy-object.ts';
import type { CopyLimits } from './copy-request.ts';
import { type Deletion, type Doomed, deleteObjects, failuresInWords } from './delete-objects.ts';
import {
  destinationConflict,
  type Obstacle,
  plannedObstacles,
  planTransfers,
  type Source,
  type Transfer,
} from './destination.ts';
import { destinationFolder } from './destination-folder.ts';
import { foldedInWords, MAX_NAMED, named, objects } from './messages.ts';
import { ObjectChanged, ObjectFailure, reasonOf } from './object-failure.ts';
import { enclosing, foldOverlaps } from './overlaps.ts';
import { type Pair, pairsOf } from './pairs.ts';
import { findSources } from './sources.ts';
import type { Outcome } from './store.ts';
import { findObject, isSameContent } from './stored-object.ts';
import type { TransferAction, UnfinishedTransfers } from './unfinished.ts';

/** Objects that are copied at a time. */
const COPIES = 32;

/** What {@link transfer} works with. */
export interface TransferParts {
  bucket: Bucket;
  unfinished: UnfinishedTransfers;
  limits: CopyLimits;
}

/** What is copied or moved. */
export interface TransferRequest {
  action: TransferAction;
  /** Keys and folders. */
  paths: readonly string[];
  /** The folder they go to, as a prefix; empty for the root. */
  dest: string;
  /** True when the same request was done before and its answer reached nobody: what it left is its own. */
  repeated: boolean;
}

/** How a transfer went. */
export interface Transferred {
  /** Objects that are at their destination now, and with a move there alone. */
  affected: number;
  /** With a move: objects that arrived or changed at the source in the meantime, and stay there. */
  stayed: number;
  /** Paths of the request that were named twice or lie inside another, and went with it. */
  folded: number;
}

/**
 * Copies or moves files and folders into a folder. Everything is checked before anything is changed; a move
 * deletes a source only when the whole copy of it is seen at the destination, and not before everything has
 * been copied. After a failure in between (`incomplete`) every object is at its source or at its destination,
 * and the same request again finishes the work.
 */
export function transfer(parts: TransferParts, request: TransferRequest): Promise<Transferred> {
  return parts.unfinished.exclusively(parts.bucket, (unfinished) =>
    new RunningTransfer({ ...parts, unfinished }, request).run(),
  );
}

class RunningTransfer {
  readonly #parts: TransferParts;
  readonly #request: TransferRequest;
  /** Copies whose entity tag is another than the source's: `sourceTag copyTag` by destination key. */
  readonly #retagged = new Map<string, string>();
  #resumed = new Set<Transfer>();

  constructor(parts: TransferParts, request: TransferRequest) {
    this.#parts = parts;
    this.#request = request;
  }

  async run(): Promise<Transferred> {
    const { bucket, unfinished } = this.#parts;
    const { action, repeated } = this.#request;
    const dest = await destinationFolder(bucket, this.#request.dest);
    const { sources, gone, folded } = await this.#sources(dest);
    const transfers = planTransfers(sources, dest);
    const obstacles = plannedObstacles(transfers);
    if (obstacles.length > 0) throw destinationConflict(obstacles);
    this.#resumed = repeated ? new Set(transfers) : await unfinished.known(bucket, action, transfers);
    const total = await this.#check(transfers).catch(explainName);
    await unfinished.begin(bucket, action, transfers);
    const copied = await this.#copy(transfers, total);
    const done = action === 'copy' ? { affected: copied, stayed: 0 } : await this.#clear(transfers, copied);
    // The work is done; a record that stays for want of a database is forgotten in a month.
    await unfinished.finish(bucket, action, [...transfers, ...gone]).catch(() => undefined);
    return { ...done, folded };
  }

  /**
   * What there is to do. What an interrupted run of this move has taken away already is not a missing source.
   */
  async #sources(dest: string): Promise<Found> {
    const { bucket, unfinished } = this.#parts;
    const { action, paths, repeated } = this.#request;
    const found = await findSources(bucket, paths);
    const { missing } = found;
    const { sources, folded } = foldOverlaps(found.sources);
    if (missing.length === 0 || (repeated && action === 'move')) return { sources, gone: [], folded };
    const folders = new Set(paths.map(folderPrefix));
    const candidates = (path: string) => [
      ...possibleSources(path),
      ...enclosing(path)
        .filter((folder) => folders.has(folder))
        .map(asFolder),
    ];
    const before = planTransfers(missing.flatMap(candidates), dest);
    const known = action === 'move' ? await unfinished.known(bucket, action, before) : new Set<Transfer>();
    const moved = new Set([...known].map(({ source }) => source.path));
    const isMoved = (path: string) => candidates(path).some((source) => moved.has(source.path));
    const lost = missing.filter((path) => !isMoved(path));
    if (lost.length > 0) throw await nothingThere(bucket, lost);
    return { sources, gone: [...known], folded };
  }

  /** Looks at every destination; resolves to the number of objects at the sources. */
  async #check(transfers: readonly Transfer[]): Promise<number> {
    const { bucket } = this.#parts;
    const taken: Obstacle = { reason: 'the destination exists', paths: [] };
    const seen = new Set<Transfer>();
    let total = 0;
    for await (const pair of pairsOf(bucket, transfers)) {
      if (pair.source) total += 1;
      if (!isKeyLength(pair.target)) {
        const detail = `the key ${JSON.stringify(pair.target)} would be longer than ${MAX_KEY_BYTES} bytes`;
        throw new Failure('refused', `${detail}; nothing was changed`);
      }
      // Folders are compared by listings, which do not tell whether the store takes the new names.
      if (!seen.has(pair.transfer)) await findObject(bucket, pair.target);
      seen.add(pair.transfer);
      if (pair.existing && !(await this.#isOwn(pair, pair.existing))) taken.paths.push(pair.target);
      if (taken.paths.length > MAX_NAMED) break;
    }
    if (taken.paths.length > 0) throw destinationConflict([taken]);
    return total;
  }

  /** True for what an interrupted run of this request has left at the destination. */
  async #isOwn({ transfer, source, target }: Pair, existing: StoredObject): Promise<boolean> {
    if (!this.#resumed.has(transfer)) return false;
    if (source === undefined) return true;
    if (!(await isSameContent(this.#parts.bucket, source, existing))) return false;
    this.#remember(target, source.etag, existing.etag);
    return true;
  }

  #remember(target: string, sourceTag: string, copyTag: string): void {
    if (sourceTag !== copyTag) this.#retagged.set(target, `${sourceTag} ${copyTag}`);
  }

  #isCopy(target: string, source: StoredObject, existing: StoredObject | undefined): boolean {
    if (existing === undefined || existing.size !== source.size) return false;
    return existing.etag === source.etag || this.#retagged.get(target) === `${source.etag} ${existing.etag}`;
  }

  /** Copies what is not at its destination yet; resolves to the number of objects that are there now. */
  async #copy(transfers: readonly Transfer[], total: number): Promise<number> {
    const { bucket, limits } = this.#parts;
    let done = 0;
    const copyPair = async ({ source, target, existing }: Pair) => {
      if (source === undefined) return;
      if (!this.#isCopy(target, source, existing)) {
        if (existing)
          throw new ObjectFailure(target, new ObjectChanged('the destination was taken in the meantime'));
        const etag = await copyObject(bucket, source, target, limits).catch((error) => {
          throw new ObjectFailure(source.key, error);
        });
        this.#remember(target, source.etag, etag);
      }
      done += 1;
    };
    try {
      await forEachConcurrently(pairsOf(bucket, transfers), COPIES, copyPair);
    } catch (error) {
      throw this.#stoppedCopying(done, total, error);
    }
    return done;
  }

  #stoppedCopying(done: number, total: number, error: unknown) {
    const failure = error instanceof ObjectFailure ? error : undefined;
    const reason = reasonOf(failure ? failure.cause : error);
    const where = failure
      ? `${JSON.stringify(failure.key)} failed (${reason})`
      : `listing failed (${reason})`;
    return new Failure(
      'incomplete',
      `${done} of ${objects(total)} are copied, then ${where}; nothing was deleted, every source is in its` +
        ` place; send the same request again to copy the rest`,
      { cause: error },
    );
  }

  /** Deletes the sources whose copies are seen at their destinations. */
  async #clear(transfers: readonly Transfer[], copied: number): Promise<Cleared> {
    const { bucket } = this.#parts;
    let stayed = 0;
    const isCopy = this.#isCopy.bind(this);
    async function* copiedSources(): AsyncGenerator<Doomed, void> {
      for await (const { source, target, existing } of pairsOf(bucket, transfers)) {
        if (source === undefined) continue;
        if (isCopy(target, source, existing)) yield { key: source.key, etag: source.etag };
        else stayed += 1;
      }
    }
    const deletion = await deleteObjects(bucket, copiedSources()).catch((error) => {
      throw stoppedDeleting(copied, { deleted: 0, failed: 1, failures: [new ObjectFailure('', error)] });
    });
    if (deletion.failed > 0) throw stoppedDeleting(copied, deletion);
    return { affected: deletion.deleted, stayed };
  }
}

/** What {@link RunningTransfer} moves or copies, and what an interrupted run has moved already. */
interface Found {
  sources: Source[];
  gone: Transfer[];
  folded: number;
}

type Cleared = Pick<Transferred, 'affected' | 'stayed'>;

/** What a transfer has done, as the client is told. */
export function transferred({ action }: Pick<TransferRequest, 'action'>, done: Transferred): Outcome {
  const { affected, stayed, folded } = done;
  const message = `${objects(affected)} ${action === 'copy' ? 'copied' : 'moved'}${foldedInWords(folded)}`;
  if (stayed === 0) return { message, affected };
  const stay = `${objects(stayed)} arrived or changed at the source in the meantime and stay there`;
  return { message: `${message}; ${stay}`, affected };
}

/** Names the paths at which there is nothing, and the folders among them that a file may hide. */
async function nothingThere(bucket: Bucket, lost: readonly string[]): Promise<Failure> {
  const folders = lost.slice(0, MAX_NAMED).filter((path) => path.endsWith('/'));
  const { sources } = await findSources(bucket, folders.map((path) => path.slice(0, -1)).filter(Boolean));
  const files = sources.filter(({ kind }) => kind === 'object').map(({ path }) => path);
  const hint = files.length > 0 ? ` (${named(files)} is a file, and MinIO hides the folder of its name)` : '';
  return new Failure('refused', `there is nothing at ${named(lost)}${hint}; nothing was changed`);
}

/** A name that the store does not take is the client's to change. */
function explainName(error: unknown): never {
  if (isNameRefused(error)) throw new Failure('refused', `${NAME_REFUSED}; nothing was changed`);
  throw error;
}

function asFolder(path: string): Source {
  return { kind: 'folder', path };
}

/** What a path at which there is nothing may have stood for. */
function possibleSources(path: string): Source[] {
  if (path.endsWith('/')) return [{ kind: 'folder', path }];
  return [
    { kind: 'object', path },
    { kind: 'folder', path: `${path}/` },
  ];
}

function stoppedDeleting(copied: number, deletion: Deletion) {
  return new Failure(
    'incomplete',
    `${objects(copied)} are copied whole, ${deletion.deleted} of them deleted at the source; not confirmed to be` +
      ` deleted: ${failuresInWords(deletion)}; send the same request again to delete the rest`,
    { cause: deletion.failures[0]?.cause },
  );
}
