import { createHash } from 'node:crypto';
import { Crc32 } from '@smithy/core/checksum';
import { S3Error } from './errors.ts';

/** The checksum that the AWS SDK sends next to Content-MD5, unless configured to send another one. */
export type ChecksumAlgorithm = 'CRC32';

/** A checksum of an object or a part. */
export interface Checksum {
  algorithm: ChecksumAlgorithm;
  /** Base64. */
  value: string;
}

/** A digest under computation. */
export interface Digest {
  update(bytes: Uint8Array): void;
  /** Bytes; called once, at the end. */
  digest(): Promise<Uint8Array>;
}

const ALGORITHMS: Record<ChecksumAlgorithm, () => Digest> = {
  CRC32: () => new Crc32(),
};

const HEADER_PREFIX = 'x-amz-checksum-';

/** Begins a checksum. */
export function checksumDigest(algorithm: ChecksumAlgorithm): Digest {
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
