import { ConnectionError, ProblemError, problemIn, unexpected } from './problem.ts';

/** The part of `fetch` that a client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /**
   * Address of the service, with or without a slash at the end: `https://news.example`. In a browser it may
   * be a path (`/admin`), or empty for the page's own origin.
   */
  baseUrl: string;
  /** Headers of every request, such as `X-API-Key`. */
  headers?: Readonly<Record<string, string>>;
  /** Sends the requests; the platform's own `fetch` if absent. */
  fetch?: Fetch;
  /**
   * Keeps answers with an `ETag`: a read is then sent with `If-None-Match`, and 304 is answered from here.
   */
  cache?: AnswerCache;
  /** Changes {@link DEFAULT_RETRY}; `{ attempts: 1 }` sends every request once. */
  retry?: Partial<RetryPolicy>;
}

export interface Answer<Body> {
  body: Body;
  status: number;
  headers: Headers;
}

/** The parts of a request besides its method and path. */
interface Sending extends CommonOptions {
  path?: unknown;
  query?: unknown;
  body?: unknown;
}

/**
 * A client of one service, typed by the paths of its OpenAPI description. Methods resolve to the body of a
 * successful answer. They throw {@link ProblemError} for any other, {@link ConnectionError} if none arrived,
 * and the signal's reason if it was aborted.
 */
export class ApiClient<Paths> {
  readonly #options: ClientOptions;
  readonly #retry: RetryPolicy;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#retry = { ...DEFAULT_RETRY, ...options.retry };
  }

  get<Path extends PathsOf<Paths, 'get'>>(
    path: Path,
    ...[options]: OptionArguments<OperationOf<Paths, Path, 'get'>>
  ): Promise<AnswerOf<OperationOf<Paths, Path, 'get'>>> {
    return this.#body('get', path, options);
  }

  /** Creates something, or does what the path says. */
  post<Path extends PathsOf<Paths, 'post'>>(
    path: Path,
    ...[options]: OptionArguments<OperationOf<Paths, Path, 'post'>>
  ): Promise<AnswerOf<OperationOf<Paths, Path, 'post'>>> {
    return this.#body('post', path, options);
  }

  put<Path extends PathsOf<Paths, 'put'>>(
    path: Path,
    ...[options]: OptionArguments<OperationOf<Paths, Path, 'put'>>
  ): Promise<AnswerOf<OperationOf<Paths, Path, 'put'>>> {
    return this.#body('put', path, options);
  }

  patch<Path extends PathsOf<Paths, 'patch'>>(
    path: Path,
    ...[options]: OptionArguments<OperationOf<Paths, Path, 'patch'>>
  ): Promise<AnswerOf<OperationOf<Paths, Path, 'patch'>>> {
    return this.#body('patch', path, options);
  }

  delete<Path extends PathsOf<Paths, 'delete'>>(
    path: Path,
    ...[options]: OptionArguments<OperationOf<Paths, Path, 'delete'>>
  ): Promise<AnswerOf<OperationOf<Paths, Path, 'delete'>>> {
    return this.#body('delete', path, options);
  }

  /** Like the methods above, and resolves to the status and the headers as well. */
  request<M extends Method, Path extends PathsOf<Paths, M>>(
    method: M,
    path: Path,
    ...[options]: OptionArguments<OperationOf<Paths, Path, M>>
  ): Promise<Answer<AnswerOf<OperationOf<Paths, Path, M>>>> {
    return this.#send(method, path, options);
  }

  /** The address of a read, for `src` and `href`. */
  url<Path extends PathsOf<Paths, 'get'>>(
    path: Path,
    ...[options]: OptionArguments<OperationOf<Paths, Path, 'get'>>
  ): string {
    return this.#address(path, options ?? {});
  }

  async #body<Body>(method: Method, path: string, sending: Sending | undefined): Promise<Body> {
    return (await this.#send<Body>(method, path, sending)).body;
  }

  #send<Body>(method: Method, path: string, sending: Sending = {}): Promise<Answer<Body>> {
    const repeatable = method === 'get' || sending.idempotencyKey !== undefined;
    const { signal, patience = this.#retry.patience } = sending;
    return withRetries(() => this.#sendOnce(method, path, sending), {
      policy: { ...this.#retry, patience },
      repeatable,
      signal,
    });
  }

  async #sendOnce<Body>(method: Method, path: string, sending: Sending): Promise<Answer<Body>> {
    const url = this.#address(path, sending);
    const cache = method === 'get' ? this.#options.cache : undefined;
    const cached = await cache?.get(url);
    const response = await this.#fetch(url, this.#init(method, sending, cached));
    const { status, headers } = response;
    if (status === 304 && cached !== undefined) return { body: JSON.parse(cached.text), status, headers };
    const text = await read(response, sending.signal);
    if (!response.ok) throw problemIn(response, text);
    if (!isJson(headers)) {
      if (text !== '') throw new ProblemError(unexpected(response));
      return { body: undefined as Body, status, headers };
    }
    const body: Body = JSON.parse(text);
    const etag = headers.get('etag');
    const mayBeKept = etag !== null && !/\bno-store\b/.test(headers.get('cache-control') ?? '');
    if (cache !== undefined && mayBeKept) await cache.set(url, { etag, text });
    return { body, status, headers };
  }

  #init(method: Method, sending: Sending, cached: CachedAnswer | undefined): RequestInit {
    const { body, headers, idempotencyKey, signal } = sending;
    return {
      method: method.toUpperCase(),
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(cached && { 'if-none-match': cached.etag }),
        ...this.#options.headers,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      // A browser's own cache would answer a conditional request with 200.
      ...(this.#options.cache && { cache: 'no-store' as const }),
    };
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const { fetch: send = fetch } = this.#options;
    return send(url, init).catch((error: unknown) => {
      throw broken(error, init.signal);
    });
  }

  #address(path: string, { path: values, query }: Sending): string {
    const named = Object(values) as Record<string, unknown>;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => segment(String(named[name])));
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(Object(query))) {
      for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
    }
    return `${this.#options.baseUrl.replace(/\/$/, '')}${filled}${search.size > 0 ? `?${search}` : ''}`;
  }
}

