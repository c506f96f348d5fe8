import { S3Error } from './errors.ts';
import { headerBytes } from './request.ts';

/** Headers that are kept with an object and sent with it, names in lower case, values as bytes. */
export type ObjectHeaders = Record<string, string>;

const KEPT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];
const METADATA_PREFIX = 'x-amz-meta-';
const MAXIMUM_METADATA_BYTES = 2048;
const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';

// Accepting one of these and ignoring it would be worse than refusing it.
const NOT_IMPLEMENTED = [
  /^x-amz-server-side-encryption/,
  /^x-amz-copy-source-server-side-encryption/,
  /^x-amz-object-lock/,
  /^x-amz-bucket-object-lock/,
  /^x-amz-tagging$/,
  /^x-amz-website-redirect-location$/,
  /^x-amz-grant-/,
  /^x-amz-write-offset-bytes$/,
];
const PRIVATE_ACLS = ['private', 'bucket-owner-full-control'];

/**
 * The request headers that are stored with the object.
 *
 * @throws S3Error MetadataTooLarge
 */
export function objectHeaders(headers: Record<string, string>): ObjectHeaders {
  const kept: ObjectHeaders = { 'content-type': DEFAULT_CONTENT_TYPE };
  let metadataBytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const isMetadata = name.startsWith(METADATA_PREFIX);
    if (isMetadata) metadataBytes += name.length - METADATA_PREFIX.length + value.length;
    if ((isMetadata || KEPT.includes(name)) && value !== '') kept[name] = value;
  }
  if (metadataBytes > MAXIMUM_METADATA_BYTES) throw new S3Error('MetadataTooLarge');
  return withoutTransferCoding(kept);
}

/** The headers of an object's answer: its own, or overrides in the query. */
export function responseHeaders(kept: ObjectHeaders, query: URLSearchParams): ObjectHeaders {
  const headers = { ...kept };
  for (const name of KEPT) {
    const override = query.get(`response-${name}`);
    if (override) headers[name] = headerBytes(override);
  }
  return headers;
}

/**
 * Refuses headers that ask for something this store does not do.
 *
 * @throws S3Error NotImplemented, naming the header
 */
export function refuseUnimplemented(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    const isRefused =
      NOT_IMPLEMENTED.some((pattern) => pattern.test(name)) ||
      (name === 'x-amz-acl' && !PRIVATE_ACLS.includes(value)) ||
      (name === 'x-amz-storage-class' && value !== 'STANDARD');
    if (isRefused)
      throw new S3Error('NotImplemented', `This object store does not implement ${name}: ${value}`);
  }
}

// `aws-chunked` describes the transfer, not the object's encoding.
function withoutTransferCoding(headers: ObjectHeaders): ObjectHeaders {
  const { 'content-encoding': encoding, ...others } = headers;
  const codings = (encoding ?? '').split(',').map((coding) => coding.trim());
  const kept = codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked').join(', ');
  return kept === '' ? others : { ...others, 'content-encoding': kept };
}
