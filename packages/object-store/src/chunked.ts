import { createHash } from 'node:crypto';
import { ByteReader } from './byte-reader.ts';
import { S3Error } from './errors.ts';
import { type ChunkSigner, equals } from './signature.ts';

/** How to read the chunks of a body. */
export interface ChunkedOptions {
  /** Checks the signature of every chunk; undefined when they carry none. */
  signer: ChunkSigner | undefined;
  /** Whether headers follow the last chunk, signed if the chunks are. */
  hasTrailers: boolean;
}

const MAXIMUM_LINE_BYTES = 4096;
const MAXIMUM_TRAILERS = 16;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/**
 * Decodes a body of `Content-Encoding: aws-chunked` and checks the signatures in it. The content of a chunk
 * is passed on before its signature is checked: only the end of the iteration confirms it.
 *
 * @param trailers takes the headers that follow the body, their names in lower case
 * @throws S3Error SignatureDoesNotMatch, IncompleteBody, InvalidRequest
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 */
export async function* decodeChunks(
  source: AsyncIterable<Uint8Array>,
  { signer, hasTrailers }: ChunkedOptions,
  trailers: Map<string, string>,
): AsyncGenerator<Uint8Array> {
  const reader = new ByteReader(source);
  let previous = signer?.seed ?? '';
  for (;;) {
    const { size, signature } = parseChunkHeader(await reader.line(MAXIMUM_LINE_BYTES));
    const hash = createHash('sha256');
    for await (const bytes of reader.take(size)) {
      if (signer) hash.update(bytes);
      yield bytes;
    }
    if (signer) previous = await checkChunk(signer, previous, signature, hash.digest('hex'));
    if (size === 0) break;
    if ((await reader.line(0)) !== '') throw malformed();
  }
  await readTrailers(reader, trailers, hasTrailers ? { signer, previous } : undefined);
}

function parseChunkHeader(line: string): { size: number; signature: string } {
  const match = /^([\da-f]{1,12})(?:;chunk-signature=([\da-f]{64}))?$/i.exec(line.trim());
  if (!match) throw malformed();
  return { size: Number.parseInt(match[1] ?? '', 16), signature: match[2] ?? '' };
}

async function checkChunk(
  signer: ChunkSigner,
  previous: string,
  actual: string,
  sha256: string,
): Promise<string> {
  const { longDate, scope } = signer;
  const stringToSign = ['AWS4-HMAC-SHA256-PAYLOAD', longDate, scope, previous, EMPTY_SHA256, sha256].join(
    '\n',
  );
  const expected = await signer.sign(stringToSign);
  if (!equals(expected, actual))
    throw new S3Error('SignatureDoesNotMatch', 'The signature of a chunk is wrong.');
  return expected;
}

async function readTrailers(
  reader: ByteReader,
  trailers: Map<string, string>,
  options: { signer: ChunkSigner | undefined; previous: string } | undefined,
): Promise<void> {
  for (let count = 0; ; count += 1) {
    const line = await reader.lineOrEnd(MAXIMUM_LINE_BYTES);
    if (!line) break;
    const colon = line.indexOf(':');
    if (colon < 1 || count >= MAXIMUM_TRAILERS || !options) throw malformed();
    trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  if (options?.signer) await checkTrailers(options.signer, options.previous, trailers);
}

async function checkTrailers(
  signer: ChunkSigner,
  previous: string,
  trailers: Map<string, string>,
): Promise<void> {
  const name = 'x-amz-trailer-signature';
  const actual = trailers.get(name) ?? '';
  trailers.delete(name);
  const canonical = [...trailers]
    .map(([header, value]) => `${header}:${value}\n`)
    .sort()
    .join('');
  const sha256 = createHash('sha256').update(canonical).digest('hex');
  const { longDate, scope } = signer;
  const expected = await signer.sign(
    ['AWS4-HMAC-SHA256-TRAILER', longDate, scope, previous, sha256].join('\n'),
  );
  if (!equals(expected, actual))
    throw new S3Error('SignatureDoesNotMatch', 'The trailer signature is wrong.');
}

function malformed(): S3Error {
  return new S3Error('InvalidRequest', 'The body is not valid aws-chunked data.');
}
