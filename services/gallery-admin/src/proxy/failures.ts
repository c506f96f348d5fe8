import { Failure } from '@pressroom/common/failures/failure';
import type { Unseen } from '../stills/still-result.ts';

/** The URL points to something other than an image, video or audio. */
export function notMedia(contentType: string | undefined): Failure {
  const type = contentType === undefined ? 'a file without a media type' : `"${contentType}"`;
  return new Failure('refused', `the URL points to ${type}; only images, videos and audio are allowed`, {
    code: 'not_media',
  });
}

/** The URL points to more bytes than the proxy passes on. */
export function mediaTooLarge(maxBytes: number): Failure {
  const limit = `${maxBytes / 2 ** 20} MiB`;
  return new Failure('refused', `the URL points to more than ${limit}, the largest size allowed`, {
    code: 'media_too_large',
  });
}

/** A thumbnail is requested of something other than an image. */
export function notAnImage(contentType: string): Failure {
  return new Failure(
    'refused',
    `the file is "${contentType}"; thumbnails and renditions are only available for images`,
    {
      code: 'not_an_image',
    },
  );
}

/** Why there is no picture of a file, and what to do about it. */
const UNSEEN: Record<Unseen, string> = {
  damaged: 'is damaged or incomplete; publish it again',
  unsupported: 'is not of a format that pictures are made of; publish it as a JPEG, PNG or WebP',
  too_complex: 'takes too much time or memory to draw; publish it as a JPEG, PNG or WebP',
  no_preview: 'is a raw file of a camera without a preview in it; publish it as a JPEG',
  locked: 'is a PDF with a password; publish it without one',
};

/** No picture can be made of a file that may have one. */
export function cannotDraw(unseen: Unseen, contentType: string): Failure {
  return new Failure('refused', `this file ("${contentType}") ${UNSEEN[unseen]}`, { code: 'not_an_image' });
}

/** The host failed; `what` says how, without quoting its message. */
export function upstreamFailed(what: string, cause?: unknown): Failure {
  return new Failure('upstream_failed', `the host of the URL failed: ${what}`, { cause });
}

/** The active bucket has no such version of the file; `cause` is the store's refusal. */
export function noSuchVersion(versionId: string, cause: unknown): Failure {
  const version = JSON.stringify(versionId);
  return new Failure('refused', `the bucket has no version ${version} of this file; leave "versionId" out`, {
    cause,
  });
}

/** The host did not start to answer in time. */
export function upstreamTimeout(ms: number): Failure {
  return new Failure('upstream_timeout', `the host of the URL did not start to answer within ${ms / 1000} s`);
}

/** The host did not send the whole file in time. */
export function upstreamTooSlow(ms: number): Failure {
  return new Failure(
    'upstream_timeout',
    `the host of the URL did not send the whole file within ${ms / 1000} s`,
  );
}

/** The range lies outside the media; `contentRange` has its size, as reported by the host. */
export class RangeOutside extends Error {
  readonly contentRange: string | undefined;

  constructor(contentRange: string | undefined) {
    super('the range lies outside the media');
    this.contentRange = contentRange;
  }
}
