import type { AnswerOf, CommonOptions, OperationOf, RequestOptions } from './api-client.ts';
import type { components as Content, paths as ContentPaths } from './openapi/content.ts';
import type { paths as GalleryPaths } from './openapi/gallery-admin.ts';
import type { paths as NewsFeedPaths } from './openapi/news-feed.ts';
import { isProblem } from './problem.ts';
import type { ContentClient, GalleryClient, NewsFeedClient } from './services.ts';

type ContentSchemas = Content['schemas'];

type ArticlesOperation = OperationOf<ContentPaths, '/api/articles', 'get'>;
type RevisionsOperation = OperationOf<ContentPaths, '/api/articles/{id}/revisions', 'get'>;
type TrashOperation = OperationOf<ContentPaths, '/api/trash', 'get'>;
type ScheduleOperation = OperationOf<ContentPaths, '/api/schedule', 'get'>;
type RedirectsOperation = OperationOf<ContentPaths, '/api/redirects', 'get'>;
type ItemsOperation = OperationOf<NewsFeedPaths, '/api/v1/items', 'get'>;
type FolderOperation = OperationOf<GalleryPaths, '/api/gallery', 'get'>;

type QueryOf<Operation> = NonNullable<RequestOptions<Operation>['query']>;

type AnyArticle = ContentSchemas['ArticleListItem'];

/** The members that `include` adds. */
type IncludedMember =
  | 'tags'
  | 'authors'
  | 'extra'
  | 'picture'
  | 'schedule'
  | 'working_copy'
  | 'review'
  | 'assignee';

/** The members that `include` adds to those of `fields`. */
type AddedMember = IncludedMember | 'category' | 'alt_text';

/** An article of a list with the members of `fields: 'full'`. */
export type FullArticle = Required<Omit<AnyArticle, 'highlights' | IncludedMember>>;

/** An article of a list, where no `fields` are named. */
export type ListedArticle = Pick<
  FullArticle,
  'id' | 'title' | 'slug' | 'excerpt' | 'featured_image' | 'category' | 'author' | 'published_at'
>;

/** An article of a list whose `fields` are not known before the program runs. */
export type ChosenArticle = Partial<FullArticle> & Pick<FullArticle, 'id'>;

/** The names in a text like `title,slug`. */
type NamesIn<Text extends string> = Text extends `${infer Name},${infer Rest}` ? Name | NamesIn<Rest> : Text;

type ArticleWith<Fields> = Fields extends string
  ? string extends Fields
    ? ChosenArticle
    : Fields extends 'full'
      ? FullArticle
      : Pick<FullArticle, 'id' | (NamesIn<Fields> & keyof FullArticle)>
  : ListedArticle;

type IncludedBy<Include> = Include extends string
  ? string extends Include
    ? Pick<AnyArticle, AddedMember>
    : Required<Pick<AnyArticle, NamesIn<Include> & AddedMember>>
  : unknown;

/** An article of a list with the members that were asked for: `ArticleOf<'title,slug', 'tags'>`. */
export type ArticleOf<Fields = undefined, Include = undefined> = ArticleWith<Fields> & IncludedBy<Include>;

type AnyDetail = ContentSchemas['Article'];

/** The members that `include` adds to an article that is read by itself. */
type DetailMember = IncludedMember | 'jsonld' | 'series' | 'related';

/** The member that a name of `include` adds: `related:5` adds `related`. */
type MemberOf<Name> = Name extends `${infer Member}:${number}` ? Member : Name;

type Card = ContentSchemas['ArticleCard'];

/** The members of names, as articles read by themselves have them; of cards, `picture` if it is one. */
type DetailMembers<Name> = Required<Pick<AnyDetail, Exclude<MemberOf<Name>, 'related'> & DetailMember>> &
  ('related' extends MemberOf<Name>
    ? { related: ('picture' extends Name ? Required<Card> : Omit<Card, 'picture'>)[] }
    : unknown);

type AddedBy<Include> = Include extends string
  ? string extends Include
    ? Pick<AnyDetail, DetailMember>
    : DetailMembers<NamesIn<Include>>
  : unknown;

