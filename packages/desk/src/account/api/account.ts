import { type GalleryClient, galleryClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type { Profile } from '../../shared/state/me.ts';

export interface LoggedIn {
  readonly id: string;
  readonly current: boolean;
  readonly lastUsedAt: string;
  readonly address: string | null;
  /** The `User-Agent` of the browser. */
  readonly device: string | null;
}

/** One's own account. Every method throws an `ApiProblem`. */
export class AccountApi {
  readonly #client: GalleryClient;

  constructor({ baseUrl, fetch }: Service) {
    // Whoever has guessed too often is told so at once.
    this.#client = galleryClient({ baseUrl, fetch, retry: { attempts: 1, patience: 0 } });
  }

  async change(body: Partial<Pick<Profile, 'name' | 'language' | 'timeZone'>>): Promise<Profile> {
    return (await asked(this.#client.patch('/api/me', { body }))).data;
  }

  /** Changes the password, and ends all other sessions. */
  async changePassword(current: string, password: string): Promise<void> {
    await asked(this.#client.post('/api/me/password', { body: { current, password } }));
  }

  async sessions(): Promise<readonly LoggedIn[]> {
    return (await asked(this.#client.get('/api/me/sessions'))).data.sessions;
  }

  async end(id: string): Promise<void> {
    await asked(this.#client.delete('/api/me/sessions/{id}', { path: { id } }));
  }

  /** Ends all sessions but this one. */
  async endOthers(): Promise<void> {
    await asked(this.#client.delete('/api/me/sessions'));
  }
}
