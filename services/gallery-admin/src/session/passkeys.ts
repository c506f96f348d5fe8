import { violates } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { type Kysely, type Selectable, type SqlBool, sql, type Transaction } from 'kysely';
import type { GalleryTables } from '../tables.ts';
import type { Challenges, Purpose } from './challenges.ts';

/** The site where people log in: passkeys are made for its host, and sign the origin of the page. */
export interface Site {
  origin: string;
  host: string;
}

/** The person who gets a passkey. */
export interface Holder {
  id: string;
  name: string;
  email: string;
}

/** A credential that an authenticator has made. */
interface NewPasskey {
  credential_id: Buffer;
  public_key: Buffer;
  counter: number;
  transports: string[];
}

type Passkey = Selectable<GalleryTables['gallery.passkey']>;

/** EdDSA, ES256 and RS256, which all versions of Node and all authenticators share (COSE). */
const ALGORITHMS = [-8, -7, -257];

/** The most passkeys of a person. */
const MAX_PASSKEYS = 20;

/** Loaded when first used: its certificates and ASN.1 take megabytes. */
const webauthn = () => import('@simplewebauthn/server');

/** People's passkeys (WebAuthn): the authenticator holds who it is for, and asks them to show that. */
export class Passkeys {
  readonly #db: Kysely<GalleryTables>;
  readonly #challenges: Challenges;

  constructor(db: Kysely<GalleryTables>, challenges: Challenges) {
    this.#db = db;
    this.#challenges = challenges;
  }

  /** Options for a browser to make a passkey. */
  async creationOptions(
    site: Site,
    purpose: Purpose,
    holder: Holder,
    address: string,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const kept = await this.list(holder.id);
    const { generateRegistrationOptions } = await webauthn();
    return generateRegistrationOptions({
      rpName: 'Pressroom',
      rpID: site.host,
      userID: new Uint8Array(Buffer.from(holder.id)),
      userName: holder.email,
      userDisplayName: holder.name,
      challenge: new Uint8Array(await this.#challenges.make(purpose, holder.id, address)),
      excludeCredentials: kept.map(asCredential),
      supportedAlgorithmIDs: ALGORITHMS,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /**
   * Options for a browser to use a passkey.
   * @param person its owner; null where the passkey says who that is
   */
  async requestOptions(
    site: Site,
    purpose: Purpose,
    person: string | null,
    address: string,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await webauthn();
    return generateAuthenticationOptions({
      rpID: site.host,
      userVerification: 'required',
      challenge: new Uint8Array(await this.#challenges.make(purpose, person, address)),
      allowCredentials: person === null ? [] : (await this.list(person)).map(asCredential),
    });
  }

  /**
   * Verifies that an authenticator made a passkey here and now, and returns it.
   * @throws Failure `refused` with code `passkey_refused`
   */
  async made(
    site: Site,
    purpose: Purpose,
    person: string,
    response: RegistrationResponseJSON,
  ): Promise<NewPasskey> {
    const expected = await this.#expected(site, purpose, person, response);
    const { verifyRegistrationResponse } = await webauthn();
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      ...expected,
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(refuse);
    if (registrationInfo === undefined) throw refused();
    const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
    return { credential_id: bytesOf(id), public_key: Buffer.from(publicKey), counter, transports };
  }

  /**
   * Checks what a passkey has signed, and notes its use.
   *
   * @param person whose it has to be
   * @param asked for whom the challenge was made
   * @throws Failure `refused` with code `passkey_refused`
   */
  async check(
    site: Site,
    purpose: Purpose,
    { person, asked }: { person: string; asked: string | null },
    response: AuthenticationResponseJSON,
  ): Promise<void> {
    const expected = await this.#expected(site, purpose, asked, response);
    const { userHandle } = response.response;
    const row = await this.#db
      .selectFrom('gallery.passkey')
      .selectAll()
      .where('credential_id', '=', bytesOf(response.id))
      .where('person_id', '=', person)
      .executeTakeFirst();
    if (row === undefined) throw refused();
    if (userHandle !== undefined && !bytesOf(userHandle).equals(Buffer.from(person))) throw refused();
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      ...expected,
      credential: {
        ...asCredential(row),
        publicKey: new Uint8Array(row.public_key),
        counter: row.counter,
      },
    }).catch(refuse);
    if (!verified) throw refused();
    const { newCounter: counter } = authenticationInfo;
    const { numUpdatedRows } = await this.#db
      .updateTable('gallery.passkey')
      .set({ counter, last_used_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', row.id)
      // Two that are checked at once do not show the same number; many authenticators do not count.
      .where(sql<SqlBool>`(counter < ${counter} or (counter = 0 and ${counter} = 0))`)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows !== 1n) throw refused();
  }

  async #expected(
    { origin, host }: Site,
    purpose: Purpose,
    person: string | null,
    { response }: RegistrationResponseJSON | AuthenticationResponseJSON,
  ) {
    const challenge = await challengeOf(response.clientDataJSON);
    if (!(await this.#challenges.take(bytesOf(challenge), purpose, person))) throw refused();
    return {
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: host,
      requireUserVerification: true,
    };
  }

  /**
   * Gives a passkey of a person another name.
   *
   * @throws Failure `missing`
   */
  async rename(person: string, id: string, name: string): Promise<void> {
    const { numUpdatedRows } = await this.#db
      .updateTable('gallery.passkey')
      .set({ name })
      .where('person_id', '=', person)
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new Failure('missing', 'you have no such passkey (any longer)');
  }

  /** The oldest first. */
  list(person: string): Promise<Passkey[]> {
    return this.#db
      .selectFrom('gallery.passkey')
      .selectAll()
      .where('person_id', '=', person)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
  }
}

/**
 * Keeps a new passkey of a person, whose row is locked.
 *
 * @throws Failure `conflict` with code `passkey_taken` or `too_many_passkeys`
 */
export async function addPasskey(
  tx: Transaction<GalleryTables>,
  person: string,
  name: string,
  made: NewPasskey,
): Promise<string> {
  const { count } = await tx
    .selectFrom('gallery.passkey')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('person_id', '=', person)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_PASSKEYS) {
    throw new Failure('conflict', `there are ${MAX_PASSKEYS} passkeys already; remove one`, {
      code: 'too_many_passkeys',
    });
  }
  const { id } = await tx
    .insertInto('gallery.passkey')
    .values({ ...made, person_id: person, name })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      if (!violates(error, 'passkey_credential_id_key')) throw error;
      throw new Failure('conflict', 'this passkey is kept already', { code: 'passkey_taken' });
    });
  return id;
}

/** Removes a passkey of a person, if it is there. */
export async function removePasskey(
  tx: Transaction<GalleryTables>,
  person: string,
  id: string,
): Promise<void> {
  await tx.deleteFrom('gallery.passkey').where('person_id', '=', person).where('id', '=', id).execute();
}

function asCredential({ credential_id, transports }: Passkey) {
  return { id: credential_id.toString('base64url'), transports };
}

/** The challenge that the browser says was signed. Throws if there is none. */
async function challengeOf(clientDataJSON: string): Promise<string> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers');
  try {
    return String(decodeClientDataJSON(clientDataJSON).challenge);
  } catch (error) {
    return refuse(error);
  }
}

function bytesOf(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64url');
}

function refuse(cause: unknown): never {
  throw refused(cause);
}

function refused(cause?: unknown): Failure {
  const message = 'this passkey was not taken: it is not for this page, or the answer came too late or twice';
  return new Failure('refused', message, { code: 'passkey_refused', cause });
}
