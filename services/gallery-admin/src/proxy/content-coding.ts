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

/** Codings that change nothing; S3 clients leave `aws-chunked` in what they store. */
const PLAIN = new Set(['', 'identity', 'aws-chunked']);

/** More codings on top of each other than anybody means. */
const MAX_CODINGS = 3;

/**
 * Undoes the codings of `header` (`Content-Encoding`). Fails when one is not known or does not fit the bytes, and when
 * there are more than `maxBytes` in the end.
 */
export async function decoded(bytes: Buffer, header: string | undefined, maxBytes: number): Promise<Buffer> {
  const codings = (header ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => !PLAIN.has(coding));
  if (codings.length > MAX_CODINGS)
    throw upstreamFailed('its answer is encoded more often than anybody means');
  let result = bytes;
  for (const coding of codings.reverse()) result = await decodeOne(result, coding, maxBytes);
  return result;
}

async function decodeOne(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  const decode = DECODERS.get(coding);
  if (decode === undefined) throw upstreamFailed(`its answer has a Content-Encoding that is not known here`);
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw mediaTooLarge(maxBytes);
    throw upstreamFailed(`its answer is not ${coding}, as it says`, error);
  }
}
