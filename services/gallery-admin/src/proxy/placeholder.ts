/**
 * Stands for an image of which there is no thumbnail: a sheet with a folded corner, visible on light and
 * dark. No thumbnail is as wide and high as 481 px, by which a page knows it, because it cannot see the
 * headers of what an `<img>` loads.
 */
export const PLACEHOLDER = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="481" height="481" viewBox="0 0 24 24" fill="none" stroke="#8a8a84">' +
    '<path d="M8.5 7.5h4.5l2.5 2.5v6.5h-7zM13 7.5v2.5h2.5"/></svg>',
);

/** The most bytes of an image that is sent in place of its thumbnail. */
const MAX_BYTES = 256 * 1024;

/** Images that browsers draw although no thumbnail is made of them. */
const DRAWN_BY_BROWSERS = /^image\/(svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)\s*(;|$)/i;

/** Whether an image without a thumbnail may be sent as it is: small, and of a kind that browsers draw. */
export function mayBeSentWhole({ image, contentType }: { image: Buffer; contentType: string }): boolean {
  return image.length <= MAX_BYTES && DRAWN_BY_BROWSERS.test(contentType);
}
