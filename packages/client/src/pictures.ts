import { ApiClient, type ClientOptions } from './api-client.ts';
import type { components } from './openapi/gallery-admin.ts';
import { type ProblemCode, ProblemError } from './problem.ts';

/** The widths that the gallery makes renditions in, in pixels: all others are raised to the next one. */
export const RENDITION_WIDTHS = [64, 128, 256, 384, 640, 828, 1080, 1280, 1600, 1920, 2560, 3840] as const;

/** A picture in words and numbers: its size as seen, a ThumbHash, its colour, `alt`, `credit`, `rights`. */
export type PictureDescription = components['schemas']['Picture'];

/** Appearance of a rendition; absent members have the gallery's defaults (`docs/gallery-media.md`). */
export interface RenditionOptions {
  /** In pixels; a picture is never enlarged. */
  width?: number | undefined;
  /** Height of the box that the picture is put into, in pixels. */
  height?: number | undefined;
  fit?: 'inside' | 'cover' | 'contain' | undefined;
  /** The part that a crop keeps: `auto`, or shares from the left and the top such as `0.5,0.2`. */
  focus?: string | undefined;
  /** Absent: the best format that the browser accepts. */
  format?: 'auto' | 'avif' | 'webp' | 'jpeg' | undefined;
  /** From 1 to 100. */
  quality?: number | undefined;
}

/** The renditions of a `srcset`. */
export interface SourceSetOptions extends Omit<RenditionOptions, 'width' | 'height'> {
  /** The picture's own width in pixels, beyond which no rendition is wider. */
  width?: number | undefined;
  /** The width of a box for each pixel of its height. */
  ratio?: number | undefined;
}

/** True if an address, with or without a host, is one of the gallery's public media. */
export function isPublicMedia(address: string): boolean {
  return /^(?:https?:\/\/[^/?#]+)?\/media\/[^?#]/i.test(address);
}

/**
 * The address of a rendition of a public picture; its width is one of {@link RENDITION_WIDTHS}, so that
 * everybody asks for the same ones. Any other address stays as it is.
 */
export function renditionUrl(address: string, { width, height, ...look }: RenditionOptions): string {
  if (!isPublicMedia(address)) return address;
  const rung = width === undefined ? undefined : renditionWidth(width);
  const box = rung === undefined || width === undefined ? 1 : rung / width;
  const query = {
    w: rung,
    h: height === undefined ? undefined : Math.max(1, Math.round(height * box)),
    fit: look.fit,
    focus: look.focus,
    format: look.format,
    q: look.quality,
  };
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${value}`,
  );
  return [pathOf(address), ...(given.length > 0 ? [given.join('&')] : [])].join('?');
}

/** The `srcset` of a public picture: every width up to its own. Of any other address it is empty. */
export function sourceSet(
  address: string,
  { width: own = Infinity, ratio, ...look }: SourceSetOptions = {},
): string {
  if (!isPublicMedia(address)) return '';
  const rungs = RENDITION_WIDTHS.filter((_, index) => (RENDITION_WIDTHS[index - 1] ?? 0) < own);
  return rungs
    .map((width) => {
      const height = ratio === undefined ? undefined : width / ratio;
      return `${renditionUrl(address, { ...look, width, height })} ${Math.min(width, own)}w`;
    })
    .join(', ');
}

/** A loader for `next/image`. Addresses of other hosts stay as they are. */
export function nextImageLoader({ src, ...look }: { src: string; width: number; quality?: number }): string {
  return renditionUrl(src, look);
}

/** The answer at the address of a picture's description. */
interface Descriptions {
  [path: string]: {
    get: {
      parameters: { query?: never; path?: never };
      requestBody?: never;
      responses: { 200: { content: { 'application/json': PictureDescription } } };
    };
  };
}

/** Codes that mean there is no description, and never will be of these bytes. */
const NOT_DESCRIBED: readonly ProblemCode[] = [
  'not_found',
  'not_media',
  'not_an_image',
  'media_too_large',
  'too_many_pixels',
];

/**
 * Reads the description of a public picture by its address with a host. Undefined if there is no such
 * picture, or none that the gallery can draw. Throws as the methods of {@link ApiClient} do.
 */
export async function describePicture(
  address: string,
  options: Omit<ClientOptions, 'baseUrl'> = {},
): Promise<PictureDescription | undefined> {
  if (!isPublicMedia(address)) return undefined;
  const { origin, pathname } = new URL(address);
  try {
    return await new ApiClient<Descriptions>({ ...options, baseUrl: origin }).get(`${pathname}.json`);
  } catch (error) {
    if (error instanceof ProblemError && NOT_DESCRIBED.includes(error.code)) return undefined;
    throw error;
  }
}

/** The width of {@link RENDITION_WIDTHS} that serves one in pixels. */
export function renditionWidth(width: number): number {
  return RENDITION_WIDTHS.find((rung) => rung >= width) ?? 3840;
}

function pathOf(address: string): string {
  return address.replace(/[?#].*$/s, '');
}
