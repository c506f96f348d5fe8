import { ask } from '../ask.ts';
import type { ServerProcess } from '../server.ts';
import type { NewsItem, Paged } from './paged.ts';
import { startPeer, versionOf } from './peer.ts';

const DATABASE = '/news';

/** Documents that are written at once. */
const BATCH = 1000;

export interface PouchdbServer {
  process: ServerProcess;
  /** The pages of `_changes` since a position, with the documents. */
  changes: (limit: number, since: string) => Paged;
  /** Writes items over those that it has. */
  write: (items: readonly NewsItem[]) => Promise<void>;
  /** The position after which nothing has been written yet. */
  position: () => Promise<string>;
}

/** Starts PouchDB Server, with its files in a folder that exists, and writes items to it. */
export async function startPouchdb(folder: string, items: readonly NewsItem[]): Promise<PouchdbServer> {
  const env = { FOLDER: folder };
  const process = await startPeer({ peer: 'pouchdb', command: ['server.js'], env, ready: '/' });
  const at = (path = '') => `http://127.0.0.1:${process.port}${DATABASE}${path}`;
  const revisions = new Map<string, string>();
  const write = async (written: readonly NewsItem[]) => {
    for (let begin = 0; begin < written.length; begin += BATCH) {
      const docs = written
        .slice(begin, begin + BATCH)
        .map((item) => ({ ...item, _id: item.id, _rev: revisions.get(item.id) }));
      const answers = await ask<{ id: string; rev?: string }[]>(at('/_bulk_docs'), { json: { docs } });
      for (const { id, rev } of answers) {
        if (rev === undefined) throw new Error(`PouchDB Server has not written ${id}`);
        revisions.set(id, rev);
      }
    }
  };
  await ask(at(), { method: 'PUT' });
  await write(items);
  return {
    process,
    write,
    position: async () => String((await ask<{ update_seq: number }>(at())).update_seq),
    changes: (limit, since) => ({
      name: `PouchDB Server ${versionOf('pouchdb', 'express-pouchdb')}`,
      process,
      path: (cursor = since) => `${DATABASE}/_changes?include_docs=true&limit=${limit}&since=${cursor}`,
      read: (answer) => {
        const { results, last_seq } = answer as { results: { doc: NewsItem }[]; last_seq: number };
        const cursor = results.length < limit ? null : String(last_seq);
        return { items: results.map(({ doc }) => doc), cursor };
      },
    }),
  };
}
