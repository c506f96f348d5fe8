import createClient from 'openapi-fetch';
import type { paths } from './openapi.js';

/**
 * Reads pages, a story, a report and the selected set with a client of openapi-typescript; returns what it
 * has seen.
 */
export async function roundTrip(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  const query = { mode: 'all', limit: 2 } as const;
  const first = await client.GET('/api/v1/items', { params: { query } });
  if (!first.data) throw new Error(first.error.detail);
  const cursor = first.data.page.nextCursor ?? '';
  const second = await client.GET('/api/v1/items', { params: { query: { ...query, cursor } } });
  const etag = first.response.headers.get('etag') ?? '';
  const kept = await client.GET('/api/v1/items', { params: { query, header: { 'If-None-Match': etag } } });

  const topics = await client.GET('/api/v1/hot-topics');
  const publicId = topics.data?.items[0]?.links.story?.split('/').at(-1) ?? '';
  const story = await client.GET('/api/v1/stories/{publicId}', { params: { path: { publicId } } });
  const index = await client.GET('/api/v1/dailies', { params: { query: { limit: 1 } } });
  const date = index.data?.items[0]?.date ?? '';
  const daily = await client.GET('/api/v1/dailies/{date}', { params: { path: { date } } });

  const snapshot = await client.GET('/api/v1/selected/snapshot', { params: { query: { limit: 3 } } });
  if (!snapshot.data) throw new Error(snapshot.error.detail);
  const since = snapshot.data.cursor;
  const changes = await client.GET('/api/v1/selected/changes', { params: { query: { cursor: since } } });
  const wrong = await client.GET('/api/v1/selected/changes', { params: { query: { cursor: 'x' } } });
  return {
    pages: [first.data.items.length, second.data?.items.length],
    kept: kept.response.status,
    stories: story.data?.story.publicId === publicId,
    dated: daily.data?.report.date === date,
    // The larger form of an item has its original link; the minimal one has none.
    whole: snapshot.data.items.every((item) => 'original' in item.links),
    changed: changes.data?.changes.map((change) => (change.op === 'upsert' ? change.item.id : change.id)),
    wrong: wrong.error?.code,
  };
}
