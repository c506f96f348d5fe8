import type { components as Content } from './openapi/content.ts';
import type { components as Gallery } from './openapi/gallery-admin.ts';
import type { components as NewsFeed } from './openapi/news-feed.ts';

export type Article = Content['schemas']['Article'];
export type ArticleReference = Content['schemas']['ArticleReference'];
export type Author = Content['schemas']['Author'];
export type Category = Content['schemas']['Category'];
export type PageMeta = Content['schemas']['PageMeta'];
export type Revision = Content['schemas']['Revision'];
export type Tag = Content['schemas']['Tag'];

export type Attribution = NewsFeed['schemas']['Attribution'];
export type DailyReport = NewsFeed['schemas']['DailyReport'];
export type HotTopic = NewsFeed['schemas']['HotTopic'];
export type Item = NewsFeed['schemas']['Item'];
export type MonthlyReport = NewsFeed['schemas']['MonthlyReport'];
export type Story = NewsFeed['schemas']['Story'];
export type WeeklyReport = NewsFeed['schemas']['WeeklyReport'];

export type GalleryFile = Gallery['schemas']['GalleryFile'];
export type GalleryFolder = Gallery['schemas']['GalleryFolder'];
export type Picture = Gallery['schemas']['Picture'];
