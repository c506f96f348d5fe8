import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { S3Error } from './response.ts';

const MAXIMUM_KEY_BYTES = 1024;

/** A request to this server, taken apart: path-style addressing, `/bucket/key`. */
export interface S3Request {
  method: string;
  /** Decoded path, as it is signed once more: `/`, `/bucket`, `/bucket/key`. */
  path: string;
  /** Empty for the service itself. */
  bucket: string;
  /** Empty for a bucket. Any characters, `.` and `..` segments and double slashes included. */
  key: string;
  query: URLSearchParams;
  /** The headers, their names in lower case, their values as bytes (each character is one). */
  headers: Record<string, string>;
  incoming: IncomingMessage;
}

/**
 * Takes a request apart.
 *
 * @throws S3Error InvalidURI, KeyTooLongError
 */
export function parseRequest(incoming: IncomingMessage): S3Request {
  const target = Buffer.from(incoming.url ?? '/', 'latin1').toString('utf8');
  const mark = target.indexOf('?');
  const path = decodePath(mark < 0 ? target : target.slice(0, mark));
  const slash = path.indexOf('/', 1);
  const key = slash < 0 ? '' : path.slice(slash + 1);
  if (Buffer.byteLength(key) > MAXIMUM_KEY_BYTES) throw new S3Error('KeyTooLongError');
  return {
    method: incoming.method ?? 'GET',
    path,
    bucket: slash < 0 ? path.slice(1) : path.slice(1, slash),
    key,
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    headers: flatHeaders(incoming),
    incoming,
  };
}

/** A value of a header as text: what clients send beyond ASCII is UTF-8, or else Latin-1. */
export function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** The bytes of a text as the value of a header. */
export function headerBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * An integer of the query, `fallback` when it is not there.
 *
 * @throws S3Error InvalidArgument unless it is an integer from `minimum` to `maximum`
 */
export function integerParameter(
  query: URLSearchParams,
  name: string,
  { fallback, minimum, maximum }: { fallback: number; minimum: number; maximum: number },
): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw new S3Error('InvalidArgument', `${name} must be an integer from ${minimum} to ${maximum}.`);
}

function decodePath(path: string): string {
  if (!path.startsWith('/')) throw new S3Error('InvalidURI');
  try {
    return decodeURIComponent(path);
  } catch {
    throw new S3Error('InvalidURI', 'The path is not percent-encoded UTF-8.');
  }
}

function flatHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (values) headers[name] = values.join(',');
  }
  return headers;
}

// The SDK computes these for a body that it does not have when it signs the URL.
const IGNORED = /^x-amz-(checksum-|sdk-checksum-algorithm|trailer|content-sha256)/;

/**
 * The headers of a request, those included that the signer of its URL has put into the query: metadata,
 * the source of a copy and the like.
 */
export function withHoistedHeaders({ headers, query }: S3Request): Record<string, string> {
  if (!query.has('X-Amz-Signature')) return headers;
  const hoisted: Record<string, string> = {};
  for (const [name, value] of query) {
    if (name.startsWith('x-amz-') && !IGNORED.test(name)) hoisted[name] = headerBytes(value);
  }
  return { ...hoisted, ...headers };
}
