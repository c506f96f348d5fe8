import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

/**
 * Creates, reads, lists, changes and deletes an article with a client of openapi-typescript; returns what it
 * has seen.
 */
export async function roundTrip(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': key } });
  const draft = { title: 'A round trip', content: `<p>${'word '.repeat(20)}</p>`, excerpt: null };
  const create = () =>
    client.POST('/api/articles', { params: { header: { 'Idempotency-Key': 'fetch' } }, body: draft });
  const created = await create();
  if (!created.data) throw new Error(created.error.detail);
  const id: number = created.data.data.id;
  const again = await create();
  const path = { id };

  const read = await client.GET('/api/articles/{id}', { params: { path } });
  if (!read.data) throw new Error(read.error.detail);
  const list = await client.GET('/api/articles', {
    params: { query: { page: 1, per_page: 5, status: 'draft' } },
  });
  const pages: number | undefined = list.data?.meta.total_pages;

  const etag = read.response.headers.get('etag') ?? '';
  const kept = await client.GET('/api/articles/{id}', {
    params: { path, header: { 'If-None-Match': etag } },
  });
  const changed = await client.PATCH('/api/articles/{id}', {
    params: { path, header: { 'If-Match': etag } },
    body: { excerpt: 'Changed' },
  });
  const late = await client.PATCH('/api/articles/{id}', {
    params: { path, header: { 'If-Match': etag } },
    body: { excerpt: 'Too late' },
  });
  const faulty = await client.PATCH('/api/articles/{id}', { params: { path }, body: { title: '' } });
  const deleted = await client.DELETE('/api/articles/{id}', { params: { path } });
  return {
    repeated: again.data?.data.id === id,
    title: read.data.data.title,
    listed: list.data?.data.map((article) => article.id === id),
    pages,
    kept: kept.response.status,
    excerpt: changed.data?.data.excerpt,
    late: late.error?.code,
    faults: faulty.error?.errors?.map(({ field, code }) => `${field} ${code}`),
    deleted: deleted.data?.status,
  };
}
