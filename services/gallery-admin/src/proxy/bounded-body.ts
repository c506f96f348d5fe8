import { finished, Readable } from 'node:stream';
import { mediaTooLarge } from './failures.ts';

/**
 * Waits for the first bytes of `source`, the body of an answer, and returns it as a stream of at most
 * `maxBytes`. One that has declared its length, which the caller has checked, cannot be longer (RFC 9112,
 * section 6.3); another fails beyond that, and stops the source. Rethrows an error of the source before its
 * first byte.
 */
export async function boundedBody(
  source: Readable,
  maxBytes: number,
  isDeclared: boolean,
): Promise<Readable> {
  await begun(source);
  if (isDeclared) return source;
  const body = Readable.from(bounded(source, maxBytes), { objectMode: false });
  // A generator that nothing was read from does not stop the source when it is ended.
  return body.once('close', () => source.on('error', () => undefined).destroy());
}

/** Resolves once there is something to read, or the end. */
function begun(source: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopWatching = finished(source, { writable: false }, (error) => {
      source.off('readable', begin);
      if (error) reject(error);
      else resolve();
    });
    const begin = () => {
      stopWatching();
      resolve();
    };
    source.once('readable', begin);
  });
}

async function* bounded(source: Readable, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw mediaTooLarge(maxBytes);
    yield chunk;
  }
}
