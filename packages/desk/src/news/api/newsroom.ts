import { ApiClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type {
  Edit,
  Explanation,
  FoundAtAddress,
  Item,
  ItemChange,
  ListedItem,
  ListedStory,
  NewsroomStatus,
  OpmlOutcome,
  Page,
  Period,
  Ranking,
  ReportPreview,
  Source,
  SourceSettings,
  Story,
  Tagged,
  TriedEntry,
  Vocabulary,
  WithdrawnItem,
} from './types.ts';

/** Any operation: what it answers is in the types of this folder. */
interface Operation {
  readonly parameters: {
    readonly path?: Readonly<Record<string, string | number | undefined>>;
    readonly query?: Readonly<Record<string, string | number | undefined>>;
  };
  readonly requestBody?: { readonly content: { readonly 'application/json': object } };
  readonly responses: { readonly 200: { readonly content: { readonly 'application/json': unknown } } };
}

type Paths = Readonly<
  Record<string, Readonly<Record<'get' | 'post' | 'put' | 'patch' | 'delete', Operation>>>
>;

interface Sent {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  readonly etag?: string | null;
  readonly signal?: AbortSignal;
}

/** How many entries of a list come at once. */
const PAGE = 50;

/** What is asked of the items, as the API calls it. */
export type ItemsQuery = Readonly<
  Partial<Record<'q' | 'from' | 'to' | 'source' | 'category' | 'direction' | 'language' | 'selected', string>>
>;

/** What one can do with an item without saying more. */
export type ItemAction = 'select' | 'deselect' | 'withdraw' | 'restore';

/** An edit that was made; `edit` is null if it changed nothing. */
export interface Done {
  readonly edit: number | null;
}

/** The newsroom's API. Every method throws an `ApiProblem`. */
export class NewsroomApi {
  readonly #client: ApiClient<Paths>;

  constructor(service: Service) {
    this.#client = new ApiClient<Paths>({
      baseUrl: `${service.baseUrl}/api/desk/newsroom`,
      fetch: service.fetch,
      // The page says at once that the newsroom is away, and asks again when a person wants it.
      retry: { attempts: 1, patience: 5000 },
    });
  }

  vocabulary(signal?: AbortSignal): Promise<Vocabulary> {
    return this.#value('get', '/vocabulary', { signal });
  }

  status(signal?: AbortSignal): Promise<NewsroomStatus> {
    return this.#value('get', '/status', { signal });
  }

  /** Items, the last published first. */
  async items(query: ItemsQuery, cursor?: string, signal?: AbortSignal): Promise<Page<ListedItem>> {
    const sent = { query: { ...query, limit: PAGE, cursor }, signal };
    const { items, nextCursor } = await this.#value<{ items: ListedItem[]; nextCursor: string | null }>(
      'get',
      '/items',
      sent,
    );
    return { entries: items, nextCursor };
  }

  /** Items that were withdrawn, the last first. */
  async withdrawnItems(signal?: AbortSignal): Promise<readonly WithdrawnItem[]> {
    const sent = { query: { limit: 100 }, signal };
    return (await this.#value<{ items: WithdrawnItem[] }>('get', '/withdrawn-items', sent)).items;
  }

  item(id: string, signal?: AbortSignal): Promise<Tagged<Item>> {
    return this.#send('get', '/items/{id}', { path: { id }, signal });
  }

  /** Changes an item as it was when `etag` was read. */
  changeItem(id: string, body: ItemChange, etag: string | null): Promise<Done & { item: Item }> {
    return this.#value('patch', '/items/{id}', { path: { id }, body, etag });
  }

  /** Selects, deselects, withdraws or restores an item. */
  act(id: string, action: ItemAction): Promise<Done & { item: Item }> {
    return this.#value('post', `/items/{id}/${action}`, { path: { id } });
  }

  /** Why an item scored as it did. */
  explanation(id: string, signal?: AbortSignal): Promise<Explanation> {
    return this.#value('get', '/items/{id}/explanation', { path: { id }, signal });
  }

  /** The last edits of an item or a story, the newest first. */
  async history(kind: 'items' | 'stories', id: string, signal?: AbortSignal): Promise<readonly Edit[]> {
    const sent = { path: { id }, query: { limit: 20 }, signal };
    return (await this.#value<{ edits: Edit[] }>('get', `/${kind}/{id}/history`, sent)).edits;
  }

  /** Takes an edit back, unless what it changed has been changed again. */
  undo(edit: number): Promise<Done> {
    return this.#value('post', '/edits/{edit}/undo', { path: { edit } });
  }

  /** Stories, the last first. */
  async stories(cursor?: string, signal?: AbortSignal): Promise<Page<ListedStory>> {
    const sent = { query: { limit: PAGE, cursor }, signal };
    const { stories, nextCursor } = await this.#value<{ stories: ListedStory[]; nextCursor: string | null }>(
      'get',
      '/stories',
      sent,
    );
    return { entries: stories, nextCursor };
  }

  story(id: string, signal?: AbortSignal): Promise<Tagged<Story>> {
    return this.#send('get', '/stories/{id}', { path: { id }, signal });
  }

  mergeStory(id: string, into: string): Promise<Done & { publicId: string }> {
    return this.#value('post', '/stories/{id}/merge', { path: { id }, body: { into } });
  }

  /** Takes the merge of a story back. */
  unmergeStory(id: string): Promise<Done> {
    return this.#value('post', '/stories/{id}/unmerge', { path: { id } });
  }

  /** Makes a story of its own of some reports. */
  splitStory(id: string, items: readonly string[]): Promise<Done & { publicId: string }> {
    return this.#value('post', '/stories/{id}/split', { path: { id }, body: { items } });
  }

  /** Writes the digest of a story as it was when `etag` was read. */
  writeDigest(id: string, digest: string | null, etag: string | null): Promise<Done> {
    return this.#value('put', '/stories/{id}/digest', { path: { id }, body: { digest }, etag });
  }

  /** Sources in the order in which they were added. */
  async sources(cursor?: string, signal?: AbortSignal): Promise<Page<Source>> {
    const sent = { query: { limit: 100, cursor }, signal };
    const { sources, nextCursor } = await this.#value<{ sources: Source[]; nextCursor: string | null }>(
      'get',
      '/sources',
      sent,
    );
    return { entries: sources, nextCursor };
  }

  source(
    id: number,
    signal?: AbortSignal,
  ): Promise<Tagged<Source & { refusedEntries: { title: string | null; reason: string | null }[] }>> {
    return this.#send('get', '/sources/{id}', { path: { id }, signal });
  }

  /** What an address brings; nothing is kept. */
  trySource(url: string, page: string | undefined, signal?: AbortSignal): Promise<FoundAtAddress> {
    return this.#value('post', '/sources/try', {
      body: { url, ...(page !== undefined && { page }) },
      signal,
    });
  }

  /** Adds a source; `isNew` is false if there is one at the address, which stays as it is. */
  async addSource(body: SourceSettings & { url: string }): Promise<{ source: Source; isNew: boolean }> {
    const { body: source, status } = await asked(this.#client.request('post', '/sources', { body }));
    return { source: source as Source, isNew: status === 201 };
  }

  /** Changes a source as it was when `etag` was read. */
  changeSource(
    id: number,
    body: SourceSettings & { url?: string },
    etag: string | null,
  ): Promise<Tagged<Source>> {
    return this.#send('patch', '/sources/{id}', { path: { id }, body, etag });
  }

  /** Stops or goes on reading a source. */
  readSource(id: number, action: 'pause' | 'resume'): Promise<Source> {
    return this.#value('post', `/sources/{id}/${action}`, { path: { id } });
  }

  /** Removes a source; its items stay. */
  async removeSource(id: number): Promise<void> {
    await this.#send('delete', '/sources/{id}', { path: { id } });
  }

  /** Brings a removed source back as it was. */
  async restoreSource(id: number): Promise<void> {
    await this.#send('post', '/sources/{id}/restore', { path: { id } });
  }

  /** What the rules of a source have dropped, the newest first. */
  async dropped(
    id: number,
    signal?: AbortSignal,
  ): Promise<readonly { title: string | null; rule: string; discoveredAt: string }[]> {
    const sent = { path: { id }, signal };
    return (
      await this.#value<{ entries: { title: string | null; rule: string; discoveredAt: string }[] }>(
        'get',
        '/sources/{id}/dropped',
        sent,
      )
    ).entries;
  }

  /** What rules would do to the last 200 entries of a source; nothing is changed. */
  async tryRules(id: number, rules: readonly string[]): Promise<readonly TriedEntry[]> {
    const sent = { path: { id }, body: { rules } };
    return (await this.#value<{ entries: TriedEntry[] }>('post', '/sources/{id}/rules/try', sent)).entries;
  }

  /** The address of the sources as a file. */
  get opmlUrl(): string {
    return this.#client.url('/opml', {});
  }

  /** Adds the feeds of an OPML file. */
  importOpml(opml: string): Promise<OpmlOutcome> {
    return this.#value('post', '/opml', { body: { opml } });
  }

  /** A report as it would be published now; without a date, the next one. */
  preview(period: Period, date?: string, signal?: AbortSignal): Promise<Tagged<ReportPreview>> {
    return this.#send('get', '/reports/{period}/preview', { path: { period }, query: { date }, signal });
  }

  /** Publishes the report that was previewed, before its hour or after it. */
  publish(
    { period, date }: ReportPreview,
    etag: string | null,
  ): Promise<{ outcome: 'published' | 'unchanged' | 'empty' }> {
    const body = { date, early: true };
    return this.#value('post', '/reports/{period}/publish', { path: { period }, body, etag });
  }

  /** Publishes a report of today again, as it was previewed. */
  correct({ period, date }: ReportPreview, etag: string | null): Promise<Done> {
    return this.#value('post', '/reports/{period}/correct', { path: { period }, body: { date }, etag });
  }

  async ranking(direction: string | undefined, signal?: AbortSignal): Promise<Ranking | null> {
    const sent = { query: { direction }, signal };
    return (await this.#value<{ ranking: Ranking | null }>('get', '/ranking', sent)).ranking;
  }

  rank(): Promise<{ topics: number }> {
    return this.#value('post', '/ranking', {});
  }

  async #value<Value>(method: keyof Paths[string], path: string, sent: Sent): Promise<Value> {
    return (await this.#send<Value>(method, path, sent)).value;
  }

  async #send<Value>(method: keyof Paths[string], path: string, sent: Sent): Promise<Tagged<Value>> {
    const { etag, signal, ...rest } = sent;
    const headers: Record<string, string> = etag === undefined || etag === null ? {} : { 'if-match': etag };
    const options = { ...rest, headers, ...(signal && { signal }) };
    const answer = await asked(this.#client.request(method, path, options));
    return { value: answer.body as Value, etag: answer.headers.get('etag') };
  }
}
