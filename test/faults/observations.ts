/** The most that a request may take, in ms, on a machine with little else to do: the table counts others. */
export const SLOWEST_MS = 10_000;

/** Given up on by the client, in ms: only a request that waits for what does not come takes as long. */
const PATIENCE_MS = 100_000;

/** A request and its answer, as a client saw them. */
export interface Observation {
  /** The replica, such as `content 1`. */
  replica: string;
  /** Method and path without the query string. */
  request: string;
  /** 0 when the connection broke, or no answer came. */
  status: number;
  code: string;
  retryAfter: string | null;
  ms: number;
}

/** Somewhere a request goes. */
export interface Replica {
  /** Such as `content 1`. */
  name: string;
  /** Without a path. */
  url: string;
}

/** A request to send. */
export interface Question {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
}

/** An answer, read to its end; status 0 when there was none. */
export interface Seen {
  status: number;
  headers: Headers;
  body: ReturnType<typeof JSON.parse>;
}

/** Sends requests and keeps what became of each. */
export class Observations {
  #kept: Observation[] = [];
  /** When each request was asked that has no answer yet. */
  readonly #open = new Map<symbol, number>();

  /** Asks a replica; never throws. */
  async ask(replica: Replica, path: string, { method = 'GET', headers, json }: Question = {}): Promise<Seen> {
    const asked = performance.now();
    const request = Symbol(path);
    this.#open.set(request, asked);
    const seen = await attempt(replica.url + path, {
      method,
      redirect: 'manual',
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    this.#open.delete(request);
    this.#kept.push({
      replica: replica.name,
      request: `${method} ${path.split('?')[0]}`,
      status: seen.status,
      code: seen.body?.code ?? '',
      retryAfter: seen.headers.get('retry-after'),
      ms: performance.now() - asked,
    });
    return seen;
  }

  /** True if every request sent before `moment` (of `performance.now()`) has its answer. */
  answeredUntil(moment: number): boolean {
    return [...this.#open.values()].every((asked) => asked >= moment);
  }

  /** Returns the observations since the last call. */
  take(): Observation[] {
    const taken = this.#kept;
    this.#kept = [];
    return taken;
  }
}

async function attempt(url: string, init: RequestInit): Promise<Seen> {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : {},
    };
  } catch {
    return { status: 0, headers: new Headers(), body: {} };
  }
}

/** A batch that stopped partway answers 500 and says so (`docs/spec/wire.md`, "Gallery administration"). */
function isHalfDone({ status, code }: Observation): boolean {
  return status === 500 && code === 'operation_incomplete';
}

/**
 * Returns what must not have happened: an error of the server other than 503 with `Retry-After`, or a
 * connection that broke although its replica runs. A request that the client gave up on counts as one.
 */
export function violations(seen: readonly Observation[], killed: readonly string[]): string[] {
  const wrong = seen.filter((observation) => {
    const { status, retryAfter, replica } = observation;
    if (status === 0) return !killed.includes(replica);
    if (status < 500 || isHalfDone(observation)) return false;
    return status !== 503 || !/^[1-9]\d*$/.test(retryAfter ?? '');
  });
  return wrong.map(
    ({ replica, request, status, code, ms }) =>
      `${replica}: ${request}: ${status} ${code} in ${Math.round(ms)} ms`,
  );
}
