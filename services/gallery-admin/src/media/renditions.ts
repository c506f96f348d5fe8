import { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';
import type { Bucket } from '../buckets/bucket.ts';
import { listPage } from '../listing/object-page.ts';
import { isKeyLength, RENDITIONS } from '../names.ts';
import { fetchObject, isMissing, readObject } from '../proxy/bucket-media.ts';
import { cannotDraw } from '../proxy/failures.ts';
import { imageBytes, mayBeDrawn } from '../proxy/image-bytes.ts';
import { isMedia } from '../proxy/media-fetcher.ts';
import type { Media, MediaRequest } from '../proxy/media-request.ts';
import { reasonOf } from '../proxy/raster.ts';
import { SharedWork } from '../proxy/shared-work.ts';
import { decodeStill } from '../stills/decode-still.ts';
import { type StillFormat, stillFormat } from '../stills/formats.ts';
import type { Unseen } from '../stills/still-result.ts';
import { hasBox, nameOf, type Rendition, WIDEST } from './ladder.ts';
import { describePicture, makeRendition } from './picture.ts';

/** Pieces of work that may wait, half of them one client's, and clients beyond them, each with one. */
const WAITING = {
  pieces: 64,
  piecesOfOne: 32,
  owners: 128,
  refusal: 'too many renditions are being made; try again',
};

/** Pictures of which nothing can be made that are remembered. */
const MAX_FAILURES = 10_000;

/** How long a picture is left alone that has taken too long, perhaps on a busy machine, in ms. */
const PAUSE_MS = 120_000;

/** The version of a public picture. */
export interface Picture {
  bucket: Bucket;
  key: string;
  version: string;
  /** The entity tag by which the store knows this version. */
  etag: string;
}

/** What is asked about a picture: a rendition, or its description. */
export type Wanted = Rendition | 'description';

/** How the work of anonymous clients is bounded. */
export interface RenditionLimits {
  /** Pictures decoded at a time, documents aside. */
  places: number;
  /** The most bytes of a picture. */
  maxBytes: number;
  /** The most renditions of a picture that are kept of those with a box: more than pages need. */
  kept: number;
  /** Resolves when nothing else on this machine waits for what decodes pictures. */
  turn: () => Promise<void>;
}

/** What is made from a picture. */
interface Made {
  Body: Buffer;
  ContentType: string;
}

/**
 * What is made from public pictures. It is kept in the bucket, made once however many ask for it at the same
 * time, and made anew where it has been deleted, or has a box and too many others that have one are kept.
 */
export class Renditions {
  readonly #limits: RenditionLimits;
  readonly #work = new SharedWork<Made | undefined>();
  readonly #pictures: FairQueue;
  /** Slow ones have a separate queue, so that the others wait for none of them. */
  readonly #documents = new FairQueue({ places: 1, waiting: WAITING });
  #waitingDocuments = 0;
  /** Why nothing can be made of a version, whatever its size: finding out has cost as much as making it. */
  readonly #failures = new LRUCache<string, Failure>({ max: MAX_FAILURES });

  constructor(limits: RenditionLimits) {
    this.#limits = limits;
    const { places } = limits;
    // One client never has all places.
    this.#pictures = new FairQueue({ places, placesOfOne: Math.max(1, places - 1), waiting: WAITING });
  }

  /**
   * Reads what is wanted of a picture; `owner` is who has it made, if it is not there. Fails as `refused` for
   * what is not an image, and as `unavailable` if too much waits.
   */
  async read(picture: Picture, wanted: Wanted, request: MediaRequest, owner: string): Promise<Media> {
    const { bucket } = picture;
    const key = keyOf(picture, wanted);
    const read = () =>
      readObject(bucket, { key, versionId: undefined }, request, { maxBytes: this.#limits.maxBytes });
    try {
      return await read();
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const unkept = await this.#work.do(nameOfWork(bucket, key), request.signal, async (signal) => {
      const made = await this.#make(picture, wanted, { signal, owner });
      // Those without are few, so that anonymous clients cannot crowd them out.
      if (wanted !== 'description' && wanted.box && (await this.#hasEnoughBoxes(picture))) return made;
      const command = new PutObjectCommand({ Bucket: bucket.name, Key: key, ...made });
      await bucket.s3.send(command, { abortSignal: signal });
      return undefined;
    });
    return unkept === undefined ? read() : mediaOf(unkept, request);
  }

  async #hasEnoughBoxes(picture: Picture): Promise<boolean> {
    const { objects } = await listPage(picture.bucket, { prefix: folderOf(picture) });
    return objects.filter(({ key }) => hasBox(key)).length >= this.#limits.kept;
  }

  async #make(
    picture: Picture,
    wanted: Wanted,
    { signal, owner }: { signal: AbortSignal; owner: string },
  ): Promise<Made> {
    const begin = async () => {
      await this.#limits.turn();
      signal.throwIfAborted();
      this.#refuseKnown(picture);
    };
    this.#refuseKnown(picture);
    const made = await this.#pictures.run(owner, async () => {
      await begin();
      const file = await this.#fetch(picture, signal);
      const format = stillFormat(file.image);
      if (format === undefined) return this.#remembering(picture, () => draw(picture, wanted, file));
      return { format, file: this.#waitingDocuments === 0 ? file : undefined };
    });
    if (!('format' in made)) return made;
    this.#waitingDocuments += 1;
    try {
      return await this.#documents.run(owner, async () => {
        await begin();
        const file = made.file ?? (await this.#fetch(picture, signal));
        return this.#remembering(picture, () =>
          drawDocument(picture, wanted, { ...file, format: made.format }),
        );
      });
    } finally {
      this.#waitingDocuments -= 1;
    }
  }

  async #fetch({ bucket, key, etag }: Picture, signal: AbortSignal): Promise<PictureFile> {
    const { maxBytes } = this.#limits;
    const request = { method: 'GET', headers: {}, signal } as const;
    const media = await fetchObject(bucket, { key, versionId: undefined }, request, {
      maxBytes,
      ifMatch: etag,
      accepts: (type) => isMedia(type) || mayBeDrawn(type),
    });
    const contentType = media.headers['content-type'] ?? '';
    return { contentType, image: await imageBytes(media, maxBytes) };
  }

  #refuseKnown(picture: Picture): void {
    const failure = this.#failures.get(nameOfVersion(picture));
    if (failure !== undefined) throw failure;
  }

  /** What cannot be drawn is remembered for good, and for a while what may be the fault of a busy machine. */
  async #remembering(picture: Picture, work: () => Promise<Made>): Promise<Made> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Failure) {
        const ttl = error.kind === 'unavailable' ? PAUSE_MS : 0;
        this.#failures.set(nameOfVersion(picture), error, { ttl });
      }
      throw error;
    }
  }
}

