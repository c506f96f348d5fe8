import { galleryClient } from '@pressroom/client';
import type { GalleryApi } from '../../media/api/gallery.ts';
import { freeNames } from '../../media/state/free-names.ts';
import { shownAddress } from '../../media/state/shown-address.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type { Picture } from '../editor/editing/figures.ts';
import type { Fields } from './fields.ts';

/** Why a picture was not uploaded. */
export type PictureFault = 'noPublicFolder' | 'placeKnown' | 'notUploaded';

/** A picture that was not uploaded. */
export class PictureError extends Error {
  readonly fault: PictureFault;

  constructor(fault: PictureFault) {
    super(fault);
    this.name = 'PictureError';
    this.fault = fault;
  }
}

/** The address at which anybody sees a picture of a public folder. */
export function publicPicture(base: URL, key: string, contentType: string): string {
  const path = `media/${key.split('/').map(encodeURIComponent).join('/')}`;
  return shownAddress(new URL(path, base).href, contentType);
}

/** Uploads a picture to the gallery's public folder, under a name that is free. */
export async function uploadPicture(
  service: Service,
  gallery: GalleryApi,
  { base, folder }: { base: URL; folder: string | undefined },
  file: File,
): Promise<Picture> {
  if (folder === undefined) throw new PictureError('noPublicFolder');
  const { withoutPlace } = await import('../../media/state/pictures.ts');
  const clean = await withoutPlace(file).catch(() => undefined);
  if (clean === undefined) throw new PictureError('placeKnown');
  const [filename = file.name] = await freeNames(gallery, folder, [{ name: file.name, isFolder: false }]);
  const contentType = file.type;
  // Another file that gets the name meanwhile is not replaced.
  const body = { filename, path: folder, contentType, trash: true };
  const signed = await asked(galleryClient(service).post('/api/upload', { body }));
  const { url, key, headers = { 'content-type': contentType } } = signed;
  const stored = await fetch(url, { method: 'PUT', headers, body: clean });
  if (!stored.ok) throw new PictureError('notUploaded');
  const takeBack = () => {
    void gallery.start({ action: 'delete', paths: [key], trash: true }, crypto.randomUUID());
  };
  return { src: publicPicture(base, key, contentType), alt: '', takeBack, ...(await sizeOf(clean)) };
}

/** The path in the gallery of a picture at an address; undefined if it is elsewhere. */
export function galleryPath(base: URL, address: string): string | undefined {
  const url = URL.parse(address, base);
  const root = new URL('media/', base);
  if (url?.origin !== base.origin || !url.pathname.startsWith(root.pathname)) return undefined;
  return decoded(url.pathname.slice(root.pathname.length).replace(/^v[0-9a-f]{12}\//, ''));
}

/** The longest description of a featured image. */
export const MOST_ALT = 255;

/** The description that an article already has of the picture at an address; empty if none. */
export function writtenAlt({ content, featuredImage, altText }: Fields, base: URL, address: string): string {
  const placeOf = (src: string) => galleryPath(base, src) ?? src;
  const { images } = new DOMParser().parseFromString(content, 'text/html');
  const inText = [...images].map((image) => ({ src: image.getAttribute('src') ?? '', alt: image.alt }));
  const pictures = [{ src: featuredImage, alt: altText }, ...inText];
  const described = pictures.filter(({ alt }) => alt.trim() !== '' && alt.length <= MOST_ALT);
  return described.find(({ src }) => placeOf(src) === placeOf(address))?.alt ?? '';
}

/** The pictures of HTML, and at other addresses, that are in the gallery where readers cannot see them. */
export function unseenPictures(
  html: string,
  others: readonly string[],
  { base, store, prefixes }: { base: URL; store: string; prefixes: readonly string[] },
): string[] {
  const { images } = new DOMParser().parseFromString(html, 'text/html');
  const addresses = [...images].map((image) => image.getAttribute('src') ?? '');
  return [...others, ...addresses].filter((address) => {
    const url = URL.parse(address, base);
    if (address === '' || url === null) return false;
    if (url.origin === store) return true;
    if (url.origin !== base.origin) return false;
    const path = galleryPath(base, address);
    return path === undefined || !prefixes.some((prefix) => path.startsWith(prefix));
  });
}

/** A path as a person wrote it; a lone `%` stands for itself. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The size at which browsers show the picture at an address, in px; empty if they cannot. */
export function sizeAt(src: string): Promise<{ width?: number; height?: number }> {
  const image = new Image();
  return new Promise((resolve) => {
    image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight });
    image.onerror = () => resolve({});
    image.src = src;
  });
}

async function sizeOf(file: File): Promise<{ width?: number; height?: number }> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return {};
  const { width, height } = bitmap;
  bitmap.close();
  return { width, height };
}
