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
  type Article,
  type ArticleListItem,
  type Author,
  type Batch,
  type Category,
  type ContentClient,
  contentClient,
  type DailyReport,
  type GalleryClient,
  type GalleryFile,
  type GalleryFolder,
  galleryClient,
  type HotTopic,
  type Item,
  type NewsFeedClient,
  newsFeedClient,
  type PageMeta,
  type Picture,
  type Revision,
  type Story,
  type Tag,
} from './services.ts';
export { type Suggestions, suggest } from './suggest.ts';
export { type BegunUpload, StoreError, type UploadMemory, type UploadOptions, uploadFile } from './upload.ts';
