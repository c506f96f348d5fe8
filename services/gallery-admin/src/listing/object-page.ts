import type { Bucket } from '../buckets/bucket.ts';
import { MAX_KEY_BYTES } from '../names.ts';
import { isNameRefused } from '../store-names.ts';
import { sendListObjects } from './list-objects.ts';
import type { Listing } from './listing-xml.ts';

/** An object as a listing reports it. */
export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** The entity tag without its quotes; an MD5 only for unencrypted objects stored in one piece. */
  readonly etag: string;
  readonly lastModified: Date;
  /** `STANDARD` or another storage class; undefined if the store has none. */
  readonly storageClass: string | undefined;
}

/** Selects a page of a listing. */
export interface PageRequest {
  prefix: string;
  /** `/` to list folders instead of their content. */
  delimiter?: string;
  continuationToken?: string | undefined;
  /** Only keys after this one. */
  startAfter?: string | undefined;
  /** Objects and folders combined, 1–1000. */
  maxKeys?: number;
}

/** A page of a listing, in the store's order: by the bytes of the keys. */
export interface ObjectPage {
  objects: StoredObject[];
  /** The folders, each as the prefix of its keys. */
  prefixes: string[];
  /** Cursor of the next page; null on the last one. */
  continuationToken: string | null;
}

/** Lists one page of a bucket. Keys are returned exactly as stored, whatever characters they contain. */
export async function listPage(bucket: Bucket, page: PageRequest): Promise<ObjectPage> {
  // No key has a prefix longer than a key may be, and stores reject such a request.
  if (Buffer.byteLength(page.prefix) > MAX_KEY_BYTES) return EMPTY_PAGE;
  const listing = await sendListObjects(bucket.s3, {
    Bucket: bucket.name,
    Prefix: page.prefix,
    Delimiter: page.delimiter,
    ContinuationToken: page.continuationToken,
    StartAfter: page.startAfter || undefined,
    MaxKeys: page.maxKeys,
    // XML cannot represent every character that a key may contain.
    EncodingType: 'url',
  }).catch((error: unknown) => {
    // Nothing exists under a name that the store does not accept.
    if (page.continuationToken === undefined && isNameRefused(error)) return undefined;
    throw error;
  });
  return listing === undefined ? EMPTY_PAGE : readPage(listing);
}

const EMPTY_PAGE: ObjectPage = { objects: [], prefixes: [], continuationToken: null };

/** Lists every object whose key begins with `prefix`, page by page, with one page in memory at a time. */
export async function* listObjects(bucket: Bucket, prefix: string): AsyncGenerator<StoredObject, void> {
  let continuationToken: string | undefined;
  do {
    const page = await listPage(bucket, { prefix, continuationToken });
    yield* page.objects;
    continuationToken = page.continuationToken ?? undefined;
  } while (continuationToken !== undefined);
}

function readPage(answer: Listing): ObjectPage {
  // A store that does not support the encoding leaves it out of its answer.
  const decode = answer.EncodingType === 'url' ? decodeKey : (key: string) => key;
  return {
    objects: (answer.Contents ?? []).map(({ Key = '', Size = 0, ETag = '', LastModified, StorageClass }) => ({
      key: decode(Key),
      size: Size,
      etag: unquoted(ETag),
      lastModified: LastModified ?? new Date(0),
      storageClass: StorageClass,
    })),
    prefixes: (answer.CommonPrefixes ?? []).map(({ Prefix = '' }) => decode(Prefix)),
    continuationToken: (answer.IsTruncated && answer.NextContinuationToken) || null,
  };
}

/**
 * Undoes `encoding-type=url`, in which AWS writes a space as `+` and others as `%20`; a plus is always `%2B`.
 */
export function decodeKey(encoded: string): string {
  return decodeURIComponent(encoded.replaceAll('+', ' '));
}

/** An entity tag without quotes: stores quote it in some answers and not in others. */
export function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1');
}
