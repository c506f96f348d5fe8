import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { PreparedQuery } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import { isNameRefused } from '../buckets/store-errors.ts';
import { hiddenMark, MAX_KEY_BYTES, markInWords } from '../names.ts';
import type { GalleryTables } from '../tables.ts';

/** An object as a listing reports it. */
export interface StoredObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** The entity tag without its quotes; an MD5 only for unencrypted objects stored in one piece. */
  readonly etag: string;
  readonly lastModified: Date;
  /** `STANDARD` or another storage class; undefined if the store has none. */
  readonly storageClass: string | undefined;
}

interface PageRequest {
  prefix: string;
  /** `/` to list folders instead of their content. */
  delimiter?: string;
  continuationToken?: string | undefined;
  /** Only keys after this one. */
  startAfter?: string | undefined;
  /** Objects and folders combined, 1–1000. */
  maxKeys?: number;
}

/** A page of a listing, in the store's order: by the bytes of the keys. */
export interface ObjectPage {
  objects: StoredObject[];
  /** The folders, each as the prefix of its keys. */
  prefixes: string[];
  /** Cursor of the next page; null on the last one. */
  continuationToken: string | null;
}

/** Lists one page of a bucket. Keys are returned exactly as stored, whatever characters they contain. */
export async function listPage(bucket: Bucket, page: PageRequest): Promise<ObjectPage> {
  // No key has a prefix longer than a key may be, and stores reject such a request.
  if (Buffer.byteLength(page.prefix) > MAX_KEY_BYTES) return EMPTY_PAGE;
  const listing = await sendListObjects(bucket.s3, {
    Bucket: bucket.name,
    Prefix: page.prefix,
    Delimiter: page.delimiter,
    ContinuationToken: page.continuationToken,
    StartAfter: page.startAfter || undefined,
    MaxKeys: page.maxKeys,
    // XML cannot represent every character that a key may contain.
    EncodingType: 'url',
  }).catch((error: unknown) => {
    // Nothing exists under a name that the store does not accept.
    if (page.continuationToken === undefined && isNameRefused(error)) return undefined;
    throw error;
  });
  return listing === undefined ? EMPTY_PAGE : readPage(listing);
}

const EMPTY_PAGE: ObjectPage = { objects: [], prefixes: [], continuationToken: null };

/** Lists every object whose key begins with `prefix`, page by page, with one page in memory at a time. */
export async function* listObjects(bucket: Bucket, prefix: string): AsyncGenerator<StoredObject, void> {
  let continuationToken: string | undefined;
  do {
    const page = await listPage(bucket, { prefix, continuationToken });
    yield* page.objects;
    continuationToken = page.continuationToken ?? undefined;
  } while (continuationToken !== undefined);
}

function readPage(answer: Listing): ObjectPage {
  // A store that does not support the encoding leaves it out of its answer.
  const decode = answer.EncodingType === 'url' ? decodeKey : (key: string) => key;
  return {
    objects: (answer.Contents ?? []).map(({ Key = '', Size = 0, ETag = '', LastModified, StorageClass }) => ({
      key: decode(Key),
      size: Size,
      etag: unquoted(ETag),
      lastModified: LastModified ?? new Date(0),
      storageClass: StorageClass,
    })),
    prefixes: (answer.CommonPrefixes ?? []).map(({ Prefix = '' }) => decode(Prefix)),
    continuationToken: (answer.IsTruncated && answer.NextContinuationToken) || null,
  };
}

/**
 * Undoes `encoding-type=url`, in which AWS writes a space as `+` and others as `%20`; a plus is always `%2B`.
 */
export function decodeKey(encoded: string): string {
  return decodeURIComponent(encoded.replaceAll('+', ' '));
}

/** An entity tag without quotes: stores quote it in some answers and not in others. */
export function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1');
}

/** An answer with a body that has not been read. */
interface Answer {
  statusCode: number;
  body: Readable;
}

/**
 * Sends a ListObjectsV2 by the SDK, with its repetitions and errors. The answer is read by {@link
 * readListing}, or by the SDK where that cannot.
 */
export async function sendListObjects(s3: S3Client, input: ListObjectsV2CommandInput): Promise<Listing> {
  const command = new ListObjectsV2Command(input);
  let listing: Listing | undefined;
  command.middlewareStack.addRelativeTo(
    <Sent, Received extends { response: unknown }>(next: (sent: Sent) => Promise<Received>) =>
      async (sent: Sent) => {
        const answer = await next(sent);
        const response = answer.response as Answer;
        if (response.statusCode !== 200) return answer;
        const bytes = Buffer.concat(await response.body.toArray());
        listing = readListing(bytes.toString());
        response.body = Readable.from(listing === undefined ? [bytes] : []);
        return answer;
      },
    // After the SDK has looked for an error with status 200.
    { relation: 'before', toMiddleware: 'throw200ExceptionsMiddleware', name: 'readListing' },
  );
  const answer = await s3.send(command);
  return listing ?? answer;
}

