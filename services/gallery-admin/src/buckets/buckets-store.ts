import { randomUUID } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { GalleryTables } from '../tables.ts';
import { type BucketConfiguration, type Credentials, DEFAULT_ID } from './bucket.ts';
import type { BucketDetails, BucketInput, BucketView } from './buckets.ts';

/** The setting that names the active bucket; without it, the environment's bucket is active. */
const ACTIVE = 'active-bucket';

/** Prefix of a bucket's setting key, before its id. */
const BUCKET = 'bucket/';

const MAX_BUCKETS = 200;

/** A configuration as it is stored; its keys are sealed. */
const storedBucket = z.object({
  name: z.string(),
  endpoint: z.string(),
  region: z.string(),
  forcePathStyle: z.boolean(),
  publicEndpoint: z.string().nullable(),
  credentials: z.string(),
});

type StoredBucket = z.infer<typeof storedBucket>;

const credentials = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() });

type Database = Kysely<GalleryTables>;

interface BucketStoreParts {
  db: Database;
  environment: BucketConfiguration;
  box: SecretBox;
}

/** The bucket configurations: the environment's and those saved in the settings. */
export class BucketStore {
  readonly #db: Database;
  readonly #environment: BucketConfiguration;
  readonly #box: SecretBox;

  constructor({ db, environment, box }: BucketStoreParts) {
    this.#db = db;
    this.#environment = environment;
    this.#box = box;
  }

  /** Every bucket, the environment's first, the others by name. */
  async list(): Promise<BucketView[]> {
    const active = await this.activeId();
    const rows = await this.#db
      .selectFrom('gallery.setting')
      .select(['key', 'value'])
      .where('key', 'like', `${BUCKET}%`)
      .orderBy(sql`value ->> 'name'`)
      .orderBy('key')
      .limit(MAX_BUCKETS)
      .execute();
    const saved = rows.map(({ key, value }) => this.#view(idOf(key), storedBucket.parse(value)));
    // It may have been removed since its id was read.
    const shown = saved.some(({ id }) => id === active) ? active : DEFAULT_ID;
    return [viewOf(this.#environment), ...saved].map(({ accessKeyId: _, ...view }) => ({
      ...view,
      active: view.id === shown,
    }));
  }

  async activeId(): Promise<string> {
    const row = await activeRow(this.#db);
    return row === undefined ? DEFAULT_ID : idOf(row.key);
  }

  /**
   * The configuration of the active bucket, in one read. Fails with `misconfigured` if its keys cannot be
   * decrypted.
   */
  async active(): Promise<BucketConfiguration> {
    const row = await activeRow(this.#db);
    if (row === undefined) return this.#environment;
    const id = idOf(row.key);
    const { credentials: sealed, ...place } = storedBucket.parse(row.value);
    const opened = this.#open(id, sealed);
    if (opened === undefined) throw sealBroken();
    return { id, ...place, credentials: opened };
  }

  /** A bucket with its access key. Fails with `missing`. */
  async read(id: string): Promise<BucketDetails> {
    const active = await this.activeId();
    const view =
      id === DEFAULT_ID ? viewOf(this.#environment) : this.#view(id, await readStored(this.#db, id));
    return { ...view, active: id === active };
  }

  /**
   * The configuration to test for `input`, with the stored keys if it has none. Fails with `refused` or
   * `missing`.
   */
  async configurationOf(input: BucketInput): Promise<BucketConfiguration> {
    const { id = '', accessKeyId, secretAccessKey, ...place } = input;
    const stored = id === '' ? undefined : await this.#storedKeys(id);
    return { id, ...place, credentials: merge({ accessKeyId, secretAccessKey }, stored) };
  }

  /**
   * Creates a bucket, or replaces the one of `input.id`, and returns its id. Fails with `refused` or
   * `missing`.
   */
  async save(input: BucketInput, setActive: boolean): Promise<string> {
    const { id: given, accessKeyId, secretAccessKey, ...place } = input;
    const id = given ?? randomUUID();
    refuseDefault(id);
    return this.#db.transaction().execute(async (tx) => {
      const kept = given === undefined ? await assertRoom(tx) : await this.#lockedKeys(tx, id);
      const keys = merge({ accessKeyId, secretAccessKey }, kept);
      const sealed = this.#box.seal(JSON.stringify(keys), id);
      await writeSetting(tx, `${BUCKET}${id}`, { ...place, credentials: sealed } satisfies StoredBucket);
      if (setActive) await writeSetting(tx, ACTIVE, id);
      return id;
    });
  }

  /** Makes a bucket the active one. Fails with `missing`. */
  async setActive(id: string): Promise<void> {
    if (id === DEFAULT_ID) return removeSetting(this.#db, ACTIVE).then(() => undefined);
    await readStored(this.#db, id);
    await writeSetting(this.#db, ACTIVE, id);
  }

  /**
   * Removes a bucket; if it was active, the environment's bucket becomes active. Fails with `refused` or
   * `missing`.
   */
  async remove(id: string): Promise<void> {
    refuseDefault(id);
    await this.#db.transaction().execute(async (tx) => {
      if (!(await removeSetting(tx, `${BUCKET}${id}`))) throw noSuchBucket(id);
      await tx
        .deleteFrom('gallery.setting')
        .where('key', '=', ACTIVE)
        .where(sql`value #>> '{}'`, '=', id)
        .execute();
    });
  }

  async #storedKeys(id: string): Promise<Credentials | undefined> {
    if (id === DEFAULT_ID) return this.#environment.credentials;
    return this.#open(id, (await readStored(this.#db, id)).credentials);
  }

  async #lockedKeys(tx: Transaction<GalleryTables>, id: string): Promise<Credentials | undefined> {
    return this.#open(id, (await readStored(tx, id, true)).credentials);
  }