/** An article that is read by itself, with what was asked for: `ArticleDetailOf<'related:5'>`. */
export type ArticleDetailOf<Include = undefined> = Omit<AnyDetail, DetailMember> & AddedBy<Include>;

/** A revision of an article, without the article. */
export type ArticleRevision = AnswerOf<RevisionsOperation>['data'][number];

/** A deleted article that can be restored. */
export type DeletedArticle = AnswerOf<TrashOperation>['data'][number];

/** An article that something is planned for. */
export type PlannedArticle = AnswerOf<ScheduleOperation>['data'][number];

/** Where an old address leads; its `answer` is what a site answers, null where redirects lead in a circle. */
export type Redirect = AnswerOf<RedirectsOperation>['data'][number];

export type NewsItem = AnswerOf<ItemsOperation>['items'][number];

/** A page of a folder: its folders and files, each in natural order. */
export type FolderPage = Extract<AnswerOf<FolderOperation>, { mode: 'json' }>['data'];

/** A folder or a file of the gallery. */
export type FolderEntry = FolderPage['folders'][number] | FolderPage['files'][number];

/**
 * Options of a walk through pages. It waits for its turn as long as the service says, unless `patience` is
 * given.
 */
export type WalkOptions = Pick<CommonOptions, 'signal' | 'patience'>;

/**
 * The options of each request of a walk: one that gives up at a rate limit begins again, and reaches it
 * again.
 */
export function patient({ signal, patience = Number.POSITIVE_INFINITY }: WalkOptions): WalkOptions {
  return { patience, ...(signal && { signal }) };
}

/** The parameters of a list that is walked. */
type ArticleQuery<Fields, Include> = Omit<
  QueryOf<ArticlesOperation>,
  'page' | 'cursor' | 'fields' | 'include' | 'q' | 'highlight'
> & {
  fields?: Fields;
  include?: Include;
};

/**
 * Every article of a list, page by page as they are asked for: none that is there all the time is missed, or
 * comes twice, whatever is written meanwhile (of `sort: 'updated'`, none that does not change).
 */
export function articles<
  const Fields extends string | undefined = undefined,
  const Include extends string | undefined = undefined,
