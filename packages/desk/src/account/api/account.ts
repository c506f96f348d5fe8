import { type GalleryClient, galleryClient } from '@pressroom/client';
import { makePasskey } from '../../shared/api/passkeys.ts';
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
  /** The id of a provider, or `proxy`; else null. */
  readonly way: string | null;
}

/** The secret for an authenticator app. */
export interface NewSecret {
  /** In base32. */
  readonly secret: string;
  /** The same for a QR code. */
  readonly uri: string;
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

  /** Has the browser make a passkey, and keeps it. */
  async addPasskey(name: string): Promise<void> {
    const { data } = await asked(this.#client.post('/api/me/passkey-options'));
    const credential = await makePasskey(data.options);
    await asked(this.#client.post('/api/me/passkeys', { body: { name, credential } }));
  }

  async renamePasskey(id: string, name: string): Promise<void> {
    await asked(this.#client.patch('/api/me/passkeys/{id}', { path: { id }, body: { name } }));
  }

  async removePasskey(id: string): Promise<void> {
    await asked(this.#client.delete('/api/me/passkeys/{id}', { path: { id } }));
  }

  /** Makes the secret for an app, which holds once a code of it was shown. */
  async beginTotp(): Promise<NewSecret> {
    return (await asked(this.#client.post('/api/me/totp'))).data;
  }

  /** Shows a code of the app, and returns the recovery codes. */
  async confirmTotp(code: string): Promise<readonly string[]> {
    return (await asked(this.#client.post('/api/me/totp/confirm', { body: { code } }))).data.recoveryCodes;
  }

  async removeTotp(): Promise<void> {
    await asked(this.#client.delete('/api/me/totp'));
  }

  /** Makes new recovery codes in place of those before. */
  async renewCodes(): Promise<readonly string[]> {
    return (await asked(this.#client.post('/api/me/recovery-codes'))).data.recoveryCodes;
  }

  async sessions(): Promise<readonly LoggedIn[]> {
    return (await asked(this.#client.get('/api/me/sessions'))).data.sessions;
  }

  async end(id: string): Promise<void> {
    await asked(this.#client.delete('/api/me/sessions/{id}', { path: { id } }));
  }

  /** Begins to link an account, and returns where at the provider it goes on. */
  async link(provider: string): Promise<string> {
    return (await asked(this.#client.post('/api/me/accounts', { body: { provider } }))).data.location;
  }

  async unlink(id: string): Promise<void> {
    await asked(this.#client.delete('/api/me/accounts/{id}', { path: { id } }));
  }

  /** Ends all sessions but this one. */
  async endOthers(): Promise<void> {
    await asked(this.#client.delete('/api/me/sessions'));
  }
}