  /** The keys of a bucket; undefined if they were saved with another `SETTINGS_KEY`. */
  #open(id: string, sealed: string): Credentials | undefined {
    const keys = this.#box.open(sealed, id);
    return keys === undefined ? undefined : credentials.parse(JSON.parse(keys));
  }

  #view(id: string, { credentials: sealed, ...place }: StoredBucket): BucketDetails {
    return viewOf({ id, ...place, credentials: this.#open(id, sealed) });
  }
}

/** The id of the bucket whose setting has this key. */
function idOf(key: string): string {
  return key.slice(BUCKET.length);
}

function viewOf({
  id,
  credentials: keys,
  ...place
}: Partial<BucketConfiguration> & StoredPlace): BucketDetails {
  return {
    ...place,
    id,
    editable: id !== DEFAULT_ID,
    active: false,
    hasCredentials: keys !== undefined,
    accessKeyId: keys?.accessKeyId ?? '',
  };
}

type StoredPlace = Omit<BucketConfiguration, 'credentials'> & { credentials?: Credentials | undefined };

/** The active bucket's setting; none for the environment's bucket or one that has just been removed. */
function activeRow(db: Database) {
  return db
    .selectFrom('gallery.setting as active')
    .innerJoin('gallery.setting as bucket', (join) =>
      join.on('bucket.key', '=', sql<string>`${BUCKET} || (active.value #>> '{}')`),
    )
    .select(['bucket.key', 'bucket.value'])
    .where('active.key', '=', ACTIVE)
    .executeTakeFirst();
}

async function readStored(db: Database, id: string, lock = false): Promise<StoredBucket> {
  const query = db.selectFrom('gallery.setting').select('value').where('key', '=', `${BUCKET}${id}`);
  const row = await (lock ? query.forUpdate() : query).executeTakeFirstOrThrow(() => noSuchBucket(id));
  return storedBucket.parse(row.value);
}

async function assertRoom(tx: Transaction<GalleryTables>): Promise<undefined> {
  const { count } = await tx
    .selectFrom('gallery.setting')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('key', 'like', `${BUCKET}%`)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_BUCKETS)
    throw new Failure('refused', `there are ${MAX_BUCKETS} buckets already; remove one`);
}

/** The given keys, completed from the stored ones. Fails with `refused` if one is still missing. */
function merge(given: Credentials, kept: Credentials | undefined): Credentials {
  const accessKeyId = given.accessKeyId || kept?.accessKeyId;
  const secretAccessKey = given.secretAccessKey || kept?.secretAccessKey;
  if (!accessKeyId) throw new Failure('refused', 'bucket.accessKeyId: is required');
  if (!secretAccessKey) throw new Failure('refused', 'bucket.secretAccessKey: is required');
  return { accessKeyId, secretAccessKey };
}

function refuseDefault(id: string): void {
  if (id !== DEFAULT_ID) return;
  const message =
    "this bucket is defined by the server's environment: change it there, or save another bucket";
  throw new Failure('refused', message, { code: 'bucket_protected' });
}

function noSuchBucket(id: string): Failure {
  return new Failure('missing', `bucket ${JSON.stringify(id)} does not exist`);
}

function sealBroken(): Failure {
  return new Failure(
    'misconfigured',
    'the keys of the active bucket were saved with another SETTINGS_KEY: set that as SETTINGS_KEY_PREVIOUS, or save the bucket again with its keys',
  );
}

/** Creates or replaces the setting `key`. */
async function writeSetting(db: Kysely<GalleryTables>, key: string, value: unknown): Promise<void> {
  const json = JSON.stringify(value);
  await db
    .insertInto('gallery.setting')
    .values({ key, value: json })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ value: json, updated_at: sql<Date>`clock_timestamp()` }),
    )
    .execute();
}

/** Removes the setting `key`. False if it did not exist. */
async function removeSetting(db: Kysely<GalleryTables>, key: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('gallery.setting')
    .where('key', '=', key)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Names of the saved buckets, by what {@link resealBuckets} did with their secrets. */
interface Resealed {
  resealed: string[];
  kept: string[];
  /** Encrypted with neither key; nothing was changed. */
  unreadable: string[];
}

/**
 * Encrypts the keys of saved buckets with `key` that are encrypted with `previous` (32 bytes each), in one
 * transaction. May be repeated.
 */
export async function resealBuckets(
  db: Kysely<GalleryTables>,
  key: Buffer,
  previous: Buffer | undefined,
): Promise<Resealed> {
  const [current, both] = [new SecretBox(key), new SecretBox(key, previous)];
  const found: Resealed = { resealed: [], kept: [], unreadable: [] };
  await db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('gallery.setting')
      .select(['key', 'value'])
      .where('key', 'like', `${BUCKET}%`)
      .orderBy('key')
      .forUpdate()
      .execute();
    for (const row of rows) {
      const [id, bucket] = [idOf(row.key), storedBucket.parse(row.value)];
      if (current.open(bucket.credentials, id) !== undefined) {
        found.kept.push(bucket.name);
        continue;
      }
      const secret = both.open(bucket.credentials, id);
      if (secret === undefined) {
        found.unreadable.push(bucket.name);
        continue;
      }
      await writeSetting(tx, row.key, { ...bucket, credentials: current.seal(secret, id) });
      found.resealed.push(bucket.name);
    }
  });
  return found;
}
