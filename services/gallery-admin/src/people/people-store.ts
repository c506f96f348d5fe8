import { createHash, randomBytes } from 'node:crypto';
import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type SqlBool, sql, type Transaction } from 'kysely';
import type { GalleryTables } from '../tables.ts';

/** From most to least powerful; `app.ts` says what each may do. */
export const ROLES = ['owner', 'editor', 'writer', 'photographer', 'reader'] as const;

export type Role = (typeof ROLES)[number];

/** Readers and photographers write nothing, so they are no authors. */
export function isWriting(role: Role): boolean {
  return role !== 'reader' && role !== 'photographer';
}

/** The most people who are offered to work on an article. */
const MOST_WRITERS = 1000;

/** The validity of an invitation's link, in hours. */
export const INVITED_HOURS = 72;

export interface PersonInput {
  name: string;
  /** In lower case. */
  email: string;
  role: Role;
}

export type PersonChange = Partial<PersonInput> & {
  active?: boolean | undefined;
  language?: string | null | undefined;
  time_zone?: string | null | undefined;
};

/** Owners know who comes back; nobody names themselves what another was called. */
type NamedBy = 'owner' | 'themselves';

/** A person as owners see them. */
export interface ListedPerson extends PersonInput {
  id: string;
  language: string | null;
  time_zone: string | null;
  active: boolean;
  has_password: boolean;
  passkeys: number;
  has_totp: boolean;
  /** True if an account of a provider of single sign-on is linked. */
  is_linked: boolean;
  /** True if the person has a way to log in. */
  can_log_in: boolean;
  author_id: number | null;
  created_at: Date;
  /** The end of the invitation's link; null if no link works. */
  invited_until: Date | null;
  last_used_at: Date | null;
}

/** The columns of a person that a login needs. */
export interface Candidate {
  id: string;
  name: string;
  email: string;
  stamp: Buffer;
  password_hash: string | null;
  /** True if a password alone is not enough. */
  has_factor: boolean;
}

/** True for a person with a passkey or an authenticator app. */
export const HAS_FACTOR = sql<boolean>`(
  exists (select from gallery.passkey where person_id = person.id)
  or exists (select from gallery.totp where person_id = person.id and secret is not null)
)`;

/** The ways in that the settings leave, besides passkeys. */
export interface WaysIn {
  passwords: boolean;
  /** The providers of single sign-on. */
  issuers: readonly string[];
  /** True if a proxy in front lets everybody in. */
  proxy: boolean;
}

/** True for a person who has enough to log in with, in a way that the settings allow. */
export function canLogIn({ passwords, issuers }: WaysIn) {
  return sql<boolean>`(
    (${passwords}::boolean and person.password_hash is not null)
    or exists (select from gallery.passkey where person_id = person.id)
    or exists (select from gallery.identity where person_id = person.id and issuer = any(${issuers}::text[]))
  )`;
}

export const CANDIDATE = [
  ...(['id', 'name', 'email', 'stamp', 'password_hash'] as const),
  HAS_FACTOR.as('has_factor'),
] as const;

/** Those who may log in, by whatever they have. */
function candidates(db: Kysely<GalleryTables>) {
  return db
    .selectFrom('gallery.person as person')
    .select(CANDIDATE)
    .where('removed_at', 'is', null)
    .where('active', '=', true);
}

/** The people of the desk in the database, which stores hashes of their passwords and of invitations. */
export class PeopleStore {
  readonly #db: Kysely<GalleryTables>;
  readonly #hasAccount: boolean;
  readonly #ways: WaysIn;

  /** @param hasAccount whether the environment has an owner besides, so that none needs to be left here */
  constructor(db: Kysely<GalleryTables>, hasAccount: boolean, ways: WaysIn) {
    this.#db = db;
    this.#hasAccount = hasAccount;
    this.#ways = ways;
  }

