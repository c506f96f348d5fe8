import type { ContentClient } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { ApiProblem, asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';

/** An article or a release on a day of the calendar. */
export interface Entry {
  /** Tells it from the others. */
  readonly key: string;
  /** `ends` is when a published article becomes a draft; only `planned` and `release` can be moved. */
  readonly kind: 'published' | 'planned' | 'ends' | 'release';
  /** The article; undefined for a release. */
  readonly id?: number;
  /** The slug of a published article. */
  readonly slug?: string;
  /** The title of the article, or the name of the release. */
  readonly title: string;
  readonly author: string;
  /** The release that an article is published with: it moves with that. */
  readonly release: string | null;
  /** In ms since 1970. */
  readonly at: number;
}

const PER_PAGE = 100;

/** A calendar shows so many published articles at most. */
export const MOST_PUBLISHED = 1000;

/** Releases, and planned and published articles. Every method throws an `ApiProblem`. */
export class Plans {
  readonly #client: ContentClient;

  constructor(service: Service) {
    this.#client = deskContentClient(service);
  }

  /** The entries between two times, in their order. */
  async between(from: number, to: number): Promise<Entry[]> {
    const found = await Promise.all([this.#planned(to), this.#releases(from), this.#published(from, to)]);
    return found
      .flat()
      .filter(({ at }) => at >= from && at < to)
      .toSorted((one, other) => one.at - other.at);
  }

  async #planned(to: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    let cursor: string | undefined;
    do {
      const query = { per_page: PER_PAGE, ...(cursor !== undefined && { cursor }) };
      const { data, meta } = await asked(this.#client.get('/api/schedule', { query }));
      for (const { id, title, author, release, is_published: ends, due_at } of data) {
        const at = Date.parse(due_at);
        entries.push({
          key: `article-${id}`,
          kind: ends ? 'ends' : 'planned',
          id,
          title,
          author,
          release,
          at,
        });
      }
      cursor = meta.next_cursor ?? undefined;
    } while (cursor !== undefined && (entries.at(-1)?.at ?? to) < to);
    return entries;
  }

  /** The releases to come; those without a time come first, then the latest. */
  async #releases(from: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    for (let page = 1; ; page += 1) {
      const query = { page, per_page: PER_PAGE };
      const { data, meta } = await asked(this.#client.get('/api/releases', { query }));
      for (const { name, publish_at, published_at } of data) {
        if (publish_at === null || published_at !== null) continue;
        const at = Date.parse(publish_at);
        entries.push({ key: `release-${name}`, kind: 'release', title: name, author: '', release: name, at });
      }
      const last = data.at(-1)?.publish_at ?? undefined;
      if (page >= meta.total_pages || (last !== undefined && Date.parse(last) < from)) return entries;
    }
  }

  async #published(from: number, to: number): Promise<Entry[]> {
    const entries: Entry[] = [];
    const range = {
      ...({ sort: 'oldest', fields: 'title,slug,author,published_at', per_page: PER_PAGE } as const),
      published_after: new Date(from - 1).toISOString(),
      published_before: new Date(to).toISOString(),
    };
    const read = (cursor: string) =>
      asked(this.#client.get('/api/articles', { query: { ...range, cursor } }));
    for (let cursor: string | null = ''; cursor !== null && entries.length < MOST_PUBLISHED; ) {
      const { data, meta }: Awaited<ReturnType<typeof read>> = await read(cursor);
      for (const { id, title = '', slug = '', author = '', published_at } of data) {
        const at = Date.parse(published_at ?? '');
        entries.push({ key: `article-${id}`, kind: 'published', id, slug, title, author, release: null, at });
      }
      cursor = meta.next_cursor ?? null;
    }
    return entries;
  }

  /** Moves a plan to another time, if it is still the one that was shown. */
  async move({ id, title, at }: Pick<Entry, 'id' | 'title' | 'at'>, to: number): Promise<void> {
    const publish_at = new Date(to).toISOString();
    const isSame = (time: string | null | undefined) => time != null && Date.parse(time) === at;
    if (id === undefined) {
      const path = { name: title };
      const { body, headers } = await asked(this.#client.request('get', '/api/releases/{name}', { path }));
      if (!isSame(body.data.publish_at) || body.data.published_at !== null) throw meanwhile();
      const tag = { headers: { 'if-match': headers.get('etag') ?? '' } };
      await asked(this.#client.put('/api/releases/{name}', { path, body: { publish_at }, ...tag }));
      return;
    }
    const options = { path: { id }, query: { include: 'schedule' } };
    const { body, headers } = await asked(this.#client.request('get', '/api/articles/{id}', options));
    if (body.data.is_published || !isSame(body.data.schedule?.publish_at)) throw meanwhile();
    const tag = { headers: { 'if-match': headers.get('etag') ?? '' } };
    await asked(this.#client.patch('/api/articles/{id}', { path: { id }, body: { publish_at }, ...tag }));
  }
}

function meanwhile(): ApiProblem {
  return new ApiProblem(409, 'changed_meanwhile', 'the plan is another by now');
}
