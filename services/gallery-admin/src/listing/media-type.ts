import { extname } from 'node:path/posix';
import { lookup } from 'mime-types';

/** What a gallery shows a file as. */
export type MediaKind = 'image' | 'video' | 'audio' | 'file';

/**
 * The media type that a key's ending stands for: a listing does not tell the stored one, and a question for each
 * of a thousand files would take longer than the listing itself.
 */
export function mediaTypeOf(key: string): string {
  return lookup(extname(key)) || 'application/octet-stream';
}

/** What a gallery shows a file of this media type as. */
export function mediaKindOf(mediaType: string): MediaKind {
  const [kind] = mediaType.split('/', 1);
  return kind === 'image' || kind === 'video' || kind === 'audio' ? kind : 'file';
}
