import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
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
  return decoded(await readWhole(body, headers['content-length']), headers['content-encoding'], maxBytes);
}

/**
 * Frees the memory of an image that is no longer read, unless it is shared. V8 counts it towards the heap:
 * left to the collector, every few images would cost a collection of everything.
 */
export function release({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

async function readWhole(body: Readable, declared: string | undefined): Promise<Buffer> {
  try {
    if (declared === undefined) return Buffer.concat(await body.toArray());
    // Where each chunk belongs at once: no second copy of the image is ever in memory.
    const image = Buffer.allocUnsafeSlow(Number(declared));
    let at = 0;
    body.on('data', (chunk: Buffer) => {
      at += chunk.copy(image, at);
    });
    await finished(body, { writable: false });
    return image.subarray(0, at);
  } catch (error) {
    throw error instanceof Failure ? error : upstreamFailed('the connection broke', error);
  }
}
