import { ConnectionError, ProblemError, problemIn, unexpected } from './problem.ts';
import type { AnswerCache, CachedAnswer } from './response-cache.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetries } from './retry.ts';
import type {
  AnswerOf,
  CommonOptions,
  Method,
  OperationOf,
  OptionArguments,
  PathsOf,
} from './typed-paths.ts';

/** The part of `fetch` that a client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /**
   * Where the service is, with or without a slash at the end: `https://news.example`. In a browser it may be
   * a path (`/admin`), or empty for the page's own origin.
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

/** What a request needs besides method and path. */
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
      // What a browser keeps by itself would answer a conditional request with 200.
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

/** What to throw when the connection failed: the reason of the caller that aborted it, else our own error. */
function broken(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return new ConnectionError('no answer arrived: the service cannot be reached, or the connection broke', {
    cause: error,
  });
}
