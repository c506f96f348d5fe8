import { type ContentClient, contentClient, ProblemError } from '@pressroom/client';
import { personHeaders } from '@pressroom/common/desk/person-header';
import { Failure } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import type { GalleryConfig } from '../config.ts';
import { withMoved } from './addresses.ts';
import type { ArticleUse, Change, Uses } from './schema.ts';

/** How many paths one question names, and how many bytes of a URL they take, encoded. */
const MOST_PATHS = 100;
const MOST_BYTES = 6000;

/** How many articles an answer names for each question, and how many one request changes. */
const MOST_ARTICLES = 100;

/** How long a question may take, and each article that is changed, in ms. */
const PATIENCE_MS = 5000;

/** The articles of the content service, as far as they show media of the gallery. */
export class Articles {
  readonly #client: ContentClient | undefined;
  readonly #hasKey: boolean;
  readonly #log: Logger;

  constructor({ CONTENT_URL: baseUrl, DESK_KEY: key, ADMIN_USERNAME: person }: GalleryConfig, log: Logger) {
    const headers: Record<string, string> = key === undefined ? {} : personHeaders(key, person);
    // A key is never carried elsewhere.
    const send = (url: string, init: RequestInit) => fetch(url, { ...init, redirect: 'error' });
    const retry = { attempts: 1, patience: 0 };
    this.#client =
      baseUrl === undefined ? undefined : contentClient({ baseUrl, headers, fetch: send, retry });
    this.#hasKey = key !== undefined;
    this.#log = log;
  }

  /**
   * The articles with an address of one of these files, or of a file in one of these folders, which end with
   * `/`; without a key, the published ones. Not known if there is no content service, or no answer of it.
   */
  async showing(paths: readonly string[]): Promise<Uses> {
    const client = this.#client;
    const unknown = { isKnown: false, canChange: false, articles: [], hasMore: false };
    if (client === undefined) return unknown;
    try {
      const found = new Map<number, ArticleUse>();
      let hasMore = false;
      const signal = AbortSignal.timeout(PATIENCE_MS);
      for (const some of inQuestions(paths)) {
        const { data, meta } = await this.#ask(client, some, signal);
        hasMore ||= meta.total > data.length;
        for (const { id, title = '', is_published: isPublished = true } of data) {
          found.set(id, { id, title, isPublished });
        }
      }
      return { isKnown: true, canChange: this.#hasKey, articles: [...found.values()], hasMore };
    } catch (error) {
      this.#log.warn({ err: error }, 'articles_not_asked');
      return unknown;
    }
  }

  /**
   * Changes the addresses of a file, or of the files of a folder, in up to 100 articles.
   *
   * @throws Failure `conflict` without a content service or its key, `unavailable` if it does not answer
   */
  async move(from: string, to: string): Promise<Change> {
    const client = this.#client;
    if (client === undefined || !this.#hasKey) {
      throw new Failure('conflict', 'changing articles takes CONTENT_URL and DESK_KEY');
    }
    try {
      const { data, meta } = await this.#ask(client, [from], AbortSignal.timeout(PATIENCE_MS));
      const failed: Change['failed'] = [];
      for (const { id, title = '' } of data) {
        const message = await changeArticle(client, id, (text) => withMoved(text, from, to));
        if (message !== undefined) failed.push({ id, title, message });
      }
      return { changed: data.length - failed.length, failed, hasMore: meta.total > data.length };
    } catch (error) {
      throw new Failure('unavailable', 'the articles could not all be changed; ask again', { cause: error });
    }
  }

  #ask(client: ContentClient, paths: readonly string[], signal: AbortSignal) {
    return client.get('/api/articles', {
      query: {
        media: paths.join('\n'),
        fields: 'id,title,is_published',
        per_page: MOST_ARTICLES,
        ...(this.#hasKey && { status: 'all' }),
      },
      signal,
    });
  }
}

/** Changes what an article says; returns why it could not be, if so. */
async function changeArticle(
  client: ContentClient,
  id: number,
  change: (text: string) => string,
): Promise<string | undefined> {
  const path = { id };
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { body, headers } = await client.request('get', '/api/articles/{id}', { path, signal });
    const { content, featured_image: image } = body.data;
    const changed = {
      ...(change(content) !== content && { content: change(content) }),
      ...(image !== null && change(image) !== image && { featured_image: change(image) }),
    };
    if (Object.keys(changed).length === 0) return 'its address is spelled in an unusual way';
    const precondition = { 'if-match': headers.get('etag') ?? '' };
    await client.patch('/api/articles/{id}', { path, body: changed, headers: precondition, signal });
    return undefined;
  } catch (error) {
    // Gone, changed at this moment, or against a rule by now: the others can still be changed.
    if (error instanceof ProblemError && [403, 404, 412, 422].includes(error.status)) return error.detail;
    throw error;
  }
}

/** The paths in questions that fit into a URL. */
function inQuestions(paths: readonly string[]): string[][] {
  const questions: string[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const path of paths) {
    const size = encodeURIComponent(path).length + 3;
    const last = questions.at(-1);
    if (last === undefined || last.length === MOST_PATHS || bytes + size > MOST_BYTES) {
      questions.push([path]);
      bytes = size;
    } else {
      last.push(path);
      bytes += size;
    }
  }
  return questions;
}
