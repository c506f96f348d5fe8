import { extname } from 'node:path/posix';
import { lookup } from 'mime-types';

/** How a gallery shows a file. */
export type MediaKind = 'image' | 'video' | 'audio' | 'file';

/**
 * The media type for a key's extension. A listing does not include the stored one, and a request for each of
 * a thousand files would take longer than the listing itself.
 */
export function mediaTypeOf(key: string): string {
  return lookup(extname(key)) || 'application/octet-stream';
}

/** How a gallery shows a file of this media type. */
export function mediaKindOf(mediaType: string): MediaKind {
  const [kind] = mediaType.split('/', 1);
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}
