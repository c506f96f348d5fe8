import { type Answer, type JsonBody, type Sending, send } from './http.ts';

/** Content that is long enough. */
export const CONTENT = `<p>${'Words that make up an article. '.repeat(4)}</p>`;

/** The least body of `POST /api/articles`, with the members that a test adds. */
export function articleBody(more: JsonBody = {}): JsonBody {
  return { title: 'A title', content: CONTENT, ...more };
}

/** The body of `PUT /api/articles/{id}`: every member. */
export function wholeArticle(more: JsonBody = {}): JsonBody {
  return {
    ...articleBody(),
    excerpt: null,
    category_id: null,
    featured_image: null,
    alt_text: null,
    meta_title: null,
    meta_description: null,
    canonical_url: null,
    is_published: false,
    ...more,
  };
}

/** Sends requests to a content service, with a key where a test says so. */
export class ContentClient {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  /** Sends a request without a key. */
  anonymously(path: string, sending: Sending = {}): Promise<Answer> {
    return send(this.#url + path, sending);
  }

  /** With the key. */
  send(path: string, { headers, ...sending }: Sending = {}): Promise<Answer> {
    return send(this.#url + path, { ...sending, headers: { 'x-api-key': this.#key, ...headers } });
  }

  post(path: string, json: unknown): Promise<Answer> {
    return this.send(path, { method: 'POST', json });
  }

  put(path: string, json: unknown): Promise<Answer> {
    return this.send(path, { method: 'PUT', json });
  }

  patch(path: string, json: unknown): Promise<Answer> {
    return this.send(path, { method: 'PATCH', json });
  }

  delete(path: string): Promise<Answer> {
    return this.send(path, { method: 'DELETE' });
  }

  /**
   * POSTs an article that is published unless `more` says otherwise, and returns the answer, whatever it is.
   */
  publish(more: JsonBody): Promise<Answer> {
    return this.post('/api/articles', articleBody({ is_published: true, ...more }));
  }

  /** Creates an article and returns `data` of the answer. Throws when it is refused. */
  article(more: JsonBody = {}): Promise<JsonBody> {
    return this.#created('/api/articles', articleBody(more));
  }

  /** Creates a category and returns `data` of the answer. Throws when it is refused. */
  category(body: JsonBody): Promise<JsonBody> {
    return this.#created('/api/categories', body);
  }

  /** `data` of an article as its detail has it, drafts included. */
  async detail(id: number): Promise<JsonBody> {
    const { status, text, body } = await this.send(`/api/articles/${id}`);
    if (status !== 200) throw new Error(`no article ${id}: ${text}`);
    return body.data;
  }

  async #created(path: string, json: JsonBody): Promise<JsonBody> {
    const { status, text, body } = await this.post(path, json);
    if (status !== 201) throw new Error(`not created: ${text}`);
    return body.data;
  }
}
