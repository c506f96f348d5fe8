import { type Answer, send } from './http.ts';

/** A service and a key to write with. */
export interface Writer {
  url: string;
  key: string;
}

/** Content that is long enough. */
export const CONTENT = `<p>${'Words that make up an article. '.repeat(4)}</p>`;

/** Sends a write with the key. */
export function write(
  { url, key }: Writer,
  method: string,
  path: string,
  json?: unknown,
  headers = {},
): Promise<Answer> {
  return send(`${url}${path}`, {
    method,
    headers: { 'x-api-key': key, ...headers },
    ...(json !== undefined && { json }),
  });
}

/** Creates an article, published unless the body says otherwise; `content` is filled in. */
export function createArticle(
  writer: Writer,
  body: { title: string } & Record<string, unknown>,
): Promise<Answer> {
  return write(writer, 'POST', '/api/articles', { content: CONTENT, is_published: true, ...body });
}

/** Creates a category and returns its id. */
export async function createCategory(writer: Writer, name: string): Promise<number> {
  const { body } = await write(writer, 'POST', '/api/categories', { name });
  return body.data.id;
}
