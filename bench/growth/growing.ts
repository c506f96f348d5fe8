import type { Pool } from 'pg';
import type { ProcessName } from '../../test/support/site-processes.ts';
import type { ThrowawayPostgres } from '../../test/support/throwaway-postgres.ts';
import { ask, askForText, type Sent } from '../ask.ts';
import { numberChanges } from '../data/copied-rows.ts';
import { openDatabase } from '../database.ts';
import { NO_CACHE, startService } from '../services.ts';
import { type Question, READ } from './question.ts';

/** Members of an answer: those that say where the next page is, and an article's. */
interface Answer {
  cursor: string;
  hasMore: boolean;
  nextPage: string;
  data: { slug: string };
  meta: { cursor: string; has_more: boolean; next_cursor: string; next_page: string; total_pages: number };
}

export interface Grown {
  pool: Pool;
  rows: () => number;
  read: (path: string) => Promise<Answer>;
  /** A number that no other write has. */
  next: () => number;
  send: (path: string, sent?: Sent) => Promise<string>;
  question: (what: string, path: string, aim?: number, sent?: Sent) => Question;
}

export interface Kind {
  service: ProcessName;
  settings?: Record<string, string>;
  schema: string;
  /** Adds the rows `begin` to `end`. */
  add: (pool: Pool, begin: number, end: number) => Promise<void>;
  /** Prepares an empty database, and returns what makes the questions, in the order of asking. */
  ask: (grown: Grown) => Promise<() => Promise<Question[]>>;
}

/** Makes an empty database of that name on the server, which grows, with the service. */
export async function startGrowing(kind: Kind, on: ThrowawayPostgres, name: string) {
  await using resources = new AsyncDisposableStack();
  const { url, pool } = resources.use(await openDatabase(on, name));
  const settings = { DATABASE_URL: url, ...NO_CACHE, ...kind.settings };
  const { port } = resources.use(await startService(kind.service, settings));
  const at = (path: string) => `http://127.0.0.1:${port}${path}`;
  const send = (path: string, sent?: Sent) => askForText(at(path), sent);
  let [rows, written] = [0, 0];
  const questions = await kind.ask({
    pool,
    rows: () => rows,
    read: (path) => ask(at(path)),
    send,
    question: (asked, path, aim = READ, sent) => ({ what: asked, aim, ask: () => send(path, sent) }),
    next: () => {
      written += 1;
      return written;
    },
  });
  const growTo = async (count: number) => {
    await kind.add(pool, rows, count);
    rows = count;
    await numberChanges(pool, kind.schema);
  };
  const owned = resources.move();
  return { growTo, questions, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