async function read(response: Response, signal: AbortSignal | undefined): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw broken(error, signal);
  });
}

/**
 * A value as one segment of a path. Throws for the two that lead to another path, however they are encoded.
 */
function segment(value: string): string {
  if (/^\.\.?$/.test(value)) throw new TypeError(`${value} cannot be part of a path`);
  return encodeURIComponent(value);
}

function isJson(headers: Headers): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '');
}

/** Returns the error for a failed connection: the reason of the caller that aborted it, else our own. */
function broken(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return new ConnectionError('no answer arrived: the service cannot be reached, or the connection broke', {
    cause: error,
  });
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths of a description that answer `M`. */
type PathsOf<Paths, M extends Method> = {
  [Path in keyof Paths]: Paths[Path] extends { [Name in M]: object } ? Path : never;
}[keyof Paths] &
  string;

/** The description of one method of one path. */
export type OperationOf<Paths, Path extends keyof Paths, M extends Method> = Paths[Path] extends {
  [Name in M]: infer Operation;
}
  ? Operation
  : never;

type ParametersIn<Operation, Place extends string> = Operation extends {
  parameters: { [Name in Place]?: infer Value };
}
  ? Exclude<Value, undefined>
  : never;

type BodyIn<Operation> = Operation extends { requestBody?: infer Body }
  ? Exclude<Body, undefined> extends { content: { 'application/json': infer Value } }
    ? Value
    : never
  : never;

/** A member that is absent, optional or required, as the value's own members are. */
type Member<Name extends string, Value> = [Value] extends [never]
  ? { [N in Name]?: undefined }
  : Partial<Value> extends Value
    ? { [N in Name]?: Value }
    : { [N in Name]: Value };

/** Options of every request. */
export interface CommonOptions {
  /** Ends the request, and its retries, when it is aborted. */
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
  /** Longest wait for its turn, in ms: see `RetryPolicy`. */
  patience?: number;
  /**
   * Makes a write repeatable where the operation takes an `Idempotency-Key`: it is then retried like a read.
   */
  idempotencyKey?: string;
}

/** The parameters and the body of an operation, each by its name in the description. */
export type RequestOptions<Operation> = CommonOptions &
  Member<'path', ParametersIn<Operation, 'path'>> &
  Member<'query', ParametersIn<Operation, 'query'>> &
  Member<'body', BodyIn<Operation>>;

/** The arguments after the path: none are needed where nothing is required. */
type OptionArguments<Operation> =
  Partial<RequestOptions<Operation>> extends RequestOptions<Operation>
    ? [options?: RequestOptions<Operation>]
    : [options: RequestOptions<Operation>];

type Success = 200 | 201 | 202 | 204;

type ContentOf<Response> = Response extends { content: infer Content }
  ? Content extends { 'application/json': infer Value }
    ? Value
    : undefined
  : undefined;

/** The body of a successful answer; undefined where the answer has none, or none that is JSON. */
export type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? { [Status in keyof Responses & Success]: ContentOf<Responses[Status]> }[keyof Responses & Success]
  : never;

/** An answer that can be asked about with `If-None-Match`. */
export interface CachedAnswer {
  etag: string;
  /** The body as text: JSON. */
  text: string;
}

/**
 * Keeps answers for a client, by URL. Any store will do: a `Map`, a file, the browser's storage. One cache
 * belongs to one client, because answers can depend on who asks.
 */
export interface AnswerCache {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(url: string, answer: CachedAnswer): unknown;
}

/** A cache in memory that keeps the answers used last, 200 by default. */
export function memoryCache(most = 200): AnswerCache {
  const kept = new Map<string, CachedAnswer>();
  const put = (url: string, answer: CachedAnswer) => {
    kept.delete(url);
    kept.set(url, answer);
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
  };
  return {
    get: (url) => {
      const answer = kept.get(url);
      if (answer !== undefined) put(url, answer);
      return answer;
    },
    set: put,
  };
}

/** When a failed request is sent again. */
export interface RetryPolicy {
  /** Most times that a request is sent; those answered 429 do not count. */
  attempts: number;
  /**
   * Longest total wait of a request for its turn, in ms, when the service answers 429 and says when to come
   * back. `Infinity` waits as long as it says, for programs that have time: static builds, mirrors.
   */
  patience: number;
  /** Between 0 and 1; spreads the retries of many clients. Replaced in tests. */
  random: () => number;
  /** Waits; rejects when `signal` is aborted. Replaced in tests. */
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Four attempts, and 30 s of patience. */
export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  patience: 30_000,
  random: Math.random,
  wait,
};

/** The first wait where the service does not name one, in ms; it doubles with each attempt. */
const FIRST_WAIT_MS = 250;

/** The longest wait before another attempt, in ms: a service that fails and asks for more time gets none. */
const LONGEST_WAIT_MS = 30_000;

/** Longest delay of a timer, in ms: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Statuses that say "later": of the services, and of what stands in front of them. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

/**
 * Sends a request, and sends it again as `policy` says. `Retry-After` is the shortest wait; up to a quarter
 * of it, and at least up to a second, is added at random. A request that may change something is only
 * repeated after 429, which says that it was not carried out.
 */
export async function withRetries<T>(
  send: () => Promise<T>,
  {
    policy,
    repeatable,
    signal,
  }: { policy: RetryPolicy; repeatable: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  let attempt = 1;
  let patience = policy.patience;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const isTold = error instanceof ProblemError && error.status === 429;
      const asked = error instanceof ProblemError ? error.retryAfter : undefined;
      if (isTold && asked !== undefined) {
        // A service that says 0 is asked again after the share of chance, and uses patience up too.
        patience -= Math.max(1, asked) * 1000;
        if (patience < 0) throw error;
        await policy.wait(longer(asked * 1000, policy), signal);
        continue;
      }
      const ms = waitBefore(error, attempt, policy);
      if (ms === undefined || !(repeatable || isTold) || attempt >= policy.attempts) throw error;
      await policy.wait(ms, signal);
      attempt += 1;
    }
  }
}

