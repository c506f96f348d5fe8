/**
 * An image service for Astro: pictures of the gallery's public media are drawn by the gallery, so a build
 * neither fetches nor keeps them. Name it as `image.service.entrypoint`.
 */
import { describePicture, isPublicMedia, renditionUrl, renditionWidth } from './pictures.ts';

/** The members of Astro's transforms that matter here. */
interface Transform {
  /** An address, or an image that the site imports. */
  src: string | { src: string };
  width?: number;
  height?: number;
  widths?: number[];
  densities?: (number | `${number}x`)[];
  format?: string;
  quality?: string | number | null;
  fit?: string;
  [attribute: string]: unknown;
}

/** Members of a transform that are no attributes of the element. */
const NO_ATTRIBUTES = ['src', 'widths', 'densities', 'format', 'quality', 'fit', 'position', 'background'];

/** The gallery's names for the values of CSS `object-fit`. */
const FITS: Readonly<Record<string, 'cover' | 'contain' | 'inside'>> = {
  cover: 'cover',
  contain: 'inside',
  inside: 'inside',
  'scale-down': 'inside',
};

const FORMATS = ['avif', 'webp', 'jpeg'] as const;

/** Qualities by Astro's names for them. */
const QUALITIES: Readonly<Record<string, number>> = { low: 50, mid: 75, high: 90, max: 90 };

function addressOf(src: Transform['src']): string {
  return typeof src === 'string' ? src : src.src;
}

function urlOf({ src, width, height, format, quality, fit }: Transform): string {
  const box = fit === undefined ? undefined : FITS[fit];
  return renditionUrl(addressOf(src), {
    width,
    // Without a fit, the height is the picture's own at this width.
    height: box === undefined ? undefined : height,
    fit: box,
    format: FORMATS.find((one) => one === format),
    quality: quality == null ? undefined : (QUALITIES[quality] ?? Number(quality)),
  });
}

/** The renditions of a picture beside the one of `src`. */
function sourcesOf({ widths, densities, ...one }: Transform) {
  const { src, width, height } = one;
  if (!isPublicMedia(addressOf(src))) return [];
  const scaled = (to: number) => ({
    ...one,
    width: to,
    ...(width !== undefined && height !== undefined && { height: Math.round((height * to) / width) }),
  });
  if (widths !== undefined) {
    const rungs = [...new Set(widths.map(renditionWidth))];
    return rungs.map((to) => ({ transform: scaled(to), descriptor: `${to}w` as const }));
  }
  if (width === undefined) return [];
  return (densities ?? []).map((density) => {
    const times = Number.parseFloat(String(density));
    return { transform: scaled(Math.round(width * times)), descriptor: `${times}x` as const };
  });
}

function attributesOf(transform: Transform): Record<string, unknown> {
  return Object.fromEntries(Object.entries(transform).filter(([name]) => !NO_ATTRIBUTES.includes(name)));
}

/** The size of a public picture; undefined for other addresses, whose size Astro finds by itself. */
function remoteSize(url: string): Promise<{ width: number; height: number }> | undefined {
  if (!isPublicMedia(url)) return undefined;
  return describePicture(url).then((picture) => {
    if (picture === undefined) throw new Error(`${url} is no picture that the gallery can draw`);
    return { width: picture.width, height: picture.height };
  });
}

/** The service, as `ExternalImageService` of Astro has it. */
export default {
  getURL: urlOf,
  getSrcSet: sourcesOf,
  getHTMLAttributes: attributesOf,
  getRemoteSize: remoteSize,
};
