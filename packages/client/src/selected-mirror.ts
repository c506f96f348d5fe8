import { type Mirrored, type MirrorStore, mirror } from './mirror.ts';
import type { paths } from './openapi/news-feed.ts';
import { patient, type WalkOptions } from './pages.ts';
import type { NewsFeedClient } from './services.ts';
import type { AnswerOf, OperationOf } from './typed-paths.ts';

/** An item of the selected set; the smaller form where `fields` is `minimal`. */
export type SelectedItem = AnswerOf<OperationOf<paths, '/api/v1/selected/snapshot', 'get'>>['items'][number];

/** Where a mirror keeps the selected set. */
export type SelectedStore = MirrorStore<SelectedItem, string>;

export interface MirrorOptions extends WalkOptions {
  /** `minimal` for smaller items; asked for with a snapshot, and kept by the changes that follow it. */
  fields?: 'default' | 'minimal';
  /** Items a page of the snapshot, and changes a page. */
  snapshotLimit?: number;
  changesLimit?: number;
}

/**
 * Brings a copy of the selected set up to date, and returns when the server has nothing more at the moment;
 * call it again later for what has changed since. It may be ended at any point, by a crash as well: the next
 * call goes on. Only one may work on a store at a time. While the store has no cursor, its copy is not whole.
 */
export function mirrorSelected(
  client: NewsFeedClient,
  store: SelectedStore,
  options: MirrorOptions = {},
): Promise<Mirrored> {
  const { fields = 'default', snapshotLimit, changesLimit } = options;
  const set = {
    snapshot: async (page: string | undefined) => {
      const query = { fields, ...(snapshotLimit && { limit: snapshotLimit }), ...(page && { page }) };
      const body = await client.get('/api/v1/selected/snapshot', { ...patient(options), query });
      return { items: body.items, cursor: body.cursor, next: body.nextPage };
    },
    changes: async (cursor: string) => {
      const query = { cursor, ...(changesLimit && { limit: changesLimit }) };
      return client.get('/api/v1/selected/changes', { ...patient(options), query });
    },
    idOf: ({ id }: SelectedItem) => id,
    nameOf: (id: string) => id,
  };
  return mirror(set, store);
}
