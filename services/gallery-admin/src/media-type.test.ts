import { expect, test } from 'vitest';
import { mediaKindOf, mediaTypeOf } from './listing.ts';

test.each([
  ['a/b.JPG', 'image/jpeg', 'image'],
  ['a.webp', 'image/webp', 'image'],
  ['a.avif', 'image/avif', 'image'],
  ['clip.mp4', 'video/mp4', 'video'],
  ['tune.mp3', 'audio/mpeg', 'audio'],
  ['notes.pdf', 'application/pdf', 'file'],
  ['no extension', 'application/octet-stream', 'file'],
  ['jpg', 'application/octet-stream', 'file'],
  ['photos.jpg/README', 'application/octet-stream', 'file'],
])('%j is %s, shown as %s', (key, mediaType, kind) => {
  expect(mediaTypeOf(key)).toBe(mediaType);
  expect(mediaKindOf(mediaType)).toBe(kind);
});
