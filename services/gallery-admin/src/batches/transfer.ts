import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { isNameRefused, NAME_REFUSED } from '../buckets/store-errors.ts';
import {
  folderPath,
  isInTrash,
  isKeyLength,
  MAX_KEY_BYTES,
  newDeletion,
  parentOf,
  trashedAt,
  trashPath,
} from '../names.ts';
import {
  isFolder,
  listObjects,
  type MovedObject,
  type OriginalDates,
  refuseMarkedFolders,
  type StoredObject,
} from '../objects/object-page.ts';
import type { BatchRequest, NewName, Outcome } from './batches-store.ts';
import {
  type CopyLimits,
  copyObject,
  type Deletion,
  deleteObjects,
  failuresInWords,
  findObject,
  foldedInWords,
  forEachConcurrently,
  inBatches,
  isSameObject,
  MAX_NAMED,
  ObjectChanged,
  ObjectFailure,
  type ObjectToDelete,
  objectCount,
  quotedPaths,
  reasonOf,
  type Watch,
} from './objects.ts';

const COPIES = 32;

/** Moved objects whose dates are recorded at a time. */
const DATED = 1000;

export interface TransferParts {
  bucket: Bucket;
  limits: CopyLimits;
  dates: OriginalDates;
}

/** A copy or move, also to and from the trash. */
export interface TransferRequest {
  action: 'copy' | 'move' | 'trash' | 'restore';
  paths: readonly string[];
  /** The destination folder of a copy or move, as a prefix; empty for the root. */
  dest: string;
  /** The new name of the one path, without a `/`, if it is renamed in its folder. */
  name?: string | undefined;
  /** The names that some of the paths get at the destination; the others keep their own. */
  names?: readonly NewName[] | undefined;
  /** For a deletion to the trash: folders stay where they are. */
  filesOnly?: true | undefined;
  /** Transfers that an earlier run of the same request has begun: copies that it left are its own. */
  begun: readonly Transfer[] | undefined;
  /** Records what is going to be copied, and then that it has been. */
  note: (transfers: readonly Transfer[]) => Promise<void>;
  /** Throws unless other transfers are still kept out of the bucket. */
  hold: () => Promise<void>;
  watch: Watch;
}

export interface Transferred {
  /** Objects now at their destination and, after a move, only there. */
  affected: number;
  /** For a move: objects that arrived or changed at the source during it and stay there. */
  stayed: number;
  /** Paths of the request that were named twice or lie inside another and were transferred with it. */
  folded: number;
  hasChanged: boolean;
  transfers: readonly Transfer[];
}

/**
 * Copies or moves files and folders into a folder. Everything is checked before anything is changed. A move
 * deletes a source only after everything has been copied, and only if the complete copy is seen at the
 * destination. After a failure in between (`incomplete`) every object is at its source or its destination,
 * and repeating the request finishes the work.
 */
export async function transfer(parts: TransferParts, request: TransferRequest): Promise<Transferred> {
  try {
    return await new RunningTransfer(parts, request).run();
  } catch (error) {
    const isTaken = error instanceof Failure && error.code === 'destination_conflict';
    if (!isTaken || request.action !== 'trash' || request.begun === undefined) throw error;
    // A path has got another file since an earlier run: both are kept.
    return new RunningTransfer(parts, { ...request, begun: undefined }).run();
  }
}

class RunningTransfer {
  readonly #parts: TransferParts;
  readonly #request: TransferRequest;
  /** Copies whose entity tag differs from the source's: `sourceTag copyTag` by destination key. */
  readonly #retagged = new Map<string, string>();
  /** True if an earlier run has copied everything, and may have deleted sources. */
  readonly #wasCopied: boolean;
  #hasChanged = false;
  /** Paths of a deletion at which there is nothing. */
  #missing = 0;

  constructor(parts: TransferParts, request: TransferRequest) {
    this.#parts = parts;
    this.#request = request;
    const { begun = [] } = request;
    this.#wasCopied = begun.length > 0 && begun.every(({ copying }) => !copying);
  }

