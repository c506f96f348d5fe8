import { LATIN } from '../data/vocabulary.ts';
import type { ServerProcess } from '../server.ts';

/** Requests of `pnpm bench peers` to each content server. */
interface ContentRequests {
  /** The page of 20 published articles with their categories and the total, newest first; from 1. */
  page: (number: number) => string;
  /** The first page of the articles with a word; absent for a server that is not asked for it. */
  search?: (word: string) => string;
  /** An article with its category, by its number. */
  detail: (id: number) => string;
  create: Write;
  /** Absent for a server that takes changes only of the version that the writer has read. */
  update?: Write;
}

/** The words that are searched for, each in the titles of a fiftieth of the articles. */
export const SEARCHED_WORDS = Array.from({ length: 20 }, (_, index) => LATIN.common(index + 200));

/** The articles that are updated: so many that those who write at once do not wait for each other's row. */
export const UPDATED_ARTICLES = Array.from({ length: 200 }, (_, index) => index + 501);

/** A request that writes; each has its own number. */
export interface Write {
  method: 'POST' | 'PUT' | 'PATCH';
  paths: readonly string[];
  headers: Readonly<Record<string, string>>;
  body: (number: number) => unknown;
  status: number;
}

/** The content of a page, apart from its form. */
interface ContentPage {
  total: number;
  articles: ShownArticle[];
}

/** Members of an article in a list that every content server has. */
export interface ListedArticle {
  title: string;
  slug: string;
  excerpt: string;
  category: { name: string };
}

/** The part of a listed article that must be the same everywhere. */
export interface ShownArticle extends Omit<ListedArticle, 'category'> {
  category: string;
}

/** Picks the members of a listed article that are compared. */
export function shownArticle({ title, slug, excerpt, category }: ListedArticle): ShownArticle {
  return { title, slug, excerpt, category: category.name };
}

/** Variables of the environment that a server reads. */
export type Settings = Readonly<Record<string, string>>;

/** A content server with the articles of the bench. */
export interface ContentContender {
  name: string;
  process: ServerProcess;
  /** The first process of its database server, where its CPU time is measured. */
  database?: number;
  requests: ContentRequests;
  readPage: (answer: unknown) => ContentPage;
}

/**
 * Starts a server with these settings, or without them with its cache and without it: `both` has what that
 * takes, by what it adds to the server's name.
 */
export function startVariants(
  { name, ...api }: Omit<ContentContender, 'process'>,
  both: Readonly<Record<'' | ', no cache', Settings>>,
  settings: Settings | undefined,
  start: (settings: Settings) => Promise<ServerProcess>,
): Promise<ContentContender[]> {
  const started = Object.entries(settings === undefined ? both : { '': settings }).map(
    async ([variant, own]) => ({ name: `${name}${variant}`, process: await start(own), ...api }),
  );
  return Promise.all(started);
}

/** The members of an article that the bench's writers send. */
export function writtenArticle(number: number) {
  return {
    title: `Written article ${number}`,
    content: `<p>${'Words of an article that somebody has written. '.repeat(25)}</p>`,
    excerpt: `What the written article ${number} is about, in a sentence that is as long as such sentences are.`,
    featured_image: `https://images.example/written-${number}.jpg`,
    author: 'The bench',
    is_published: true,
  };
}
