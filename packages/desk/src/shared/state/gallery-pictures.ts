import type { GalleryApi } from '../../media/api/gallery.ts';
import type { Entry } from '../../media/api/types.ts';
import { walk } from '../../media/state/walk.ts';
import { folded } from './folded.ts';

/** The most files that are looked at for names, and for the latest ones. */
export const MOST_FILES = 20_000;

/** The most pictures that are shown of those found. */
const MOST_FOUND = 60;

/** The pictures of all public folders as they are found, and `cut` if there are more. */
export async function* publicPictures(
  gallery: GalleryApi,
  prefixes: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<readonly Entry[] | 'cut', void> {
  const roots = prefixes.filter((one) => !prefixes.some((other) => other !== one && one.startsWith(other)));
  let files = 0;
  for (const root of roots) {
    for await (const entries of walk(gallery, root, signal)) {
      yield entries.filter(isShowable);
      files += entries.length;
      if (files < MOST_FILES) continue;
      yield 'cut';
      return;
    }
  }
}

/** Readers do not see SVG: it is only downloaded. */
export function isShowable(entry: Entry): boolean {
  return entry.kind === 'image' && !entry.contentType.startsWith('image/svg');
}

/** Those with all words in their names, the latest first. */
export function foundAmong(pictures: readonly Entry[], words: string): Entry[] {
  const wanted = folded(words).split(/\s+/).filter(Boolean);
  return pictures
    .filter(({ name }) => wanted.every((word) => folded(name).includes(word)))
    .sort((a, b) => b.modified - a.modified)
    .slice(0, MOST_FOUND);
}
