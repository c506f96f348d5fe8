/**
 * `pnpm bench gallery-peers`: measures the gallery's signatures and uploads next to Uppy Companion, and its
 * thumbnails next to IPX, over the same store and the same images (`docs/peers.md`).
 */
import { type GalleryContest, startGalleryContest } from './contenders/gallery.ts';
import { installPeers } from './contenders/peer.ts';
import { type Asked, inTurns } from './contenders/turns.ts';
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { type Part, runParts } from './figures/parts.ts';

/** How many requests are made at once. */
const CONNECTIONS = [1, 8, 32];

/** A thumbnail takes long enough: with more at once, most of the time is the wait for the others. */
const THUMBNAILS_AT_ONCE = [1, 8];

installPeers();
let contest: Promise<GalleryContest> | undefined;

function partsOf(what: string, numbers: number[], choose: (of: GalleryContest) => Asked[]): Part<Figure[]>[] {
  return numbers.map((connections) => ({
    name: `${what}, ${connections} connections`,
    seconds: 5,
    run: async () => {
      contest ??= startGalleryContest();
      return inTurns(what, choose(await contest), { connections });
    },
  }));
}

const parts = [
  ...partsOf('sign an upload', CONNECTIONS, ({ signing }) => signing),
  ...partsOf('whole upload in one part', CONNECTIONS, ({ uploads }) => uploads),
  ...partsOf('thumbnail of 12 megapixels', THUMBNAILS_AT_ONCE, ({ thumbnails }) => thumbnails),
];
try {
  keepFigures('gallery-peers', (await runParts('gallery-peers', parts)).flat());
} finally {
  await (await contest)?.stop();
}
