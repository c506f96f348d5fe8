import { type ContentClient, galleryClient } from '@pressroom/client';
import { deskContentClient } from '../../shared/api/content-client.ts';
import { asked } from '../../shared/api/problem.ts';
import type { Service } from '../../shared/api/service.ts';
import type { FoundEmbed } from '../editor/editing/embeds.ts';
import type { Changes, DraftChanges, NewArticle } from '../state/fields.ts';
import type {
  Article,
  Assignable,
  BrokenLink,
  ListedArticle,
  ListPage,
  ListQuery,
  Review,
  ReviewState,
  Revision,
  SiteFacts,
  Sort,
  StateCounts,
  StatusFilter,
  Term,
  TermKind,
  TrashSize,
  WorkingCopy,
} from './types.ts';

const PER_PAGE = 100;

/** The search goes on until it has found this many articles. */
const MIN_FOUND = 30;

const SHOWN = 'title,slug,author,category,featured_image,is_published,published_at,updated_at';

/** Something with its version, which a write names so that it overwrites nothing else. */
export interface Versioned<Value> {
  readonly value: Value;
  readonly etag: string;
}

/** True if two versions are the same one; their beginnings say which request has found it. */
export function isSameVersion(one: string | undefined, other: string | undefined): boolean {
  return one?.split('.').at(-1) === other?.split('.').at(-1);
}

/** The articles, by way of the desk. Every method throws an `ApiProblem`. */
export class ContentApi {
  readonly #client: ContentClient;
  readonly #service: Service;
  readonly #author: () => Promise<number | null>;

  /** @param author says which author is logged in */
  constructor(service: Service, author: () => Promise<number | null>) {
    this.#service = service;
    this.#client = deskContentClient(service);
    this.#author = author;
  }

  async site(): Promise<SiteFacts> {
    const response = await this.#service.fetch(`${this.#service.baseUrl}/api/desk`, {});
    const { data }: { data: DeskAnswer } = await response.json();
    const { site } = data;
    return {
      person: data.person,
      publicPrefixes: data.media.publicPrefixes,
      articlePage: site === null ? undefined : `${site.url.replace(/\/$/, '')}${site.articlePath}`,
      state: data.sections.content.state,
    };
  }

  /** A page of the articles that a query asks for. */
  async list(query: ListQuery, next: string | undefined, signal: AbortSignal): Promise<ListPage> {
    if (query.status === 'trash') return this.#trash(query, next, signal);
    if (query.status === 'scheduled') return this.#schedule(query, next, signal);
    if (query.text !== '') return this.#search(query, next, signal);
    const order = { ...statusOf(query.status), sort: query.sort, cursor: next ?? '' } as const;
    const { data, meta } = await this.#page(query, order, signal);
    return { articles: data.map(listed), next: meta.next_cursor ?? undefined, total: meta.total };
  }

