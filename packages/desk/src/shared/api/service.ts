import { type Fetch, galleryClient } from '@pressroom/client';
import type { Connection } from '../state/connection.ts';
import type { Profile } from '../state/me.ts';
import type { Session } from '../state/session.ts';
import { asked } from './problem.ts';

/** The service behind the page: every request waits for a login where it needs one. */
export class Service {
  /** Where the API is, without a slash at the end. */
  readonly baseUrl: string;
  readonly #session: Session;
  readonly #connection: Connection;

  constructor(base: URL, session: Session, connection: Connection) {
    this.baseUrl = base.href.replace(/\/$/, '');
    this.#session = session;
    this.#connection = connection;
  }

  /** Sends a request again after somebody has logged in; a login itself that is refused stays refused. */
  readonly fetch: Fetch = async (url, init) => {
    for (;;) {
      const response = await fetch(url, init).catch((error: unknown) => {
        if (!init?.signal?.aborted) this.#connection.lost();
        throw error;
      });
      if (/\/api\/log(in|out)$/.test(url)) return response;
      if (response.status !== 401) {
        this.#session.confirm();
        return response;
      }
      await this.#session.wait();
    }
  };

  /** Logs in; throws if the service refuses. */
  async logIn(username: string, password: string): Promise<void> {
    await asked(galleryClient(this).post('/api/login', { body: { username, password } }));
  }

  /** Says who is logged in; asks once, since what waits for it can do without. */
  async me(): Promise<Profile> {
    const { baseUrl, fetch } = this;
    return (await asked(galleryClient({ baseUrl, fetch, retry: { attempts: 1 } }).get('/api/me'))).data;
  }

  async logOut(): Promise<void> {
    await asked(galleryClient(this).post('/api/logout'));
  }
}
