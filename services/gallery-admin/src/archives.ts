import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { isNotModified } from '@pressroom/common/caching/conditional';
import { Failure } from '@pressroom/common/failures/failure';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound } from '@pressroom/common/problems/problem';
import { makeZip, predictLength } from 'client-zip';
import type { FastifyReply } from 'fastify';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { findObject, forEachConcurrently, quotedPaths } from './batches/objects.ts';
import { findSources, foldOverlaps } from './batches/transfer.ts';
import type { Bucket, BucketSource } from './buckets/bucket.ts';
import { existingPath, parentOf } from './names.ts';
import { listObjects, type OriginalDates, type StoredObject } from './objects/object-page.ts';
import { attachment } from './objects/read-urls.ts';
import { logWrite, problemResponses } from './problems.ts';
import { goneSignal } from './proxy/proxy.ts';
import type { GalleryTables } from './tables.ts';

/** The most paths in one archive. */
const MAX_PATHS = 10_000;

/** The body of a request for an archive. */
const archiveBody = z.strictObject({
  paths: z
    .array(
      existingPath
        .refine((value) => value !== '', 'must not be empty')
        .meta({ minLength: 1, maxLength: 1024 }),
      `must be a list of 1 to ${MAX_PATHS} paths`,
    )
    .min(1, 'must contain at least one path')
    .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
    .describe('Keys of files, and folders with everything in them.'),
});

/** The response to a request for an archive. */
const archiveAnswer = z.object({
  success: z.literal(true),
  data: z.object({
    id: z.uuid().describe('For an hour, GET /api/gallery/archives/{id} downloads the archive.'),
    files: z.int().describe('The number of files in it.'),
    size: z.int().describe('In bytes.'),
  }),
});

const archivePath = z.strictObject({ id: z.uuid('must be the id of an archive') });

const archiveFile = {
  description: 'The archive, as it is read from the store.',
  content: { 'application/zip': { schema: z.string().meta({ format: 'binary' }) } },
};

const TAGS = ['gallery'];

/** Downloads of many files as one: an addition to `docs/spec/gallery-admin.md`, "Endpoints". */
export function archiveOperations(buckets: BucketSource, archives: ArchiveStore, dates: OriginalDates) {
  return { create: createOperation(buckets, archives), read: readOperation(buckets, archives, dates) };
}

function createOperation(buckets: BucketSource, archives: ArchiveStore) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'createArchive',
      summary: 'Choose files and folders to download as one zip',
      description:
        '1 to 10,000 keys and folders, 50,000 files at most. For an hour, `GET' +
        ' /api/gallery/archives/{id}` streams the zip.',
      body: archiveBody,
      response: { 200: archiveAnswer, ...problemResponses(400, 401, 403, 413, 415, 500, 503) },
    },
    handler: async ({ body: { paths } }) => {
      const bucket = await buckets.current();
      const { entries } = await archiveContent(bucket, paths);
      const files = entries.filter(({ name }) => !name.endsWith('/'));
      const size = files.reduce((sum, { object }) => sum + object.size, 0);
      const id = await archives.create(bucket, paths);
      return { success: true as const, data: { id, files: files.length, size } };
    },
  });
}

function readOperation(buckets: BucketSource, archives: ArchiveStore, dates: OriginalDates) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'readArchive',
      summary: 'Download the chosen files as a zip',
      description:
        'The files as they are now, uncompressed, as they arrive from the store. If one of them changes' +
        ' meanwhile, the connection breaks, so that the archive is not mistaken for complete.',
      params: archivePath,
      response: { 200: archiveFile, ...NOT_MODIFIED, ...problemResponses(400, 401, 404, 500, 503) },
    },
    handler: async (request, reply) => {
      const { method, headers } = request;
      const { id } = request.params;
      const signal = goneSignal(reply);
      const bucket = await buckets.current();
      const paths = await archives.find(bucket, id);
      if (paths === undefined)
        throw notFound('there is no such archive, or it has expired; choose the files again');
      const { about, entries } = await archiveContent(bucket, paths);
      const modified = await dates.of(
        bucket,
        entries.map(({ object }) => object),
      );
      const dated = entries.map(({ name, object }, index) => ({
        name,
        object: { ...object, lastModified: modified[index] ?? object.lastModified },
      }));
      const name = `${about.replace(/\/$/, '') || bucket.name}.zip`;
      const etag = tagOf(dated);
      reply.headers({ etag, 'accept-ranges': 'none' });
      if (isNotModified(headers['if-none-match'], etag)) return reply.code(304).send(null);
      reply.headers({ 'content-disposition': attachment(name), 'content-length': String(zipLength(dated)) });
      // Fastify would read the body of a HEAD to its end.
      if (method === 'HEAD') return send(reply, Readable.from([]));
      const files = dated.filter(({ name: key }) => !key.endsWith('/')).length;
      logWrite(request, 'archive_downloaded', { name, paths: paths.slice(0, 20), files });
      return send(reply, zipOf(bucket, dated, signal));
    },
  });
}

