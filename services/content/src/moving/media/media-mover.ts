import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { escaped } from '../wordpress/shortcodes.ts';
import { PictureFetcher } from './picture-fetcher.ts';
import type { PictureStore } from './picture-store.ts';

/** Attributes that name pictures, of which `srcset` names several. */
const NAMING = new Set(['img src', 'img srcset', 'source srcset', 'video poster', 'a href']);

/** Where a link leads to a picture. */
const PICTURE_PATH = /\.(?:avif|gif|jpe?g|png|webp)$/i;

/** A picture of a `srcset`, and what follows it there. */
const CANDIDATE = /([^\s,]\S*[^\s,])((?:\s[^,]*)?(?:,|$))/g;

/** The longest key, in characters: an address has at most 500. */
const MOST_KEY = 300;

/** What an article shows pictures with. */
interface Showing {
  content: string;
  featured_image?: string | null | undefined;
}

/** An attribute in HTML: where it stands, and the pictures that it names. */
interface Naming {
  name: string;
  value: string;
  start: number;
  end: number;
  urls: string[];
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
    const namings = namingsIn(article.content);
    const urls = new Set([
      ...namings.flatMap((one) => one.urls),
      ...(article.featured_image ? [article.featured_image] : []),
    ]);
    const moved = new Map<string, string>();
    const notes: string[] = [];
    for (const url of urls) {
      const to = await this.#move(url);
      if (to instanceof Error) notes.push(`picture ${url}: ${to.message}; it stays where it is`);
      else moved.set(url, to);
    }
    const { content, featured_image } = article;
    const image = featured_image && (moved.get(featured_image) ?? featured_image);
    return {
      article: { ...article, content: rewritten(content, namings, moved), featured_image: image },
      notes,
    };
  }

  #move(url: string): Promise<string | Error> {
    const known = this.#moved.get(url);
    if (known !== undefined) return known;
    const work = this.#bring(url);
    this.#moved.set(url, work);
    return work;
  }

  /** What is wrong with a picture is told; what is wrong with the store ends the import. */
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

/** The attributes of HTML that name pictures, in their order. */
function namingsIn(html: string): Naming[] {
  const namings: Naming[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if ('attrs' in node) {
      for (const { name, value } of node.attrs) {
        const place = node.sourceCodeLocation?.attrs?.[name];
        if (place === undefined || !NAMING.has(`${node.tagName} ${name}`)) continue;
        const named =
          name === 'srcset' ? [...value.matchAll(CANDIDATE)].map(([, url = '']) => url) : [value.trim()];
        const urls = named.filter((url) => isPicture(url, name));
        if (urls.length > 0)
          namings.push({ name, value, start: place.startOffset, end: place.endOffset, urls });
      }
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parseFragment(html, { sourceCodeLocationInfo: true }));
  return namings.toSorted((a, b) => a.start - b.start);
}

function isPicture(url: string, attribute: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return attribute !== 'href' || PICTURE_PATH.test(parsed.pathname);
}

function rewritten(html: string, namings: readonly Naming[], moved: ReadonlyMap<string, string>): string {
  let [result, at] = ['', 0];
  for (const { name, value, start, end, urls } of namings) {
    if (!urls.some((url) => moved.has(url))) continue;
    const changed =
      name === 'srcset'
        ? value.replaceAll(CANDIDATE, (_, url: string, rest: string) => `${moved.get(url) ?? url}${rest}`)
        : (moved.get(value.trim()) ?? value);
    result += `${html.slice(at, start)}${name}="${escaped(changed)}"`;
    at = end;
  }
  return result + html.slice(at);
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
