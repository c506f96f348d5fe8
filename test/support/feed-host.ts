import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The answer of a path: a body with headers and status, or whatever the function does. */
export type FeedAnswer =
  | { status?: number; headers?: Record<string, string>; body?: string | Buffer }
  | ((request: IncomingMessage, response: ServerResponse) => void);

/** A request that a {@link FeedHost} has had. */
export interface FeedRequest {
  path: string;
  headers: IncomingMessage['headers'];
}

/** A web server on 127.0.0.1 that plays the feeds. */
export class FeedHost {
  readonly requests: FeedRequest[] = [];
  /** The most requests that were open at once. */
  mostAtOnce = 0;
  readonly #answers = new Map<string, FeedAnswer>();
  readonly #server: Server;
  #open = 0;

  private constructor() {
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  static async start(): Promise<FeedHost> {
    const host = new FeedHost();
    await once(host.#server.listen(0, '127.0.0.1'), 'listening');
    return host;
  }

  /** The address of a path. */
  at(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Says what a path answers from now on. */
  set(path: string, answer: FeedAnswer): void {
    this.#answers.set(path, answer);
  }

  /** Forgets all answers and requests. */
  clear(): void {
    this.#answers.clear();
    this.requests.length = 0;
  }

  /** The requests of a path. */
  to(path: string): FeedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    this.requests.push({ path, headers: request.headers });
    this.#open += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
    response.on('close', () => {
      this.#open -= 1;
    });
    const answer = this.#answers.get(path);
    if (answer === undefined) return void response.writeHead(404).end();
    if (typeof answer === 'function') return void answer(request, response);
    const { status = 200, headers = {}, body = '' } = answer;
    response.writeHead(status, { 'content-type': 'application/rss+xml', ...headers }).end(body);
  }
}

/** Requests that are kept open until a test answers them. */
export interface HeldAnswers {
  /** Open answers, the oldest first. */
  open: ServerResponse[];
  /** The answer of a path: none as yet. */
  hold: FeedAnswer;
  /** Answers the oldest one, with a body if it is given. */
  answerOne: (body?: string) => void;
}

/** Keeps requests open. */
export function heldAnswers(): HeldAnswers {
  const open: ServerResponse[] = [];
  return {
    open,
    hold: (_request, response) => void open.push(response),
    answerOne: (body) => void open.shift()?.writeHead(200).end(body),
  };
}

/** An entry of {@link rss}. */
export interface RssEntry {
  guid: string;
  title?: string;
  link?: string;
  description?: string;
  pubDate?: string;
}

/** An RSS 2.0 feed. */
export function rss(entries: readonly RssEntry[], { title = 'A feed', channel = '' } = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel><title>${title}</title>
<link>https://source.example/</link><description>-</description>${channel}${entries.map(rssItem).join('\n')}</channel></rss>`;
}

function rssItem(entry: RssEntry): string {
  const { guid, description, pubDate } = entry;
  const title = entry.title ?? `Title of ${guid}`;
  const link = entry.link ?? `https://source.example/${guid}`;
  return [
    `<item><guid isPermaLink="false">${guid}</guid>`,
    `<title>${escapeXml(title)}</title><link>${escapeXml(link)}</link>`,
    description === undefined ? '' : `<description>${escapeXml(description)}</description>`,
    pubDate === undefined ? '' : `<pubDate>${pubDate}</pubDate>`,
    '</item>',
  ].join('');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
