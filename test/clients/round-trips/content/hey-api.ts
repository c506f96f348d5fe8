import { createClient } from './sdk/client/index.js';
import {
  createArticle,
  deleteArticle,
  getArticle,
  listArticles,
  listCategories,
  updateArticle,
} from './sdk/index.js';

/**
 * Creates, reads, lists, changes and deletes an article with a client of Hey API; returns what it has seen.
 */
export async function roundTrip(baseUrl: string, key: string) {
  const client = createClient({ baseUrl, auth: key });
  const body = { title: 'A round trip', content: `<p>${'word '.repeat(20)}</p>`, excerpt: null };
  const create = () => createArticle({ client, body, headers: { 'Idempotency-Key': 'hey' } });
  const created = await create();
  if (!created.data) throw new Error(created.error.detail);
  const id: number = created.data.data.id;
  const again = await create();
  const path = { id };

  // The description lets reads take a key, so the client sends it: a draft is there.
  const read = await getArticle({ client, path });
  if (!read.data) throw new Error(read.error.detail);
  const list = await listArticles({ client, query: { page: 1, per_page: 5, status: 'draft' } });
  const pages: number | undefined = list.data?.meta.total_pages;
  const categories = await listCategories({ client });

  const etag = read.response?.headers.get('etag') ?? '';
  const kept = await getArticle({ client, path, headers: { 'If-None-Match': etag } });
  const headers = { 'If-Match': etag };
  const changed = await updateArticle({ client, path, headers, body: { excerpt: 'Changed' } });
  const late = await updateArticle({ client, path, headers, body: { excerpt: 'Too late' } });
  const faulty = await updateArticle({ client, path, body: { title: '' } });
  const deleted = await deleteArticle({ client, path });
  if (!categories.data) throw new Error(categories.error.detail);
  return {
    repeated: again.data?.data.id === id,
    title: read.data.data.title,
    listed: list.data?.data.map((article) => article.id === id),
    pages,
    kept: kept.response?.status,
    excerpt: changed.data?.data.excerpt,
    late: late.error?.code,
    faults: faulty.error?.errors?.map(({ field, code }) => `${field} ${code}`),
    deleted: deleted.data?.status,
  };
}
