import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { articleBody } from '../support/content-client.ts';
import type { Observations, Question, Replica, Seen } from './observations.ts';
import { repeatedly } from './program.ts';

/** Pause of a client before it asks again, in ms: less than `Retry-After`, as many do. */
const AGAIN_MS = 100;

/** Pause of a client between two requests, in ms. */
const REST_MS = 10;

/** Items of the news feed that are written again and again. */
const ITEMS = 120;

/** Options that clients of a service share. */
export interface ClientOptions {
  observations: Observations;
  /** The replica that a request goes to; asked for each. */
  replica: () => Replica;
  signal: AbortSignal;
}

/** Asks until the answer is one of `statuses`, with the same request: its answer may have been lost. */
export async function insist(
  { observations, replica, signal }: ClientOptions,
  path: string,
  question: Question,
  statuses: readonly number[],
): Promise<Seen | undefined> {
  while (!signal.aborted) {
    const seen = await observations.ask(replica(), path, question);
    if (statuses.includes(seen.status)) return seen;
    if (seen.status > 0 && seen.status < 500) {
      throw new Error(`${path} answered ${seen.status}: ${JSON.stringify(seen.body)}`);
    }
    await delay(AGAIN_MS);
  }
  return undefined;
}

/** Creates articles and repeats each request under its Idempotency-Key until it is acknowledged. */
export class ArticleWriter {
  /** Titles by the ids that were acknowledged. */
  readonly acknowledged = new Map<number, string>();
  readonly done: Promise<void>;

  constructor(options: ClientOptions, key: string) {
    this.done = repeatedly(options.signal, REST_MS, async () => {
      const title = `Under load ${randomUUID()}`;
      const headers = { 'x-api-key': key, 'idempotency-key': randomUUID() };
      const json = articleBody({ title, is_published: true });
      const seen = await insist(options, '/api/articles', { method: 'POST', headers, json }, [200, 201]);
      if (seen) this.acknowledged.set(seen.body.data.id, title);
    });
  }
}

/** Articles are planned this far ahead, in ms: most faults begin or end in between. */
const AHEAD_MS = 1500;

/** Plans articles that are published at a time, alone or in a release of two. */
export class ArticlePlanner {
  /** When each planned article is to be published, by its id, in ms since the epoch. */
  readonly acknowledged = new Map<number, number>();
  readonly done: Promise<void>;
  readonly #options: ClientOptions;
  readonly #headers: Record<string, string>;

  constructor(options: ClientOptions, key: string) {
    this.#options = options;
    this.#headers = { 'x-api-key': key };
    this.done = repeatedly(options.signal, REST_MS * 10, async () => {
      const time = Date.now() + AHEAD_MS;
      const alone = await this.#post({ publish_at: new Date(time).toISOString() });
      if (alone !== undefined) this.acknowledged.set(alone, time);
      await this.#release();
    });
  }

