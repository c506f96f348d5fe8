import { BenchClient } from './client.ts';

/** A change as the ledger reports it. */
export type Change = { op: 'upsert'; item: { id: string; title: string } } | { op: 'remove'; id: string };

/** An answer with a page of the snapshot or of changes. */
interface Page {
  cursor: string;
  hasMore: boolean;
  nextPage?: string | null;
  items?: { id: string; title: string }[];
  changes?: Change[];
}

/** A client that keeps a copy over one connection: titles by id. */
export class MirrorClient {
  readonly copy = new Map<string, string>();
  readonly #port: number;
  readonly #client: BenchClient;
  #cursor = '';

  constructor(port: number) {
    this.#port = port;
    this.#client = new BenchClient(port);
  }

  /** Another client in the same state, over its own connection. */
  fork(): MirrorClient {
    const client = new MirrorClient(this.#port);
    for (const [id, title] of this.copy) client.copy.set(id, title);
    client.#cursor = this.#cursor;
    return client;
  }

  /** Reads the whole set in pages of 1000. */
  async readSnapshot(): Promise<void> {
    for (let next: string | null | undefined = ''; next !== null && next !== undefined; ) {
      const page: Page = await this.#get(`/snapshot?limit=1000${next && `&page=${next}`}`);
      for (const { id, title } of page.items ?? []) this.copy.set(id, title);
      this.#cursor = page.cursor;
      next = page.nextPage;
    }
  }

  /** Applies one page of changes and returns it. */
  async readChanges(): Promise<{ changes: Change[]; hasMore: boolean }> {
    const { changes = [], hasMore, cursor } = await this.#get(`/changes?cursor=${this.#cursor}`);
    for (const change of changes) {
      if (change.op === 'upsert') this.copy.set(change.item.id, change.item.title);
      else this.copy.delete(change.id);
    }
    this.#cursor = cursor;
    return { changes, hasMore };
  }

  /** Closes the connection. */
  close(): void {
    this.#client.close();
  }

  async #get(path: string): Promise<Page> {
    return JSON.parse(await this.#client.ask(`/api/v1/selected${path}`));
  }
}
