import type { Readable } from 'node:stream';
import { Failure } from '@pressroom/common/failures/failure';
import { decoded } from './content-coding.ts';
import { notAnImage, upstreamFailed } from './failures.ts';
import type { Media } from './media-request.ts';

/**
 * The bytes of an image, without its content coding. Fails as `refused` for anything else, and for more than
 * `maxBytes`.
 */
export async function imageBytes({ headers, body }: Media, maxBytes: number): Promise<Buffer> {
  const contentType = headers['content-type'] ?? '';
  if (!/^image\//i.test(contentType)) {
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
