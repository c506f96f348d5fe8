import { type Image, imageUrl } from '../../image.ts';
import { cutText, plainText } from './plain-text.ts';
import type { RawImage } from './raw-feed.ts';

/** The most characters of what an image is said to show. */
const MAX_ALT = 1000;

/** Of whoever wrote the entry: WordPress lists it among the entry's pictures. */
const AVATAR = /^https:\/\/(?:[^/]+\.)?gravatar\.com\/avatar\//;

/** Pictures that count readers or fill space. */
const PIXEL =
  /^https:\/\/(?:pixel|stats|counter)\.|\/(?:pixel|spacer|blank|transparent|1x1)\.(?:gif|png)(?:[?#]|$)/i;

/** The least width and height of a picture, in pixels, where they are given. */
const LEAST = 10;

/** Whether a media type is that of an image. */
export function isImage(type: string | undefined): boolean {
  return /^\s*image\//i.test(type ?? '');
}

/** Whether a file is sound or film: by its media type, else by its name. */
export function isRecording(type: string, url: string): boolean {
  return type === ''
    ? /\.(?:mp3|m4a|ogg|opus|mp4|m4v|webm)(?:[?#]|$)/i.test(url)
    : /^\s*(?:audio|video)\//i.test(type);
}

/** The first of these that can be shown. */
export function entryImage(images: readonly RawImage[], feedBase: string): Image | undefined {
  for (const { href, base, width, height, alt } of images) {
    const url = imageUrl(href, base ?? feedBase);
    if (url === undefined || AVATAR.test(url)) continue;
    const [wide, high] = [pixels(width), pixels(height)];
    if (PIXEL.test(url) || Math.min(wide ?? LEAST, high ?? LEAST) < LEAST) continue;
    const text = cutText(plainText({ value: alt ?? '', markup: 'unknown' }), MAX_ALT).trim();
    return {
      url,
      ...(wide !== undefined && { width: wide }),
      ...(high !== undefined && { height: high }),
      ...(text !== '' && { alt: text }),
    };
  }
  return undefined;
}

/** A number of pixels; undefined if it is none. */
export function pixels(text: string | undefined): number | undefined {
  const digits = /^\s*([1-9]\d{0,4})(?:\.\d+)?(?:px)?\s*$/.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}
