import type { components as ContentParts } from './openapi/content.ts';
import type { components as GalleryParts } from './openapi/gallery-admin.ts';
import type { components as NewsParts } from './openapi/news-feed.ts';

export type { AnswerOf, OperationOf, RequestOptions } from './api-client.ts';
export {
  type Answer,
  type AnswerCache,
  ApiClient,
  type CachedAnswer,
  type ClientOptions,
  DEFAULT_RETRY,
  type Fetch,
  memoryCache,
  type RetryPolicy,
  withCookies,
} from './api-client.ts';
export type { Mirrored, MirrorStore } from './mirror.ts';
export {
  type ArticleMirrorOptions,
  type CopiedRedirect,
  type FullPublishedItem,
  type MirrorOptions,
  mirrorArticles,
  mirrorSelected,
  type PublishedId,
  type PublishedItem,
  type PublishedStore,
  type SelectedItem,
  type SelectedStore,
} from './mirror.ts';
export type { components as ContentComponents } from './openapi/content.ts';
export type { components as GalleryComponents } from './openapi/gallery-admin.ts';
export type { components as NewsFeedComponents, paths as NewsFeedPaths } from './openapi/news-feed.ts';
export {
  type ArticleDetailOf,
  type ArticleOf,
  type ArticleRevision,
  article,
  articleRevisions,
  articles,
  type ChosenArticle,
  type DeletedArticle,
  deletedArticles,
  type FolderEntry,
  type FolderPage,
  type FullArticle,
  folderEntries,
  folderPages,
  type ListedArticle,
  type NewsItem,
  newsItems,
  type PlannedArticle,
  plannedArticles,
  type Redirect,
  redirect,
  redirects,
} from './pages.ts';
export {
  describePicture,
  isPublicMedia,
  nextImageLoader,
  type PictureDescription,
  RENDITION_WIDTHS,
  type RenditionOptions,
  renditionUrl,
  type SourceSetOptions,
  sourceSet,
} from './pictures.ts';
export {
  ConnectionError,
  type FieldProblem,
  isProblem,
  type ProblemCode,
  type ProblemDocument,
  ProblemError,
} from './problem.ts';
export {
  type ContentClient,
  contentClient,
  type GalleryClient,
  galleryClient,
  type NewsFeedClient,
  newsFeedClient,
} from './services.ts';
export { type Suggestions, suggest } from './suggest.ts';
export { type BegunUpload, StoreError, type UploadMemory, type UploadOptions, uploadFile } from './upload.ts';

type Content = ContentParts['schemas'];
type Gallery = GalleryParts['schemas'];
type News = NewsParts['schemas'];

// Schemas under the names that the descriptions give them.
export type Article = Content['Article'];
export type ArticleListItem = Content['ArticleListItem'];
export type ArticlePicture = Content['ArticlePicture'];
export type Author = Content['Author'];
export type Category = Content['Category'];
export type PageMeta = Content['PageMeta'];
export type Revision = Content['Revision'];
export type Series = Content['Series'];
export type Tag = Content['Tag'];
export type Batch = Gallery['Batch'];
export type GalleryFile = Gallery['GalleryFile'];
export type GalleryFolder = Gallery['GalleryFolder'];
export type Picture = Gallery['Picture'];
export type DailyReport = News['DailyReport'];
export type HotTopic = News['HotTopic'];
export type Item = News['Item'];
export type Story = News['Story'];