/** Equal for archives with the same bytes. */
function tagOf(entries: readonly ArchiveEntry[]): string {
  const hash = createHash('sha256');
  for (const { name, object } of entries) {
    hash.update(JSON.stringify([name, object.etag, object.size, object.lastModified]));
  }
  return `"${hash.digest('base64url')}"`;
}

function send(reply: FastifyReply, body: Readable) {
  return reply.type('application/zip').send(body);
}

/** The most files in one archive: its list is in memory. */
const MAX_FILES = 50_000;

const LOOKUPS = 16;

/** Characters that could lead a name out of the folder where it is unpacked, or mislead. */
const UNSAFE = /[\\\p{Cc}\p{Bidi_Control}<>:"|?*]|[. ]+(?=\/|$)/gu;

/** Names of devices on Windows, which no file can have there, whatever follows a dot. */
const DEVICE = /^(?:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(?:COM|LPT)[\d¹²³])(?= *(?:\.|$))/i;

/** A file in an archive, or an empty folder, whose name ends with `/`. */
interface ArchiveEntry {
  name: string;
  object: StoredObject;
}

/** The files of an archive, and the path after which it is named; empty if that is the bucket. */
interface ArchiveContent {
  about: string;
  entries: ArchiveEntry[];
}

/**
 * Everything at `paths`, folders with all that is in them, each under its path from the folder that holds
 * them all. Fails as `refused` if nothing exists at a path, or for more than 50,000 files.
 */
async function archiveContent(bucket: Bucket, paths: readonly string[]): Promise<ArchiveContent> {
  const found = await findSources(bucket, paths);
  if (found.missing.length > 0) {
    throw new Failure('refused', `paths: nothing exists at ${quotedPaths(found.missing)}`);
  }
  const { sources } = foldOverlaps(found.sources);
  const objects: StoredObject[] = [];
  const add = (object: StoredObject | undefined) => {
    if (object !== undefined) objects.push(object);
    if (objects.length <= MAX_FILES) return;
    throw new Failure('refused', `paths: more than ${MAX_FILES} files; choose fewer for one archive`);
  };
  await forEachConcurrently(sources, LOOKUPS, async ({ kind, path }) => {
    if (kind === 'object') return add(await findObject(bucket, path));
    for await (const object of listObjects(bucket, path)) add(object);
  });
  const folder = commonFolder(sources.map(({ path }) => parentOf(path)));
  objects.sort((a, b) => (a.key < b.key ? -1 : 1));
  const [only = { path: '' }, second] = sources;
  return { about: second === undefined ? only.path : folder, entries: entriesOf(objects, folder) };
}

/** The longest prefix that ends with `/` and that all folders begin with. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  let folder = first;
  for (const other of others) while (!other.startsWith(folder)) folder = parentOf(folder);
  return folder;
}

/**
 * Two files may have one name once what is unsafe is replaced or where case does not count, and a file may
 * have the name of a folder: the last segment of its name then gets a number.
 */
function entriesOf(objects: readonly StoredObject[], folder: string): ArchiveEntry[] {
  const entries = objects.map((object) => ({ name: safeName(object.key.slice(folder.length)), object }));
  const folders = [...new Set(entries.map(({ name }) => placeOf(parentOf(`${name}.`))))].sort();
  /** Each taken name, with the number to try next. */
  const files = new Map<string, number>();
  const isTaken = (place: string) => files.has(place) || hasPrefixed(folders, place);
  return entries.map((entry) => {
    if (entry.name.endsWith('/')) return entry;
    let { name } = entry;
    let number = files.get(placeOf(name)) ?? 2;
    for (; isTaken(placeOf(name)); number += 1) name = entry.name.replace(/[^/]*$/, `${number} $&`);
    files.set(placeOf(entry.name), number).set(placeOf(name), 2);
    return { ...entry, name };
  });
}

/** Searches `texts`, which are sorted, for the prefix: a set of all their folders could be huge. */
function hasPrefixed(texts: readonly string[], prefix: string): boolean {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((texts[middle] ?? '') < prefix) low = middle + 1;
    else high = middle;
  }
  return texts[low]?.startsWith(prefix) ?? false;
}

