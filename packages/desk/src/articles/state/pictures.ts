import type { Fields } from './fields.ts';

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
