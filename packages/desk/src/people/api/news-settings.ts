import { type AnswerOf, ApiClient, type RequestOptions } from '@pressroom/client';
import type { Paths } from '../../news/api/newsroom.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

type Operations = Paths['/settings'];

/** The zone and the hour of reports: what holds, what was set at the desk, and what the server says. */
export interface NewsSettings {
  readonly settings: AnswerOf<Operations['get']>;
  readonly etag: string;
}

/** Null is what the server says. */
export type NewsChange = NonNullable<RequestOptions<Operations['patch']>['body']>;

/** The settings of the news. Every method throws an `ApiProblem`. */
export class NewsSettingsApi {
  readonly #client: ApiClient<Paths>;

  constructor({ baseUrl, fetch }: Service) {
    this.#client = new ApiClient<Paths>({ baseUrl: `${baseUrl}/api/desk/newsroom`, fetch });
  }

  async read(): Promise<NewsSettings> {
    const { body, headers } = await asked(this.#client.request('get', '/settings', {}));
    return { settings: body, etag: headers.get('etag') ?? '' };
  }

  /** Changes some, unless somebody else has changed one since that version. */
  async change(change: NewsChange, etag: string): Promise<NewsSettings> {
    const options = { body: change, headers: { 'if-match': etag } };
    const { body, headers } = await asked(this.#client.request('patch', '/settings', options));
    return { settings: body, etag: headers.get('etag') ?? '' };
  }
}
