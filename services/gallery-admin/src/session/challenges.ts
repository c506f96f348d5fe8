import { randomBytes } from 'node:crypto';
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import type { Fingerprints } from './login-throttle.ts';

export type Purpose = 'login' | 'confirm' | 'register' | 'invitation';

const LIFETIME = sql`interval '5 minutes'`;

/** The most open challenges of one client address: later ones end the first. */
const MAX_OPEN = 100;

/** The most that are over which one new challenge removes. */
const REMOVED_AT_ONCE = 100;

/** Challenges for authenticators to sign: each once, within some minutes, for one purpose and person. */
export class Challenges {
  readonly #db: Kysely<GalleryTables>;
  readonly #fingerprints: Fingerprints;

  constructor(db: Kysely<GalleryTables>, fingerprints: Fingerprints) {
    this.#db = db;
    this.#fingerprints = fingerprints;
  }

  /** @param person null if it is not known yet who logs in */
  async make(purpose: Purpose, person: string | null, address: string): Promise<Buffer> {
    const challenge = randomBytes(32);
    const source = this.#fingerprints.of('challenge', address);
    await sql`
      with over as (
        delete from gallery.challenge where challenge in (
          select challenge from gallery.challenge where expires_at <= clock_timestamp()
          limit ${REMOVED_AT_ONCE} for update skip locked
        )
      ), first as (
        delete from gallery.challenge where challenge in (
          select challenge from gallery.challenge where source = ${source}
          order by expires_at desc offset ${MAX_OPEN - 1}
        )
      )
      insert into gallery.challenge (challenge, purpose, person_id, source, expires_at)
      values (${challenge}, ${purpose}, ${person}, ${source}, clock_timestamp() + ${LIFETIME})
    `.execute(this.#db);
    return challenge;
  }

  /** Uses a challenge up. False if it is none for this, or was used already. */
  async take(challenge: Buffer, purpose: Purpose, person: string | null): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('gallery.challenge')
      .where('challenge', '=', challenge)
      .where('purpose', '=', purpose)
      .where(sql<SqlBool>`person_id is not distinct from ${person}::uuid`)
      .where(sql<SqlBool>`expires_at > clock_timestamp()`)
      .executeTakeFirstOrThrow();
    return numDeletedRows === 1n;
  }
}
