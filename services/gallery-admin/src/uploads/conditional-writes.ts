import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { TEST_PREFIX } from '../buckets/check.ts';
import { isStoreFault, statusOf } from '../buckets/store-fault.ts';
import { unquoted } from '../listing/object-page.ts';

/** What has to be at a key when it is written: the object with this entity tag, or none. */
export type WriteCondition = { IfMatch: string } | { IfNoneMatch: '*' };

/** The writes with which a file gets to its key. */
export type Write = 'put' | 'complete';

/** How a store wants an entity tag in `If-Match`. */
type TagSpelling = (etag: string) => string;

/** The spelling for each write whose conditions a store honours. */
type Honoured = Partial<Record<Write, TagSpelling>>;

const quoted: TagSpelling = (etag) => `"${etag}"`;
/** Ceph takes quotes for a part of the tag. */
const bare: TagSpelling = (etag) => etag;

const NONE: WriteCondition = { IfNoneMatch: '*' };
const OTHER: WriteCondition = { IfMatch: quoted('0123456789abcdef0123456789abcdef') };

/** Finds out, once for a bucket, which conditions its store honours: some ignore or refuse them. */
export class ConditionalWrites {
  readonly #known = new Map<string, Promise<Honoured>>();

  /** The condition that what was `found` at a key is what is replaced; undefined if the store has none. */
  async unlessChanged(
    bucket: Bucket,
    write: Write,
    found: { etag: string } | undefined,
  ): Promise<WriteCondition | undefined> {
    const spelling = (await this.#honoured(bucket))[write];
    if (spelling === undefined) return undefined;
    return found === undefined ? NONE : { IfMatch: spelling(found.etag) };
  }

  #honoured(bucket: Bucket): Promise<Honoured> {
    const key = bucket.baseUrls.join(' ');
    const known = this.#known.get(key) ?? tryWrites(bucket);
    this.#known.set(key, known);
    // What has not been found out is tried again.
    known.catch(() => this.#known.delete(key));
    return known;
  }
}

async function tryWrites({ name, s3 }: Bucket): Promise<Honoured> {
  const object = { Bucket: name, Key: `${TEST_PREFIX}${randomUUID()}` };
  const put = (condition?: WriteCondition) =>
    s3.send(new PutObjectCommand({ ...object, Body: 'a test', ...condition }));
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object));
  const upload = { ...object, UploadId };
  try {
    const { ETag } = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'a test' }));
    const parts = { MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
    const complete = (condition: WriteCondition) =>
      s3.send(new CompleteMultipartUploadCommand({ ...upload, ...parts, ...condition }));
    const etag = unquoted((await put()).ETag ?? '');
    const spelling = (await isRefused(put({ IfMatch: quoted(etag) }))) ? bare : quoted;
    const isHonoured = async (write: (condition: WriteCondition) => Promise<unknown>) =>
      (await isRefused(write(NONE))) && (await isRefused(write(OTHER)));
    return {
      ...((await isHonoured(put)) &&
        !(await isRefused(put({ IfMatch: spelling(etag) }))) && { put: spelling }),
      ...((await isHonoured(complete)) && { complete: spelling }),
    };
  } finally {
    await s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    await s3.send(new DeleteObjectCommand(object)).catch(() => undefined);
  }
}

/** Whether a write is refused because its condition does not hold. A store that does not answer throws. */
function isRefused(write: Promise<unknown>): Promise<boolean> {
  return write.then(
    () => false,
    (error: unknown) => {
      if (isConditionRefused(error)) return true;
      if (isStoreFault(error) && statusOf(error) !== undefined) return false;
      throw error;
    },
  );
}

/** True for a write that was refused because another has been there before. */
export function isConditionRefused(error: unknown): boolean {
  return isStoreFault(error) && [409, 412].includes(statusOf(error) ?? 0);
}