  async run(): Promise<Transferred> {
    const { action, paths, begun, note } = this.#request;
    const transfers = begun && this.#wasCopied ? begun : await this.#plan();
    const { total, moved } = await this.#check(transfers).catch(explainName);
    if (!this.#wasCopied) await note(transfers.map((one) => ({ ...one, copying: true })));
    const copied = await this.#copy(transfers, total);
    const cleared =
      action === 'copy' ? await this.#leave(transfers, copied) : await this.#clear(transfers, copied);
    const affected = cleared.affected + moved;
    const folded = new Set(paths).size - transfers.length - this.#missing;
    return { ...cleared, affected, folded, hasChanged: this.#hasChanged, transfers };
  }

  async #plan(): Promise<Transfer[]> {
    const { bucket } = this.#parts;
    const { action, paths, filesOnly } = this.#request;
    const placing = await this.#placing();
    const found = await findSources(bucket, paths);
    if (found.missing.length > 0 && action !== 'trash') throw await nothingThere(bucket, found.missing);
    const wanted = found.sources.filter(({ kind }) => kind === 'object' || !filesOnly);
    this.#missing = new Set(paths).size - wanted.length;
    const { sources } = foldOverlaps(wanted);
    const transfers = planTransfers(sources, placing);
    if (action !== 'trash' && transfers.some(({ target }) => isInTrash(target))) {
      throw new Failure('refused', 'only a deletion with "trash": true puts files into the trash');
    }
    const obstacles = plannedObstacles(transfers);
    if (obstacles.length > 0) throw destinationConflict(obstacles);
    return transfers;
  }

  async #placing(): Promise<Placing> {
    const { action, name, dest: given, begun } = this.#request;
    if (action === 'trash') {
      const [first] = begun ?? [];
      const deletion = (first && trashedAt(first.target)?.deletion) ?? newDeletion(new Date());
      return ({ path }) => trashPath(deletion, path, parentOf(path));
    }
    const naming = namingOf(this.#request);
    if (action === 'restore') {
      return (source) => {
        const original = trashedAt(source.path)?.original ?? '';
        return targetOf({ ...source, path: original }, parentOf(original), naming(source));
      };
    }
    // A path that is renamed stays in its folder, whatever the name of that is.
    const dest = name === undefined ? await destinationFolder(this.#parts.bucket, given) : given;
    return (source) => targetOf(source, dest, naming(source));
  }

  /**
   * Looks at every destination. Resolves to the number of objects at the sources, and of the single ones that
   * an earlier run has already moved; how many objects a folder held that is gone is not known any more.
   */
  async #check(transfers: readonly Transfer[]): Promise<{ total: number; moved: number }> {
    const { bucket } = this.#parts;
    const { action } = this.#request;
    const taken: Obstacle = { reason: 'the destination exists', paths: [] };
    const seen = new Set<Transfer>();
    const lost: string[] = [];
    let total = 0;
    let moved = 0;
    // To tell the copies of an interrupted run from others takes several requests for each.
    await forEachConcurrently(pairsOf(bucket, transfers), COPIES, async (pair) => {
      this.#request.watch.signal.throwIfAborted();
      const { kind, path } = pair.transfer.source;
      if (pair.source) total += 1;
      else if (kind === 'object' && this.#wasCopied && action !== 'copy') moved += 1;
      else if (kind === 'object' && action !== 'trash') lost.push(path);
      if (!isKeyLength(pair.target)) {
        const detail = `the key ${JSON.stringify(pair.target)} would be longer than ${MAX_KEY_BYTES} bytes`;
        const hint = action === 'trash' ? '; delete it without "trash"' : '';
        throw new Failure('refused', `${detail}; nothing was changed${hint}`);
      }
      const isFirst = !seen.has(pair.transfer);
      seen.add(pair.transfer);
      if (pair.existing && !(await this.#isOwn(pair, pair.existing))) taken.paths.push(pair.target);
      if (taken.paths.length > MAX_NAMED) throw destinationConflict([taken]);
      // Folders are compared by listings, which do not show whether the store accepts the new names.
      if (isFirst && kind === 'folder') await findObject(bucket, pair.target);
    });
    if (taken.paths.length > 0) throw destinationConflict([taken]);
    if (lost.length > 0) throw await nothingThere(bucket, lost);
    return { total, moved };
  }

  /** True for an object that an interrupted run of this request left at the destination. */
  async #isOwn({ source, target }: Pair, existing: StoredObject): Promise<boolean> {
    if (this.#request.begun === undefined) return false;
    if (source === undefined) return this.#wasCopied;
    if (this.#isRetagged(target, source, existing)) return true;
    if (!(await isSameObject(this.#parts.bucket, source, existing))) return false;
    this.#remember(target, source.etag, existing.etag);
    return true;
  }

  #remember(target: string, sourceTag: string, copyTag: string): void {
    if (sourceTag !== copyTag) this.#retagged.set(target, `${sourceTag} ${copyTag}`);
  }

  #isCopy(target: string, source: StoredObject, existing: StoredObject | undefined): boolean {
    if (existing === undefined || existing.size !== source.size) return false;
    return existing.etag === source.etag || this.#isRetagged(target, source, existing);
  }

  #isRetagged(target: string, source: StoredObject, existing: StoredObject): boolean {
    return this.#retagged.get(target) === `${source.etag} ${existing.etag}`;
  }

  /** Copies the objects that are not at their destination yet; resolves to the number now there. */
  async #copy(transfers: readonly Transfer[], total: number): Promise<number> {
    const { bucket, limits } = this.#parts;
    let done = 0;
    const copyPair = async (pair: Pair) => {
      const { source, target, existing } = pair;
      if (source === undefined) return;
      this.#request.watch.signal.throwIfAborted();
      if (!existing || !(await this.#isOwn(pair, existing))) {
        if (existing)
          throw new ObjectFailure(target, new ObjectChanged('the destination has been taken since'));
        const etag = await copyObject(bucket, source, target, limits).catch((error) => {
          throw new ObjectFailure(source.key, error);
        });
        this.#remember(target, source.etag, etag);
        this.#hasChanged = true;
      }
      done += 1;
      this.#told(done, total);
    };
    try {
      await forEachConcurrently(pairsOf(bucket, transfers), COPIES, copyPair);
    } catch (error) {
      throw this.#stoppedCopying(done, total, error);
    }
    return done;
  }

  /** Tells how many steps are done; a move has two for each object. */
  #told(done: number, objects: number): void {
    const { action, watch } = this.#request;
    watch.progress(done, action === 'copy' ? objects : 2 * objects);
  }

  #stoppedCopying(done: number, total: number, error: unknown) {
    const failure = error instanceof ObjectFailure ? error : undefined;
    const reason = reasonOf(failure ? failure.cause : error);
    const where = failure
      ? `${JSON.stringify(failure.key)} failed (${reason})`
      : `listing failed (${reason})`;
    return new Failure(
      'incomplete',
      `${done} of ${objectCount(total)} copied, then ${where}; nothing was deleted and every source is in` +
        ` place; send the same request again to copy the rest`,
      { cause: error },
    );
  }

  /** Records that the copies are complete, if the database answers. */
  async #leave(transfers: readonly Transfer[], copied: number): Promise<Cleared> {
    await this.#request.note(transfers).catch(() => undefined);
    return { affected: copied, stayed: 0 };
  }

  /** Deletes the sources whose copies have been seen at their destinations. */
  async #clear(transfers: readonly Transfer[], copied: number): Promise<Cleared> {
    const { watch, hold, note } = this.#request;
    await hold();
    await note(transfers);
    const { bucket, dates } = this.#parts;
    let stayed = 0;
    const isCopy = this.#isCopy.bind(this);
    async function* copies(): AsyncGenerator<MovedObject & { source: StoredObject }, void> {
      for await (const { source, target, existing } of pairsOf(bucket, transfers)) {
        if (source === undefined) continue;
        watch.signal.throwIfAborted();
        if (existing !== undefined && isCopy(target, source, existing)) yield { source, copy: existing };
        else stayed += 1;
      }
    }
    async function* copiedSources(): AsyncGenerator<ObjectToDelete, void> {
      for await (const moved of inBatches(copies(), DATED)) {
        // If the dates cannot be kept, the copies have their own.
        await dates.keep(bucket, moved).catch(() => undefined);
        await hold();
        for (const { source } of moved) yield { key: source.key, etag: source.etag };
      }
    }
    const report = async (deleted: number, gone: readonly ObjectToDelete[]) => {
      this.#hasChanged = true;
      this.#told(copied + deleted, copied);
      await dates.forget(bucket, gone).catch(() => undefined);
    };
    const deletion = await deleteObjects(bucket, copiedSources(), report).catch((error) => {
      throw stoppedDeleting(copied, { deleted: 0, failed: 1, failures: [new ObjectFailure('', error)] });
    });
    if (deletion.failed > 0) throw stoppedDeleting(copied, deletion);
    return { affected: deletion.deleted, stayed };
  }
}

/** A path without a `/` at its end may name a folder. */
function namingOf({ name, names = [] }: TransferRequest): (source: Source) => string | undefined {
  const given = new Map(names.map((one) => [one.path, one.name]));
  return ({ path }) => name ?? given.get(path) ?? given.get(path.replace(/\/$/, ''));
}

type Cleared = Pick<Transferred, 'affected' | 'stayed'>;

const VERBS = { copy: 'copied', move: 'moved', trash: 'moved to the trash', restore: 'restored' };

/** The result of a transfer, as reported to the client. */
export function transferred(
  { action, name }: Pick<TransferRequest, 'action' | 'name'>,
  done: Transferred,
): Outcome {
  const { affected, stayed, folded } = done;
  const verb = name === undefined ? VERBS[action] : 'renamed';
  const message = `${objectCount(affected)} ${verb}${foldedInWords(folded)}`;
  if (stayed === 0) return { message, affected };
  const stay = `${objectCount(stayed)} arrived or changed at the source in the meantime and stay there`;
  return { message: `${message}; ${stay}`, affected };
}

/** Names the paths at which nothing exists, and the folders among them that a file may hide. */
async function nothingThere(bucket: Bucket, lost: readonly string[]): Promise<Failure> {
  const folders = lost.slice(0, MAX_NAMED).filter((path) => path.endsWith('/'));
  const { sources } = await findSources(bucket, folders.map((path) => path.slice(0, -1)).filter(Boolean));
  const files = sources.filter(({ kind }) => kind === 'object').map(({ path }) => path);
  const hint =
    files.length > 0
      ? ` (${quotedPaths(files)} is a file, and MinIO hides the folder with the same name)`
      : '';
  return new Failure('refused', `nothing exists at ${quotedPaths(lost)}${hint}; nothing was changed`);
}

/** The client has to change a name that the store does not accept. */
function explainName(error: unknown): never {
  if (isNameRefused(error)) throw new Failure('refused', `${NAME_REFUSED}; nothing was changed`);
  throw error;
}

function stoppedDeleting(copied: number, deletion: Deletion) {
  return new Failure(
    'incomplete',
    `${objectCount(copied)} copied, ${deletion.deleted} of them deleted at the source; not confirmed as` +
      ` deleted: ${failuresInWords(deletion)}; send the same request again to delete the rest`,
    { cause: deletion.failures[0]?.cause },
  );
}

/** The outcome of the same request before, if its answer may have been lost, and who follows the work. */
interface Deleting {
  before: Outcome | undefined;
  watch: Watch;
}

/** Deletes what the paths name. If nothing is left, the outcome of `before` is returned. */
export async function deletePaths(
  bucket: Bucket,
  { paths, filesOnly }: Pick<BatchRequest, 'paths' | 'filesOnly'>,
  { before, watch }: Deleting,
): Promise<Outcome> {
  const found = await findSources(bucket, paths);
  const { sources, folded } = foldOverlaps(
    filesOnly ? found.sources.filter(({ kind }) => kind === 'object') : found.sources,
  );
  if (before && sources.length === 0) return before;
  const affected = await deleteSources(bucket, sources, watch);
  return { message: `${objectCount(affected)} deleted${foldedInWords(folded)}`, affected };
}

/**
 * Deletes objects and whole folders of any size. Resolves to the number of objects deleted. Throws an
 * `incomplete` {@link Failure} that says how many objects could not be deleted and which.
 */
async function deleteSources(bucket: Bucket, sources: readonly Source[], watch: Watch): Promise<number> {
  const report = (deleted: number) => watch.progress(deleted, null);
  const deletion = await deleteObjects(bucket, objectsOf(bucket, sources, watch.signal), report);
  if (deletion.failed === 0) return deletion.deleted;
  throw new Failure(
    'incomplete',
    `${objectCount(deletion.deleted)} deleted; not confirmed as deleted: ${failuresInWords(deletion)};` +
      ' send the same request again to delete the rest',
    { cause: deletion.failures[0]?.cause },
  );
}

async function* objectsOf(
  bucket: Bucket,
  sources: readonly Source[],
  signal: AbortSignal,
): AsyncGenerator<ObjectToDelete, void> {
  for (const { kind, path } of sources) {
    signal.throwIfAborted();
    if (kind === 'object') yield { key: path };
    else
      for await (const { key } of listObjects(bucket, path)) {
        signal.throwIfAborted();
        yield { key };
      }
  }
}

/** An object's place at the source and at the destination, with the object that is there now. */
interface Pair {
  transfer: Transfer;
  target: string;
  /** Undefined for an object that exists only at the destination. */
  source: StoredObject | undefined;
  /** The object at `target`. */
  existing: StoredObject | undefined;
}

/** Single objects looked up at a time. */
const LOOKUPS = 16;

/**
 * Every pair of `transfers` in its current state. Both folders are listed in parallel in their common order,
 * so that only one page of each is in memory, however many objects there are.
 */
async function* pairsOf(bucket: Bucket, transfers: readonly Transfer[]): AsyncGenerator<Pair, void> {
  const single = transfers.filter(({ source }) => source.kind === 'object');
  for await (const batch of inBatches(each(single), LOOKUPS)) {
    yield* await Promise.all(batch.map((transfer) => singlePair(bucket, transfer)));
  }
  for (const transfer of transfers) {
    if (transfer.source.kind === 'folder') yield* folderPairs(bucket, transfer);
  }
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}

async function singlePair(bucket: Bucket, transfer: Transfer): Promise<Pair> {
  const [source, existing] = await Promise.all([
    findObject(bucket, transfer.source.path),
    findObject(bucket, transfer.target),
  ]);
  return { transfer, target: transfer.target, source, existing };
}

async function* folderPairs(bucket: Bucket, transfer: Transfer): AsyncGenerator<Pair, void> {
  const sources = listObjects(bucket, transfer.source.path);
  const targets = listObjects(bucket, transfer.target);
  let [source, existing] = await Promise.all([following(sources), following(targets)]);
  while (source !== undefined || existing !== undefined) {
    const order = compare(
      source && below(source, transfer.source.path),
      existing && below(existing, transfer.target),
    );
    const pair = { source: order <= 0 ? source : undefined, existing: order >= 0 ? existing : undefined };
    const target = pair.source
      ? transfer.target + below(pair.source, transfer.source.path)
      : (pair.existing?.key ?? '');
    yield { transfer, target, ...pair };
    if (pair.source) source = await following(sources);
    if (pair.existing) existing = await following(targets);
  }
}

async function following(objects: AsyncGenerator<StoredObject, void>): Promise<StoredObject | undefined> {
  const next = await objects.next();
  return next.done ? undefined : next.value;
}

function below({ key }: StoredObject, prefix: string): string {
  return key.slice(prefix.length);
}

/** The order of S3's listings: by UTF-8 bytes. The end of a listing comes last. */
function compare(a: string | undefined, b: string | undefined): number {
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

interface FoundSources {
  /** In the order of the paths. */
  sources: Source[];
  missing: string[];
}

/**
 * Finds what each path names: with a trailing `/` a folder; otherwise the object with that key, or else the
 * folder with that name.
 */
export async function findSources(bucket: Bucket, paths: readonly string[]): Promise<FoundSources> {
  const found = new Map<string, Source | undefined>(paths.map((path) => [path, undefined]));
  await forEachConcurrently([...found.keys()], LOOKUPS, async (path) => {
    found.set(path, await findSource(bucket, path));
  });
  const sources = [...found.values()].filter((source) => source !== undefined);
  const missing = [...found].filter(([, source]) => source === undefined).map(([path]) => path);
  return { sources, missing };
}

async function findSource(bucket: Bucket, path: string): Promise<Source | undefined> {
  if (!path.endsWith('/') && (await isFile(bucket, path))) return { kind: 'object', path };
  const prefix = path.endsWith('/') ? path : `${path}/`;
  return (await isFolder(bucket, prefix)) ? { kind: 'folder', path: prefix } : undefined;
}

/** Nothing exists under a name that the store does not accept. */
async function isFile(bucket: Bucket, key: string): Promise<boolean> {
  return findObject(bucket, key).then(
    (object) => object !== undefined,
    (error: unknown) => {
      if (isNameRefused(error)) return false;
      throw error;
    },
  );
}

/** The sources of a request without those that others contain. */
interface FoldedSources {
  /** Each once, and none inside another. */
  sources: Source[];
  folded: number;
}

/** Drops paths that are named twice or lie in a folder that is named itself, which is taken whole anyway. */
export function foldOverlaps(named: readonly Source[]): FoldedSources {
  const distinct = [...new Map(named.map((source) => [source.path, source])).values()];
  const folders = new Set(distinct.filter(({ kind }) => kind === 'folder').map(({ path }) => path));
  const sources = distinct.filter(({ path }) => !enclosing(path).some((folder) => folders.has(folder)));
  return { sources, folded: named.length - sources.length };
}

/**
 * The prefixes of the folders that `path` lies in, the outermost first: `a/`, `a/b/` for `a/b/c` and for
 * `a/b/c/`.
 */
export function enclosing(path: string): string[] {
  const folders: string[] = [];
  for (let at = path.indexOf('/'); at >= 0 && at < path.length - 1; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at + 1));
  }
  return folders;
}

