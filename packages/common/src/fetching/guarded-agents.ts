import { lookup } from 'node:dns/promises';
import { Agent, type Dispatcher } from 'undici';
import { checkedLookup, NotPublicAddress, type Resolve, uncheckedLookup } from './checked-lookup.ts';
import { isPublicAddress, literalAddress } from './public-address.ts';

/** The time limits of {@link GuardedAgents}, in ms, and how they find hosts. */
export interface GuardedAgentsOptions {
  connectMs: number;
  headersMs: number;
  /** Between two chunks of a body. */
  pauseMs: number;
  /** Resolves names; the system's resolver if undefined. */
  resolve?: Resolve | undefined;
  /** Certificates (PEM) to trust instead of the system's. */
  ca?: string | undefined;
}

/** The most bytes of an answer's headers: sites send policies and cookies beyond the 16 KiB of Node. */
const MOST_HEADER_BYTES = 128 * 1024;

/** What may be asked. */
export interface GuardedTarget {
  url: URL;
  /** Whether the host may have an address that is not public. */
  mayBePrivate: boolean;
}

/** A request besides its target. */
export type GuardedRequest = Omit<Dispatcher.RequestOptions, 'origin' | 'path'>;

/** Connections to hosts that others name: to public addresses, or to any where a target says so. */
export class GuardedAgents {
  readonly #public: Agent;
  readonly #private: Agent;

  constructor({ connectMs, headersMs, pauseMs, resolve, ca }: GuardedAgentsOptions) {
    const find = resolve ?? ((hostname: string) => lookup(hostname, { all: true }));
    const connect = { timeout: connectMs, ...(ca !== undefined && { ca }) };
    const shared = {
      allowH2: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      bodyTimeout: pauseMs,
      headersTimeout: headersMs,
    };
    this.#public = new Agent({ ...shared, connect: { ...connect, lookup: checkedLookup(find) } });
    this.#private = new Agent({ ...shared, connect: { ...connect, lookup: uncheckedLookup(find) } });
  }

  /** Sends a request, following no redirect. Throws {@link NotPublicAddress}, or undici's errors. */
  async request({ url, mayBePrivate }: GuardedTarget, request: GuardedRequest) {
    const literal = literalAddress(url.hostname);
    if (literal !== undefined && !mayBePrivate && !isPublicAddress(literal)) {
      throw new NotPublicAddress(url.hostname);
    }
    const agent = mayBePrivate ? this.#private : this.#public;
    return agent.request({ ...request, origin: url.origin, path: url.pathname + url.search });
  }

  /** Closes all connections, including those in use. */
  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#private.destroy()]);
  }
}
