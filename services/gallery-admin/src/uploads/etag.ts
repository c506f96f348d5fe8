import { createHash } from 'node:crypto';

/** An entity tag without its quotes, in lower case: stores and clients spell tags in several ways. */
export function bareEtag(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1').toLowerCase();
}

/** True for two spellings of the same entity tag: clients send it with or without quotes. */
export function isSameEtag(one: string, other: string): boolean {
  return bareEtag(one) === bareEtag(other);
}

/**
 * The entity tag that S3 gives an object with these parts: the MD5 of their MD5s and the number of parts.
 * Stores that encrypt or number parts differently give another one.
 */
export function etagOfParts(etags: readonly string[]): string {
  const digest = createHash('md5');
  for (const etag of etags) digest.update(Buffer.from(bareEtag(etag), 'hex'));
  return `"${digest.digest('hex')}-${etags.length}"`;
}
