import { createHash } from 'node:crypto';
import { Crc32 } from '@smithy/core/checksum';
import type { S3Request } from './request.ts';
import { S3Error } from './response.ts';
import { type Authorization, type ChunkSigner, equals } from './signature.ts';

/** The most that one request may upload or copy: 5 GiB, as in S3. */
export const MAXIMUM_UPLOAD_BYTES = 5 * 1024 ** 3;

const SHA256 = /^[\da-f]{64}$/;
const MAXIMUM_DOCUMENT_BYTES = 8 * 1024 * 1024;

/**
 * The body of a request as the client meant it: decoded, and compared with the length, the signature and
 * the checksums that came with it. Iterating gives the bytes as they arrive and throws after the last one
 * when they were not the right ones, so that whoever stores them knows before it is too late.
 */
export class Payload implements AsyncIterable<Uint8Array> {
  readonly #request: S3Request;
  readonly #authorization: Authorization;
  readonly #trailers = new Map<string, string>();
  #md5: Uint8Array = new Uint8Array();
  #checksum: Checksum | undefined;

  constructor(request: S3Request, authorization: Authorization) {
    this.#request = request;
    this.#authorization = authorization;
  }

  /** MD5 of the bytes. After the iteration. */
  get md5(): Uint8Array {
    return this.#md5;
  }

  /** The checksum that the client sent, which was right. After the iteration. */
  get checksum(): Checksum | undefined {
    return this.#checksum;
  }

  /**
   * Checks what the headers say of the length of an upload.
   *
   * @throws S3Error MissingContentLength, EntityTooLarge
   */
  checkLength(): void {
    const length = this.#announcedLength;
    if (length === undefined) throw new S3Error('MissingContentLength');
    if (length > MAXIMUM_UPLOAD_BYTES) throw new S3Error('EntityTooLarge');
  }

