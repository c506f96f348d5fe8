import { headerBytes, type S3Request } from './request.ts';

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
