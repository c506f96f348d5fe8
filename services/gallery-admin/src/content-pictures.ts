import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { ContentClient } from '@pressroom/client';
import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import type { Logger } from '@pressroom/common/log/logging';
import { PictureFault, PictureFetcher } from '@pressroom/moving/pictures';
import { forEachConcurrently } from './batches/objects.ts';
import type { Bucket, BucketSource } from './buckets/bucket.ts';
import { isStoreFault, statusOf } from './buckets/store-errors.ts';
import type { GalleryConfig } from './config.ts';
import { contentFor } from './desk.ts';
import { lookAt } from './media/described-pictures.ts';
import type { PublicPrefixes } from './media/public-prefixes.ts';
import { type Renditions, versionOf } from './media/renditions.ts';
import { isListed } from './proxy/host-rules.ts';
import type { GallerySettings } from './settings.ts';

/** The pauses between two questions to content, in ms: while an import runs, after a failure, and at rest. */
const RUNNING_MS = 1000;
const RETRY_MS = 5000;
const REST_MS = 60_000;

/** The timeout of content's answer, in ms. */
const ANSWER_MS = 30_000;

/** What is done to pictures at once: each that comes may take 25 MiB of memory. */
const AT_ONCE = 4;

/** Origins that are kept, against people who name another one in each request. */
const MOST_ORIGINS = 16;

/** Tells what this has put into the bucket from what people have. */
const MARK = { 'pressroom-imported': 'true' };

type Result =
  | { key: string; path: string; bytes: number }
  | { key: string; reason: PictureFault['code'] }
  | { key: string; removed: true };

type Look = { url: string; picture: Awaited<ReturnType<typeof lookAt>>; is_own?: true };

type Work = Awaited<ReturnType<typeof ask>>;

/** Where pictures come to: the first public folder of the active bucket. */
interface Place {
  bucket: Bucket;
  published: PublicPrefixes;
  /** None while nothing is public. */
  folder: string | null;
}

interface PictureParts {
  config: Pick<GalleryConfig, 'CONTENT_URL' | 'DESK_KEY' | 'PROXY_PRIVATE_HOSTS'>;
  settings: GallerySettings;
  buckets: BucketSource;
  /** Deletes what was made from the files at paths where they are no more. */
  discard: (bucket: Bucket, paths: readonly string[]) => Promise<void>;
  renditions: Renditions;
  log: Logger;
}

/**
 * Takes pictures of content's imports into the first public folder, removes those of imports that were
 * undone, and tells content what the pictures of its articles are. Content keeps what is to be done: a
 * process that ends loses nothing.
 */
export class ContentPictures {
  readonly #parts: PictureParts;
  readonly #fetcher: PictureFetcher;
  readonly #loop: BackgroundLoop;
  /** What content has not heard yet. */
  #results: Result[] = [];
  #looks: Look[] = [];
  /** Where people who are logged in reach the desk, and so the public pictures. */
  readonly #origins = new Set<string>();

  constructor(parts: PictureParts) {
    this.#parts = parts;
    this.#fetcher = new PictureFetcher((url) => isListed(url, parts.config.PROXY_PRIVATE_HOSTS));
    this.#loop = new BackgroundLoop((signal) => this.#work(signal));
  }

  /** Announces that an import may want pictures. */
  wake(): void {
    this.#loop.wake();
  }

  /** The same in so many ms, of articles that may have others. */
  wakeIn(ms: number): void {
    this.#loop.wakeIn(ms);
  }

