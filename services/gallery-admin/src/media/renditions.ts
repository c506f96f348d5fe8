import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import { asHtml } from '@pressroom/common/feeds/xml';
import { LRUCache } from 'lru-cache';
import type { Metadata, ResizeOptions, Sharp } from 'sharp';
import { deleteObjects, forEachConcurrently } from '../batches/objects.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { folderPrefix, isKeyLength, RENDITIONS } from '../names.ts';
import { listObjects, listPage, unquoted } from '../objects/object-page.ts';
import { thumbHashOf } from '../objects/thumb-hashes.ts';
import { fetchObject, isMissing, readObject } from '../proxy/bucket-media.ts';
import { drawn, type OpenImage, openImage, reasonOf } from '../proxy/image.ts';
import { cannotDraw, isMedia, type Media, type MediaRequest } from '../proxy/media-fetcher.ts';
import { imageBytes, mayBeDrawn, SharedWork } from '../proxy/thumbnails.ts';
import { decodeStill } from '../stills/decode-still.ts';
import { type StillFormat, stillFormat, type Unseen } from '../stills/formats.ts';
import type { PictureDescription } from './media.ts';
import type { PublicPrefixes } from './public-prefixes.ts';

/** Pieces of work that may wait, half of them one client's, and clients beyond them, each with one. */
const WAITING = {
  pieces: 64,
  piecesOfOne: 32,
  owners: 128,
  refusal: 'too many renditions are being made; try again',
};

/** The pictures without a rendition that are remembered. */
const MAX_FAILURES = 10_000;

/** The pause after a picture has taken too long, perhaps on a busy machine, in ms. */
const PAUSE_MS = 120_000;

export interface Picture {
  bucket: Bucket;
  key: string;
  version: string;
  /** The store's entity tag of this version. */
  etag: string;
}

type Wanted = Rendition | 'description';

interface RenditionLimits {
  /** Pictures decoded at a time, documents aside. */
  places: number;
  /** The most bytes of a picture. */
  maxBytes: number;
  /** The most renditions with a box that are kept of one picture: more than pages need. */
  kept: number;
  /** Resolves when nothing else on this machine waits for a decoder of pictures. */
  turn: () => Promise<void>;
}

interface Made {
  Body: Buffer;
  ContentType: string;
}

/**
 * Renditions and descriptions of public pictures, kept in the bucket. Each is made once, however many ask at
 * the same time, and again if it was deleted or, for one with a box, displaced by newer ones.
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
      // Renditions without a box are few and always kept: anonymous clients cannot crowd them out.
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

  /**
   * Remembers pictures that cannot be drawn for good, and failures that a busy machine may have caused for a
   * while.
   */
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

/** A picture's source, with the file's EXIF if the image itself lacks it. */
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
  // A camera's raw file may begin with a small picture that sharp reads.
  return draw(picture, wanted, file, still.unseen);
}

/** An answer that is not kept is sent whole: it has no validator by which its parts could be matched. */
function mediaOf({ Body, ContentType }: Made, { method }: MediaRequest): Media {
  const headers = { 'content-type': ContentType, 'content-length': String(Body.length) };
  return { status: 200, headers, body: Readable.from(method === 'HEAD' ? [] : [Body]) };
}

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

/** AVIF reaches the same quality with a lower number. */
const AVIF_QUALITY = 2 / 3;

/** The fastest: the slower ones take up to six times as long and save nothing at these sizes. */
const AVIF_EFFORT = 0;

/** The most pixels of a side that libraries write in a format. */
const MAX_SIDE = { avif: 16_383, webp: 16_383, jpeg: 65_500 };

/** The background for formats without transparency. */
const BACKGROUND = '#ffffff';

/** The longer side of the copy whose colours are counted. */
const SAMPLED_SIDE = 100;

/** An image that sharp reads, with EXIF that is not in it. */
interface Source {
  image: Buffer;
  exif?: Buffer | undefined;
}

/**
 * Makes a rendition: upright, in sRGB, never enlarged, without metadata but for credit and rights; of an
 * animation, of the first frame. Undefined for what cannot be decoded. Fails as {@link openImage} and
 * {@link drawn} do.
 */
