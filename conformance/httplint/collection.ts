import { type Answered, type Asked, exchange, headerOf } from '../support/exchange.ts';
import { SERVICES, type ServiceName, type Stack } from '../support/stack.ts';

/** An exchange as `lint.py` reads it. */
export interface Collected {
  /** Service, method, path and status: unique. */
  name: string;
  service: ServiceName;
  /** As in the description: `GET /api/articles/{id}`. */
  operation: string;
  method: string;
  uri: string;
  requestHeaders: [string, string][];
  status: number;
  phrase: string;
  responseHeaders: [string, string][];
  /** In base64. */
  body: string;
  /** When it was received, in seconds since 1970. */
  time: number;
}

export interface Sample extends Omit<Asked, 'path'> {
  service: ServiceName;
  /** The path in the description, with `{name}` for parameters. */
  path: string;
  /** The values of the path's parameters, and the query string. */
  at?: string;
  json?: unknown;
  status: number;
}

/** The public address of the services, behind a TLS proxy. */
const PUBLIC = 'https://pressroom.example';

/** Sends requests to the services and keeps the answers. */
export class Collection {
  readonly exchanges: Collected[] = [];
  readonly stack: Stack;
  #senders = 0;

  constructor(stack: Stack) {
    this.stack = stack;
  }

  /** Sends a request from a new address and keeps the exchange. Throws if the status differs. */
  async ask({ service, path, at = path, json, status, ...sample }: Sample): Promise<Answered> {
    const { headers = {}, body = json === undefined ? undefined : JSON.stringify(json), method } = sample;
    const sent = {
      ...(json !== undefined && { 'content-type': 'application/json' }),
      'x-forwarded-for': this.#sender(),
      ...headers,
    };
    const url = this.stack.urls[service];
    const answered = await exchange(url, {
      method,
      path: at,
      headers: sent,
      ...(body !== undefined && { body }),
    });
    const operation = `${method} ${path}`;
    if (answered.status !== status) {
      throw new Error(`${service} ${method} ${at} is ${answered.status}, not ${status}: ${answered.body}`);
    }
    const alike = this.exchanges.filter(
      (other) => other.service === service && other.operation === operation,
    );
    this.exchanges.push({
      name: `${service} ${operation} ${status} #${alike.length + 1}`,
      service,
      operation,
      method,
      uri: `${PUBLIC}${at}`,
      requestHeaders: [['host', new URL(PUBLIC).host], ...Object.entries(sent)],
      status: answered.status,
      phrase: answered.phrase,
      responseHeaders: answered.headers,
      body: answered.body.toString('base64'),
      time: Date.now() / 1000,
    });
    return answered;
  }

  /** GET and HEAD, and the 304 if there is an entity tag. */
  async read(
    service: ServiceName,
    path: string,
    at = path,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const answer = await this.ask({ service, method: 'GET', path, at, headers, status: 200 });
    await this.ask({ service, method: 'HEAD', path, at, headers, status: 200 });
    const etag = headerOf(answer, 'etag');
    if (etag === undefined) return;
    const conditional = { ...headers, 'if-none-match': etag };
    await this.ask({ service, method: 'GET', path, at, headers: conditional, status: 304 });
  }

  /** Repeats a request from one address until the rate limit refuses it, and keeps that answer. */
  async exhaust(service: ServiceName, path: string, limit: number): Promise<void> {
    const headers = { 'x-forwarded-for': '192.0.2.99' };
    // A slow machine may take longer than a minute for one window's requests, so the count may begin again.
    for (let times = 0; times < limit * 10; times += 1) {
      const { status } = await exchange(this.stack.urls[service], { method: 'GET', path, headers });
      if (status === 429) break;
    }
    await this.ask({ service, method: 'GET', path, headers, status: 429 });
  }

  /** The answers of every service while its database is down. */
  async away(): Promise<void> {
    for (const service of SERVICES) {
      await this.ask({ service, method: 'GET', path: '/readyz', status: 503 });
    }
  }

  #sender(): string {
    this.#senders += 1;
    return `198.51.${100 + Math.floor(this.#senders / 250)}.${1 + (this.#senders % 250)}`;
  }
}
