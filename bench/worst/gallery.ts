import { putAll } from '../../test/support/s3/objects.ts';
import type { Figure } from '../figures/figure.ts';
import { askForThumbnail, newPhotoUrl, servePhoto, startBenchGallery } from '../gallery-service.ts';
import { steadyLoad } from '../steady-load.ts';
import { heldRate } from './held-rate.ts';
import { memoryUnderLoad } from './memory.ts';
import { timesOf } from './outages.ts';

const SUBJECT = 'gallery-admin';
const THUMBNAILS = 64;
const RATE = 20;

/** Lists a folder at rising rates, and while 64 thumbnails of 12 megapixels are made. */
export async function galleryAtWorst(): Promise<Figure[]> {
  const gallery = await startBenchGallery();
  try {
    await putAll(
      gallery.s3,
      gallery.bucket,
      Array.from({ length: 100 }, (_, index) => `worst/${index}.jpg`),
    );
    const { port } = gallery.process;
    const requests = [{ path: '/api/gallery?json=1&path=worst/', headers: { cookie: gallery.cookie } }];
    const rates = [25, 50, 100, 150, 200, 300, 400, 600];
    const held = await heldRate({
      what: 'list a folder',
      subject: SUBJECT,
      targets: [{ port, requests }],
      rates,
    });
    const list = () => steadyLoad({ port, requests, rate: RATE, durationMs: 3000 });
    const alone = await list();
    await servePhoto(gallery);
    const [during] = await Promise.all([
      list(),
      ...Array.from({ length: THUMBNAILS }, () => askForThumbnail(gallery, newPhotoUrl(gallery))),
    ]);
    return [
      memoryUnderLoad(SUBJECT, gallery.process),
      ...held,
      ...timesOf('list a folder, no thumbnails', SUBJECT, alone, RATE),
      ...timesOf('list a folder, 64 thumbnails', SUBJECT, during, RATE),
    ];
  } finally {
    await gallery.stop();
  }
}
