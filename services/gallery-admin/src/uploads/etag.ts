import { createHash } from 'node:crypto';

/** An entity tag without its quotes, in lower case: stores and clients spell one tag in several ways. */
export function bareEtag(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1').toLowerCase();
}

/** True for two spellings of one entity tag: clients send it with quotes or without. */
export function isSameEtag(one: string, other: string): boolean {
  return bareEtag(one) === bareEtag(other);
}

/**
 * The entity tag that S3 gives an object of parts with these tags: the MD5 of their MD5s, and how many there
 * are. Stores that encrypt, or number otherwise, give another one.
 */
export function etagOfParts(etags: readonly string[]): string {
  const digest = createHash('md5');
  for (const etag of etags) digest.update(Buffer.from(bareEtag(etag), 'hex'));
  return `"${digest.digest('hex')}-${etags.length}"`;
}
