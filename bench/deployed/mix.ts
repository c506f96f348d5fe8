import { type ContentContender, SEARCHED_WORDS } from '../contenders/content.ts';

/** A request of a reader or an editor. */
export interface SiteRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

/** The newest articles that everybody reads, and the pages of the list. */
const HOT = { articles: 20, pages: 3 };

/** So many readers are told apart, each by its address. */
const READERS = 65_536;

/** An odd number that leads from an article of the long tail to the next one, far away. */
const STRIDE = 7919;

/**
 * Makes one request after the other of what a site is asked for: of a hundred 80 hot lists and details, 15 of
 * the long tail, 4 searches and a new article. There are a multiple of ten articles.
 */
export function siteMix({ requests }: ContentContender, articles: number): () => SiteRequest {
  const pages = Math.floor((articles * 0.9) / 20);
  let number = 0;
  return () => {
    number += 1;
    // Spread over the hundred: neighbours are of different kinds.
    const place = (number * 37) % 100;
    const address = (number * STRIDE) % READERS;
    const headers = { 'x-forwarded-for': `10.0.${address >> 8}.${address & 255}` };
    if (place < 99) return { method: 'GET', path: read(place), headers };
    const { method, paths, headers: own, body } = requests.create;
    const type = { 'content-type': 'application/json' };
    const sent = { ...headers, ...type, ...own };
    return { method, path: paths[0] ?? '', headers: sent, body: JSON.stringify(body(number)) };
  };

  function read(place: number): string {
    if (place >= 95) return requests.search?.(SEARCHED_WORDS[number % SEARCHED_WORDS.length] ?? '') ?? '';
    const [isHot, isPage] = [place < 80, place % (place < 80 ? 2 : 3) === 0];
    const far = number * STRIDE;
    if (isPage) return requests.page(1 + (isHot ? number % HOT.pages : far % pages));
    // Halved: its lowest bit has chosen between pages and articles.
    const newer = isHot ? (number >> 1) % HOT.articles : far % (pages * 20);
    // Every tenth article, the newest among them, is a draft.
    return requests.detail(articles - 1 - newer - Math.floor(newer / 9));
  }
}
