import { type Fetch, galleryClient } from '@pressroom/client';
import type { Connection } from '../state/connection.ts';
import { ENVIRONMENT, type Profile } from '../state/me.ts';
import type { Session } from '../state/session.ts';
import { usePasskey } from './passkeys.ts';
import { ApiProblem, asked } from './problem.ts';

/** A passkey of the person. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

/** An account at a provider by which one logs in. */
export interface LinkedAccount {
  readonly id: string;
  readonly issuer: string;
  /** The provider's id and name; null if it is no longer in use. */
  readonly provider: string | null;
  readonly name: string | null;
}

export interface Factors {
  readonly hasPassword: boolean;
  readonly passkeys: readonly Passkey[];
  readonly accounts: readonly LinkedAccount[];
  /** When an app for codes was set up; null without one. */
  readonly totpSince: string | null;
  /** The number that are left. */
  readonly recoveryCodes: number;
  /** True if they have proved their identity just now. */
  readonly confirmed: boolean;
}

const ME = '/api/me';

/** Whoever has guessed too often is told so at once. */
const ONCE = { attempts: 1, patience: 0 };

/** A provider of single sign-on. */
export interface Provider {
  readonly id: string;
  readonly name: string;
}

/** The ways to log in, besides a passkey. */
export interface Ways {
  /** True if people may log in with a password. */
  readonly passwords: boolean;
  readonly providers: readonly Provider[];
  /** The e-mail address of whom a proxy in front has let in. */
  readonly proxy: string | null;
}

/** Assumed until the service has answered. */
export const NO_WAYS: Ways = { passwords: true, providers: [], proxy: null };

/** The service behind the page: every request waits for a login where it needs one. */
export class Service {
  /** The address of the API, without a slash at the end. */
  readonly baseUrl: string;
  readonly #session: Session;
  readonly #connection: Connection;
  readonly #learnProblems: () => Promise<void>;
  /** Whose page this is, once the service has said so. */
  #account: string | undefined;
  #isLeft = false;

  /** @param learnProblems loads the sentences for what is refused */
  constructor(base: URL, session: Session, connection: Connection, learnProblems: () => Promise<void>) {
    this.baseUrl = base.href.replace(/\/$/, '');
    this.#session = session;
    this.#connection = connection;
    this.#learnProblems = learnProblems;
  }

  /** Sends a request again after somebody has logged in; a login itself that is refused stays refused. */
  readonly fetch: Fetch = async (url, init) => {
    const isAsked = url === `${this.baseUrl}${ME}` && (init.method ?? 'GET') === 'GET';
    const account = isAsked ? undefined : this.#account;
    const headers = { ...init.headers, ...(account !== undefined && { 'Desk-Account': account }) };
    for (;;) {
      const response = await fetch(url, { ...init, headers }).catch((error: unknown) => {
        if (!init.signal?.aborted) this.#connection.lost();
        throw error;
      });
      const isLogin = /\/api\/(login(\/\w+)*|logout)$/.test(url);
      if (response.status === 401 && !isLogin) {
        await this.#session.wait();
        continue;
      }
      if (response.status >= 400) await this.#learnProblems();
      if (isLogin) return response;
      this.#session.confirm();
      const code = response.status === 403 ? await codeOf(response) : '';
      if (code === 'second_factor_setup_required') this.#session.needSetUp();
      if (code === 'logged_in_as_another') this.#leave();
      if (code !== 'confirmation_required' || !(await this.#session.doubt())) return response;
    }
  };

  /** Logs in; throws if the service refuses. */
  async logIn(username: string, password: string, code?: string): Promise<void> {
    const body = { username, password, ...(code !== undefined && { code }) };
    await asked(galleryClient(this).post('/api/login', { body }));
  }

  /** Logs in with a passkey, which says who it is. */
  async logInByPasskey(): Promise<void> {
    const client = galleryClient(this);
    const { data } = await asked(client.post('/api/login/passkey/options'));
    const credential = await usePasskey(data.options);
    await asked(client.post('/api/login/passkey', { body: { credential } }));
  }

  async factors(): Promise<Factors> {
    return (await asked(galleryClient(this).get('/api/me/factors'))).data;
  }

  /** Shows again who is logged in. */
  async confirm(shown: { readonly password: string } | { readonly code: string }): Promise<void> {
    const client = galleryClient({ baseUrl: this.baseUrl, fetch: this.fetch, retry: ONCE });
    await asked(client.post('/api/me/confirm', { body: shown }));
  }

  async confirmByPasskey(): Promise<void> {
    const client = galleryClient(this);
    const { data } = await asked(client.post('/api/me/confirm/options'));
    const credential = await usePasskey(data.options);
    await asked(client.post('/api/me/confirm', { body: { credential } }));
  }

  /** Begins to show by a login at a provider who is logged in, and returns where that goes on. */
  async confirmByAccount(provider: string): Promise<string> {
    const begun = galleryClient(this).post('/api/me/confirm/account', { body: { provider } });
    return (await asked(begun)).data.location;
  }

  /** Falls back to a password if the service does not answer. */
  async ways(): Promise<Ways> {
    const { baseUrl, fetch } = this;
    const client = galleryClient({ baseUrl, fetch, retry: { attempts: 1 } });
    const asking = asked(client.get('/api/login/methods')).then(({ data }) => data);
    return asking.catch(() => NO_WAYS);
  }

  /** Logs in as whom the proxy in front has let in. */
  async logInByProxy(): Promise<void> {
    await asked(galleryClient(this).post('/api/login/proxy'));
  }

  /** True if somebody is logged in, perhaps in another window. */
  async isLoggedIn(): Promise<boolean> {
    const { ok } = await fetch(`${this.baseUrl}/api/me`);
    return ok;
  }

  /** Says who is logged in; asks once, since what waits for it can do without. */
  async me(): Promise<Profile> {
    const { baseUrl, fetch } = this;
    const { data } = await asked(galleryClient({ baseUrl, fetch, retry: { attempts: 1 } }).get(ME));
    const account = data.id ?? ENVIRONMENT;
    this.#account ??= account;
    if (account === this.#account) return data;
    this.#leave();
    throw new ApiProblem(403, 'logged_in_as_another', 'somebody else has logged in here since');
  }

  /** Shows the page as that of who is logged in; asks once, as what is not saved may keep the person. */
  #leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    location.reload();
  }

  /** Logs out; returns where one logs out of the provider, too. */
  async logOut(): Promise<string | undefined> {
    return (await asked(galleryClient(this).post('/api/logout'))).data?.logoutUrl;
  }
}

/** The code of a problem, read beside whoever reads the answer. */
async function codeOf(response: Response): Promise<string> {
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : '';
}
