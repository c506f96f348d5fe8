import { ApiClient, type ClientOptions } from './api-client.ts';
import type { paths as ContentPaths } from './openapi/content.ts';
import type { paths as GalleryPaths } from './openapi/gallery-admin.ts';
import type { paths as NewsFeedPaths } from './openapi/news-feed.ts';

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