async function makeRendition(source: Source, asked: Rendition): Promise<MadeRendition | undefined> {
  const opened = await openImage(source.image);
  if (opened === undefined) return undefined;
  const rendition = fitting(opened, asked);
  const credit = asXmp(await creditOf(opened, source));
  const encoded = encode(opened.pixels().resize(sizeOf(opened, rendition)), rendition);
  const image = await drawn(credit === undefined ? encoded : encoded.withXmp(credit));
  return image && { image, format: rendition.format };
}

/** A rendition, in the format that it has got. */
interface MadeRendition {
  image: Buffer;
  format: Rendition['format'];
}

/** JPEG where another format cannot be as high as the picture, unless that has transparency. */
function fitting(opened: OpenImage, asked: Rendition): Rendition {
  const isTooHigh = asked.box === undefined && heightAt(opened, asked.width) > MAX_SIDE[asked.format];
  return isTooHigh && !opened.metadata.hasAlpha ? { ...asked, format: 'jpeg' } : asked;
}

function heightAt({ metadata: { autoOrient } }: OpenImage, width: number): number {
  return Math.round((autoOrient.height * Math.min(width, autoOrient.width)) / autoOrient.width);
}

function creditOf({ metadata }: OpenImage, { exif }: Source): Promise<Credit> {
  return readCredit(exif === undefined ? metadata : { ...metadata, exif });
}

function sizeOf({ metadata: { autoOrient } }: OpenImage, { width, box, format }: Rendition): ResizeOptions {
  if (box === undefined) return { width, height: MAX_SIDE[format], fit: 'inside', withoutEnlargement: true };
  const { fit, focus = 'centre' } = box;
  const ratio = RATIOS[box.ratio];
  const within = (side: number) => ({
    width: Math.min(width, side),
    height: Math.max(1, Math.round(Math.min(width, side) / ratio)),
  });
  const widthOfHeight = Math.max(1, Math.round(autoOrient.height * ratio));
  if (fit === 'inside') return { ...within(width), fit, withoutEnlargement: true };
  if (fit === 'contain') {
    const background = format === 'jpeg' ? BACKGROUND : { r: 0, g: 0, b: 0, alpha: 0 };
    return { ...within(Math.max(autoOrient.width, widthOfHeight)), fit, background };
  }
  const position = focus === 'auto' ? 'attention' : focus;
  return { ...within(Math.min(autoOrient.width, widthOfHeight)), fit, position };
}

function encode(picture: Sharp, { format, quality }: Rendition): Sharp {
  if (format === 'avif') {
    return picture.avif({ quality: Math.round(quality * AVIF_QUALITY), effort: AVIF_EFFORT });
  }
  return format === 'webp'
    ? picture.webp({ quality })
    : picture.flatten({ background: BACKGROUND }).jpeg({ quality, progressive: true });
}

