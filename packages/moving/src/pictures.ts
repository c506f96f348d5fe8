import { withChangedUrls } from '@pressroom/common/html/changed-urls';

const NAMING = new Set(['img src', 'img srcset', 'source srcset', 'video poster', 'a href']);

const PICTURE_PATH = /\.(?:avif|gif|jpe?g|png|webp)$/i;

export interface Showing {
  content: string;
  featured_image?: string | null | undefined;
  social_image?: string | null | undefined;
}

/** The addresses of the pictures that an article shows, or links to. */
export function picturesOf({ content, featured_image, social_image }: Showing): Set<string> {
  const urls = new Set<string>();
  withChangedUrls(content, (url, attribute) => {
    if (isPicture(url, attribute)) urls.add(url.trim());
    return url;
  });
  for (const image of [featured_image, social_image]) if (image) urls.add(image);
  return urls;
}

/** True if an attribute, named as in `img src`, shows a picture at this address, or leads to one. */
export function isPicture(url: string, attribute: string): boolean {
  const parsed = NAMING.has(attribute) ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return attribute !== 'a href' || PICTURE_PATH.test(parsed.pathname);
}