  /**
   * All of a body that is a document.
   *
   * @throws S3Error MalformedXML when it is too long; what the iteration throws
   */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this) {
      size += chunk.byteLength;
      if (size > MAXIMUM_DOCUMENT_BYTES) throw new S3Error('MalformedXML', 'The document is too long.');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    checkContentMd5(this.#request.headers['content-md5']);
    const checksumHeader = this.#checksumHeader();
    const checksum = checksumHeader && checksumDigest(checksumHeader.algorithm);
    const { payload } = this.#authorization;
    const sha256 = SHA256.test(payload) ? hashDigest('sha256') : undefined;
    const md5 = hashDigest('md5');
    const digests = [md5, checksum, sha256].filter((digest) => digest !== undefined);

    yield* passThrough(this.#decoded(), digests, this.#announcedLength);

    if (sha256 && hex(await sha256.digest()) !== payload) throw new S3Error('XAmzContentSHA256Mismatch');
    this.#md5 = await md5.digest();
    const expectedMd5 = this.#request.headers['content-md5'] ?? this.#trailers.get('content-md5');
    if (expectedMd5 && base64(this.#md5) !== expectedMd5) {
      throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
    }
    if (checksumHeader && checksum) {
      this.#checksum = this.#compare(checksumHeader, base64(await checksum.digest()));
    }
  }

  // In bytes; undefined when the headers do not announce it.
  get #announcedLength(): number | undefined {
    const { headers } = this.#request;
    const isChunked = this.#authorization.payload.startsWith('STREAMING-');
    const text = headers[isChunked ? 'x-amz-decoded-content-length' : 'content-length'];
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  }

  #decoded(): AsyncIterable<Uint8Array> {
    const { payload, chunks } = this.#authorization;
    // Whoever stops reading still answers over this connection.
    const incoming = this.#request.incoming.iterator({ destroyOnReturn: false });
    const decode = (isSigned: boolean, hasTrailers: boolean) =>
      decodeChunks(incoming, { signer: isSigned ? chunks : undefined, hasTrailers }, this.#trailers);
    if (payload === 'UNSIGNED-PAYLOAD' || SHA256.test(payload)) return incoming;
    if (payload === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD') return decode(true, false);
    if (payload === 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER') return decode(true, true);
    if (payload === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') return decode(false, true);
    throw new S3Error(
      'InvalidArgument',
      'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING- value, or a SHA-256 in hexadecimal.',
    );
  }

  #checksumHeader(): { name: string; algorithm: ChecksumAlgorithm } | undefined {
    const { headers } = this.#request;
    const announced = (headers['x-amz-trailer'] ?? '').toLowerCase().split(',');
    const names = [...Object.keys(headers), ...announced.map((name) => name.trim())];
    const found = names.flatMap((name) => {
      const algorithm = algorithmOfHeader(name);
      return algorithm ? [{ name, algorithm }] : [];
    });
    if (found.length > 1) throw new S3Error('InvalidRequest', 'Expecting a single x-amz-checksum- header.');
    return found[0];
  }

  #compare({ name, algorithm }: { name: string; algorithm: ChecksumAlgorithm }, actual: string): Checksum {
    const expected = this.#request.headers[name] ?? this.#trailers.get(name);
    if (expected === actual) return { algorithm, value: actual };
    throw new S3Error('BadDigest', `The ${algorithm} you specified did not match what we received.`);
  }
}

async function* passThrough(
  source: AsyncIterable<Uint8Array>,
  digests: Digest[],
  announcedLength: number | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (announcedLength !== undefined && size > announcedLength) throw new S3Error('IncompleteBody');
    for (const digest of digests) digest.update(chunk);
    yield chunk;
  }
  if (announcedLength !== undefined && size !== announcedLength) throw new S3Error('IncompleteBody');
}

function checkContentMd5(expected: string | undefined): void {
  if (expected === undefined || /^[A-Za-z\d+/]{22}==$/.test(expected)) return;
  throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.');
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Options for reading the chunks of a body. */
interface ChunkedOptions {
  /** Checks the signature of every chunk; undefined when they carry none. */
  signer: ChunkSigner | undefined;
  /** True if headers follow the last chunk, signed if the chunks are. */
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

/** The checksum that the AWS SDK sends next to Content-MD5, unless configured to send another one. */
export type ChecksumAlgorithm = 'CRC32';

/** A checksum of an object or a part. */
export interface Checksum {
  algorithm: ChecksumAlgorithm;
  /** Base64. */
  value: string;
}

interface Digest {
  update(bytes: Uint8Array): void;
  /** Bytes; called once, at the end. */
  digest(): Promise<Uint8Array>;
}

const ALGORITHMS: Record<ChecksumAlgorithm, () => Digest> = {
  CRC32: () => new Crc32(),
};

const HEADER_PREFIX = 'x-amz-checksum-';

function checksumDigest(algorithm: ChecksumAlgorithm): Digest {
  return ALGORITHMS[algorithm]();
}

/** Begins a hash of `node:crypto`. */
export function hashDigest(algorithm: 'md5' | 'sha256'): Digest {
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest() };
}

/** `x-amz-checksum-crc32`. */
function checksumHeader(algorithm: ChecksumAlgorithm): string {
  return `${HEADER_PREFIX}${algorithm.toLowerCase()}`;
}

/** Checksum headers that do not contain a checksum. */
const ABOUT_CHECKSUMS = ['algorithm', 'mode', 'type'].map((name) => HEADER_PREFIX + name);

/**
 * The algorithm that a header's name stands for, or undefined when the header is of another kind.
 *
 * @throws S3Error NotImplemented for a checksum that this store does not compute: it must not look as if it
 * were checked
 */
export function algorithmOfHeader(name: string): ChecksumAlgorithm | undefined {
  const algorithm = knownAlgorithm(name);
  if (algorithm || !name.startsWith(HEADER_PREFIX) || ABOUT_CHECKSUMS.includes(name)) return algorithm;
  throw new S3Error(
    'NotImplemented',
    `This object store does not check ${name}; it supports x-amz-checksum-crc32.`,
  );
}

function knownAlgorithm(name: string): ChecksumAlgorithm | undefined {
  return Object.keys(ALGORITHMS).find(
    (algorithm): algorithm is ChecksumAlgorithm => name === checksumHeader(algorithm as ChecksumAlgorithm),
  );
}

/**
 * The algorithm of a name such as `CRC32`.
 *
 * @throws S3Error InvalidRequest when it is none of those that this store computes
 */
export function checksumAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = knownAlgorithm(HEADER_PREFIX + name.toLowerCase());
  if (algorithm) return algorithm;
  throw new S3Error(
    'InvalidRequest',
    `The checksum algorithm must be one of ${Object.keys(ALGORITHMS).join(', ')}.`,
  );
}

/** The headers with the checksum of what a client reads or has written. */
export function checksumHeaders(checksum: Checksum | undefined): Record<string, string> {
  if (!checksum) return {};
  return { [checksumHeader(checksum.algorithm)]: checksum.value, 'x-amz-checksum-type': 'FULL_OBJECT' };
}

/** The same as members of a document: `ChecksumCRC32`. */
export function checksumElements(checksum: Checksum | undefined): Record<string, string> {
  return checksum ? { [`Checksum${checksum.algorithm}`]: checksum.value } : {};
}

/** Reads lines and byte ranges from a stream of chunks, buffering at most a chunk and a line. */
class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /**
   * The bytes up to the next CRLF, as Latin-1 text; undefined when the stream ends before any.
   *
   * @throws S3Error IncompleteBody when the stream ends in the line, InvalidRequest when it has over
   *   `maximum` bytes
   */
  async lineOrEnd(maximum: number): Promise<string | undefined> {
    for (;;) {
      const end = this.#buffer.indexOf('\r\n');
      if (end > maximum || (end < 0 && this.#buffer.length > maximum + 1)) {
        throw new S3Error('InvalidRequest', 'A line of the chunked body is too long.');
      }
      if (end >= 0) {
        const line = this.#buffer.toString('latin1', 0, end);
        this.#buffer = this.#buffer.subarray(end + 2);
        return line;
      }
      if (await this.#fill()) continue;
      if (this.#buffer.length === 0) return undefined;
      throw new S3Error('IncompleteBody');
    }
  }

  /** The same where the stream must not end. */
  async line(maximum: number): Promise<string> {
    const line = await this.lineOrEnd(maximum);
    if (line === undefined) throw new S3Error('IncompleteBody');
    return line;
  }

  /**
   * The next `count` bytes.
   *
   * @throws S3Error IncompleteBody when the stream ends before
   */
  async *take(count: number): AsyncGenerator<Uint8Array> {
    let remaining = count;
    while (remaining > 0) {
      if (this.#buffer.length === 0 && !(await this.#fill())) throw new S3Error('IncompleteBody');
      const bytes = this.#buffer.subarray(0, remaining);
      this.#buffer = this.#buffer.subarray(bytes.length);
      remaining -= bytes.length;
      yield bytes;
    }
  }

  async #fill(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#buffer =
      this.#buffer.length > 0
        ? Buffer.concat([this.#buffer, value])
        : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return true;
  }
}
