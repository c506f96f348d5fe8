import { Readable } from 'node:stream';
import { mediaTooLarge } from './failures.ts';

/**
 * Waits for the first bytes of `source` and returns it as a stream of at most `maxBytes`; beyond that the
 * stream fails and stops the source. Rethrows an error of the source before its first byte.
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
    // A reader that stops at the first chunk has not started on the rest.
    await rest.return();
  }
}
