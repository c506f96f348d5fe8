import type { Bucket } from '../buckets/bucket.ts';
import { listObjects, type StoredObject } from '../listing/object-page.ts';
import { inBatches } from './concurrently.ts';
import type { Transfer } from './destination.ts';
import { findObject } from './stored-object.ts';

/** An object's place at the source and at the destination, with what is there now. */
export interface Pair {
  transfer: Transfer;
  /** The key at the destination. */
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
export async function* pairsOf(bucket: Bucket, transfers: readonly Transfer[]): AsyncGenerator<Pair, void> {
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
