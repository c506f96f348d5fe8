import { type Image, imageUrl } from '../../image.ts';
import { cutText, plainText } from './plain-text.ts';
import type { RawImage } from './raw-feed.ts';

/** The most characters of what an image is said to show. */
const MAX_ALT = 1000;

/** Of whoever wrote the entry: WordPress lists it among the entry's pictures. */
const AVATAR = /^https:\/\/(?:[^/]+\.)?gravatar\.com\/avatar\//;

/** Whether a media type is that of an image. */
export function isImage(type: string | undefined): boolean {
  return /^\s*image\//i.test(type ?? '');
}

/** The first of these that can be shown. */
export function entryImage(images: readonly RawImage[], feedBase: string): Image | undefined {
  for (const { href, base, width, height, alt } of images) {
    const url = imageUrl(href, base ?? feedBase);
    if (url === undefined || AVATAR.test(url)) continue;
    const [wide, high] = [pixels(width), pixels(height)];
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