  list(): Promise<ListedPerson[]> {
    return listed(this.#db, this.#ways).orderBy('name').orderBy('id').execute();
  }

  /** @throws Failure `missing` */
  read(id: string): Promise<ListedPerson> {
    return listed(this.#db, this.#ways).where('person.id', '=', id).executeTakeFirstOrThrow(nobody);
  }

  /**
   * Adds a person, who can do nothing before an invitation is accepted.
   *
   * @param namedBy whoever has chosen the name
   * @throws Failure `conflict` with code `email_taken` or `name_taken`
   */
  add(input: PersonInput, namedBy: NamedBy = 'owner'): Promise<string> {
    const row = { ...input, stamp: newStamp() };
    return this.#db.transaction().execute(async (tx) => {
      const { id } = await tx
        .insertInto('gallery.person')
        .values(row)
        .returning('id')
        .executeTakeFirstOrThrow()
        .catch(explainTaken);
      if (namedBy === 'themselves') await refuseFormerName(tx, id, input.name);
      return id;
    });
  }

  /**
   * Changes a person; another role, and being switched off, ends their sessions. A link to another address
   * ends too, and with an owner all links, which they may have kept.
   *
   * @param namedBy whoever has chosen another name
   * @throws Failure `missing`, `conflict` with code `email_taken`, `name_taken` or `last_owner`
   */
  change(id: string, change: PersonChange, namedBy: NamedBy = 'owner'): Promise<void> {
    return this.#db.transaction().execute(async (tx) => {
      const before = await lock(tx, id);
      const endsSessions =
        (change.role !== undefined && change.role !== before.role) ||
        (change.active !== undefined && change.active !== before.active);
      await tx
        .updateTable('gallery.person')
        .set({ ...change, ...(endsSessions && { stamp: newStamp() }) })
        .where('id', '=', id)
        .execute()
        .catch(explainTaken);
      if (change.name !== undefined && change.name !== before.name) {
        await keepFormerName(tx, id, before.name);
        if (namedBy === 'themselves') await refuseFormerName(tx, id, change.name);
      }
      if (endsSessions && before.role === 'owner') await endInvitations(tx);
      else if (change.email !== undefined || change.active === false) await endInvitations(tx, id);
      await this.#requireOwner(tx);
    });
  }

  /**
   * Removes a person: their sessions and invitation end at once, what they did keeps their name.
   *
   * @throws Failure `missing`, `conflict` with code `last_owner`
   */
  remove(id: string): Promise<void> {
    return this.#db.transaction().execute(async (tx) => {
      const { role, name } = await lock(tx, id);
      const gone = { active: false, password_hash: null, author_id: null, stamp: newStamp() };
      await tx
        .updateTable('gallery.person')
        .set({ ...gone, removed_at: sql<Date>`clock_timestamp()` })
        .where('id', '=', id)
        .execute();
      await keepFormerName(tx, id, name);
      await tx.deleteFrom('gallery.session').where('person_id', '=', id).execute();
      await removeFactors(tx, id);
      await endInvitations(tx, role === 'owner' ? undefined : id);
      await this.#requireOwner(tx);
    });
  }

  /** Somebody can always let others in: of two owners who remove each other at once, one stays. */
  async #requireOwner(tx: Transaction<GalleryTables>): Promise<void> {
    if (this.#hasAccount || (await hasOwner(tx, this.#ways))) return;
    throw new Failure('conflict', 'nobody could let people in: this is the last owner', {
      code: 'last_owner',
    });
  }

  /**
   * Makes the link with which a person chooses a password, in place of the one before, and returns its token,
   * the only time it can be seen.
   *
   * @throws Failure `missing`
   */
  invite(id: string): Promise<{ token: string; expires_at: Date }> {
    return this.#db.transaction().execute(async (tx) => {
      await lock(tx, id);
      const token = randomBytes(32).toString('base64url');
      const invitation = {
        token_hash: invitationHash(token),
        expires_at: sql<Date>`clock_timestamp() + make_interval(hours => ${INVITED_HOURS})`,
      };
      const { expires_at } = await tx
        .insertInto('gallery.invitation')
        .values({ person_id: id, ...invitation })
        .onConflict((conflict) => conflict.column('person_id').doUpdateSet(invitation))
        .returning('expires_at')
        .executeTakeFirstOrThrow();
      return { token, expires_at };
    });
  }

  /**
   * Whom an invitation is for.
   *
   * @throws Failure `missing` for a token that does not work (any longer)
   */
  invited(token: string): Promise<{ id: string; name: string; email: string; expires_at: Date }> {
    return this.#db
      .selectFrom('gallery.invitation as invitation')
      .innerJoin('gallery.person as person', 'person.id', 'invitation.person_id')
      .select(['person.id', 'person.name', 'person.email', 'invitation.expires_at'])
      .where('token_hash', '=', invitationHash(token))
      .where(sql<SqlBool>`expires_at > clock_timestamp()`)
      .where('person.active', '=', true)
      .executeTakeFirstOrThrow(noInvitation);
  }

  /**
   * Gives an invited person a password, or by `keep` something else to log in with if they have no factor,
   * once; earlier sessions end.
   *
   * @param token_hash what is stored of the invitation
   * @throws Failure `missing` as {@link invited}, `conflict` with code `factor_kept`
   */
  accept(
    token_hash: Buffer,
    chosen:
      | { passwordHash: string }
      | { keep: (tx: Transaction<GalleryTables>, id: string) => Promise<unknown> },
  ): Promise<Candidate> {
    return this.#db.transaction().execute(async (tx) => {
      // The person first, as all else locks them.
      await tx
        .selectFrom('gallery.person')
        .select('id')
        .where('id', '=', (eb) =>
          eb.selectFrom('gallery.invitation').select('person_id').where('token_hash', '=', token_hash),
        )
        .forUpdate()
        .executeTakeFirstOrThrow(noInvitation);
      const used = await tx
        .deleteFrom('gallery.invitation')
        .where('token_hash', '=', token_hash)
        .where(sql<SqlBool>`expires_at > clock_timestamp()`)
        .returning('person_id')
        .executeTakeFirstOrThrow(noInvitation);
      const password = 'passwordHash' in chosen && { password_hash: chosen.passwordHash };
      const person = await tx
        .updateTable('gallery.person as person')
        .set({ ...password, stamp: newStamp() })
        .where('id', '=', used.person_id)
        .where('active', '=', true)
        .returning(CANDIDATE)
        .executeTakeFirstOrThrow(noInvitation);
      if (!('keep' in chosen)) return person;
      if (person.has_factor) throw factorKept();
      await chosen.keep(tx, person.id);
      return person;
    });
  }

  /** The person with this e-mail address who has a password; undefined if there is none. */
  candidate(email: string): Promise<Candidate | undefined> {
    return candidates(this.#db)
      .where('email', '=', sql<string>`lower(${email})`)
      .where('password_hash', 'is not', null)
      .executeTakeFirst();
  }

  /** The person whose passkey has this id; undefined if nobody may log in with it. */
  holderOf(credentialId: string): Promise<Candidate | undefined> {
    const id = Buffer.from(credentialId, 'base64url');
    return candidates(this.#db)
      .where('id', '=', (eb) =>
        eb.selectFrom('gallery.passkey').select('person_id').where('credential_id', '=', id),
      )
      .executeTakeFirst();
  }

  /**
   * Changes a person's password, and ends their sessions but one, and a link that there may be. False if the
   * person is not as the stamp says that was there when the former password was checked.
   */
  changePassword(id: string, passwordHash: string, keptSession: string, seen: Buffer): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('gallery.person')
        .set({ password_hash: passwordHash })
        .where('id', '=', id)
        .where('stamp', '=', seen)
        .where('active', '=', true)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) return false;
      await endOtherSessions(tx, id, keptSession);
      return true;
    });
  }

  /**
   * Runs `change`, which alters what a person logs in with, and ends their other sessions and any link. If it
   * throws, nothing changes.
   * @param keptSession the session that asks for it
   * @throws Failure `forbidden` if that has ended, `conflict` with code `last_way_in`
   */
  changeFactors<T>(
    id: string,
    keptSession: string,
    change: (tx: Transaction<GalleryTables>) => Promise<T>,
  ): Promise<T> {
    return this.#db.transaction().execute(async (tx) => {
      await lock(tx, id);
      const done = await change(tx);
      await requireWayIn(tx, id, this.#ways);
      await removeCodesWithoutFactor(tx, id);
      await endOtherSessions(tx, id, keptSession);
      return done;
    });
  }

  /**
   * Removes what a person has besides a password, such as after a lost phone, and ends their sessions.
   *
   * @throws Failure `missing`
   */
  removeFactors(id: string): Promise<void> {
    return this.#db.transaction().execute(async (tx) => {
      await lock(tx, id);
      await removeFactors(tx, id);
      await tx.deleteFrom('gallery.identity').where('person_id', '=', id).execute();
      await tx.updateTable('gallery.person').set({ stamp: newStamp() }).where('id', '=', id).execute();
      await this.#requireOwner(tx);
    });
  }

  /** The id of the person's author in content, if it is known. */
  async authorOf(id: string): Promise<number | null> {
    const { author_id } = await this.read(id);
    return author_id;
  }

  /** Records which author of content a person is, once; false if that is another person. */
  async linkAuthor(id: string, author: number): Promise<boolean> {
    try {
      const { numUpdatedRows } = await this.#db
        .updateTable('gallery.person')
        .set({ author_id: author })
        .where('id', '=', id)
        .where('author_id', 'is', null)
        .where('removed_at', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    } catch (error) {
      if (violates(error, 'person_author_id_key')) return false;
      throw error;
    }
  }

  /** Those who may log in and write, with the authors of content that they are. */
  async writers(): Promise<{ name: string; authorId: number }[]> {
    const rows = await this.#db
      .selectFrom('gallery.person')
      .select(['name', 'author_id'])
      .where('active', '=', true)
      .where('role', 'in', ROLES.filter(isWriting))
      .orderBy('name')
      .limit(MOST_WRITERS)
      .execute();
    return rows.flatMap(({ name, author_id: authorId }) => (authorId === null ? [] : [{ name, authorId }]));
  }

  /** True if an owner besides the account of the environment can log in. */
  hasOwner(): Promise<boolean> {
    return hasOwner(this.#db, this.#ways);
  }
}

async function keepFormerName(tx: Transaction<GalleryTables>, id: string, name: string): Promise<void> {
  await tx
    .insertInto('gallery.former_name')
    .values({ name: sql<string>`lower(${name})`, person_id: id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Histories, and what content has of before accounts were kept, know people by their names. */
async function refuseFormerName(tx: Transaction<GalleryTables>, id: string, name: string): Promise<void> {
  const another = await tx
    .selectFrom('gallery.former_name')
    .select('person_id')
    .where('name', '=', sql<string>`lower(${name})`)
    .where('person_id', '<>', id)
    .limit(1)
    .executeTakeFirst();
  if (another !== undefined) throw nameTaken();
}

async function hasOwner(db: Kysely<GalleryTables>, ways: WaysIn): Promise<boolean> {
  const owner = await db
    .selectFrom('gallery.person as person')
    .select('id')
    .where('role', '=', 'owner')
    .where('active', '=', true)
    .where(ways.proxy ? sql.lit(true) : canLogIn(ways))
    .limit(1)
    .executeTakeFirst();
  return owner !== undefined;
}

function listed(db: Kysely<GalleryTables>, ways: WaysIn) {
  return db
    .selectFrom('gallery.person as person')
    .select([
      'person.id',
      'person.name',
      'person.email',
      'person.role',
      'person.language',
      'person.time_zone',
      'person.active',
      'person.author_id',
      'person.created_at',
      sql<boolean>`person.password_hash is not null`.as('has_password'),
      sql<number>`(select count(*) from gallery.passkey where person_id = person.id)`.as('passkeys'),
      sql<boolean>`exists (select from gallery.totp where person_id = person.id and secret is not null)`.as(
        'has_totp',
      ),
      sql<boolean>`exists (select from gallery.identity where person_id = person.id)`.as('is_linked'),
      canLogIn(ways).as('can_log_in'),
      sql<Date | null>`(select expires_at from gallery.invitation
        where person_id = person.id and expires_at > clock_timestamp())`.as('invited_until'),
      sql<Date | null>`(select max(last_used_at) from gallery.session where person_id = person.id)`.as(
        'last_used_at',
      ),
    ])
    .where('person.removed_at', 'is', null);
}

async function requireWayIn(tx: Transaction<GalleryTables>, id: string, ways: WaysIn): Promise<void> {
  const found = await tx
    .selectFrom('gallery.person as person')
    .select('id')
    .where('id', '=', id)
    .where(canLogIn(ways))
    .executeTakeFirst();
  if (found !== undefined) return;
  const message = 'you could not log in any longer: this is your only way in';
  throw new Failure('conflict', message, { code: 'last_way_in' });
}

/** Recovery codes stand in for a factor, and are none. */
async function removeCodesWithoutFactor(tx: Transaction<GalleryTables>, id: string): Promise<void> {
  await tx
    .deleteFrom('gallery.recovery_code')
    .where('person_id', '=', id)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('gallery.person as person').select('id').where('person.id', '=', id).where(HAS_FACTOR),
        ),
      ),
    )
    .execute();
}

/** Ends the sessions of a person but one, and the link that there may be. The person's row is locked. */
async function endOtherSessions(tx: Transaction<GalleryTables>, id: string, kept: string): Promise<void> {
  const stamp = newStamp();
  const { numUpdatedRows } = await tx
    .updateTable('gallery.session')
    .set({ account: stamp })
    .where('id', '=', kept)
    .where('person_id', '=', id)
    .where('account', '=', (eb) => eb.selectFrom('gallery.person').select('stamp').where('id', '=', id))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new Failure('forbidden', 'this session has ended; log in again');
  await tx.updateTable('gallery.person').set({ stamp }).where('id', '=', id).execute();
  await endInvitations(tx, id);
}

async function removeFactors(tx: Transaction<GalleryTables>, id: string): Promise<void> {
  for (const table of ['gallery.passkey', 'gallery.totp', 'gallery.recovery_code'] as const) {
    await tx.deleteFrom(table).where('person_id', '=', id).execute();
  }
}

/** A link does not take the place of a second factor. */
function factorKept(): Failure {
  const message = 'you have a passkey or an app already: log in with it, or ask an owner to remove it first';
  return new Failure('conflict', message, { code: 'factor_kept' });
}

/** Locks all owners too, in one order: what decides who is the last one happens one after the other. */
async function lock(
  tx: Transaction<GalleryTables>,
  id: string,
): Promise<{ name: string; role: Role; active: boolean }> {
  const rows = await tx
    .selectFrom('gallery.person')
    .select(['id', 'name', 'role', 'active'])
    .where('removed_at', 'is', null)
    .where((eb) => eb.or([eb('id', '=', id), eb('role', '=', 'owner')]))
    .orderBy('id')
    .forUpdate()
    .execute();
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw nobody();
  return row;
}

function nobody(): Failure {
  return new Failure('missing', 'there is no such person; the list may have changed');
}

function noInvitation(): Failure {
  return new Failure('missing', 'this invitation was used, has ended or was replaced; ask for a new one', {
    code: 'invitation_not_found',
  });
}

/** Ends the link of a person, or of everybody. */
async function endInvitations(tx: Transaction<GalleryTables>, id?: string): Promise<void> {
  const ending = tx.deleteFrom('gallery.invitation');
  await (id === undefined ? ending : ending.where('person_id', '=', id)).execute();
}

function explainTaken(error: unknown): never {
  if (violates(error, 'person_name_key')) throw nameTaken();
  if (!violates(error, 'person_email_key')) throw error;
  throw emailTaken();
}

export function emailTaken(): Failure {
  return new Failure('conflict', 'another person has this e-mail address', { code: 'email_taken' });
}

/** Histories would not tell two people of one name apart. */
export function nameTaken(): Failure {
  return new Failure('conflict', 'another person has this name', { code: 'name_taken' });
}

function newStamp(): Buffer {
  return randomBytes(32);
}

/** The form in which an invitation is stored. */
export function invitationHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
