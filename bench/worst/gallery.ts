import sharp from 'sharp';
import { putAll } from '../../test/support/s3/objects.ts';
import type { Figure } from '../figures/figure.ts';
import { type BenchGallery, startBenchGallery } from '../gallery-service.ts';
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
    const image = await photo();
    gallery.media.answers.set('/photo.jpg', (_request, response) => {
      response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': image.length }).end(image);
    });
    const [during] = await Promise.all([
      list(),
      ...Array.from({ length: THUMBNAILS }, (_, n) => thumbnail(gallery, n)),
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

function photo(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  return sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888', noise } })
    .blur(2)
    .jpeg({ quality: 88 })
    .toBuffer();
}

async function thumbnail({ process: { port }, cookie, media }: BenchGallery, n: number): Promise<void> {
  const url = encodeURIComponent(`https://localhost:${media.port}/photo.jpg?${n}`);
  const response = await fetch(`http://127.0.0.1:${port}/api/proxy?thumbnail=true&url=${url}`, {
    headers: { cookie },
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`a thumbnail answered ${response.status}`);
}
