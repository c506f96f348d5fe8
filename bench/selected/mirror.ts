import { mirrorSelected, newsFeedClient, type SelectedItem } from '@pressroom/client';
import { ask } from '../ask.ts';

/** The cursor at the tip, with which a request returns no changes. */
export async function cursorNow({ port }: { port: number }): Promise<string> {
  const read = (page: string) =>
    ask<{ cursor: string; hasMore: boolean }>(`http://127.0.0.1:${port}/api/v1/selected/${page}`);
  let { cursor, hasMore } = { ...(await read('snapshot?limit=1000')), hasMore: true };
  while (hasMore) ({ cursor, hasMore } = await read(`changes?limit=100&cursor=${cursor}`));
  return cursor;
}

/** A copy of the selected set: titles by id, and where it goes on. */
export interface Copy {
  titles: Map<string, string>;
  cursor?: string | undefined;
}

/** Brings a copy up to date as a site does, with the client; what comes in is shown to `see`. */
export function follow(port: number, copy: Copy, see?: (items: readonly SelectedItem[]) => void) {
  const { titles } = copy;
  const store = {
    readCursor: async () => copy.cursor,
    saveCursor: async (cursor?: string) => void Object.assign(copy, { cursor }),
    put: async (items: readonly SelectedItem[]) => {
      for (const { id, title } of items) titles.set(id, title);
      see?.(items);
    },
    remove: async (ids: readonly string[]) => {
      for (const id of ids) titles.delete(id);
    },
    ids: async () => titles.keys(),
  };
  const client = newsFeedClient({ baseUrl: `http://127.0.0.1:${port}` });
  return mirrorSelected(client, store, { snapshotLimit: 1000 });
}