/** Returns the delay after a failure, in ms; undefined if another attempt makes no sense. */
function waitBefore(error: unknown, attempt: number, policy: RetryPolicy): number | undefined {
  if (error instanceof ProblemError) {
    if (!RETRIED_STATUSES.has(error.status)) return undefined;
    if (error.retryAfter !== undefined) {
      const asked = error.retryAfter * 1000;
      return asked > LONGEST_WAIT_MS ? undefined : longer(asked, policy);
    }
  } else if (!(error instanceof ConnectionError)) return undefined;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + policy.random() / 2);
}

/** Adds up to a quarter, by chance, to the delay that a service asked for. */
function longer(asked: number, { random }: RetryPolicy): number {
  return Math.min(LONGEST_TIMER_MS, asked + random() * Math.max(1000, asked / 4));
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/**
 * `fetch` that keeps the cookies of the one service that it is used with, for Node, whose `fetch` keeps none.
 * A cookie that the service clears is forgotten; paths and domains are not looked at.
 */
export function withCookies(send: Fetch = fetch): Fetch {
  const jar = new Map<string, string>();
  return async (url, init) => {
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await send(url, { ...init, headers });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    return response;
  };
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = '', ...attributes] = line.split(';');
  const [name = '', ...value] = pair.split('=');
  const ends = attributes.some((attribute) => {
    const [key = '', when = ''] = attribute.trim().split('=');
    if (/^max-age$/i.test(key)) return Number(when) <= 0;
    return /^expires$/i.test(key) && Date.parse(when) <= Date.now();
  });
  if (ends) jar.delete(name.trim());
  else jar.set(name.trim(), value.join('='));
}
