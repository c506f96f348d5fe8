import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions, zstdDecompress } from 'node:zlib';
import { mediaTooLarge, upstreamFailed } from './failures.ts';

type Decode = (bytes: Buffer, options: Pick<ZlibOptions, 'maxOutputLength'>) => Promise<Buffer>;

/** Content codings (RFC 9110, section 8.4.1) and how they are undone. */
const DECODERS = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** Codings that change nothing; S3 clients leave `aws-chunked` in stored metadata. */
const PLAIN = new Set(['', 'identity', 'aws-chunked']);

/** The most stacked codings that are decoded. */
const MAX_CODINGS = 3;

/**
 * Undoes the codings of `header` (`Content-Encoding`). Fails if one is unknown or does not match the bytes,
 * or if the result has more than `maxBytes`.
 */
export async function decoded(bytes: Buffer, header: string | undefined, maxBytes: number): Promise<Buffer> {
  const codings = (header ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => !PLAIN.has(coding));
  if (codings.length > MAX_CODINGS)
    throw upstreamFailed('its answer has too many layers of Content-Encoding');
  let result = bytes;
  for (const coding of codings.reverse()) result = await decodeOne(result, coding, maxBytes);
  return result;
}

async function decodeOne(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  const decode = DECODERS.get(coding);
  if (decode === undefined) throw upstreamFailed(`its answer has an unsupported Content-Encoding`);
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw mediaTooLarge(maxBytes);
    throw upstreamFailed(`its answer is not valid ${coding}, although its Content-Encoding says so`, error);
  }
}
