import { hash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import type { MultipartSession, UploadedPart } from './schema.ts';

/** For how many days an upload is remembered; stores are told to drop unfinished ones long before. */
const KEPT_DAYS = 90;

/** The most old records that one upload removes. */
const REMOVED_AT_ONCE = 100;

/** The most parts that a message names. */
const NAMED = 10;

/** What an upload was announced as, in bytes. */
export interface Announced {
  size: number;
  /** Of each part but the last. */
  partSize: number;
}

/** Keeps in PostgreSQL what the uploads that this service created were announced as. */
export class AnnouncedUploads {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Keeps what an upload was announced as; forgets the oldest ones. */
  async add(bucket: Bucket, session: MultipartSession, { size, partSize }: Announced): Promise<void> {
    await sql`
      delete from gallery.announced_upload where id in (
        select id from gallery.announced_upload
        where begun_at <= now() - ${KEPT_DAYS} * interval '1 day'
        order by begun_at limit ${REMOVED_AT_ONCE} for update skip locked
      )
    `.execute(this.#db);
    await this.#db
      .insertInto('gallery.announced_upload')
      .values({ id: idOf(bucket, session), size, part_size: partSize })
      .execute();
  }

  /** Undefined for an upload that the browser or another program created. */
  async find(bucket: Bucket, session: MultipartSession): Promise<Announced | undefined> {
    return this.#db
      .selectFrom('gallery.announced_upload')
      .select(['size', 'part_size as partSize'])
      .where('id', '=', idOf(bucket, session))
      .executeTakeFirst();
  }
}

function idOf({ id, name }: Bucket, { key, uploadId }: MultipartSession): Buffer {
  return hash('sha256', JSON.stringify([id, name, key, uploadId]), 'buffer');
}

/** Fails as `refused` for a part that an upload does not have. */
export function assertPart(announced: Announced | undefined, partNumber: number): void {
  if (announced === undefined || partNumber <= partCount(announced)) return;
  const { size } = announced;
  const detail = `the upload was announced with ${size} bytes, in ${partCount(announced)} parts`;
  throw new Failure('refused', `partNumber: there is no part ${partNumber}: ${detail}`);
}

/** Fails as `refused`, with their numbers, unless `parts` are those that were announced. */
export function assertWhole(announced: Announced | undefined, parts: readonly UploadedPart[]): void {
  if (announced === undefined) return;
  const sizes = new Map(parts.map(({ partNumber, size }) => [partNumber, size]));
  const faults: string[] = [];
  for (let number = 1; number <= partCount(announced); number += 1) {
    const [size, expected] = [sizes.get(number), sizeOfPart(announced, number)];
    sizes.delete(number);
    if (size === undefined) faults.push(`part ${number} is missing`);
    else if (size !== expected) faults.push(`part ${number} has ${size} bytes instead of ${expected}`);
  }
  for (const number of sizes.keys()) faults.push(`part ${number} was not announced`);
  if (faults.length === 0) return;
  const more = faults.length > NAMED ? ` (and ${faults.length - NAMED} more)` : '';
  const detail = `the upload was announced with ${announced.size} bytes, in ${partCount(announced)} parts`;
  throw new Failure('refused', `parts: ${faults.slice(0, NAMED).join('; ')}${more}; ${detail}`);
}

function partCount({ size, partSize }: Announced): number {
  return Math.ceil(size / partSize);
}

function sizeOfPart({ size, partSize }: Announced, number: number): number {
  return Math.min(partSize, size - (number - 1) * partSize);
}
