import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import { IS_LIVE } from '../session/store.ts';
import type { GalleryTables } from '../tables.ts';
import { CANDIDATE, type Candidate, canLogIn, type Role, type WaysIn } from './people-store.ts';

/** An account at a provider of single sign-on. */
export interface Identity {
  issuer: string;
  subject: string;
}

/** A person as single sign-on finds them. */
export interface Linked extends Candidate {
  role: Role;
  active: boolean;
  removed_at: Date | null;
  /** True if the person has a way to log in, besides a proxy in front. */
  can_log_in: boolean;
}

/** An account of a provider that belongs to a person. */
interface LinkedAccount {
  id: string;
  issuer: string;
  linked_at: Date;
}

function linkedWith(ways: WaysIn) {
  const state = ['role', 'active', 'removed_at'] as const;
  return [...CANDIDATE, ...state, canLogIn(ways).as('can_log_in')] as const;
}

export class Identities {
  readonly #db: Kysely<GalleryTables>;
  readonly #linked: ReturnType<typeof linkedWith>;

  constructor(db: Kysely<GalleryTables>, ways: WaysIn) {
    this.#db = db;
    this.#linked = linkedWith(ways);
  }

  /** Finds the person an account is linked to, even one who was removed. */
  find({ issuer, subject }: Identity): Promise<Linked | undefined> {
    return this.#db
      .selectFrom('gallery.person as person')
      .select(this.#linked)
      .where('id', '=', (eb) =>
        eb
          .selectFrom('gallery.identity')
          .select('person_id')
          .where('issuer', '=', issuer)
          .where('subject', '=', subject),
      )
      .executeTakeFirst();
  }

  /** Finds the person who has this e-mail address, else one who had it and was removed. */
  withEmail(email: string): Promise<Linked | undefined> {
    return this.#db
      .selectFrom('gallery.person as person')
      .select(this.#linked)
      .where('email', '=', email)
      .orderBy(sql`removed_at is not null`)
      .limit(1)
      .executeTakeFirst();
  }

  /**
   * Links an account of a provider with somebody who is active. It leaves somebody who was removed.
   *
   * @throws Failure `missing`, or `conflict` with code `linked_elsewhere` or `other_account`
   */
  link(id: string, identity: Identity): Promise<Linked> {
    return this.#db.transaction().execute(async (tx) => {
      const person = await this.#locked(tx, id);
      await insertIdentity(tx, id, identity);
      return person;
    });
  }

  /** Those of a person. */
  list(id: string): Promise<LinkedAccount[]> {
    return this.#db
      .selectFrom('gallery.identity')
      .select(['id', 'issuer', 'linked_at'])
      .where('person_id', '=', id)
      .orderBy('linked_at')
      .execute();
  }

  /** Ends the sessions of a person who came in by an account at the provider `way`. */
  async endSessions({ issuer, subject }: Identity, way: string): Promise<void> {
    await sql`
      delete from gallery.session using gallery.identity as linked
      where linked.issuer = ${issuer} and linked.subject = ${subject}
        and session.person_id = linked.person_id and session.way = ${way}
    `.execute(this.#db);
  }

  /** The person of a session that has not ended. */
  ownerOf(session: string): Promise<{ id: string; name: string } | undefined> {
    return this.#db
      .selectFrom('gallery.session as session')
      .innerJoin('gallery.person as person', 'person.id', 'session.person_id')
      .select(['person.id', 'person.name'])
      .where('session.id', '=', session)
      .whereRef('session.account', '=', 'person.stamp')
      .where('person.active', '=', true)
      .where(IS_LIVE)
      .executeTakeFirst();
  }

  #locked(tx: Transaction<GalleryTables>, id: string): Promise<Linked> {
    return tx
      .selectFrom('gallery.person as person')
      .select(this.#linked)
      .where('id', '=', id)
      .where('active', '=', true)
      .where('removed_at', 'is', null)
      .forUpdate()
      .executeTakeFirstOrThrow(() => new Failure('missing', 'there is no such person any longer'));
  }
}

/** @throws Failure `conflict` with code `linked_elsewhere` or `other_account` */
export async function insertIdentity(
  tx: Transaction<GalleryTables>,
  person_id: string,
  { issuer, subject }: Identity,
): Promise<void> {
  // One of somebody who was removed is free.
  await sql`
    delete from gallery.identity using gallery.person as former
    where issuer = ${issuer} and subject = ${subject} and person_id = former.id and former.removed_at is not null
  `.execute(tx);
  await tx
    .insertInto('gallery.identity')
    .values({ person_id, issuer, subject })
    .execute()
    .catch((error: unknown) => {
      if (violates(error, 'identity_issuer_subject_key')) {
        throw new Failure('conflict', 'this account belongs to another person of the desk', {
          code: 'linked_elsewhere',
        });
      }
      if (!violates(error, 'identity_person_id_issuer_key')) throw error;
      throw new Failure('conflict', 'another account of this provider is linked already', {
        code: 'other_account',
      });
    });
}

/**
 * Unlinks an account of a person.
 *
 * @throws Failure `missing`
 */
export async function removeIdentity(
  tx: Transaction<GalleryTables>,
  person: string,
  id: string,
): Promise<void> {
  await tx
    .deleteFrom('gallery.identity')
    .where('id', '=', id)
    .where('person_id', '=', person)
    .returning('id')
    .executeTakeFirstOrThrow(() => new Failure('missing', 'this account is not linked (any longer)'));
}
