import { json } from 'node:stream/consumers';
import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { isMissing, objectTag } from '../proxy/bucket-media.ts';
import { pictureDescription } from './media.ts';
import type { PublicPrefixes } from './public-prefixes.ts';
import { type Renditions, versionedPath, versionOf } from './renditions.ts';

/** The client of the decoders that articles are. */
const OWNER = 'articles';

/**
 * What content keeps of a picture of an article, by its address; null if its path is that of no public
 * picture that can be drawn. Fails as the store does, and as `unavailable` while too much waits.
 */
export async function lookAt(
  { bucket, published, renditions }: { bucket: Bucket; published: PublicPrefixes; renditions: Renditions },
  url: string,
  signal: AbortSignal,
) {
  const key = keyOf(url, published);
  if (key === undefined) return null;
  try {
    const etag = await objectTag(bucket, { key, versionId: undefined }, signal);
    const version = versionOf(etag);
    const request = { method: 'GET', headers: {}, signal } as const;
    const picture = { bucket, key, version, etag };
    const { body } = await renditions.read(picture, 'description', request, OWNER);
    const { width, height, thumbhash, color, alt, credit, rights } = pictureDescription.parse(
      await json(body),
    );
    const texts = { alt: kept(alt), credit: kept(credit), rights: kept(rights) };
    return { path: versionedPath(key, version), width, height, thumbhash, color, ...texts };
  } catch (error) {
    if (isMissing(error) || (error instanceof Failure && error.kind === 'refused')) return null;
    throw error;
  }
}

/** The key of the public picture to whose path an address leads. */
function keyOf(url: string, published: PublicPrefixes): string | undefined {
  const path = URL.parse(url, 'http://gallery')?.pathname.replace(/^\/media\//i, '');
  try {
    const address = published.read(decodeURIComponent(path ?? ''));
    return address?.isDescription ? undefined : address?.key;
  } catch {
    return undefined;
  }
}

/** Metadata may be cut within a character, which content could not keep. */
function kept(text: string | null): string | null {
  return text?.toWellFormed() ?? null;
}
