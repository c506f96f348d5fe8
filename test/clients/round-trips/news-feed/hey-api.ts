import { createClient } from './sdk/client/index.js';
import {
  getDaily,
  getSelectedSnapshot,
  getStory,
  listDailies,
  listHotTopics,
  listItems,
  listSelectedChanges,
} from './sdk/index.js';

/** Reads pages, a story, a report and the selected set with a client of Hey API; returns what it has seen. */
export async function roundTrip(baseUrl: string) {
  const client = createClient({ baseUrl });
  const query = { mode: 'all', limit: 2 } as const;
  const first = await listItems({ client, query });
  if (!first.data) throw new Error(first.error.detail);
  const cursor = first.data.page.nextCursor ?? '';
  const second = await listItems({ client, query: { ...query, cursor } });
  const etag = first.response?.headers.get('etag') ?? '';
  const kept = await listItems({ client, query, headers: { 'If-None-Match': etag } });

  const topics = await listHotTopics({ client });
  const publicId = topics.data?.items[0]?.links.story?.split('/').at(-1) ?? '';
  const story = await getStory({ client, path: { publicId } });
  const index = await listDailies({ client, query: { limit: 1 } });
  const date = index.data?.items[0]?.date ?? '';
  const daily = await getDaily({ client, path: { date } });

  const snapshot = await getSelectedSnapshot({ client, query: { limit: 3 } });
  if (!snapshot.data) throw new Error(snapshot.error.detail);
  const changes = await listSelectedChanges({ client, query: { cursor: snapshot.data.cursor } });
  const wrong = await listSelectedChanges({ client, query: { cursor: 'x' } });
  return {
    pages: [first.data.items.length, second.data?.items.length],
    kept: kept.response?.status,
    stories: story.data?.story.publicId === publicId,
    dated: daily.data?.report.date === date,
    // The larger form of an item has its original link; the minimal one has none.
    whole: snapshot.data.items.every((item) => 'original' in item.links),
    changed: changes.data?.changes.map((change) => (change.op === 'upsert' ? change.item.id : change.id)),
    wrong: wrong.error?.code,
  };
}