  /** Notes an origin at which somebody who is logged in has written. */
  learn(origin: string | undefined): void {
    if (origin !== undefined && this.#origins.size < MOST_ORIGINS) this.#origins.add(origin);
  }

  /** Ends what is under way; another replica goes on with it, or this one when it is back. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#fetcher.close();
  }

  async #work(signal: AbortSignal): Promise<number> {
    const { config, settings, buckets } = this.#parts;
    const content = contentFor(config);
    if (content === undefined || config.DESK_KEY === undefined) return Number.POSITIVE_INFINITY;
    while (!signal.aborted) {
      const published = await settings.current().then(
        (current) => current.published,
        () => undefined,
      );
      if (published === undefined) return REST_MS;
      const [folder = null] = published.prefixes;
      const told = { folder, results: this.#results, looks: this.#looks };
      // The desk says itself that content does not answer.
      const work = await ask(content, told, signal).catch(() => undefined);
      if (work === undefined) return this.#results.length + this.#looks.length > 0 ? RETRY_MS : REST_MS;
      [this.#results, this.#looks] = [[], []];
      const { wanted, unnamed, more, undescribed, outdated } = work;
      const urgent = wanted.length + unnamed.length + undescribed.length;
      const rest = more ? RUNNING_MS : REST_MS;
      if (urgent + outdated.length === 0) return rest;
      const bucket = await buckets.current().catch(() => undefined);
      // It is handed out again.
      if (bucket === undefined) return REST_MS;
      const place = { bucket, published, folder };
      this.#results = await this.#do(place, work, signal);
      this.#looks = await this.#lookAt(place, [...undescribed, ...outdated], signal);
      // What was known already is told with the next question: looking again is never in a hurry.
      if (urgent === 0) return rest;
    }
    return REST_MS;
  }

  async #lookAt(place: Place, urls: readonly string[], signal: AbortSignal): Promise<Look[]> {
    const looks: Look[] = [];
    const parts = { ...place, renditions: this.#parts.renditions };
    await forEachConcurrently(urls, AT_ONCE, async (url) => {
      try {
        const picture = await lookAt(parts, url, signal);
        const isOwn = this.#origins.has(URL.parse(url)?.origin ?? '');
        looks.push({ url, picture, ...(isOwn && { is_own: true }) });
      } catch (error) {
        // It is handed out again.
        if (!signal.aborted) this.#parts.log.warn({ err: error }, 'picture_not_looked_at');
      }
    });
    return looks;
  }

  async #do(place: Place, { wanted, unnamed }: Work, signal: AbortSignal): Promise<Result[]> {
    const results: Result[] = [];
    const works = [
      ...wanted.map(
        ({ key, url }) =>
          () =>
            this.#take(place, { key, url }, signal),
      ),
      ...unnamed.map((one) => () => this.#remove(place.bucket, one)),
    ];
    await forEachConcurrently(works, AT_ONCE, async (work) => {
      try {
        results.push(await work());
      } catch (error) {
        // It is handed out again.
        if (!signal.aborted) this.#parts.log.warn({ err: error }, 'picture_left_undone');
      }
    });
    return results;
  }

  async #take(
    { bucket, published, folder }: Place,
    { key, url }: { key: string; url: string },
    signal: AbortSignal,
  ): Promise<Result> {
    const file = `${folder}${key}`;
    const there = await headOf(bucket, file);
    let [etag, bytes] = [there?.ETag, 0];
    if (there === undefined) {
      const picture = await this.#fetcher.fetch(url, signal);
      if (picture instanceof PictureFault) return { key, reason: picture.code };
      const object = { Bucket: bucket.name, Key: file, Body: picture.bytes, Metadata: MARK };
      const put = new PutObjectCommand({ ...object, ContentType: picture.type });
      ({ ETag: etag } = await bucket.s3.send(put, { abortSignal: signal }));
      bytes = picture.bytes.length;
    }
    const path = published.pathOf(file, versionOf(etag ?? ''));
    return path === undefined ? { key, reason: 'picture_unfit' } : { key, path, bytes };
  }

  /** Removes a file, unless it is one that somebody has put there since. */
  async #remove(bucket: Bucket, { key, file }: { key: string; file: string }): Promise<Result> {
    const there = await headOf(bucket, file);
    if (there?.Metadata?.['pressroom-imported'] !== undefined) {
      await bucket.s3.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: file }));
      await this.#parts.discard(bucket, [file]);
    }
    return { key, removed: true };
  }
}

async function headOf({ s3, name }: Bucket, key: string) {
  try {
    return await s3.send(new HeadObjectCommand({ Bucket: name, Key: key }));
  } catch (error) {
    if (isStoreFault(error) && statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Tells content what came of pictures, and asks what is to be done. */
async function ask(
  content: ContentClient,
  { looks, ...told }: { folder: string | null; results: Result[]; looks: Look[] },
  stopping: AbortSignal,
) {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(ANSWER_MS)]);
  // Content of before it asked for looks refuses the member.
  const body = { ...told, ...(looks.length > 0 && { looks }) };
  const { data } = await content.post('/api/imports/pictures', { body, signal });
  const { undescribed = [], outdated = [], ...work } = data as Partial<typeof data> & typeof data;
  return { ...work, undescribed, outdated };
}
