import { Readable } from 'node:stream';
import { mediaTooLarge } from './failures.ts';

/**
 * Waits for the first bytes of `source` and gives them and what follows as a stream of at most `maxBytes`: after
 * them it fails and stops the source. Throws what the source throws before its first byte.
 */
export async function boundedBody(source: Readable, maxBytes: number): Promise<Readable> {
  const chunks = bounded(source, maxBytes);
  const first = await chunks.next();
  if (first.done) return Readable.from([]);
  return Readable.from(startingWith(first.value, chunks), { objectMode: false });
}

async function* bounded(source: Readable, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw mediaTooLarge(maxBytes);
    yield chunk;
  }
}

async function* startingWith(
  first: Buffer,
  rest: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  try {
    yield first;
    yield* rest;
  } finally {
    // A reader that stops at the first chunk has not begun with the rest.
    await rest.return();
  }
}
