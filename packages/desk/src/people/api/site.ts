import type { ContentClient } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

export const SITE_SETTINGS = [
  'name',
  'description',
  'language',
  'zone',
  'url',
  'logo',
  'article_path',
  'category_path',
  'author_path',
] as const;

export type SiteSettingName = (typeof SITE_SETTINGS)[number];

/** A setting: what holds, what was set at the desk, and what the server's environment says. */
interface SiteSetting {
  readonly value: string | null;
  readonly made: string | null;
  readonly environment: string | null;
  readonly variable: string;
  readonly is_fixed: boolean;
}

export interface SiteSettings {
  readonly settings: Readonly<Record<SiteSettingName, SiteSetting>>;
  readonly etag: string;
}

/** Null is what the environment says. */
export type SiteChange = Partial<Record<SiteSettingName, string | null>>;

/** The settings of the site. Every method throws an `ApiProblem`. */
export class SiteApi {
  readonly #client: ContentClient;

  constructor(service: Service) {
    this.#client = deskContentClient(service);
  }

  async read(): Promise<SiteSettings> {
    const { body, headers } = await asked(this.#client.request('get', '/api/site', {}));
    return { settings: body.data, etag: headers.get('etag') ?? '' };
  }

  /** Changes some, unless somebody else has changed one since that version. */
  async change(change: SiteChange, etag: string): Promise<SiteSettings> {
    const options = { body: change, headers: { 'if-match': etag } };
    const { body, headers } = await asked(this.#client.request('patch', '/api/site', options));
    return { settings: body.data, etag: headers.get('etag') ?? '' };
  }
}