  async #page(
    { category, tag, author, mine }: ListQuery,
    order: { status: 'all' | 'published' | 'draft'; review?: ReviewState; sort: Sort | 'relevance' } & (
      | { cursor: string }
      | { q: string; page: number }
    ),
    signal: AbortSignal,
  ) {
    const query = {
      ...order,
      per_page: PER_PAGE,
      fields: SHOWN,
      include: 'schedule,review,assignee,open_comments',
      ...(mine && (await this.#responsible())),
      ...(category !== '' && { category }),
      ...(tag !== '' && { tag }),
      ...(author !== '' && { author_slug: author }),
    };
    return asked(this.#client.get('/api/articles', { signal, query }));
  }

  async #responsible(): Promise<{ responsible?: number }> {
    const author = await this.#author();
    return author === null ? {} : { responsible: author };
  }

  /** The number of articles in each state; with `mine`, of those of the logged-in person. */
  async counts({ mine }: Pick<ListQuery, 'mine'>, signal: AbortSignal): Promise<StateCounts> {
    const query = mine ? await this.#responsible() : {};
    const { deleted, ...counts } = (await asked(this.#client.get('/api/reviews', { signal, query }))).data;
    const all = counts.published + counts.draft;
    return { ...counts, all, ...(deleted !== undefined && { trash: deleted }) };
  }

  /** A page of a search: what is published and what is not by turns, so that none hides the other. */
  async #search(query: ListQuery, next: string | undefined, signal: AbortSignal): Promise<ListPage> {
    const { status, text } = query;
    const { status: only, ...review } = statusOf(status);
    const first = (only === 'all' ? (['published', 'draft'] as const) : [only]).map(
      (status): Search => ({ status, page: 1, total: 0, isExact: true }),
    );
    const searches: Search[] = next === undefined ? first : JSON.parse(next);
    const found = await Promise.all(
      searches.map(async (search) => {
        if (search.page === undefined) return { search, articles: [] };
        const found = { status: search.status, ...review } as const;
        const order = { ...found, sort: 'relevance', q: text, page: search.page } as const;
        const { data, meta } = await this.#page(query, order, signal);
        const page = meta.page < meta.total_pages ? meta.page + 1 : undefined;
        const isExact = meta.total_is_exact !== false;
        return { search: { ...search, page, total: meta.total, isExact }, articles: data.map(listed) };
      }),
    );
    const most = Math.max(...found.map(({ articles }) => articles.length));
    const after = found.map(({ search }) => search);
    return {
      articles: Array.from({ length: most }, (_, index) =>
        found.flatMap(({ articles }) => articles[index] ?? []),
      ).flat(),
      next: after.some(({ page }) => page !== undefined) ? JSON.stringify(after) : undefined,
      total: after.reduce((sum, { total }) => sum + total, 0),
      isInexact: after.some(({ isExact }) => !isExact),
    };
  }

  #trash(query: ListQuery, next: string | undefined, signal: AbortSignal): Promise<ListPage> {
    return this.#narrowed(query, next, async (cursor) => {
      const page = { per_page: PER_PAGE, ...(cursor !== undefined && { cursor: Number(cursor) }) };
      const { data, meta } = await asked(this.#client.get('/api/trash', { signal, query: page }));
      const rows = data.map((row) => ({ ...row, state: 'deleted' as const, at: row.deleted_at }));
      return { rows, next: meta.next_cursor?.toString() };
    });
  }

  #schedule(query: ListQuery, next: string | undefined, signal: AbortSignal): Promise<ListPage> {
    return this.#narrowed(query, next, async (cursor) => {
      const page = { per_page: PER_PAGE, ...(cursor !== undefined && { cursor }) };
      const { data, meta } = await asked(this.#client.get('/api/schedule', { signal, query: page }));
      const rows = data.map((row) => ({ ...row, state: 'scheduled' as const, at: row.due_at }));
      return { rows, next: meta.next_cursor ?? undefined };
    });
  }

  /** A page of a list that the service does not search: what does not match is left out here. */
  async #narrowed(
    { text, category, author }: ListQuery,
    first: string | undefined,
    read: (cursor: string | undefined) => Promise<{ rows: readonly PlainRow[]; next: string | undefined }>,
  ): Promise<ListPage> {
    const categories = await this.categories();
    const name = author === '' ? '' : (await this.termBySlug('authors', author)).name;
    const words = text.toLowerCase().split(/\s+/);
    const articles: ListedArticle[] = [];
    let next = first;
    do {
      const page = await read(next);
      for (const { id, title, slug, author: by, category_id, featured_image, state, at } of page.rows) {
        const its = categories.find((one) => one.id === category_id);
        // Names stand one after the other.
        const isBy = name === '' || `, ${by}, `.includes(`, ${name}, `);
        const isFound = words.every((word) => `${title} ${by}`.toLowerCase().includes(word));
        if (!isFound || !isBy || (category !== '' && its?.slug !== category)) continue;
        const shown = { id, title, slug, author: by, picture: featured_image, state, at: Date.parse(at) };
        articles.push({ ...shown, category: its?.name ?? null });
      }
      next = page.next;
    } while (next !== undefined && articles.length < MIN_FOUND);
    return { articles, next, total: undefined };
  }

  /** An article as it was last changed. */
  async read(id: number): Promise<Versioned<Article>> {
    const { body, headers } = await asked(
      this.#client.request('get', '/api/articles/{id}', {
        path: { id },
        query: { include: 'schedule,tags,authors,working_copy,assignee' },
      }),
    );
    return { value: body.data, etag: headers.get('etag') ?? '' };
  }

  async readReview(id: number): Promise<Versioned<Review>> {
    const answer = await asked(this.#client.request('get', '/api/articles/{id}/review', { path: { id } }));
    return { value: answer.body.data, etag: answer.headers.get('etag') ?? '' };
  }

  /** Takes a step in the review of a draft; with a version, only if it still has that one. */
  async review(
    id: number,
    body: { state: Review['state']; comment: string | null },
    etag?: string,
  ): Promise<void> {
    const options = { path: { id }, body, ...ifMatch(etag) };
    await asked(this.#client.put('/api/articles/{id}/review', options));
  }

  async writers(): Promise<readonly Assignable[]> {
    return (await asked(galleryClient(this.#service).get('/api/desk/writers'))).data.writers;
  }

  /** Assigns an article to an author, or to nobody. */
  async assign(id: number, author_id: number | null): Promise<void> {
    const options = { path: { id }, body: { author_id } };
    await asked(this.#client.put('/api/articles/{id}/assignee', options));
  }

  /** Creates a draft; the same key creates one, however often it is sent. */
  async create(body: NewArticle, idempotencyKey: string): Promise<Versioned<{ readonly id: number }>> {
    const answer = await asked(this.#client.request('post', '/api/drafts', { body, idempotencyKey }));
    return { value: answer.body.data, etag: answer.headers.get('etag') ?? '' };
  }

  /** Changes an article; with a version, only if it still has that one. Returns the new version. */
  async change(id: number, body: Changes, etag?: string): Promise<string> {
    const options = { path: { id }, body, ...ifMatch(etag) };
    return (
      (await asked(this.#client.request('patch', '/api/articles/{id}', options))).headers.get('etag') ?? ''
    );
  }

  /** The forms that the page at an address can take in an article. */
  async embed(url: string, signal: AbortSignal): Promise<FoundEmbed> {
    return (await asked(this.#client.get('/api/embeds', { query: { url }, signal }))).data;
  }

  /** The names of the releases that are still to come. */
  async releases(): Promise<readonly string[]> {
    const { data } = await asked(this.#client.get('/api/releases', { query: { per_page: PER_PAGE } }));
    return data.filter(({ published_at: at }) => at === null).map(({ name }) => name);
  }

  /** Changes a draft, whose text may have any length. Returns its slug, if that has changed. */
  async write(id: number, changes: DraftChanges, etag?: string): Promise<Versioned<string | undefined>> {
    const options = { path: { id }, body: changes, ...ifMatch(etag) };
    const { body, headers } = await asked(this.#client.request('patch', '/api/drafts/{id}', options));
    return { value: body.data.slug, etag: headers.get('etag') ?? '' };
  }

  async remove(id: number): Promise<void> {
    await asked(this.#client.delete('/api/articles/{id}', { path: { id } }));
  }

  /** Brings an article back from the trash. Returns whether it had a plan, which does not come back. */
  async restore(id: number): Promise<boolean> {
    await asked(this.#client.post('/api/articles/{id}/restore', { path: { id } }));
    const [last] = await this.revisions(id).catch(() => []);
    return ['publish_at', 'release'].some((member) => last?.changed?.includes(member));
  }

  /** Counts the articles in the trash, and tells when the last of them was deleted. */
  async trashSize(): Promise<TrashSize> {
    const { data, meta } = await asked(this.#client.get('/api/trash', { query: { per_page: 1 } }));
    return { count: meta.total, isExact: meta.total_is_exact !== false, until: data[0]?.deleted_at };
  }

  /** Deletes an article of the trash for good. */
  async erase(id: number): Promise<void> {
    await asked(this.#client.delete('/api/trash/{id}', { path: { id } }));
  }

  /** Deletes for good what had been deleted by then; returns how many there were. */
  async emptyTrash(until: string): Promise<number> {
    const query = { deleted_until: until };
    return (await asked(this.#client.delete('/api/trash', { query }))).data.deleted;
  }

  /** Changes that readers do not see yet; undefined if there are none. */
  async readCopy(id: number): Promise<Versioned<WorkingCopy> | undefined> {
    const path = { id };
    const answer = await this.#client
      .request('get', '/api/articles/{id}/working-copy', { path })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (answer === undefined) return undefined;
    return { value: answer.body.data, etag: answer.headers.get('etag') ?? '' };
  }

  /** Saves changes that readers do not see yet, in place of a version or as the first; returns its tag. */
  async saveCopy(id: number, body: Changes, etag: string | undefined): Promise<string> {
    const first = { headers: { 'if-none-match': '*' } };
    const options = { path: { id }, body, ...(etag === undefined ? first : ifMatch(etag)) };
    const { headers } = await asked(this.#client.request('put', '/api/articles/{id}/working-copy', options));
    return headers.get('etag') ?? '';
  }

  /** Discards the changes that readers do not see yet. */
  async removeCopy(id: number, etag?: string): Promise<void> {
    const options = { path: { id }, ...ifMatch(etag) };
    await asked(this.#client.delete('/api/articles/{id}/working-copy', options));
  }

  async publishCopy(id: number, etag: string): Promise<void> {
    const options = { path: { id }, ...ifMatch(etag) };
    await asked(this.#client.post('/api/articles/{id}/working-copy/publish', options));
  }

  /** The latest revisions of an article, the newest first. */
  async revisions(id: number): Promise<readonly Revision[]> {
    const options = { path: { id }, query: { per_page: 100 } };
    return (await asked(this.#client.get('/api/articles/{id}/revisions', options))).data;
  }

  /** The members of the article in a revision. */
  async revision(id: number, revision: number): Promise<Readonly<Record<string, unknown>>> {
    const path = { id, revision };
    const { data } = await asked(this.#client.get('/api/articles/{id}/revisions/{revision}', { path }));
    return data.article;
  }

  /** Makes an article say again what it said in a revision. */
  async restoreRevision(id: number, revision: number): Promise<void> {
    const path = { id, revision };
    await asked(this.#client.post('/api/articles/{id}/revisions/{revision}/restore', { path }));
  }

  /** Those of these links that lead to no page of the site. */
  async brokenLinks(urls: string[]): Promise<readonly BrokenLink[]> {
    return (await asked(this.#client.post('/api/articles/links', { body: { urls } }))).data;
  }

  /** Those of these links, at most 30, that other sites do not answer. */
  async brokenElsewhere(urls: string[]): Promise<readonly BrokenLink[]> {
    const { data } = await asked(this.#client.post('/api/articles/links/external', { body: { urls } }));
    return data.map(({ url, fault }) => ({ url, fault: `external_${fault}` as const }));
  }

  /** The token of a link that shows an article as it was last saved. */
  async preview(id: number): Promise<string> {
    const options = { path: { id }, body: {} };
    return (await asked(this.#client.post('/api/articles/{id}/previews', options))).data.token;
  }

  async categories(): Promise<readonly Term[]> {
    return (await asked(this.#client.get('/api/categories'))).data;
  }

  /** The first tags or authors whose names have a text, which may be empty. */
  async terms(kind: TermKind, text: string): Promise<readonly Term[]> {
    const options = { query: { per_page: PER_PAGE, ...(text !== '' && { q: text }) } };
    return kind === 'tags'
      ? (await asked(this.#client.get('/api/tags', options))).data
      : (await asked(this.#client.get('/api/authors', options))).data;
  }

  /** The tag or author of a slug. */
  async termBySlug(kind: TermKind, slug: string): Promise<Term> {
    const options = { path: { slug }, query: { per_page: 1 } };
    return kind === 'tags'
      ? (await asked(this.#client.get('/api/tags/by-slug/{slug}', options))).data
      : (await asked(this.#client.get('/api/authors/by-slug/{slug}', options))).data;
  }

  async createAuthor(name: string): Promise<Term> {
    return (await asked(this.#client.post('/api/authors', { body: { name } }))).data;
  }

  async createTag(name: string): Promise<Term> {
    const { data } = await asked(this.#client.post('/api/tags', { body: { name } }));
    return data;
  }
}

/** The progress of a search among the published articles or the others. */
interface Search {
  readonly status: 'published' | 'draft';
  /** The page that comes next; undefined at the end. */
  readonly page?: number | undefined;
  readonly total: number;
  readonly isExact: boolean;
}

interface DeskAnswer {
  person: string;
  sections: { content: { state: SiteFacts['state'] } };
  media: { publicPrefixes: string[] };
  site: { url: string; articlePath: string } | null;
}

/** A row of the schedule or the trash. */
interface PlainRow extends Pick<ListedArticle, 'id' | 'title' | 'slug' | 'author' | 'state'> {
  readonly category_id: number | null;
  readonly featured_image: string | null;
  readonly at: string;
}

/** Maps the desk's statuses to the service's. */
function statusOf(status: StatusFilter): { status: 'all' | 'published' | 'draft'; review?: ReviewState } {
  if (status === 'all' || status === 'published' || status === 'draft') return { status };
  return status === 'scheduled' || status === 'trash'
    ? { status: 'all' }
    : { status: 'draft', review: status };
}

function ifMatch(etag: string | undefined) {
  return etag === undefined ? {} : { headers: { 'if-match': etag } };
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 404;
}

function listed(article: {
  id: number;
  title?: string | undefined;
  slug?: string | undefined;
  author?: string | undefined;
  featured_image?: string | null | undefined;
  category?: Term | null | undefined;
  is_published?: boolean | undefined;
  published_at?: string | null | undefined;
  updated_at?: string | undefined;
  schedule?: { publish_at: string | null } | undefined;
  review?: { state: ReviewState } | null | undefined;
  assignee?: { name: string } | null | undefined;
  open_comments?: number | undefined;
}): ListedArticle {
  const { id, title = '', slug = '', author = '', category, is_published: isPublished } = article;
  const { featured_image: picture = null, schedule, review } = article;
  const planned = isPublished ? null : (schedule?.publish_at ?? null);
  const at = planned ?? (isPublished ? article.published_at : null) ?? '';
  const state = isPublished ? 'published' : planned === null ? (review?.state ?? 'draft') : 'scheduled';
  const assignee = article.assignee?.name;
  const comments = article.open_comments ?? 0;
  const times = { at: Date.parse(at), changedAt: Date.parse(article.updated_at ?? '') };
  const shown = { id, title, slug, author, picture, category: category?.name ?? null };
  return { ...shown, assignee, comments, state, ...times };
}
