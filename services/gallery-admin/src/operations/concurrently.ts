/**
 * Runs `work` on every item, at most `limit` at a time, and takes an item from `items` only when there is
 * room for it, so that a source of any length is never in memory as a whole. After a failure nothing new
 * starts; running work is awaited, and then the first failure is thrown.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const iterator = asyncIterator(items);
  const worker = async () => {
    while (failures.length === 0) {
      const next = await iterator.next();
      if (next.done || failures.length > 0) return;
      await work(next.value);
    }
  };
  const guarded = () => worker().catch((error) => void failures.push(error));
  await Promise.all(Array.from({ length: limit }, guarded));
  if (failures.length > 0) throw failures[0];
}

/** An async generator hands out its items one by one even if several workers ask at once. */
async function* asyncIterator<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void> {
  yield* items;
}

/** Gathers items into lists of `size`, the last one shorter. */
export async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
