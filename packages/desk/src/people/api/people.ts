import { type GalleryClient, galleryClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type { Role } from '../../shared/state/me.ts';

export interface PersonInput {
  readonly name: string;
  readonly email: string;
  readonly role: Role;
}

/** Somebody who works at the desk. */
export interface Person extends PersonInput {
  readonly id: string;
  readonly active: boolean;
  readonly passkeys: number;
  /** True if an authenticator app is set up. */
  readonly hasTotp: boolean;
  /** True if an account of single sign-on is linked. */
  readonly isLinked: boolean;
  readonly canLogIn: boolean;
  /** When the last link ends; null if none works. */
  readonly invitedUntil: string | null;
  readonly lastUsedAt: string | null;
}

/** A link with which a person chooses a password. */
export interface Invitation {
  readonly token: string;
  readonly expiresAt: string;
  /** True if it was sent by mail; absent if the service sends none. */
  readonly mailed?: boolean | undefined;
}

/** Absent members match every entry. */
export interface TrailFilter {
  readonly of: 'desk' | 'articles';
  readonly person?: string;
  readonly action?: string;
  readonly object?: string;
}

/** Something that was done. */
export interface TrailEntry {
  readonly at: string;
  readonly person: string | null;
  readonly action: string;
  readonly object: Readonly<Record<string, unknown>>;
  readonly address: string | null;
  readonly requestId: string | null;
}

export interface TrailPage {
  readonly entries: readonly TrailEntry[];
  /** Leads to older ones; null at the end. */
  readonly next: string | null;
}

const PAGE = 100;

/** The people of the desk. Every method throws an `ApiProblem`. */
export class PeopleApi {
  readonly #client: GalleryClient;
  /** Where links in mails lead. */
  readonly #query: { readonly at: string };

  constructor(service: Service) {
    this.#client = galleryClient(service);
    this.#query = { at: new URL(`${service.baseUrl}/`).pathname };
  }

  async list(): Promise<readonly Person[]> {
    return (await asked(this.#client.get('/api/people'))).data.people;
  }

  /** Adds a person, with the link for them. */
  async add(input: PersonInput): Promise<Invitation> {
    return (await asked(this.#client.post('/api/people', { body: input, query: this.#query }))).data
      .invitation;
  }

  async change(id: string, body: Partial<PersonInput> & { readonly active?: boolean }): Promise<void> {
    await asked(this.#client.patch('/api/people/{id}', { path: { id }, body }));
  }

  async remove(id: string): Promise<void> {
    await asked(this.#client.delete('/api/people/{id}', { path: { id } }));
  }

  /** Removes passkeys, app and recovery codes. */
  async removeFactors(id: string): Promise<void> {
    await asked(this.#client.delete('/api/people/{id}/factors', { path: { id } }));
  }

  /** Makes a new link; the one before ends. */
  async invite(id: string): Promise<Invitation> {
    const options = { path: { id }, query: this.#query };
    return (await asked(this.#client.post('/api/people/{id}/invitation', options))).data.invitation;
  }

  async trail(query: TrailFilter & { readonly before?: string }): Promise<TrailPage> {
    return (await asked(this.#client.get('/api/trail', { query: { ...query, limit: PAGE } }))).data;
  }
}
