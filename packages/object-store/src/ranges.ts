import { S3Error } from './errors.ts';

/** A stretch of an object. */
export interface ByteRange {
  /** Offset of the first byte. */
  start: number;
  /** Bytes, at least one. */
  length: number;
}

/**
 * Reads a `Range` header (RFC 9110, section 14). One range is served; a list, another unit or nonsense is
 * ignored, which the RFC allows and S3 does.
 *
 * @returns undefined when the whole object is to be sent
 * @throws S3Error InvalidRange when no byte of the object lies in the range, or it ends before it begins
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) throw unsatisfiable(size);
  return { start, length: end - start + 1 };
}

/**
 * Reads `x-amz-copy-source-range`, which must be `bytes=first-last` and lie within the object.
 *
 * @throws S3Error InvalidArgument, InvalidRange
 */
export function parseCopyRange(header: string | undefined, size: number): ByteRange {
  if (header === undefined) return { start: 0, length: size };
  const match = /^bytes=(\d+)-(\d+)$/.exec(header);
  if (!match) {
    throw new S3Error(
      'InvalidArgument',
      'The x-amz-copy-source-range value must be of the form bytes=first-last.',
    );
  }
  const [start, end] = [Number(match[1]), Number(match[2])];
  if (start > end || end >= size) throw unsatisfiable(size);
  return { start, length: end - start + 1 };
}

function unsatisfiable(size: number): S3Error {
  return new S3Error('InvalidRange', undefined, { 'content-range': `bytes */${size}` });
}
