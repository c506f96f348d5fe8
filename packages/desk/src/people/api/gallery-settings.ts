import { type GalleryClient, galleryClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** Public folders and the mail server: what holds, what was set at the desk, and what the server says. */
export type ReadGallerySettings = Awaited<ReturnType<typeof read>>;

/** A mail server as it is typed; without a password, it stays. */
export interface MailInput {
  readonly server: string;
  readonly user: string | null;
  readonly password?: string;
  readonly from: string;
}

/** Null is what the server says. */
export interface GalleryChange {
  publicFolders?: string[] | null;
  mail?: MailInput | null;
}

async function read(client: GalleryClient) {
  const { body, headers } = await asked(client.request('get', '/api/settings', {}));
  return { settings: body.data, etag: headers.get('etag') ?? '' };
}

/** The settings of the gallery. Every method throws an `ApiProblem`. */
export class GallerySettingsApi {
  readonly #client: GalleryClient;

  constructor(service: Service) {
    this.#client = galleryClient(service);
  }

  read(): Promise<ReadGallerySettings> {
    return read(this.#client);
  }

  /** Changes some, unless somebody else has changed one since that version. */
  async change(change: GalleryChange, etag: string): Promise<ReadGallerySettings> {
    const options = { body: change, headers: { 'if-match': etag } };
    const { body, headers } = await asked(this.#client.request('patch', '/api/settings', options));
    return { settings: body.data, etag: headers.get('etag') ?? '' };
  }

  /** The number of articles that show files in these folders; 0 if that is unknown. */
  async articlesShowing(folders: readonly string[]): Promise<number> {
    const asking = this.#client.post('/api/gallery/uses', { body: { paths: [...folders] } });
    return asking.then(
      ({ data }) => data.articles.length,
      () => 0,
    );
  }

  /** Sends a mail by that server; returns why it was not taken, or null. */
  async test(to: string, mail?: MailInput) {
    return (await asked(this.#client.post('/api/settings/mail/test', { body: { to, mail } }))).code;
  }
}
