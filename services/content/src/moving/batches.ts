import type { SourceEntry } from './source-entry.ts';

/** How many entries are written in one transaction: for as long, no other writer makes a slug. */
const MOST = 50;

/** How many characters they have at most; an entry alone may have more. */
const MOST_CHARACTERS = 2 ** 21;

/** Groups entries into batches of bounded size. */
export async function* batchesOf(entries: AsyncIterable<SourceEntry>): AsyncGenerator<SourceEntry[]> {
  let batch: SourceEntry[] = [];
  let characters = 0;
  for await (const entry of entries) {
    batch.push(entry);
    characters += charactersOf(entry);
    if (batch.length < MOST && characters < MOST_CHARACTERS) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function charactersOf(entry: SourceEntry): number {
  if (!('line' in entry) || typeof entry.line !== 'object' || entry.line === null) return 0;
  const texts = Object.values(entry.line).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + text.length, 0);
}
