import { GuardedAgents } from '@pressroom/common/fetching/guarded-agents';
import type { Dispatcher } from 'undici';

/** The most bytes of a picture, and how long it may take, in ms. */
const MOST_BYTES = 25 * 2 ** 20;
const MOST_MS = 30_000;

const MOST_REDIRECTS = 5;

/** Types that a browser only ever shows: an SVG, opened by itself, runs its scripts. */
const TYPES = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp']);

/** A picture, and its media type. */
export interface Picture {
  bytes: Buffer;
  type: string;
}

/** Fetches pictures from public addresses, and from private hosts that are named. */
export class PictureFetcher {
  readonly #privateHosts: readonly string[];
  readonly #agents = new GuardedAgents({ connectMs: MOST_MS, headersMs: MOST_MS, pauseMs: MOST_MS });

  constructor(privateHosts: readonly string[]) {
    this.#privateHosts = privateHosts;
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#agents.close();
  }

  /** The picture at an address, and where it redirects to. Throws an error that says why there is none. */
  async fetch(address: string): Promise<Picture> {
    const signal = AbortSignal.timeout(MOST_MS);
    let url = new URL(address);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const { statusCode, headers, body } = await this.#ask(url, signal);
      const { location } = headers;
      if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
        stop(body);
        url = new URL(location, url);
        continue;
      }
      const type = String(headers['content-type']).split(';')[0]?.trim().toLowerCase() ?? '';
      try {
        if (statusCode !== 200) throw new Error(`it answers ${statusCode}`);
        if (!TYPES.has(type)) throw new Error(`${type} is not a type of picture that is taken`);
        return { bytes: await wholeOf(body), type };
      } finally {
        stop(body);
      }
    }
    throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
  }

  #ask(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is not http or https`);
    const mayBePrivate = this.#privateHosts.includes(url.hostname.replace(/^\[(.*)\]$/, '$1'));
    const headers = { 'user-agent': 'Pressroom', accept: [...TYPES].join(', ') };
    return this.#agents.request({ url, mayBePrivate }, { method: 'GET', headers, signal });
  }
}

async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Ends a body together with its connection, if it has not ended. */
function stop(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy();
}
