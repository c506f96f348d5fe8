import { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { listPage } from '../listing/object-page.ts';
import { isKeyLength, RENDITIONS } from '../names.ts';
import { fetchObject, isMissing, readObject } from '../proxy/bucket-media.ts';
import { notAnImage, tooComplex } from '../proxy/failures.ts';
import { imageBytes, mayBeDrawn } from '../proxy/image-bytes.ts';
import { isMedia } from '../proxy/media-fetcher.ts';
import type { Media, MediaRequest } from '../proxy/media-request.ts';
import { SharedWork } from '../proxy/shared-work.ts';
import { decodeStill } from '../stills/decode-still.ts';
import { stillFormat } from '../stills/formats.ts';
import { hasBox, nameOf, type Rendition, WIDEST } from './ladder.ts';
import { describePicture, makeRendition } from './picture.ts';

/** Pieces of work that may wait, and anonymous clients that may wait beyond them, each with one. */
const WAITING = { pieces: 64, owners: 128, refusal: 'too many renditions are being made; try again' };

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
  /** Pictures decoded at a time. */
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
  readonly #queue: FairQueue;

  constructor(limits: RenditionLimits) {
    this.#limits = limits;
    this.#queue = new FairQueue({ places: limits.places, waiting: WAITING });
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
    const unkept = await this.#work.do(
      JSON.stringify([bucket.id, ...bucket.baseUrls, key]),
      request.signal,
      (signal) =>
        this.#queue.run(owner, async () => {
          await this.#limits.turn();
          signal.throwIfAborted();
          const made = await this.#make(picture, wanted, signal);
          // Those without are few, so that anonymous clients cannot crowd them out.
          if (wanted !== 'description' && wanted.box && (await this.#hasEnoughBoxes(picture))) return made;
          const command = new PutObjectCommand({ Bucket: bucket.name, Key: key, ...made });
          await bucket.s3.send(command, { abortSignal: signal });
          return undefined;
        }),
    );
    return unkept === undefined ? read() : mediaOf(unkept, request);
  }

  async #hasEnoughBoxes(picture: Picture): Promise<boolean> {
    const { objects } = await listPage(picture.bucket, { prefix: folderOf(picture) });
    return objects.filter(({ key }) => hasBox(key)).length >= this.#limits.kept;
  }

  async #make({ bucket, key, version, etag }: Picture, wanted: Wanted, signal: AbortSignal): Promise<Made> {
    const { maxBytes } = this.#limits;
    const request = { method: 'GET', headers: {}, signal } as const;
    const media = await fetchObject(bucket, { key, versionId: undefined }, request, {
      maxBytes,
      ifMatch: etag,
      accepts: (type) => isMedia(type) || mayBeDrawn(type),
    });
    const file = await imageBytes(media, maxBytes);
    const format = stillFormat(file);
    const still = format && (await decodeStill({ file, format, side: WIDEST }, 'public'));
    const source = still && 'image' in still ? still : { image: file };
    const Body =
      wanted === 'description'
        ? jsonOf(await describePicture(source, { key, version }))
        : await makeRendition(source, wanted);
    if (Body === undefined) {
      const isTooComplex = still && 'unseen' in still && still.unseen === 'too_complex';
      throw isTooComplex ? tooComplex() : notAnImage(media.headers['content-type'] ?? '');
    }
    const ContentType = wanted === 'description' ? 'application/json' : `image/${wanted.format}`;
    return { Body, ContentType };
  }
}

/** The answer with what is not kept: whole, because it has no validator by which its parts fit together. */
function mediaOf({ Body, ContentType }: Made, { method }: MediaRequest): Media {
  const headers = { 'content-type': ContentType, 'content-length': String(Body.length) };
  return { status: 200, headers, body: Readable.from(method === 'HEAD' ? [] : [Body]) };
}

function jsonOf(value: object | undefined): Buffer | undefined {
  return value && Buffer.from(JSON.stringify(value));
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