  async #release(): Promise<void> {
    const release = randomUUID();
    if (!(await this.#put(release, null))) return;
    const pair = [await this.#post({ release }), await this.#post({ release })];
    const time = Date.now() + AHEAD_MS;
    if (!(await this.#put(release, new Date(time).toISOString()))) return;
    for (const id of pair) if (id !== undefined) this.acknowledged.set(id, time);
  }

  async #post(more: object): Promise<number | undefined> {
    const json = articleBody({ title: `Planned under load ${randomUUID()}`, ...more });
    const headers = { ...this.#headers, 'idempotency-key': randomUUID() };
    const seen = await this.#insist('/api/articles', { method: 'POST', headers, json });
    return seen?.body.data.id;
  }

  async #put(release: string, publish_at: string | null): Promise<boolean> {
    const question = { method: 'PUT', headers: this.#headers, json: { publish_at } };
    return (await this.#insist(`/api/releases/${release}`, question)) !== undefined;
  }

  /** A request that was sent again for more than a minute is refused: its time has passed. */
  async #insist(path: string, question: Question): Promise<Seen | undefined> {
    const seen = await insist(this.#options, path, question, [200, 201, 422]);
    return seen?.status === 422 ? undefined : seen;
  }
}

/** Asks for paths in turn, whatever the answers. */
export function poll(
  { observations, replica, signal }: ClientOptions,
  paths: readonly string[],
): Promise<void> {
  let next = 0;
  return repeatedly(signal, REST_MS, async () => {
    const { status } = await observations.ask(replica(), paths[next++ % paths.length] ?? '/');
    if (status === 0 || status >= 500) await delay(AGAIN_MS);
  });
}

/** Uploads files, then moves each to another folder. */
export class GalleryUser {
  /** Names of files whose upload the store has acknowledged. */
  readonly uploaded = new Set<string>();
  /** Those of them whose move the service has acknowledged. */
  readonly moved = new Set<string>();
  readonly done: Promise<void>;

  constructor(options: ClientOptions, cookie: string) {
    const headers = { cookie };
    this.done = repeatedly(options.signal, REST_MS * 5, async () => {
      const filename = `${randomUUID()}.txt`;
      const json = { filename, path: 'inbox', contentType: 'text/plain' };
      const signed = await insist(options, '/api/upload', { method: 'POST', headers, json }, [200]);
      await options.observations.ask(options.replica(), '/api/gallery?json=1&path=inbox&maxKeys=20', {
        headers,
      });
      if (signed === undefined || !(await put(signed.body.url, filename))) return;
      this.uploaded.add(filename);
      const move = { action: 'move', paths: [`inbox/${filename}`], dest: 'done' };
      const question = {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': randomUUID() },
        json: move,
      };
      const seen = await insist(options, '/api/gallery/batch', question, [200]);
      if (seen) this.moved.add(filename);
    });
  }
}

/** Puts a file straight into the store, as a browser does; false when the store did not acknowledge it. */
async function put(url: string, body: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(5000);
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body,
      signal,
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** Writes items of the news feed, as the newsroom does: transactions on its own connection. */
export class NewsWriter {
  /** Acknowledged transactions. */
  acknowledged = 0;
  /** The last acknowledged title of each item that nobody has touched since. */
  readonly titles = new Map<string, string>();
  readonly done: Promise<void>;
  #client: pg.Client | undefined;
  #paused = false;
  #idle = true;

  /** `name` is the prefix of the items, which no other writer touches. */
  constructor(databaseUrl: string, signal: AbortSignal, name: string) {
    let number = 0;
    this.done = repeatedly(signal, REST_MS, async () => {
      if (this.#paused) return;
      this.#idle = false;
      const id = `${name}-${number % ITEMS}`;
      await this.#write(databaseUrl, id, `Title ${number}`, number % 7 !== 0);
      number += 1;
      this.#idle = true;
    }).finally(() => this.#client?.end().catch(() => undefined));
  }

  /** Stops writing until {@link resume}; `idle` is true once the last transaction has ended. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
  }

  get idle(): boolean {
    return this.#idle;
  }

  async #write(databaseUrl: string, id: string, title: string, selected: boolean): Promise<void> {
    // Until it is known what became of the transaction, either title may stand.
    this.titles.delete(id);
    try {
      const client = await this.#connect(databaseUrl);
      await client.query(
        `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
         values ($1, $2, 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), $3)
         on conflict (id) do update set title = excluded.title, selected = excluded.selected`,
        [id, title, selected],
      );
      this.acknowledged += 1;
      this.titles.set(id, title);
    } catch {
      this.#client?.connection.stream.destroy();
      this.#client = undefined;
      await delay(AGAIN_MS);
    }
  }

  async #connect(connectionString: string): Promise<pg.Client> {
    if (this.#client) return this.#client;
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 5000 });
    client.on('error', () => undefined);
    await client.connect();
    this.#client = client;
    return client;
  }
}