/** The target of a path in a request: one object, or a folder with everything in it. */
export interface Source {
  kind: 'object' | 'folder';
  /** The key, or the prefix of the folder's keys, which ends with `/`. */
  path: string;
}

export interface Transfer {
  source: Source;
  /** The key, or the folder's new prefix. */
  target: string;
  /** Until everything has been copied: nothing that is missing at the source has been moved by us. */
  copying?: true;
}

/** A reason why sources cannot go where they should, with the paths that are in the way. */
interface Obstacle {
  reason: string;
  paths: string[];
}

/**
 * The destination of `source` in the folder `dest` (a prefix, empty for the root), under its last name unless
 * another is given.
 */
export function targetOf({ kind, path }: Source, dest: string, name: string = lastName(path)): string {
  return kind === 'folder' && !name.endsWith('/') ? `${dest}${name}/` : `${dest}${name}`;
}

/** The last segment of a path; that of a folder includes its `/`. */
export function lastName(path: string): string {
  return path.slice(parentOf(path).length);
}

/** Maps a source to its key or prefix at the destination. */
type Placing = (source: Source) => string;

/** Plans the transfer of every source; one that is named twice is transferred once. */
export function planTransfers(sources: readonly Source[], placing: Placing): Transfer[] {
  const distinct = new Map(sources.map((source) => [source.path, source]));
  return [...distinct.values()].map((source) => ({ source, target: placing(source) }));
}

