/**
 * `pnpm bench gallery-peers`: measures the gallery's signatures and uploads next to Uppy Companion, and its
 * thumbnails next to IPX, over the same store and the same images (`docs/peers.md`).
 */
import { Contest } from './contenders/contest.ts';
import { startGalleryContest } from './contenders/gallery.ts';
import { installPeers } from './contenders/peer.ts';
import { keepFigures } from './figures/keep.ts';
import { runParts } from './figures/parts.ts';

/** How many requests are made at once. */
const CONNECTIONS = [1, 8, 32];

/** A thumbnail takes long enough: with more at once, most of the time is the wait for the others. */
const THUMBNAILS_AT_ONCE = [1, 8];

installPeers();
const contest = new Contest(startGalleryContest);
const parts = contest.parts([
  { what: 'sign an upload', connections: CONNECTIONS, choose: ({ signing }) => signing },
  { what: 'whole upload in one part', connections: CONNECTIONS, choose: ({ uploads }) => uploads },
  {
    what: 'thumbnail of 12 megapixels',
    connections: THUMBNAILS_AT_ONCE,
    choose: ({ thumbnails }) => thumbnails,
  },
]);
try {
  keepFigures('gallery-peers', (await runParts('gallery-peers', parts)).flat());
} finally {
  await contest.stop();
}
