import { del, get, set } from 'idb-keyval';
import type { Me } from '../../shared/state/me.ts';
import { EMPTY, type Fields } from './fields.ts';

/** A creation that may have reached the service: sent again with its key, it makes no second article. */
export interface Creation {
  readonly text: string;
  readonly key: string;
}

/** Text that was written in this browser and that the service has not saved yet. */
export interface LocalCopy {
  readonly fields: Fields;
  /** The version of the service then; undefined in copies of earlier versions of the desk. */
  readonly base?: Fields;
  /** Of an article that is new, once it was sent. */
  readonly creation?: Creation | undefined;
  /** When it was written, in ms since 1970. */
  readonly at: number;
}

/** What this browser keeps for whoever is logged in; undefined stands for an article that is new. */
export class LocalCopies {
  readonly #me: Me;

  constructor(me: Me) {
    this.#me = me;
  }

  /** Keeps what was written. Returns false in a browser that stores nothing. */
  async keep(id: number | undefined, copy: Omit<LocalCopy, 'at'>): Promise<boolean> {
    try {
      await set(await this.#nameOf(id), { ...copy, at: Date.now() });
      return true;
    } catch {
      return false;
    }
  }

  /** Undefined if there is none. */
  async read(id: number | undefined): Promise<LocalCopy | undefined> {
    const copy = await get<LocalCopy>(await this.#nameOf(id)).catch(() => undefined);
    // Earlier versions of the desk knew fewer fields.
    return (
      copy && {
        ...copy,
        fields: { ...EMPTY, ...copy.fields },
        ...(copy.base && { base: { ...EMPTY, ...copy.base } }),
      }
    );
  }

  /** Forgets what was kept: the service has it now, or it is not wanted. */
  async forget(id: number | undefined): Promise<void> {
    await del(await this.#nameOf(id)).catch(() => undefined);
  }

  async #nameOf(id: number | undefined): Promise<string> {
    await this.#me.known();
    return this.#me.storedAs(`pressroom-article-${id ?? 'new'}`);
  }
}
