import { Problem } from '@pressroom/common/problems/problem';

/** 400: the URL leads to something that is no picture, film or sound. */
export function notMedia(contentType: string | undefined): Problem {
  const type = contentType === undefined ? 'something without a media type' : `"${contentType}"`;
  return new Problem(
    400,
    'not_media',
    `the URL leads to ${type}; only images, videos and audio are passed on`,
  );
}

/** 400: the URL leads to more bytes than are passed on. */
export function mediaTooLarge(maxBytes: number): Problem {
  const limit = `${maxBytes / 2 ** 20} MiB`;
  return new Problem(
    400,
    'media_too_large',
    `the URL leads to more than ${limit}, the most that is passed on`,
  );
}

/** 400: a thumbnail is asked for of something that is no image. */
export function notAnImage(contentType: string): Problem {
  return new Problem(
    400,
    'not_an_image',
    `the URL leads to "${contentType}"; thumbnails are made of images alone`,
  );
}

/** 400: the image is too large to be decoded. */
export function tooManyPixels(maxPixels: number): Problem {
  const limit = `${maxPixels / 1e6} megapixels`;
  return new Problem(
    400,
    'too_many_pixels',
    `the image has more than ${limit}, the most that is made smaller`,
  );
}

/** 416: the range is not in the media; `contentRange` tells its size, as the host did. */
export function rangeNotSatisfiable(contentRange: string | undefined): Problem {
  const headers: Record<string, string> = contentRange === undefined ? {} : { 'content-range': contentRange };
  return new Problem(416, 'range_not_satisfiable', 'the range lies outside of the media', { headers });
}

/** 500: the host failed; `what` says how, without its own words. */
export function upstreamFailed(what: string, cause?: unknown): Problem {
  return new Problem(500, 'upstream_failed', `the host of the URL failed: ${what}`, { cause });
}

/** 504: the host did not begin to answer in time. */
export function upstreamTimeout(ms: number): Problem {
  return new Problem(
    504,
    'upstream_timeout',
    `the host of the URL did not begin to answer within ${ms / 1000} s`,
  );
}

/** The client has gone away: nobody reads this, and it is no failure of ours (499, as proxies log it). */
export function clientGone(): Problem {
  return new Problem(499, 'client_gone', 'the client went away before it had everything');
}
