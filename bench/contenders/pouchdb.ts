import { ask } from '../ask.ts';
import type { ServerProcess } from '../child.ts';
import type { NewsItem, NewsPage, Paged } from './paged.ts';
import { startPeer, versionOf } from './peer.ts';

/** The database of the items. */
const DATABASE = '/news';

/** How many documents are written at once. */
const BATCH = 1000;

/** An answer of `_changes` with the documents. */
interface CouchChanges {
  results: { seq: number; doc: NewsItem }[];
  last_seq: number;
}

/** PouchDB Server with items as documents. */
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
  const process = await startPeer({
    peer: 'pouchdb',
    command: ['server.js'],
    env: { FOLDER: folder },
    ready: '/',
  });
  const at = (path = '') => `http://127.0.0.1:${process.port}${DATABASE}${path}`;
  const revisions = new Map<string, string>();
  const write = async (written: readonly NewsItem[]) => {
    for (let begin = 0; begin < written.length; begin += BATCH) {
      const docs = written
        .slice(begin, begin + BATCH)
        .map((item) => ({ ...item, _id: item.id, _rev: revisions.get(item.id) }));
      const answers = await ask<Written[]>(at('/_bulk_docs'), { json: { docs } });
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
    position: async () => String((await ask<Position>(at())).update_seq),
    changes: (limit, since) => changesOf(process, limit, since),
  };
}

/** What the database says about a written document. */
interface Written {
  id: string;
  rev?: string;
}

/** What the database says about itself. */
interface Position {
  update_seq: number;
}

function changesOf(process: ServerProcess, limit: number, since: string): Paged {
  return {
    name: `PouchDB Server ${versionOf('pouchdb', 'express-pouchdb')}`,
    process,
    path: (cursor = since) => `${DATABASE}/_changes?include_docs=true&limit=${limit}&since=${cursor}`,
    read: (answer): NewsPage => {
      const { results, last_seq } = answer as CouchChanges;
      return {
        items: results.map(({ doc }) => doc),
        cursor: results.length < limit ? undefined : String(last_seq),
      };
    },
  };
}
