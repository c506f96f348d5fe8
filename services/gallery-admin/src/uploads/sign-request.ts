import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Bucket } from '../buckets/bucket.ts';
import type { WriteCondition } from './conditional-writes.ts';
import type { UploadRequest } from './schema.ts';

/** How long the URL is valid, in s (`docs/spec/wire.md`, "Upload"). */
const EXPIRES_IN = 900;

/** The headers that a browser must send with the URL. */
export interface SignedRequest {
  url: string;
  /** The object's final name, in Unicode's composed form. */
  key: string;
  /** The signed headers; they must be sent unchanged. */
  headers: Record<string, string>;
}

/** The headers that a browser sends with a signed write. */
export function headersOf(
  contentType: string | undefined,
  condition?: WriteCondition,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (contentType !== undefined) headers['Content-Type'] = contentType;
  if (condition !== undefined && 'IfMatch' in condition) headers['If-Match'] = condition.IfMatch;
  if (condition !== undefined && 'IfNoneMatch' in condition) headers['If-None-Match'] = condition.IfNoneMatch;
  return headers;
}

/**
 * Signs one of the six S3 requests of an upload to a key, and no others: none of them reads or deletes the
 * object or lists anything but the parts of one upload.
 *
 * @param condition of the request that puts the file at its key
 */
export async function signRequest(
  { name, signer }: Bucket,
  request: UploadRequest,
  condition?: WriteCondition,
): Promise<SignedRequest> {
  const { key } = request;
  const contentType = 'contentType' in request ? request.contentType : undefined;
  const url = await presigned(signer, { Bucket: name, Key: key, ...condition }, request, {
    expiresIn: EXPIRES_IN,
    // A type that was not given must not be signed: the SDK adds its own for parts and part lists.
    ...(contentType !== undefined && { signableHeaders: new Set(['content-type']) }),
  });
  return { url, key, headers: headersOf(contentType, condition) };
}

function presigned(
  signer: Bucket['signer'],
  target: { Bucket: string; Key: string },
  request: UploadRequest,
  options: Parameters<typeof getSignedUrl>[2],
): Promise<string> {
  if (!('uploadId' in request)) {
    const described = { ...target, ContentType: request.contentType };
    if (request.method === 'PUT') return getSignedUrl(signer, new PutObjectCommand(described), options);
    return getSignedUrl(signer, new CreateMultipartUploadCommand(described), options);
  }
  const upload = { ...target, UploadId: request.uploadId };
  switch (request.method) {
    case 'PUT': {
      const part = new UploadPartCommand({ ...upload, PartNumber: request.partNumber });
      return getSignedUrl(signer, part, options);
    }
    case 'GET':
      return getSignedUrl(signer, new ListPartsCommand(upload), options);
    case 'POST':
      return getSignedUrl(signer, new CompleteMultipartUploadCommand(upload), options);
    case 'DELETE':
      return getSignedUrl(signer, new AbortMultipartUploadCommand(upload), options);
  }
}