/** The reasons, independent of the bucket's content, why `transfers` cannot start. */
export function plannedObstacles(transfers: readonly Transfer[]): Obstacle[] {
  const onto = transfers.filter(({ source, target }) => source.path === target);
  const into = transfers.filter(
    ({ source, target }) =>
      source.kind === 'folder' && source.path !== target && target.startsWith(source.path),
  );
  const obstacles = [
    { reason: 'the destination is the source itself', paths: onto.map(({ target }) => target) },
    { reason: 'the destination is inside the source', paths: into.map(({ source }) => source.path) },
    { reason: 'two sources would have the same destination', paths: repeatedTargets(transfers) },
  ];
  return obstacles.filter(({ paths }) => paths.length > 0);
}

/** The failure for obstacles at the destinations; nothing was changed. */
export function destinationConflict(obstacles: readonly Obstacle[]): Failure {
  const reasons = obstacles.map(({ reason, paths }) => `${reason}: ${quotedPaths(paths)}`);
  const code = 'destination_conflict';
  return new Failure('refused', `${reasons.join('; ')}; nothing was changed`, { code });
}

function repeatedTargets(transfers: readonly Transfer[]): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { target } of transfers) (seen.has(target) ? repeated : seen).add(target);
  return [...repeated];
}

/**
 * The folder that `dest`, a prefix, names: an existing one, spelled exactly so, or a new one that follows the
 * rules for new names. Fails as `refused` for a name that no new folder may have.
 */
async function destinationFolder(bucket: Bucket, dest: string): Promise<string> {
  const { success, data = '', error } = folderPath.safeParse(dest);
  if (data !== dest && (await isFolder(bucket, dest))) return dest;
  if (!success) throw new Failure('refused', `dest ${error.issues[0]?.message}`);
  await refuseMarkedFolders(bucket, data);
  return data;
}