/** What a picture is made of, with the file's EXIF where that is not in it. */
interface PictureFile {
  image: Buffer;
  exif?: Buffer | undefined;
  contentType: string;
}

async function draw(
  { key, version }: Picture,
  wanted: Wanted,
  { contentType, ...source }: PictureFile,
  unseen: Unseen = reasonOf(source.image),
): Promise<Made> {
  if (wanted === 'description') {
    const description = await describePicture(source, { key, version });
    if (description === undefined) throw cannotDraw(unseen, contentType);
    return { Body: Buffer.from(JSON.stringify(description)), ContentType: 'application/json' };
  }
  const made = await makeRendition(source, wanted);
  if (made === undefined) throw cannotDraw(unseen, contentType);
  return { Body: made.image, ContentType: `image/${made.format}` };
}

async function drawDocument(
  picture: Picture,
  wanted: Wanted,
  { format, ...file }: PictureFile & { format: StillFormat },
): Promise<Made> {
  const still = await decodeStill({ file: file.image, format, side: WIDEST }, 'public');
  if ('image' in still) return draw(picture, wanted, { ...file, ...still });
  // What a raw file of a camera begins with may be a small picture that sharp reads.
  return draw(picture, wanted, file, still.unseen);
}

/** The answer with what is not kept: whole, because it has no validator by which its parts fit together. */
function mediaOf({ Body, ContentType }: Made, { method }: MediaRequest): Media {
  const headers = { 'content-type': ContentType, 'content-length': String(Body.length) };
  return { status: 200, headers, body: Readable.from(method === 'HEAD' ? [] : [Body]) };
}

/** Where what is made from a picture is kept. */
function folderOf({ key, version }: Picture): string {
  return `${RENDITIONS}${key}/${version}/`;
}

function keyOf(picture: Picture, wanted: Wanted): string {
  const kept = folderOf(picture) + (wanted === 'description' ? 'description.json' : nameOf(wanted));
  if (isKeyLength(kept)) return kept;
  throw new Failure('refused', 'the name of this file is too long for renditions of it');
}

/** The same for each request that wants the same of a version. */
function nameOfWork({ id, baseUrls }: Bucket, key: string): string {
  return JSON.stringify([id, ...baseUrls, key]);
}

function nameOfVersion({ bucket, key, version }: Picture): string {
  return nameOfWork(bucket, `${key}/${version}`);
}
