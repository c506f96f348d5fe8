import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { withChangedUrls } from '../../html/changed-urls.ts';
import { PictureFetcher } from './picture-fetcher.ts';
import type { PictureStore } from './picture-store.ts';

/** Attributes that name pictures. */
const NAMING = new Set(['img src', 'img srcset', 'source srcset', 'video poster', 'a href']);

/** Where a link leads to a picture. */
const PICTURE_PATH = /\.(?:avif|gif|jpe?g|png|webp)$/i;

/** The longest key, in characters: an address has at most 500. */
const MOST_KEY = 300;

/** What an article shows pictures with. */
interface Showing {
  content: string;
  featured_image?: string | null | undefined;
}

/**
 * Brings the pictures of articles into a bucket, under the addresses that they had, and changes the addresses
 * in the articles. What the bucket has is not fetched again.
 */
export class MediaMover {
  readonly #store: PictureStore;
  readonly #fetcher: PictureFetcher;
  /** The new addresses, or why a picture stays where it is. */
  readonly #moved = new LRUCache<string, Promise<string | Error>>({ max: 10_000 });

  /** `privateHosts`: hosts that may have addresses that are not public. */
  constructor(store: PictureStore, privateHosts: readonly string[]) {
    this.#store = store;
    this.#fetcher = new PictureFetcher(privateHosts);
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    this.#store.close();
    await this.#fetcher.close();
  }

  /** The article with the new addresses, and which pictures stay where they are. */
  async move<Article extends Showing>(article: Article): Promise<{ article: Article; notes: string[] }> {
    const { content, featured_image } = article;
    const urls = picturesIn(content);
    if (featured_image) urls.add(featured_image);
    const moved = new Map<string, string>();
    const notes: string[] = [];
    for (const url of urls) {
      const to = await this.#move(url);
      if (to instanceof Error) notes.push(`picture ${url}: ${to.message}; it stays where it is`);
      else moved.set(url, to);
    }
    const image = featured_image && (moved.get(featured_image) ?? featured_image);
    const changed = withChangedUrls(content, (url, attribute) =>
      isPicture(url, attribute) ? (moved.get(url.trim()) ?? url) : url,
    );
    return { article: { ...article, content: changed, featured_image: image }, notes };
  }

  #move(url: string): Promise<string | Error> {
    const known = this.#moved.get(url);
    if (known !== undefined) return known;
    const work = this.#bring(url);
    this.#moved.set(url, work);
    return work;
  }

  /** A fault of a picture is reported; one of the store ends the import. */
  async #bring(url: string): Promise<string | Error> {
    if (this.#store.keysIn(url).length > 0) return url;
    const key = keyOf(url);
    if (!(await this.#store.has(key))) {
      const picture = await this.#fetcher.fetch(url).catch((error: unknown) => error as Error);
      if (picture instanceof Error) return picture;
      await this.#store.put(key, picture);
    }
    return this.#store.addressOf(key);
  }
}

/** The addresses of the pictures that HTML shows, or links to. */
function picturesIn(html: string): Set<string> {
  const urls = new Set<string>();
  withChangedUrls(html, (url, attribute) => {
    if (isPicture(url, attribute)) urls.add(url.trim());
    return url;
  });
  return urls;
}

function isPicture(url: string, attribute: string): boolean {
  const parsed = NAMING.has(attribute) ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return attribute !== 'a href' || PICTURE_PATH.test(parsed.pathname);
}

/** Where a picture is kept: under its old host and path, so that it is known again. */
function keyOf(address: string): string {
  const { hostname, pathname, search } = new URL(address);
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 12);
  const path = pathname.replaceAll(/%[\dA-F]{2}|[^\w./-]+/gi, '-').replaceAll(/\/{2,}/g, '/');
  const key = `imported/${hostname}${path}`;
  if (search === '' && path === pathname && key.length <= MOST_KEY) return key;
  const [, stem = key, extension = ''] = /^(.*?)(\.\w{1,5})?$/.exec(key) ?? [];
  return `${stem.slice(0, MOST_KEY)}-${hash}${extension}`;
}
