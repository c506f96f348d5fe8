import { type Answer, ApiClient } from '@pressroom/client';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type { paths } from '../openapi/newsroom.ts';
import type {
  Done,
  DroppedEntry,
  Edit,
  Edited,
  Explanation,
  FoundAtAddress,
  Item,
  ItemAction,
  ItemChange,
  ItemsQuery,
  ListedItem,
  ListedStory,
  MovedStory,
  NewSource,
  NewsroomStatus,
  OpmlOutcome,
  Page,
  Period,
  Publication,
  Ranking,
  ReportNote,
  ReportPreview,
  Source,
  SourceChange,
  SourceDetail,
  Story,
  Tagged,
  TriedEntry,
  TriedSource,
  Vocabulary,
  WithdrawnItem,
} from './types.ts';

/** The paths of the newsroom, as they follow `/api/desk/newsroom`. */
export type Paths = { [Path in keyof paths as Path extends `/api${infer Rest}` ? Rest : never]: paths[Path] };

const PAGE = 50;

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
    return asked(this.#client.get('/vocabulary', { signal }));
  }

  status(signal?: AbortSignal): Promise<NewsroomStatus> {
    return asked(this.#client.get('/status', { signal }));
  }

  /** Items, the last published first. */
  async items(query: ItemsQuery, cursor?: string, signal?: AbortSignal): Promise<Page<ListedItem>> {
    const sent = { query: { ...query, limit: PAGE, cursor }, signal };
    const { items, nextCursor } = await asked(this.#client.get('/items', sent));
    return { entries: items, nextCursor };
  }

  /** Items that were withdrawn, the last first. */
  async withdrawnItems(signal?: AbortSignal): Promise<readonly WithdrawnItem[]> {
    return (await asked(this.#client.get('/withdrawn-items', { query: { limit: 100 }, signal }))).items;
  }

  item(id: string, signal?: AbortSignal): Promise<Tagged<Item>> {
    return tagged(this.#client.request('get', '/items/{id}', { path: { id }, signal }));
  }

  /** Changes an item as it was when `etag` was read. */
  changeItem(id: string, body: ItemChange, etag: string | null): Promise<Edited> {
    return asked(this.#client.patch('/items/{id}', { path: { id }, body, ...ifMatch(etag) }));
  }

  /** Selects, deselects, withdraws or restores an item. */
  act(id: string, action: ItemAction): Promise<Edited> {
    return asked(this.#client.post(`/items/{id}/${action}`, { path: { id } }));
  }

  /** Why an item scored as it did. */
  explanation(id: string, signal?: AbortSignal): Promise<Explanation> {
    return asked(this.#client.get('/items/{id}/explanation', { path: { id }, signal }));
  }

  /** The last edits of an item or a story, the newest first. */
  async history(kind: 'items' | 'stories', id: string, signal?: AbortSignal): Promise<readonly Edit[]> {
    const sent = { path: { id }, query: { limit: 20 }, signal };
    return (await asked(this.#client.get(`/${kind}/{id}/history`, sent))).edits;
  }

  /** Takes an edit back, unless what it changed has been changed again. */
  undo(edit: number): Promise<Done> {
    return asked(this.#client.post('/edits/{edit}/undo', { path: { edit } }));
  }

  /** Stories, the last first; with `q`, those that a search finds. */
  async stories(cursor?: string, signal?: AbortSignal, q?: string): Promise<Page<ListedStory>> {
    const sent = { query: { limit: PAGE, cursor, q }, signal };
    const { stories, nextCursor } = await asked(this.#client.get('/stories', sent));
    return { entries: stories, nextCursor };
  }

  story(id: string, signal?: AbortSignal): Promise<Tagged<Story>> {
    return tagged(this.#client.request('get', '/stories/{id}', { path: { id }, signal }));
  }

  mergeStory(id: string, into: string): Promise<MovedStory> {
    return asked(this.#client.post('/stories/{id}/merge', { path: { id }, body: { into } }));
  }

  /** Takes the merge of a story back. */
  unmergeStory(id: string): Promise<Done> {
    return asked(this.#client.post('/stories/{id}/unmerge', { path: { id } }));
  }

  /** Makes a story of its own of some reports. */
  splitStory(id: string, items: readonly string[]): Promise<MovedStory> {
    return asked(this.#client.post('/stories/{id}/split', { path: { id }, body: { items: [...items] } }));
  }

  /** Writes the digest of a story as it was when `etag` was read. */
  writeDigest(id: string, digest: string | null, etag: string | null): Promise<Done> {
    return asked(
      this.#client.put('/stories/{id}/digest', { path: { id }, body: { digest }, ...ifMatch(etag) }),
    );
  }

  /** Says what was wrong with a story as it was when `etag` was read. */
  correctStory(id: string, correction: string | null, etag: string | null): Promise<Done> {
    const sent = { path: { id }, body: { correction }, ...ifMatch(etag) };
    return asked(this.#client.put('/stories/{id}/correction', sent));
  }

  /** Pins a story in the hot list or hides it there, from the next ranking on; null does neither. */
  placeStory(id: string, place: 'pinned' | 'hidden' | null): Promise<Done> {
    return asked(this.#client.put('/stories/{id}/hot-place', { path: { id }, body: { place } }));
  }

  /** Sources in the order in which they were added. */
  async sources(cursor?: string, signal?: AbortSignal): Promise<Page<Source>> {
    const sent = { query: { limit: 100, cursor: cursor === undefined ? undefined : Number(cursor) }, signal };
    const { sources, nextCursor } = await asked(this.#client.get('/sources', sent));
    return { entries: sources, nextCursor };
  }

  source(id: number, signal?: AbortSignal): Promise<Tagged<SourceDetail>> {
    return tagged(this.#client.request('get', '/sources/{id}', { path: { id }, signal }));
  }

  /** Reads an address as a source would; nothing is kept. */
  trySource(body: TriedSource, signal?: AbortSignal): Promise<FoundAtAddress> {
    return asked(this.#client.post('/sources/try', { body, signal }));
  }

  /** Adds a source; `isNew` is false if there is one at the address, which stays as it is. */
  async addSource(body: NewSource): Promise<{ source: Source; isNew: boolean }> {
    const { body: source, status } = await asked(this.#client.request('post', '/sources', { body }));
    return { source, isNew: status === 201 };
  }

  /** Changes a source as it was when `etag` was read. */
  changeSource(id: number, body: SourceChange, etag: string | null): Promise<Tagged<Source>> {
    return tagged(this.#client.request('patch', '/sources/{id}', { path: { id }, body, ...ifMatch(etag) }));
  }

  /** Stops or goes on reading a source. */
  readSource(id: number, action: 'pause' | 'resume'): Promise<Source> {
    return asked(this.#client.post(`/sources/{id}/${action}`, { path: { id } }));
  }

  /** Removes a source; its items stay. */
  async removeSource(id: number): Promise<void> {
    await asked(this.#client.delete('/sources/{id}', { path: { id } }));
  }

  /** Brings a removed source back as it was. */
  async restoreSource(id: number): Promise<void> {
    await asked(this.#client.post('/sources/{id}/restore', { path: { id } }));
  }

  /** The entries that a source's rules have dropped, the newest first. */
  async dropped(id: number, signal?: AbortSignal): Promise<readonly DroppedEntry[]> {
    return (await asked(this.#client.get('/sources/{id}/dropped', { path: { id }, signal }))).entries;
  }

  /** Tries rules on the last 200 entries of a source; nothing is changed. */
  async tryRules(id: number, rules: string[]): Promise<readonly TriedEntry[]> {
    const sent = { path: { id }, body: { rules } };
    return (await asked(this.#client.post('/sources/{id}/rules/try', sent))).entries;
  }

  /** The address of the sources as a file. */
  get opmlUrl(): string {
    return this.#client.url('/opml');
  }

  /** Adds the feeds of an OPML file. */
  importOpml(opml: string): Promise<OpmlOutcome> {
    return asked(this.#client.post('/opml', { body: { opml } }));
  }

  /** A report as it would be published now; without a date, the next one. */
  preview(period: Period, date?: string, signal?: AbortSignal): Promise<Tagged<ReportPreview>> {
    const sent = { path: { period }, query: { date }, signal };
    return tagged(this.#client.request('get', '/reports/{period}/preview', sent));
  }

  /** Publishes the report that was previewed, before its hour or after it. */
  publish({ period, date }: ReportPreview, etag: string | null): Promise<Publication> {
    const sent = { path: { period }, body: { date, early: true }, ...ifMatch(etag) };
    return asked(this.#client.post('/reports/{period}/publish', sent));
  }

  /** Publishes a report of today again, as it was previewed. */
  correct({ period, date }: ReportPreview, etag: string | null): Promise<Done> {
    const sent = { path: { period }, body: { date }, ...ifMatch(etag) };
    return asked(this.#client.post('/reports/{period}/correct', sent));
  }

  /** The correction that readers of a published report see. */
  reportNote({ period, date }: ReportPreview, signal?: AbortSignal): Promise<Tagged<ReportNote>> {
    const sent = { path: { period, date }, signal };
    return tagged(this.#client.request('get', '/reports/{period}/{date}/correction', sent));
  }

  noteOnReport(
    { period, date }: ReportPreview,
    correction: string | null,
    etag: string | null,
  ): Promise<Done> {
    const sent = { path: { period, date }, body: { correction }, ...ifMatch(etag) };
    return asked(this.#client.put('/reports/{period}/{date}/correction', sent));
  }

  async ranking(direction: string | undefined, signal?: AbortSignal): Promise<Ranking | null> {
    return (await asked(this.#client.get('/ranking', { query: { direction }, signal }))).ranking;
  }

  rank(): Promise<{ topics: number }> {
    return asked(this.#client.post('/ranking'));
  }
}

function ifMatch(etag: string | null): { headers?: Record<string, string> } {
  return etag === null ? {} : { headers: { 'if-match': etag } };
}

async function tagged<Value>(answer: Promise<Answer<Value>>): Promise<Tagged<Value>> {
  const { body, headers } = await asked(answer);
  return { value: body, etag: headers.get('etag') };
}
