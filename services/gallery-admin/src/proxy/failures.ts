import { Failure } from '@pressroom/common/failures/failure';

/** The URL leads to something other than a picture, film or sound. */
export function notMedia(contentType: string | undefined): Failure {
  const type = contentType === undefined ? 'something without a media type' : `"${contentType}"`;
  return new Failure('refused', `the URL leads to ${type}; only images, videos and audio are passed on`, {
    code: 'not_media',
  });
}

/** The URL leads to more bytes than are passed on. */
export function mediaTooLarge(maxBytes: number): Failure {
  const limit = `${maxBytes / 2 ** 20} MiB`;
  return new Failure('refused', `the URL leads to more than ${limit}, the most that is passed on`, {
    code: 'media_too_large',
  });
}

/** A thumbnail is asked for of something other than an image. */
export function notAnImage(contentType: string): Failure {
  return new Failure('refused', `the URL leads to "${contentType}"; thumbnails are made of images alone`, {
    code: 'not_an_image',
  });
}

/** The image is too large to be decoded. */
export function tooManyPixels(maxPixels: number): Failure {
  const limit = `${maxPixels / 1e6} megapixels`;
  return new Failure('refused', `the image has more than ${limit}, the most that is made smaller`, {
    code: 'too_many_pixels',
  });
}

/** The host failed; `what` says how, without its own words. */
export function upstreamFailed(what: string, cause?: unknown): Failure {
  return new Failure('upstream_failed', `the host of the URL failed: ${what}`, { cause });
}

/** The host did not begin to answer in time. */
export function upstreamTimeout(ms: number): Failure {
  return new Failure('upstream_timeout', `the host of the URL did not begin to answer within ${ms / 1000} s`);
}

/** The range lies outside of the media; `contentRange` tells its size, as the host did. */
export class RangeOutside extends Error {
  readonly contentRange: string | undefined;

  constructor(contentRange: string | undefined) {
    super('the range lies outside of the media');
    this.contentRange = contentRange;
  }
}
