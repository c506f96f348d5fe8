import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { FetchFault } from './fetch-fault.ts';

/** Content codings (RFC 9110, section 8.4.1; RFC 8878) and how they are undone. */
const DECODERS = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/** The codings to ask for. */
export const ACCEPTED_CODINGS = 'gzip, br, zstd';

/** The most stacked codings that are undone. */
const MAX_CODINGS = 2;

/**
 * Reads a body whole and undoes its `Content-Encoding`, chunk by chunk, so that a bomb is stopped at
 * `maxBytes` of what it unpacks to. Throws a {@link FetchFault}.
 */
export async function decodedBody(
  body: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  if (codings.length > MAX_CODINGS) {
    throw new FetchFault('its answer has too many layers of Content-Encoding');
  }
  const plain = await unpacked(bounded(body, maxBytes), codings, maxBytes);
  const chunks: Buffer[] = [];
  for await (const chunk of plain) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function unpacked(
  source: AsyncIterable<Buffer>,
  codings: readonly string[],
  maxBytes: number,
): Promise<AsyncIterable<Buffer>> {
  let result = source;
  for (const coding of codings) {
    const make = DECODERS.get(coding);
    if (make === undefined) {
      throw new FetchFault(`its answer has the unknown Content-Encoding ${coding}`);
    }
    result = bounded(decodedChunks(result, make(), coding), maxBytes);
  }
  return result;
}

async function* decodedChunks(
  source: AsyncIterable<Buffer>,
  decoder: NodeJS.ReadWriteStream,
  coding: string,
): AsyncGenerator<Buffer> {
  let upstream: unknown;
  const input = Readable.from(source);
  input.on('error', (error) => {
    upstream = error;
    decoder.emit('error', error);
  });
  input.pipe(decoder);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
  } catch (error) {
    if (upstream !== undefined) throw upstream;
    throw new FetchFault(`its answer is not valid ${coding}`, error);
  } finally {
    input.destroy();
  }
}

async function* bounded(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new FetchFault(`its answer is larger than ${maxBytes / 2 ** 20} MiB`);
    }
    yield chunk;
  }
}