>(
  client: ContentClient,
  query?: ArticleQuery<Fields, Include>,
  options?: WalkOptions,
): AsyncGenerator<ArticleOf<Fields, Include>, void>;
export async function* articles(
  client: ContentClient,
  query: ArticleQuery<string | undefined, string | undefined> = {},
  options: WalkOptions = {},
): AsyncGenerator<AnyArticle, void> {
  const { fields, include, ...rest } = query;
  let cursor: string | undefined = '';
  do {
    const { data, meta }: AnswerOf<ArticlesOperation> = await client.get('/api/articles', {
      ...patient(options),
      query: {
        ...rest,
        ...(fields !== undefined && { fields }),
        ...(include !== undefined && { include }),
        cursor,
      },
    });
    yield* data;
    cursor = meta.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * An article by its id (a number) or its slug (a text), also a former one.
 *
 * @throws ProblemError and ConnectionError, as every request does
 */
export function article<const Include extends string | undefined = undefined>(
  client: ContentClient,
  key: number | string,
  query?: { include?: Include; preview?: string },
  options?: CommonOptions,
): Promise<ArticleDetailOf<Include>>;
export async function article(
  client: ContentClient,
  key: number | string,
  query: { include?: string | undefined; preview?: string } = {},
  options: CommonOptions = {},
): Promise<AnyDetail> {
  const { include, ...rest } = query;
  const asked = { ...options, query: { ...rest, ...(include !== undefined && { include }) } };
  const { data } =
    typeof key === 'number'
      ? await client.get('/api/articles/{id}', { ...asked, path: { id: key } })
      : await client.get('/api/articles/by-slug/{slug}', { ...asked, path: { slug: key } });
  return data;
}

/** The revisions of an article, the newest first, page by page as they are asked for. */
export function articleRevisions(
  client: ContentClient,
  id: number,
  options: WalkOptions = {},
): AsyncGenerator<ArticleRevision, void> {
  const common = { ...patient(options), path: { id } };
  return walk<ArticleRevision, number>((query) =>
    client.get('/api/articles/{id}/revisions', { ...common, query }),
  );
}

/** The articles that can be restored, the last deleted first, page by page as they are asked for. */
export function deletedArticles(
  client: ContentClient,
  options: WalkOptions = {},
): AsyncGenerator<DeletedArticle, void> {
  return walk<DeletedArticle, number>((query) => client.get('/api/trash', { ...patient(options), query }));
}

/** The articles that something is planned for, in the order of time, page by page as they are asked for. */
export function plannedArticles(
  client: ContentClient,
  options: WalkOptions = {},
): AsyncGenerator<PlannedArticle, void> {
  return walk<PlannedArticle, string>((query) => client.get('/api/schedule', { ...patient(options), query }));
}

/**
 * Every redirect, or those with the text `q` in an address, the newest first, page by page as they are asked
 * for.
 */
export function redirects(
  client: ContentClient,
  { q }: Pick<QueryOf<RedirectsOperation>, 'q'> = {},
  options: WalkOptions = {},
): AsyncGenerator<Redirect, void> {
  const narrowed = { per_page: 1000, ...(q !== undefined && { q }) };
  return walk<Redirect, number>((query) =>
    client.get('/api/redirects', { ...patient(options), query: { ...narrowed, ...query } }),
  );
}

/**
 * The redirect of a request, for a site that has no page for it.
 *
 * @param from the path of the request with its query, such as `/2016/old-news/?p=1`, as it came
 * @returns undefined without one, also where `from` is no address
 * @throws ProblemError and ConnectionError, as every request does
 */
export async function redirect(
  client: ContentClient,
  from: string,
  options: WalkOptions = {},
): Promise<Redirect | undefined> {
  try {
    const { data } = await client.get('/api/redirects', { ...options, query: { from } });
    return data[0];
  } catch (error) {
    // Whoever asks a site for nonsense gets its page of what is not found.
    if (isProblem(error, 'invalid_request')) return undefined;
    throw error;
  }
}

/** A page of a list that is read by cursors alone. */
interface WalkedPage<Row, Cursor> {
  data: Row[];
  meta: { next_cursor: Cursor | null };
}

async function* walk<Row, Cursor>(
  load: (query: { cursor?: Cursor }) => Promise<WalkedPage<Row, Cursor>>,
): AsyncGenerator<Row, void> {
  let page = await load({});
  for (;;) {
    yield* page.data;
    if (page.meta.next_cursor === null) return;
    page = await load({ cursor: page.meta.next_cursor });
  }
}

/** Every news item of a query, page by page as they are asked for, along the feed's cursors. */
export async function* newsItems(
  client: NewsFeedClient,
  query: Omit<QueryOf<ItemsOperation>, 'cursor'> = {},
  options: WalkOptions = {},
): AsyncGenerator<NewsItem, void> {
  let cursor: string | undefined;
  do {
    const { items, page } = await client.get('/api/v1/items', {
      ...patient(options),
      query: { ...query, ...(cursor !== undefined && { cursor }) },
    });
    yield* items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** The pages of a folder in the store's order, for a view that shows more as one scrolls. */
export async function* folderPages(
  client: GalleryClient,
  path: string,
  query: Pick<QueryOf<FolderOperation>, 'maxKeys' | 'foldersOnly' | 'thumbhash'> = {},
  options: WalkOptions = {},
): AsyncGenerator<FolderPage, void> {
  let continuationToken: string | undefined;
  do {
    const { mode, data } = await client.get('/api/gallery', {
      ...patient(options),
      query: { ...query, path, json: '1', ...(continuationToken !== undefined && { continuationToken }) },
    });
    if (mode !== 'json') throw new Error('the gallery did not answer with a listing');
    yield data;
    continuationToken = data.continuationToken ?? undefined;
  } while (continuationToken !== undefined);
}

/** Every folder and file in a folder, page by page as they are asked for. */
export async function* folderEntries(
  client: GalleryClient,
  path: string,
  options: WalkOptions = {},
): AsyncGenerator<FolderEntry, void> {
  for await (const { folders, files } of folderPages(client, path, {}, options)) {
    yield* folders;
    yield* files;
  }
}
