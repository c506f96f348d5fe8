import { createHash } from 'node:crypto';
import { endBody, GuardedAgents, type GuardedTarget } from '@pressroom/common/fetching/guarded-agents';
import { withChangedUrls } from '@pressroom/common/html/changed-urls';
import { because, type Reason } from './reasons.ts';

const NAMING = new Set(['img src', 'img srcset', 'source srcset', 'video poster', 'a href']);

const PICTURE_PATH = /\.(?:avif|gif|jpe?g|png|webp)$/i;

/** The longest key, in characters: an address has at most 500. */
const MOST_KEY = 300;

export interface Showing {
  content: string;
  featured_image?: string | null | undefined;
  social_image?: string | null | undefined;
}

/** Codes of reasons for which a picture stays where it is; `pictures_full`: as many have come as may. */
export const PICTURE_CODES = ['picture_gone', 'picture_unfit', 'pictures_full'] as const;

type PictureCode = (typeof PICTURE_CODES)[number];

/** The addresses of the pictures that an article shows, or links to. */
export function picturesOf({ content, featured_image, social_image }: Showing): Set<string> {
  const urls = new Set<string>();
  withChangedUrls(content, (url, attribute) => {
    if (isPicture(url, attribute)) urls.add(url.trim());
    return url;
  });
  for (const image of [featured_image, social_image]) if (image) urls.add(image);
  return urls;
}

/** True if an attribute, named as in `img src`, shows a picture at this address, or leads to one. */
function isPicture(url: string, attribute: string): boolean {
  const parsed = NAMING.has(attribute) ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return attribute !== 'a href' || PICTURE_PATH.test(parsed.pathname);
}

/** Brings pictures along, each by its address. */
export interface PictureSource {
  /** Has the pictures of articles brought together, before each is asked for. */
  prepare?(articles: readonly Showing[]): Promise<void>;
  /** The new address of a picture, or why it stays where it is. */
  bring(url: string): Promise<string | PictureFault>;
  close(): Promise<void>;
}

/** Changes the addresses of pictures in articles to those that they have when they are brought along. */
export class MediaMover {
  readonly #source: PictureSource;

  constructor(source: PictureSource) {
    this.#source = source;
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  async prepare(articles: readonly Showing[]): Promise<void> {
    await this.#source.prepare?.(articles);
  }

  /** The article with the new addresses, and which pictures stay where they are. */
  async move<Article extends Showing>(article: Article): Promise<{ article: Article; notes: Reason[] }> {
    const { content, featured_image, social_image } = article;
    const moved = new Map<string, string>();
    const notes: Reason[] = [];
    for (const url of picturesOf(article)) {
      const to = await this.#source.bring(url);
      if (to instanceof PictureFault) notes.push(because(to.code, url, to.message));
      else moved.set(url, to);
    }
    const placed = (image: string | null | undefined) => image && (moved.get(image) ?? image);
    const changed = withChangedUrls(content, (url, attribute) =>
      isPicture(url, attribute) ? (moved.get(url.trim()) ?? url) : url,
    );
    return {
      article: {
        ...article,
        content: changed,
        featured_image: placed(featured_image),
        social_image: placed(social_image),
      },
      notes,
    };
  }
}

/** The key of a picture: its old host and path, so that it is known again. */
export function keyOf(address: string): string {
  const { hostname, pathname, search } = new URL(address);
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 12);
  const path = pathname.replaceAll(/%[\dA-F]{2}|[^\w./-]+/gi, '-').replaceAll(/\/{2,}/g, '/');
  const key = `imported/${hostname}${path}`;
  if (search === '' && path === pathname && key.length <= MOST_KEY) return key;
  const [, stem = key, extension = ''] = /^(.*?)(\.\w{1,5})?$/.exec(key) ?? [];
  return `${stem.slice(0, MOST_KEY)}-${hash}${extension}`;
}

/** The most bytes of a picture, and how long it may take, in ms. */
const MOST_BYTES = 25 * 2 ** 20;
const MOST_MS = 30_000;

const MOST_REDIRECTS = 5;

/** Types that a browser only ever shows: an SVG, opened by itself, runs its scripts. */
const TYPES = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp']);

export interface Picture {
  bytes: Buffer;
  type: string;
}

/** Why a picture stays where it is. */
export class PictureFault extends Error {
  readonly code: PictureCode;

  constructor(code: PictureCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Fetches pictures from public addresses, and from others where `mayBePrivate` says so. */
export class PictureFetcher {
  readonly #mayBePrivate: (url: URL) => boolean;
  readonly #agents = new GuardedAgents({ connectMs: MOST_MS, headersMs: MOST_MS, pauseMs: MOST_MS });

  constructor(mayBePrivate: (url: URL) => boolean) {
    this.#mayBePrivate = mayBePrivate;
  }

  close(): Promise<void> {
    return this.#agents.close();
  }

  /** The picture at an address, and where it redirects to, or why there is none. */
  async fetch(address: string, stopping?: AbortSignal): Promise<Picture | PictureFault> {
    const patience = AbortSignal.timeout(MOST_MS);
    const signal = stopping === undefined ? patience : AbortSignal.any([stopping, patience]);
    try {
      return await this.#fetch(address, signal);
    } catch (error) {
      stopping?.throwIfAborted();
      if (error instanceof PictureFault) return error;
      return new PictureFault('picture_gone', error instanceof Error ? error.message : String(error));
    }
  }

  async #fetch(address: string, signal: AbortSignal): Promise<Picture> {
    const headers = { 'user-agent': 'Pressroom', accept: [...TYPES].join(', ') };
    const { answer } = await this.#agents.follow(
      this.#target(new URL(address)),
      { method: 'GET', headers, signal },
      { most: MOST_REDIRECTS, next: (location, from) => this.#target(new URL(location, from)) },
    );
    const { statusCode, body } = answer;
    const type = String(answer.headers['content-type']).split(';')[0]?.trim().toLowerCase() ?? '';
    try {
      if (statusCode !== 200) throw new PictureFault('picture_gone', `it answers ${statusCode}`);
      if (!TYPES.has(type))
        throw new PictureFault('picture_unfit', `${type} is not a type of picture that is taken`);
      return { bytes: await wholeOf(body), type };
    } finally {
      endBody(body);
    }
  }

  #target(url: URL): GuardedTarget {
    if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is not http or https`);
    return { url, mayBePrivate: this.#mayBePrivate(url) };
  }
}

async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new PictureFault('picture_unfit', `it is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
