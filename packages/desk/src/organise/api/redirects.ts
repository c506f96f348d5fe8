import { type ContentClient, galleryClient, type Redirect, redirect } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

export type { Redirect } from '@pressroom/client';

export const STATUSES = [301, 302, 410] as const;

export interface RedirectInput {
  from: string;
  /** Null for 410. */
  to: string | null;
  status: (typeof STATUSES)[number];
}

export interface RedirectPage {
  readonly redirects: readonly Redirect[];
  /** Leads to the next page; null on the last one. */
  readonly next: number | null;
}

/** True for one of a former slug or address pattern: it changes with its page alone. */
export function isComputed({ source }: Redirect): boolean {
  return source === 'slug' || source === 'pattern';
}

/** Where old addresses lead, by way of the desk. Every method throws an `ApiProblem`. */
export class RedirectsApi {
  /** The address of the redirects as a file for nginx. */
  readonly nginxUrl: string;
  readonly #client: ContentClient;
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
    this.#client = deskContentClient(service);
    this.nginxUrl = `${service.baseUrl}/api/desk/content/redirects/exports/nginx.conf`;
  }

  /** A page of those with a text in an address, the newest first. */
  async list(text: string, cursor: number | null): Promise<RedirectPage> {
    const query = { per_page: 100, ...(text !== '' && { q: text }), ...(cursor !== null && { cursor }) };
    const { data, meta } = await asked(this.#client.get('/api/redirects', { query }));
    return { redirects: data, next: meta.next_cursor };
  }

  /** The redirect that readers of an address get. */
  find(from: string): Promise<Redirect | undefined> {
    return asked(redirect(this.#client, from));
  }

  async create(body: RedirectInput): Promise<void> {
    await asked(this.#client.post('/api/redirects', { body }));
  }

  async change(id: number, body: RedirectInput): Promise<void> {
    await asked(this.#client.patch('/api/redirects/{id}', { path: { id }, body }));
  }

  async remove(id: number): Promise<void> {
    await asked(this.#client.delete('/api/redirects/{id}', { path: { id } }));
  }

  /** The origin of the site that readers see; undefined if it is not known. */
  async siteOrigin(): Promise<string | undefined> {
    const { data } = await asked(galleryClient(this.#service).get('/api/desk'));
    return data.site === null ? undefined : new URL(data.site.url).origin;
  }
}