/** The members of a ListObjectsV2 answer that are read, named as in the SDK. */
type Listing = Pick<
  ListObjectsV2CommandOutput,
  'CommonPrefixes' | 'Contents' | 'EncodingType' | 'IsTruncated' | 'NextContinuationToken'
>;

type Contents = NonNullable<Listing['Contents']>[number];

const BEGIN = /^\s*(?:<\?xml[^>]*>\s*)?<ListBucketResult(?:\s[^>]*)?>/;
const END = /<\/ListBucketResult>\s*$/;

/**
 * Things that stores do not write in a listing: attributes, comments, CDATA, and references to no character.
 */
const UNUSUAL = /<(?!ListBucketResult)[\w.-]+\s|<!|&(?!(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\dA-Fa-f]{1,5});)/;

const REFERENCE = /&(?:#x([\dA-Fa-f]+)|#(\d+)|(\w+));/g;
const ENTITIES: Partial<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Reads the answer to a ListObjectsV2 as stores write it, in one pass: texts, objects and prefixes, of which
 * no element has an attribute. The SDK reads any XML by a description of it, and takes many times as long for
 * a thousand objects. Undefined for what is not written so, which is left to the SDK.
 */
export function readListing(xml: string): Listing | undefined {
  const [begin] = BEGIN.exec(xml) ?? [];
  if (begin === undefined || !END.test(xml.slice(-100)) || UNUSUAL.test(xml)) return undefined;
  const elements = new Elements(xml, begin.length);
  const texts = new Map<string, string>();
  const [objects, prefixes]: [Contents[], { Prefix: string | undefined }[]] = [[], []];
  while (elements.next()) {
    if (elements.name === 'Contents') objects.push(readObject(elements));
    else if (elements.name === 'CommonPrefixes') prefixes.push(readPrefix(elements));
    else texts.set(elements.name, elements.text());
  }
  if (elements.name !== '/ListBucketResult') return undefined;
  return {
    Contents: objects,
    CommonPrefixes: prefixes,
    EncodingType: texts.get('EncodingType') as Listing['EncodingType'],
    IsTruncated: texts.get('IsTruncated') === 'true',
    NextContinuationToken: texts.get('NextContinuationToken'),
  };
}

function readObject(elements: Elements): Contents {
  // All objects have the same members, as the engine is quicker with them.
  const object: Contents = {
    Key: undefined,
    Size: undefined,
    ETag: undefined,
    LastModified: undefined,
    StorageClass: undefined,
  };
  while (elements.next()) {
    const { name } = elements;
    const text = elements.text();
    if (name === 'Key') object.Key = text;
    else if (name === 'LastModified') object.LastModified = new Date(text);
    else if (name === 'ETag') object.ETag = text;
    else if (name === 'Size') object.Size = Number(text);
    else if (name === 'StorageClass') object.StorageClass = text as Contents['StorageClass'];
  }
  return object;
}

function readPrefix(elements: Elements): { Prefix: string | undefined } {
  let Prefix: string | undefined;
  while (elements.next()) Prefix = elements.text();
  return { Prefix };
}

/** Goes from element to element. */
class Elements {
  readonly #xml: string;
  #at: number;
  /** The name of the element that {@link next} has found. */
  name = '';

  constructor(xml: string, at: number) {
    this.#xml = xml;
    this.#at = at;
  }

  /** Enters the next element. False, after leaving the one that it is in, if there is none. */
  next(): boolean {
    do {
      const open = this.#xml.indexOf('<', this.#at);
      if (open === -1) return false;
      const close = this.#xml.indexOf('>', open);
      this.name = this.#xml.slice(open + 1, close);
      this.#at = close + 1;
    } while (this.name.endsWith('/'));
    return !this.name.startsWith('/');
  }

  /** The text that the element begins with, which ends it: other elements in it are passed over. */
  text(): string {
    const begin = this.#at;
    const end = this.#xml.indexOf('<', begin);
    const isEnd = this.#xml[end + 1] === '/';
    const left = isEnd ? end : this.#xml.indexOf(`</${this.name}>`, end);
    this.#at = left === -1 ? this.#xml.length : left + this.name.length + '</>'.length;
    const text = this.#xml.slice(begin, end);
    if (!text.includes('&')) return text;
    // Most entity tags have quotes that are written so.
    const unquoted = text.replaceAll('&quot;', '"');
    return unquoted.includes('&') ? text.replace(REFERENCE, character) : unquoted;
  }
}

/** The character that a reference of XML stands for. */
function character(_reference: string, hexadecimal?: string, decimal?: string, name = ''): string {
  if (hexadecimal !== undefined) return String.fromCodePoint(Number.parseInt(hexadecimal, 16));
  return decimal === undefined ? (ENTITIES[name] ?? '') : String.fromCodePoint(Number(decimal));
}

/**
 * Fails as `refused` if a folder of `prefix` that does not exist yet has a name with a hidden mark. One that
 * exists is used as it is, whatever its name.
 */
export async function refuseMarkedFolders(bucket: Bucket, prefix: string): Promise<void> {
  const mark = hiddenMark(prefix);
  if (mark === undefined) return;
  // If the folder with the last mark exists, so do those around it.
  const marked = prefix.slice(0, prefix.indexOf('/', mark.last) + 1);
  if (await isFolder(bucket, marked)) return;
  throw new Failure('refused', `the folder ${JSON.stringify(marked)} ${markInWords(mark.character)}`);
}

/** True if a folder with exactly this prefix exists. */
export async function isFolder(bucket: Bucket, prefix: string): Promise<boolean> {
  return (await listPage(bucket, { prefix, maxKeys: 1 })).objects.length > 0;
}

/** The members of an object that tell when it was written. */
type Dated = Pick<StoredObject, 'key' | 'lastModified'>;

/** An object at its source, and its copy at the destination. */
export interface MovedObject {
  source: Dated;
  copy: Dated;
}

interface DateRow {
  /** The position of the key in the list, from 1 on. */
  place: number;
  stored_at: Date;
  modified_at: Date;
}

/** Reads the keys as JSON, from which PostgreSQL makes each `id` as {@link idOf} does, letter by letter. */
const ofKeys = new PreparedQuery<GalleryTables, { begin: string; keys: string }, DateRow>((db, value) =>
  db
    .selectFrom(
      sql<{
        key: string;
        place: number;
      }>`json_array_elements(${value('keys')}::json) with ordinality`.as<'listed'>(sql`listed (key, place)`),
    )
    .innerJoin('gallery.original_date as original', (join) =>
      join.on(
        'id',
        '=',
        sql<Buffer>`sha256(convert_to(${value('begin')} || listed.key::text || ']', 'UTF8'))`,
      ),
    )
    .select(['place', 'stored_at', 'modified_at']),
);

/**
 * Records in PostgreSQL when moved objects were written. S3 has no move, its copies are dated anew, and its
 * listings show no metadata that could keep the date.
 */
export class OriginalDates {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** When each object was written, in their order: before it was moved, if it has been. */
  async of(bucket: Bucket, objects: readonly Dated[]): Promise<Date[]> {
    if (objects.length === 0) return [];
    const begin = `${JSON.stringify([bucket.id, bucket.name]).slice(0, -1)},`;
    const keys = JSON.stringify(objects.map(({ key }) => key));
    const rows = await ofKeys.execute(this.#db, { begin, keys });
    const dates = objects.map(({ lastModified }) => lastModified);
    for (const { place, stored_at, modified_at } of rows) {
      const stored = dates[place - 1] ?? new Date(0);
      if (stored_at.getTime() === inSeconds(stored).getTime()) dates[place - 1] = modified_at;
    }
    return dates;
  }

  /** Records that copies were written when their sources were. */
  async keep(bucket: Bucket, moved: readonly MovedObject[]): Promise<void> {
    if (moved.length === 0) return;
    const dates = await this.of(
      bucket,
      moved.map(({ source }) => source),
    );
    const rows = moved.map(({ source, copy }, index) => ({
      id: idOf(bucket, copy),
      stored_at: inSeconds(copy.lastModified),
      modified_at: dates[index] ?? source.lastModified,
    }));
    await this.#db
      .insertInto('gallery.original_date')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet((row) => ({
            stored_at: row.ref('excluded.stored_at'),
            modified_at: row.ref('excluded.modified_at'),
          }))
          // The record that an interrupted run made of the same copy is right.
          .whereRef('gallery.original_date.stored_at', '<>', 'excluded.stored_at'),
      )
      .execute();
  }

  /** Deletes the records of objects that are gone. */
  async forget(bucket: Bucket, gone: readonly Pick<Dated, 'key'>[]): Promise<void> {
    const ids = gone.map((object) => idOf(bucket, object));
    await this.#db
      .deleteFrom('gallery.original_date')
      .where('id', '=', sql<Buffer>`any(${ids}::bytea[])`)
      .execute();
  }
}

function idOf({ id, name }: Bucket, { key }: Pick<Dated, 'key'>): Buffer {
  return hash('sha256', JSON.stringify([id, name, key]), 'buffer');
}

/** Stores date objects by the second, some in listings by the millisecond. */
function inSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
