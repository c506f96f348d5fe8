import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Failure } from '@pressroom/common/failures/failure';
import {
  endBody,
  GuardedAgents,
  type GuardedTarget,
  NotPublicAddress,
  TooManyRedirects,
} from '@pressroom/common/fetching/guarded-agents';

/** Why a page cannot be embedded. */
type EmbedCode =
  | 'embed_answers_error'
  | 'embed_not_page'
  | 'embed_not_public'
  | 'embed_too_slow'
  | 'embed_unreachable';

/** A page, or what it has at its beginning. */
export interface FetchedPage {
  /** The address that answered, after redirects. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The time that a server has for a HEAD, in ms; some never answer one. */
const HEAD_MS = 4000;

/** The request for an address. */
interface Asked {
  readonly accept: string;
  /** The type of the answer; another one is not read. */
  readonly type: RegExp;
  /** The most bytes that are read. */
  readonly mostBytes: number;
}

const MOST_REDIRECTS = 5;

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

type Answer = Awaited<ReturnType<GuardedAgents['follow']>>['answer'];

/** Fetches pages of addresses that writers give: from public addresses alone, whatever they redirect to. */
export class PageFetcher {
  readonly #agents: GuardedAgents;
  readonly #privateHosts: readonly string[];

  /** @param privateHosts hosts that may have addresses that are not public */
  constructor(mostMs: number, privateHosts: readonly string[]) {
    this.#agents = new GuardedAgents({ connectMs: mostMs, headersMs: mostMs, pauseMs: mostMs });
    this.#privateHosts = privateHosts;
  }

  close(): Promise<void> {
    return this.#agents.close();
  }

  /** Throws an `invalid` failure with an {@link EmbedCode}. */
  async fetch(address: URL, asked: Asked, signal: AbortSignal): Promise<FetchedPage> {
    const headers = { 'user-agent': 'Pressroom', accept: asked.accept, 'accept-encoding': 'gzip, br' };
    const next = (location: string, from: URL) => this.#target(targetOf(location, from));
    try {
      const { url, answer } = await this.#agents.follow(
        this.#target(address),
        { method: 'GET', headers, signal },
        { most: MOST_REDIRECTS, next },
      );
      try {
        return { url, ...(await read(answer, asked)) };
      } finally {
        endBody(answer.body);
      }
    } catch (error) {
      throw explained(error, signal);
    }
  }

  /**
   * The status of an address after redirects, without its body. Throws an `invalid` failure with an
   * {@link EmbedCode}, and {@link TooManyRedirects}.
   */
  async statusOf(address: URL, signal: AbortSignal): Promise<number> {
    const headers = { 'user-agent': 'Pressroom', accept: '*/*' };
    const next = (location: string, from: URL) => this.#target(targetOf(location, from));
    const ask = async (method: 'HEAD' | 'GET', limit: AbortSignal) => {
      const request = { method, headers, signal: limit };
      const { answer } = await this.#agents.follow(this.#target(address), request, {
        most: MOST_REDIRECTS,
        next,
      });
      endBody(answer.body);
      return answer.statusCode;
    };
    const head = await ask('HEAD', AbortSignal.any([signal, AbortSignal.timeout(HEAD_MS)])).catch(() => 500);
    if (head < 400) return head;
    return ask('GET', signal).catch((error: unknown) => {
      throw error instanceof TooManyRedirects ? error : explained(error, signal);
    });
  }

  #target(url: URL): GuardedTarget {
    return { url, mayBePrivate: this.#privateHosts.includes(url.hostname) };
  }
}

function targetOf(location: string, base: URL): URL {
  const url = URL.parse(location, base);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url;
  throw fault('embed_unreachable', 'the page redirects to something that is no web address');
}

async function read({ statusCode, headers, body }: Answer, { type, mostBytes }: Asked) {
  const joined = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
  );
  if (statusCode < 200 || statusCode > 299) throw new AnswersError(statusCode);
  if (!type.test(joined['content-type'] ?? ''))
    throw fault('embed_not_page', 'the address is not that of a page, but of a file of another type');
  return { headers: joined, body: await firstBytes(body, joined['content-encoding'], mostBytes) };
}

/** The page has answered with an error. */
export class AnswersError extends Failure {
  readonly status: number;

  constructor(status: number) {
    super('invalid', `the page answers ${status}; check the address`, { code: 'embed_answers_error' });
    this.status = status;
  }
}

/** The beginning of a body, which may go on for ever, also where it is packed. */
async function firstBytes(body: Readable, encoding = 'identity', mostBytes: number): Promise<Buffer> {
  const decoder = DECODERS.get(encoding.trim().toLowerCase())?.();
  const plain = decoder === undefined ? body : body.pipe(decoder);
  body.once('error', (error) => decoder?.destroy(error));
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop ends the stream.
  for await (const chunk of plain) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes);
}

function explained(error: unknown, signal: AbortSignal): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof NotPublicAddress)
    return fault('embed_not_public', `${error.hostname} has no public address, so readers cannot see it`);
  if (error instanceof TooManyRedirects) return fault('embed_unreachable', error.message);
  if (signal.aborted) return fault('embed_too_slow', 'the page did not answer in time; try again', error);
  return fault('embed_unreachable', 'the page cannot be reached; check the address', error);
}

function fault(code: EmbedCode, message: string, cause?: unknown): Failure {
  return new Failure('invalid', message, { code, cause });
}
