import { Failure } from '@pressroom/common/failures/failure';
import type { Account } from '../session/logins.ts';
import type { Vouched } from '../session/oidc-providers.ts';
import type { Identities, Linked } from './identities.ts';
import { insertIdentity } from './identities.ts';
import { personEmail, personName } from './people.ts';
import type { PeopleStore, Role } from './people-store.ts';

/** Somebody whom a provider vouches for, and who is not let in. */
export class SignOnRefused extends Error {
  readonly code: string;

  constructor(code: string, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** The person who has come in, and the changes that this made. */
interface SignedOn {
  person: Linked;
  isNew: boolean;
  /** True if the account was linked by its e-mail address. */
  isLinked: boolean;
  /** The role that the provider has given in place of another one. */
  newRole: Role | undefined;
}

/** Finds, and where a provider gives roles adds, the person whom it vouches for. */
export class SignOn {
  readonly #people: PeopleStore;
  readonly #identities: Identities;
  readonly #account: Account;

  constructor(people: PeopleStore, identities: Identities, account: Account) {
    this.#people = people;
    this.#identities = identities;
    this.#account = account;
  }

  /**
   * @param invitation what is stored of the invitation that is accepted by this
   * @throws SignOnRefused or Failure, with a code that says why
   */
  async personOf(vouched: Vouched, invitation: Buffer | null): Promise<SignedOn> {
    const { role } = vouched;
    if (role === null) throw new SignOnRefused('no_role');
    if (invitation !== null) {
      await this.#people.accept(invitation, { keep: (tx, id) => insertIdentity(tx, id, vouched) });
    }
    const linked = await this.#identities.find(vouched);
    const isThere = linked !== undefined && linked.removed_at === null;
    if (isThere && !linked.active) throw new SignOnRefused('switched_off');
    const found = isThere
      ? { person: linked, isNew: false, isLinked: false }
      : await this.#byEmail(vouched, linked);
    const newRole =
      role !== found.person.role && (await this.#give(found.person.id, role)) ? role : undefined;
    if (newRole === undefined) return { ...found, newRole };
    // The change has ended what had begun before.
    const person = await this.#identities.find(vouched);
    if (person === undefined || !person.active) throw new SignOnRefused('switched_off');
    return { ...found, person, newRole };
  }

  async #byEmail(vouched: Vouched, former: Linked | undefined): Promise<Omit<SignedOn, 'newRole'>> {
    const { role } = vouched;
    if (vouched.email === undefined) throw new SignOnRefused('unverified_email');
    const email = personEmail.safeParse(vouched.email);
    if (!email.success) throw new SignOnRefused('unknown_person');
    const known = await this.#identities.withEmail(email.data);
    if (known !== undefined && known.removed_at === null) {
      if (!known.active) throw new SignOnRefused('switched_off');
      const person = await this.#identities.link(known.id, vouched);
      return { person, isNew: false, isLinked: true };
    }
    // Whoever was removed stays so until an owner adds them again.
    const wasRemoved = known !== undefined || former !== undefined;
    if (wasRemoved || !role || this.#account.isTakenBy(email.data)) throw new SignOnRefused('unknown_person');
    const id = await this.#add(email.data, vouched.name, role);
    return { person: await this.#identities.link(id, vouched), isNew: true, isLinked: false };
  }

  /** Adds somebody by the name that the provider has; where another has it too, with the e-mail address. */
  async #add(email: string, given: string | undefined, role: Role): Promise<string> {
    const read = personName.safeParse(given ?? '');
    const name = read.success ? read.data : (email.split('@')[0] ?? email);
    const both = `${[...name].slice(0, 100).join('')} (${email})`.slice(0, 200);
    if (this.#account.isTakenBy(name)) return this.#people.add({ name: both, email, role });
    return this.#people.add({ name, email, role }, 'themselves').catch((error: unknown) => {
      if (!(error instanceof Failure) || error.code !== 'name_taken') throw error;
      return this.#people.add({ name: both, email, role });
    });
  }

  /** Gives somebody a role; false if they have to stay an owner. */
  async #give(id: string, role: Role | undefined): Promise<boolean> {
    if (role === undefined) return false;
    try {
      await this.#people.change(id, { role });
      return true;
    } catch (error) {
      if (error instanceof Failure && error.code === 'last_owner') return false;
      throw error;
    }
  }
}
