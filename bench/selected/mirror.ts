import { ask } from '../ask.ts';

/** A change as the ledger reports it. */
export type Change = { op: 'upsert'; item: { id: string; title: string } } | { op: 'remove'; id: string };

/** An answer with a page of the snapshot or of changes. */
export interface Page {
  cursor: string;
  hasMore: boolean;
  nextPage?: string | null;
  items?: { id: string; title: string }[];
  changes?: Change[];
}

/** Reads a page of the selected set: `snapshot…` or `changes…`. */
export function readSelected(port: number, path: string): Promise<Page> {
  return ask(`http://127.0.0.1:${port}/api/v1/selected/${path}`);
}

/** The cursor at the tip, with which a request returns no changes. */
export async function cursorNow({ port }: { port: number }): Promise<string> {
  let { cursor, hasMore } = { ...(await readSelected(port, 'snapshot?limit=1000')), hasMore: true };
  while (hasMore) ({ cursor, hasMore } = await readSelected(port, `changes?limit=100&cursor=${cursor}`));
  return cursor;
}

/** A client that keeps a copy: titles by id. */
export class MirrorClient {
  readonly copy = new Map<string, string>();
  readonly #port: number;
  #cursor = '';

  constructor(port: number) {
    this.#port = port;
  }

  /** Another client in the same state. */
  fork(): MirrorClient {
    const client = new MirrorClient(this.#port);
    for (const [id, title] of this.copy) client.copy.set(id, title);
    client.#cursor = this.#cursor;
    return client;
  }

  /** Reads the whole set in pages of 1000. */
  async readSnapshot(): Promise<void> {
    for (let next: string | null = ''; next !== null; ) {
      const page: Page = await readSelected(this.#port, `snapshot?limit=1000${next && `&page=${next}`}`);
      for (const { id, title } of page.items ?? []) this.copy.set(id, title);
      this.#cursor = page.cursor;
      next = page.nextPage ?? null;
    }
  }

  /** Applies one page of changes and returns it. */
  async readChanges(): Promise<{ changes: Change[]; hasMore: boolean }> {
    const {
      changes = [],
      hasMore,
      cursor,
    } = await readSelected(this.#port, `changes?cursor=${this.#cursor}`);
    for (const change of changes) {
      if (change.op === 'upsert') this.copy.set(change.item.id, change.item.title);
      else this.copy.delete(change.id);
    }
    this.#cursor = cursor;
    return { changes, hasMore };
  }
}
