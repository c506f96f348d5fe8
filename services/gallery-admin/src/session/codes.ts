import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { type Kysely, type SqlBool, sql, type Transaction } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { GalleryTables } from '../tables.ts';

/** The proof that was given besides a password. */
export type CodeKind = 'totp' | 'recovery_code';

/** The number of recovery codes that a person gets. */
const RECOVERY_CODES = 10;

/** Their length in bytes: enough for a plain hash (ASVS 5.0, 6.5.2). */
const RECOVERY_BYTES = 15;

/** Codes of an app are valid for their 30 seconds, and those before and after: clocks differ. */
const WINDOW = 1;

/** The codes that people show besides a password: of an app (TOTP, RFC 6238), or one for recovery. */
export class Codes {
  readonly #db: Kysely<GalleryTables>;
  readonly #box: SecretBox;
  readonly #now: () => number;

  constructor(db: Kysely<GalleryTables>, box: SecretBox, now: () => number) {
    this.#db = db;
    this.#box = box;
    this.#now = now;
  }

  /** Makes the secret that an app is to keep; it holds once a code of it is shown. */
  async begin({ id, email }: { id: string; email: string }): Promise<{ secret: string; uri: string }> {
    const secret = new Secret({ size: 20 });
    const pending = this.#box.seal(secret.base32, ownerOf(id));
    await this.#db
      .insertInto('gallery.totp')
      .values({ person_id: id, pending })
      .onConflict((conflict) => conflict.column('person_id').doUpdateSet({ pending }))
      .execute();
    const uri = new TOTP({ issuer: 'Pressroom', label: email, secret }).toString();
    return { secret: secret.base32, uri };
  }

  /**
   * Takes the secret that was made last, if this is a code of it.
   *
   * @throws Failure `forbidden` with code `wrong_code`, `conflict` with code `no_secret`
   */
  async confirm(tx: Transaction<GalleryTables>, person: string, code: string): Promise<void> {
    const row = await tx
      .selectFrom('gallery.totp')
      .select('pending')
      .where('person_id', '=', person)
      .forUpdate()
      .executeTakeFirst();
    const pending = row?.pending ?? null;
    if (pending === null) throw new Failure('conflict', 'ask for a secret first', { code: 'no_secret' });
    const last_step = this.#stepOf(this.#open(pending, person), code);
    if (last_step === undefined) throw wrongCode();
    const created_at = sql<Date>`clock_timestamp()`;
    await tx
      .updateTable('gallery.totp')
      .set({ secret: pending, pending: null, last_step, created_at })
      .where('person_id', '=', person)
      .execute();
  }

  /** Uses a code up, of the app or for recovery; undefined if it is wrong or was used. */
  async take(person: string, code: string): Promise<CodeKind | undefined> {
    const plain = code.replaceAll(/[\s-]/g, '').toUpperCase();
    if (/^\d{6}$/.test(plain)) return (await this.#takeStep(person, plain)) ? 'totp' : undefined;
    const { numDeletedRows } = await this.#db
      .deleteFrom('gallery.recovery_code')
      .where('person_id', '=', person)
      .where('code_hash', '=', hashOf(plain))
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n ? 'recovery_code' : undefined;
  }

  async #takeStep(person: string, code: string): Promise<boolean> {
    const { secret = null } =
      (await this.#db
        .selectFrom('gallery.totp')
        .select('secret')
        .where('person_id', '=', person)
        .executeTakeFirst()) ?? {};
    if (secret === null) return false;
    const step = this.#stepOf(this.#open(secret, person), code);
    if (step === undefined) return false;
    const { numUpdatedRows } = await this.#db
      .updateTable('gallery.totp')
      .set({ last_step: step })
      .where('person_id', '=', person)
      .where('secret', '=', secret)
      .where(sql<SqlBool>`coalesce(last_step < ${step}, true)`)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  /** The time step of a code; undefined if it is none of now. */
  #stepOf(secret: string, token: string): number | undefined {
    const timestamp = this.#now();
    const delta = TOTP.validate({ token, secret: Secret.fromBase32(secret), timestamp, window: WINDOW });
    return delta === null ? undefined : TOTP.counter({ timestamp }) + delta;
  }

  #open(sealed: string, person: string): string {
    const secret = this.#box.open(sealed, ownerOf(person));
    if (secret !== undefined) return secret;
    throw new Failure(
      'misconfigured',
      'the secret of this account was saved with another SETTINGS_KEY: set that as SETTINGS_KEY_PREVIOUS, or use a recovery code',
    );
  }

  /** The time at which the app was set up, if it was, and the number of recovery codes left. */
  async read(person: string): Promise<{ since: Date | undefined; recoveryCodes: number }> {
    const row = await this.#db
      .selectFrom('gallery.totp')
      .select('created_at')
      .where('person_id', '=', person)
      .where('secret', 'is not', null)
      .executeTakeFirst();
    const { count } = await this.#db
      .selectFrom('gallery.recovery_code')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('person_id', '=', person)
      .executeTakeFirstOrThrow();
    return { since: row?.created_at, recoveryCodes: Number(count) };
  }
}

/** Makes new recovery codes in place of those before, and returns them, the only time they can be seen. */
export async function renewRecoveryCodes(tx: Transaction<GalleryTables>, person: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newCode);
  await tx.deleteFrom('gallery.recovery_code').where('person_id', '=', person).execute();
  await tx
    .insertInto('gallery.recovery_code')
    .values(codes.map((code) => ({ person_id: person, code_hash: hashOf(code) })))
    .execute();
  return codes.map((code) => code.replaceAll(/(.{4})(?=.)/g, '$1-'));
}

export async function removeTotp(tx: Transaction<GalleryTables>, person: string): Promise<void> {
  await tx.deleteFrom('gallery.totp').where('person_id', '=', person).execute();
}

/** Seals the secrets again that only the previous key opens. */
export async function resealCodes(
  db: Kysely<GalleryTables>,
  key: Buffer,
  previous: Buffer | undefined,
): Promise<{ resealed: number; kept: number; unreadable: number }> {
  const [current, both] = [new SecretBox(key), new SecretBox(key, previous)];
  const found = { resealed: 0, kept: 0, unreadable: 0 };
  await db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('gallery.totp')
      .select(['person_id', 'secret'])
      .orderBy('person_id')
      .forUpdate()
      .execute();
    for (const { person_id, secret } of rows) {
      if (secret === null) continue;
      const owner = ownerOf(person_id);
      if (current.open(secret, owner) !== undefined) {
        found.kept += 1;
        continue;
      }
      const opened = both.open(secret, owner);
      if (opened === undefined) {
        found.unreadable += 1;
        continue;
      }
      const sealed = { secret: current.seal(opened, owner) };
      await tx.updateTable('gallery.totp').set(sealed).where('person_id', '=', person_id).execute();
      found.resealed += 1;
    }
  });
  return found;
}

export function wrongCode(): Failure {
  const message = 'this code is wrong, or was used: wait for the next one';
  return new Failure('forbidden', message, { code: 'wrong_code' });
}

function newCode(): string {
  return new Secret({ buffer: new Uint8Array(randomBytes(RECOVERY_BYTES)).buffer }).base32;
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** The owner that a sealed secret is bound to. */
function ownerOf(person: string): string {
  return `totp/${person}`;
}