/** Equal for names that are one place where neither case nor the composition of characters counts. */
function placeOf(name: string): string {
  return name.normalize().toLowerCase().replace(/\/?$/, '/');
}

function safeName(path: string): string {
  const isFolder = path.endsWith('/');
  const segments = (isFolder ? path.slice(0, -1) : path).replaceAll(UNSAFE, '_').split('/');
  const safe = segments.map((segment) => segment.replace(DEVICE, '$&_') || '_').join('/');
  return isFolder ? `${safe}/` : safe;
}

/** For how many minutes an archive can be downloaded. */
const KEPT_MIN = 60;

/** The contents of the archives that somebody is about to download. */
export class ArchiveStore {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Records the paths of an archive, and deletes the records of old ones; resolves to its id. */
  async create(bucket: Bucket, paths: readonly string[]): Promise<string> {
    const id = randomUUID();
    await this.#db
      .deleteFrom('gallery.archive')
      .where('created_at', '<=', sql<Date>`now() - ${KEPT_MIN} * interval '1 minute'`)
      .execute();
    await this.#db
      .insertInto('gallery.archive')
      .values({ id, bucket_id: bucket.id, bucket_name: bucket.name, paths: JSON.stringify(paths) })
      .execute();
    return id;
  }

  /** The paths of an archive of the bucket; undefined if there is none, or none any longer. */
  async find(bucket: Bucket, id: string): Promise<readonly string[] | undefined> {
    const found = await this.#db
      .selectFrom('gallery.archive')
      .select('paths')
      .where('id', '=', id)
      .where('bucket_id', '=', bucket.id)
      .where('bucket_name', '=', bucket.name)
      .where('created_at', '>', sql<Date>`now() - ${KEPT_MIN} * interval '1 minute'`)
      .executeTakeFirst();
    return found?.paths;
  }
}

/** The length of the zip of the entries, in bytes; known, because media are not compressed once more. */
function zipLength(entries: readonly ArchiveEntry[]): bigint {
  return predictLength(entries.map(described));
}

/**
 * A zip of the entries, which are read from the store one after the other, as fast as the archive is read.
 * Fails if an object has changed since or the store fails; `signal` ends it.
 */
function zipOf(bucket: Bucket, entries: readonly ArchiveEntry[], signal: AbortSignal): Readable {
  async function* files() {
    for (const entry of entries) {
      const file = described(entry);
      yield 'size' in file ? { ...file, input: await read(bucket, entry.object, signal) } : file;
    }
  }
  // `Readable.fromWeb` emits a failure before anybody listens, which would end the process.
  return Readable.from(makeZip(files()) as ReadableStream<Uint8Array>, { objectMode: false });
}

function described({ name, object: { lastModified, size } }: ArchiveEntry) {
  return name.endsWith('/') ? { name, lastModified } : { name, lastModified, size };
}

async function read(bucket: Bucket, { key, etag }: StoredObject, signal: AbortSignal): Promise<Readable> {
  const get = new GetObjectCommand({ Bucket: bucket.name, Key: key, IfMatch: `"${etag}"` });
  const { Body } = await bucket.s3.send(get, { abortSignal: signal });
  const body = Body as Readable;
  const stop = () => void body.destroy();
  signal.addEventListener('abort', stop, { once: true });
  body.once('close', () => signal.removeEventListener('abort', stop));
  return body;
}