/** Describes a picture. Undefined if it cannot be decoded. Fails as {@link makeRendition} does. */
async function describePicture(
  source: Source,
  { key, version }: { key: string; version: string },
): Promise<PictureDescription | undefined> {
  const opened = await openImage(source.image);
  if (opened === undefined) return undefined;
  const small = opened
    .pixels()
    .resize({ width: SAMPLED_SIDE, height: SAMPLED_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png();
  const png = await drawn(small);
  if (png === undefined) return undefined;
  const { width, height } = opened.metadata.autoOrient;
  const url = versionedPath(key, version);
  return {
    width,
    height,
    url,
    srcset: srcsetOf(url, width),
    ...(await look(png)),
    ...(await creditOf(opened, source)),
  };
}

async function look(png: Buffer): Promise<Pick<PictureDescription, 'thumbhash' | 'color'>> {
  const { default: sharp } = await import('sharp');
  const { dominant } = await sharp(png).stats();
  const hex = [dominant.r, dominant.g, dominant.b].map((part) => part.toString(16).padStart(2, '0'));
  return {
    thumbhash: (await thumbHashOf(sharp(png))).toString('base64'),
    color: `#${hex.join('')}`,
  };
}

/** The widths of the ladder below that of the picture, and the picture's own. */
function srcsetOf(url: string, width: number): string {
  const rungs = WIDTHS.filter((rung, index) => (WIDTHS[index - 1] ?? 0) < width && rung > 0);
  return rungs.map((rung) => `${url}?w=${rung} ${Math.min(rung, width)}w`).join(', ');
}

/** The widths that renditions have, in pixels: a picture is made in no others. */
export const WIDTHS = [64, 128, 256, 384, 640, 828, 1080, 1280, 1600, 1920, 2560, 3840] as const;

/** The widest rendition, in pixels. */
const WIDEST = 3840;

/** The proportions of a box, by their names: its width for each pixel of its height. */
const RATIOS = {
  '1x1': 1,
  '5x4': 5 / 4,
  '4x3': 4 / 3,
  '3x2': 3 / 2,
  '16x9': 16 / 9,
  '2x1': 2,
  '4x5': 4 / 5,
  '3x4': 3 / 4,
  '2x3': 2 / 3,
  '9x16': 9 / 16,
} as const;

type Ratio = keyof typeof RATIOS;

const QUALITIES = [50, 75, 90] as const;

/** The thirds of a picture that a crop keeps, from the left or the top: together a point of the compass. */
const COLUMNS = ['west', '', 'east'] as const;
const ROWS = ['north', '', 'south'] as const;

export const FITS = ['inside', 'cover', 'contain'] as const;

/** The formats of renditions, the last one for clients that name none. */
export const FORMATS = ['avif', 'webp', 'jpeg'] as const;

/** The members of a request for a rendition; each is absent or valid. */
export interface RenditionQuery {
  w?: number | undefined;
  h?: number | undefined;
  fit?: (typeof FITS)[number] | undefined;
  /** `auto`, or two numbers from 0 to 1 with a comma between them. */
  focus?: string | undefined;
  q?: number | undefined;
}

/** A rendition as it is made and kept; sets of parameters that mean the same are the same one. */
export interface Rendition {
  width: (typeof WIDTHS)[number];
  /** Its box, if a height is asked for as well. */
  box?: Box | undefined;
  quality: (typeof QUALITIES)[number];
  format: (typeof FORMATS)[number];
}

interface Box {
  ratio: Ratio;
  fit: (typeof FITS)[number];
  /** The part that a crop keeps: `auto` for what draws the eye, a point of the compass, or `centre`. */
  focus?: string | undefined;
}

/**
 * The rendition that serves a request: the next width of the ladder, the nearest proportions, the nearest
 * third for a focus, the nearest quality. However many sets of parameters are tried, a picture has a bounded
 * number of renditions.
 */
export function renditionOf(query: RenditionQuery, format: Rendition['format']): Rendition {
  const { w = query.h ?? WIDEST, q = 75 } = query;
  const width = WIDTHS.find((rung) => rung >= w) ?? WIDEST;
  return { width, box: boxOf(query), quality: nearest(QUALITIES, (quality) => quality - q), format };
}

function boxOf({ h, w = h, fit = 'inside', focus = '0.5,0.5' }: RenditionQuery): Box | undefined {
  if (w === undefined || h === undefined) return undefined;
  // As many times too wide counts as much as too high.
  const ratio = nearest(Object.keys(RATIOS) as [Ratio, ...Ratio[]], (one) => Math.log((RATIOS[one] * h) / w));
  return { ratio, fit, ...(fit === 'cover' && { focus: placeOf(focus) }) };
}

function placeOf(focus: string): string {
  if (focus === 'auto') return focus;
  const [column = 1, row = 1] = focus.split(',').map((part) => Math.min(2, Math.floor(Number(part) * 3)));
  return `${ROWS[row]}${COLUMNS[column]}` || 'centre';
}

function nearest<Value>(values: readonly [Value, ...Value[]], distance: (value: Value) => number): Value {
  return values.reduce((best, one) => (Math.abs(distance(one)) < Math.abs(distance(best)) ? one : best));
}

/** The name of a rendition, as a file: `w640-16x9-cover-north-q75.webp`. */
export function nameOf({ width, box, quality, format }: Rendition): string {
  const parts = [`w${width}`, box?.ratio, box?.fit, box?.focus, `q${quality}`];
  return `${parts.filter((part) => part !== undefined).join('-')}.${format}`;
}

export function hasBox(key: string): boolean {
  return /\/w\d+-\d+x\d+-[^/]+$/.test(key);
}

interface Credit {
  alt: string | null;
  credit: string | null;
  rights: string | null;
}

/** The most bytes of a kind of metadata that are read, which is also what a segment of a JPEG can have. */
const MAX_BYTES = 65_000;

/** The longest text that is taken over, in characters. */
const MAX_TEXT = 2000;

const APP1 = 0xe1;
const APP13 = 0xed;
const XMP = Buffer.from('http://ns.adobe.com/xap/1.0/\0');

/**
 * Reads credit and rights from EXIF, IPTC and XMP, by the fields of the IPTC Photo Metadata Standard. The
 * library is given what libvips found, as segments of an empty JPEG: so it reads pictures of every format,
 * and never more than a few pages, however large the file is.
 */
async function readCredit({ exif, iptc, xmp }: Metadata): Promise<Credit> {
  const segments = [
    segment(APP1, exif),
    segment(APP13, iptc),
    segment(APP1, xmp && Buffer.concat([XMP, xmp])),
  ];
  const jpeg = Buffer.concat([Buffer.of(0xff, 0xd8), ...segments, Buffer.of(0xff, 0xd9)]);
  // Loaded with the first picture, as sharp is.
  const { default: reader } = await import('exifreader');
  const { exif: e, iptc: i, xmp: x } = read(() => reader.load(jpeg, { expanded: true }));
  return {
    alt: text(x?.AltTextAccessibility, x?.description, i?.['Caption/Abstract'], e?.ImageDescription),
    credit: text(x?.Credit, i?.Credit, x?.creator, i?.['By-line'], e?.Artist),
    rights: text(x?.rights, i?.['Copyright Notice'], e?.Copyright),
  };
}

/** Credit and rights as XMP, which unlike EXIF has every script; undefined without any. */
function asXmp({ credit, rights }: Credit): string | undefined {
  if (credit === null && rights === null) return undefined;
  const members = [
    credit && `<photoshop:Credit>${asHtml(credit)}</photoshop:Credit>`,
    rights &&
      `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${asHtml(rights)}</rdf:li></rdf:Alt></dc:rights>`,
  ];
  return (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/">' +
    `${members.join('')}</rdf:Description></rdf:RDF></x:xmpmeta>`
  );
}

function segment(marker: number, data: Buffer | undefined): Buffer {
  if (data === undefined || data.length > MAX_BYTES) return Buffer.alloc(0);
  const head = Buffer.of(0xff, marker, 0, 0);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

/** Metadata that cannot be read say nothing. */
function read<Tags extends object>(load: () => Tags): Partial<Tags> {
  try {
    return load();
  } catch {
    return {};
  }
}

/** The first text among tags, some of which may be repeated. */
function text(...tags: (Tag | Tag[] | undefined)[]): string | null {
  const texts = tags.map((tag) =>
    [tag ?? []]
      .flat()
      .map(({ description }) => description)
      .join(', ')
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
  );
  return texts.find((one) => one !== '')?.slice(0, MAX_TEXT) ?? null;
}

interface Tag {
  description: string;
}

/** The version of an object: the same as long as its entity tag, and so its bytes, are the same. */
export function versionOf(etag: string): string {
  return hash('sha256', unquoted(etag), 'hex').slice(0, 12);
}

/** The path at which this version of an object is found for good. */
export function versionedPath(key: string, version: string): string {
  return `/media/v${version}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

const LOOKUPS = 16;

/**
 * Deletes the renditions of pictures at the given paths, keys and folders, once these have been deleted or
 * moved. Leftovers do no harm: without its picture a rendition is not reached.
 */
export function discardRenditions(everPublished: () => Promise<PublicPrefixes>) {
  return async (bucket: Bucket, paths: readonly string[]): Promise<void> => {
    const prefixes = await everPublished();
    const published = paths.filter((path) => prefixes.touches(path));
    await forEachConcurrently(published, LOOKUPS, async (path) => {
      await deleteObjects(bucket, listObjects(bucket, `${RENDITIONS}${folderPrefix(path)}`));
    });
  };
}
