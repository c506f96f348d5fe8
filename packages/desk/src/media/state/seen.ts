import type { Entry } from '../api/types.ts';
import { endingOf } from './order.ts';

/** Files with pictures in them that are no images by their type: documents, and cameras' raw files. */
const DRAWN = new Set('pdf ai psb hif j2k j2c dng cr2 cr3 nef nrw arw raf orf rw2 srw pef'.split(' '));

/** True if the service makes pictures of a file. */
export function isDrawn({ kind, name }: Entry): boolean {
  return kind === 'image' || (kind === 'file' && DRAWN.has(endingOf(name)));
}

/** Text by the type of its name: shown as it is written, whatever it would do elsewhere. */
const TEXT =
  /^(?:text\/|application\/(?:json|xml|yaml|javascript|x-subrip|x-sh|toml|sql|geo\+json|rss\+xml)\b)/;

export function isText({ kind, contentType }: Entry): boolean {
  return kind === 'file' && TEXT.test(contentType);
}
