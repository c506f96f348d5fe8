import {
  algorithmOfHeader,
  type Checksum,
  type ChecksumAlgorithm,
  checksumDigest,
  type Digest,
  hashDigest,
} from './checksums.ts';
import { decodeChunks } from './chunked.ts';
import { S3Error } from './errors.ts';
import type { S3Request } from './request.ts';
import type { Authorization } from './signature.ts';

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
