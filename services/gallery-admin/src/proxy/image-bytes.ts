import type { Readable } from 'node:stream';
import { Failure } from '@pressroom/common/failures/failure';
import { decoded } from './content-coding.ts';
import { notAnImage, upstreamFailed } from './failures.ts';
import type { Media } from './media-request.ts';

/** Types that stores have for files with pictures in them, such as a camera's raw ones. */
const DRAWN =
  /^(?:image\/|(?:application\/(?:pdf|postscript|illustrator|octet-stream)|binary\/octet-stream)\s*(?:;|$))/i;

/** Whether a file of this media type may be drawn, if it has a picture in it. */
export function mayBeDrawn(contentType: string | undefined): boolean {
  return DRAWN.test(contentType ?? '');
}

/**
 * The bytes of an image, without its content coding. Fails as `refused` for anything else, and for more than
 * `maxBytes`.
 */
export async function imageBytes({ headers, body }: Media, maxBytes: number): Promise<Buffer> {
  const contentType = headers['content-type'] ?? '';
  if (!mayBeDrawn(contentType)) {
    body.destroy();
    throw notAnImage(contentType);
  }
  return decoded(await readWhole(body), headers['content-encoding'], maxBytes);
}

async function readWhole(body: Readable): Promise<Buffer> {
  try {
    return Buffer.concat(await body.toArray());
  } catch (error) {
    throw error instanceof Failure ? error : upstreamFailed('the connection broke', error);
  }
}
