import {
  createBucket,
  deleteBucket,
  deleteBucketCors,
  getBucketCors,
  getBucketLocation,
  headBucket,
  listBuckets,
  putBucketCors,
} from './buckets.ts';
import { listObjectsV2 } from './listing.ts';
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listParts,
  uploadPart,
  uploadPartCopy,
} from './multipart.ts';
import { copyObject, deleteObject, deleteObjects, getObject, putObject } from './objects.ts';
import type { Operation } from './operation.ts';
import type { S3Request } from './request.ts';
import { S3Error } from './response.ts';

// Query parameters that select something other than the object or bucket itself. Ignoring one could overwrite
// an object with its ACL.
const NOT_IMPLEMENTED = new Set(
  `accelerate acl analytics append attributes encryption intelligent-tiering inventory legal-hold lifecycle
   logging metadataConfiguration metadataTable metrics notification object-lock ownershipControls policy
   policyStatus publicAccessBlock renameObject replication requestPayment restore retention select session
   tagging torrent versionId versioning versions website`.split(/\s+/),
);

/**
 * The operation that a request asks for.
 *
 * @throws S3Error NotImplemented, MethodNotAllowed
 */
export function findOperation(request: S3Request): Operation {
  const refused = [...request.query.keys()].find((name) => NOT_IMPLEMENTED.has(name));
  if (refused) throw new S3Error('NotImplemented', `This object store does not implement ?${refused}`);
  const operation = findIn(request);
  if (!operation) throw new S3Error('MethodNotAllowed');
  return operation;
}

function findIn(request: S3Request): Operation | undefined {
  if (request.bucket === '') return request.method === 'GET' ? listBuckets : undefined;
  return request.key === '' ? ofBucket(request) : ofObject(request);
}

function ofBucket({ method, query }: S3Request): Operation | undefined {
  if (query.has('cors')) {
    return { GET: getBucketCors, PUT: putBucketCors, DELETE: deleteBucketCors }[method];
  }
  if (method === 'POST') return query.has('delete') ? deleteObjects : undefined;
  if (method !== 'GET') return { PUT: createBucket, HEAD: headBucket, DELETE: deleteBucket }[method];
  if (query.has('location')) return getBucketLocation;
  if (query.get('list-type') === '2' && !query.has('uploads')) return listObjectsV2;
  throw new S3Error('NotImplemented', 'This object store only supports listing objects with list-type=2.');
}

function ofObject({ method, query, headers }: S3Request): Operation | undefined {
  const isCopy = headers['x-amz-copy-source'] !== undefined;
  if (query.has('uploadId')) {
    return {
      PUT: isCopy ? uploadPartCopy : uploadPart,
      POST: completeMultipartUpload,
      DELETE: abortMultipartUpload,
      GET: listParts,
    }[method];
  }
  if (method === 'POST') return query.has('uploads') ? createMultipartUpload : undefined;
  return { PUT: isCopy ? copyObject : putObject, GET: getObject, HEAD: getObject, DELETE: deleteObject }[
    method
  ];
}
