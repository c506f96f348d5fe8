import { randomBytes } from 'node:crypto';
import { appendFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { quotients } from '../quantile.ts';
import { inTurns } from '../turns.ts';
import type { PageBench } from './browser.ts';

const MB = 1_000_000;

/** How often each of the two uploads the file; they take turns. */
const ROUNDS = 3;

/** Parts at a time where the SDK may do more than Uppy, which sends those of a file one by one. */
const AT_A_TIME = 3;

/** What the page should reach of the SDK's throughput. */
const AIM = 0.8;

/** Uploads a file in the same parts, one after the other, by the page and by the SDK in Node. */
export async function measureUploading(bench: PageBench, megabytes: number): Promise<Figure[]> {
  const file = join(tmpdir(), `page-bench-${process.pid}.bin`);
  const uploads = {
    page: () => pageSeconds(bench, file),
    'AWS SDK in Node': () => sdkSeconds(bench, file, 1),
    [`AWS SDK in Node, ${AT_A_TIME} parts at a time`]: () => sdkSeconds(bench, file, AT_A_TIME),
  };
  try {
    for (let written = 0; written < megabytes; written += 1) await appendFile(file, randomBytes(MB));
    const rates = await inTurns(Object.values(uploads), ROUNDS, async (upload) => {
      const seconds = await upload();
      await removeUploads(bench, file);
      return megabytes / seconds;
    });
    const [own = [], same = []] = rates;
    const what = 'upload in parts';
    return [
      ...Object.keys(uploads).map((subject, index) =>
        figuresOf(subject, { megabytes })(what, 'rate', 'MB/s', rates[index] ?? []),
      ),
      figuresOf('page', { megabytes })(what, 'ratio', '', quotients(own, same), AIM),
    ];
  } finally {
    await rm(file, { force: true });
  }
}

/** The next upload finds the folder empty, and the disk too. */
async function removeUploads({ gallery: { s3, bucket } }: PageBench, file: string): Promise<void> {
  const Objects = [basename(file), 'by-sdk.bin'].map((name) => ({ Key: `uploads/${name}` }));
  await s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }));
}

async function pageSeconds({ url, visit }: PageBench, file: string): Promise<number> {
  const page = await visit();
  await page.goto(`${url}/desk/media?path=${encodeURIComponent('uploads/')}`);
  await page.getByText('Nothing here yet').waitFor();
  const begin = performance.now();
  await page.locator('[data-upload="files"]').setInputFiles(file);
  await page.getByText('1 file uploaded').waitFor();
  const seconds = (performance.now() - begin) / 1000;
  await page.context().close();
  return seconds;
}

/** In its own thread, because the embedded store runs in this one. */
async function sdkSeconds({ gallery }: PageBench, file: string, concurrency: number): Promise<number> {
  // A store that runs here has a function too, which no other thread can be given.
  const { endpoint, region, accessKeyId, secretAccessKey } = gallery.store;
  const store = { endpoint, region, accessKeyId, secretAccessKey };
  const workerData = { store, bucket: gallery.bucket, file, concurrency };
  const worker = new Worker(new URL('./sdk-uploader.ts', import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
