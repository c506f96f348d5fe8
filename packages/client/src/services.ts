import { ApiClient, type ClientOptions } from './api-client.ts';
import type { components as ContentParts, paths as ContentPaths } from './openapi/content.ts';
import type { components as GalleryParts, paths as GalleryPaths } from './openapi/gallery-admin.ts';
import type { paths as NewsFeedPaths, components as NewsParts } from './openapi/news-feed.ts';

type Content = ContentParts['schemas'];
type Gallery = GalleryParts['schemas'];
type News = NewsParts['schemas'];

// Schemas under the names that the descriptions give them.
export type Article = Content['Article'];
export type ArticleListItem = Content['ArticleListItem'];
export type Author = Content['Author'];
export type Category = Content['Category'];
export type PageMeta = Content['PageMeta'];
export type Revision = Content['Revision'];
export type Tag = Content['Tag'];
export type Batch = Gallery['Batch'];
export type GalleryFile = Gallery['GalleryFile'];
export type GalleryFolder = Gallery['GalleryFolder'];
export type Picture = Gallery['Picture'];
export type DailyReport = News['DailyReport'];
export type HotTopic = News['HotTopic'];
export type Item = News['Item'];
export type Story = News['Story'];

/** A client of the articles and categories. */
export type ContentClient = ApiClient<ContentPaths>;

export type NewsFeedClient = ApiClient<NewsFeedPaths>;

export type GalleryClient = ApiClient<GalleryPaths>;

/** Opens a client of the articles and categories; for writing, give `headers: { 'X-API-Key': key }`. */
export function contentClient(options: ClientOptions): ContentClient {
  return new ApiClient(options);
}

/** Opens a client of the news feed. */
export function newsFeedClient(options: ClientOptions): NewsFeedClient {
  return new ApiClient(options);
}

/**
 * Opens a client of the gallery administration. The session is a cookie, which browsers keep by themselves;
 * elsewhere give `fetch: withCookies()`.
 */
export function galleryClient(options: ClientOptions): GalleryClient {
  return new ApiClient(options);
}
