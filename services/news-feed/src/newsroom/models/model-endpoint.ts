/** Where and how a model is asked. */
export interface EndpointSettings {
  /** The base of an OpenAI-compatible API, such as `http://127.0.0.1:11434/v1`. */
  url: string;
  /** Sent as a bearer token; local endpoints often need none. */
  key: string | undefined;
  model: string;
  timeoutMs: number;
}

/** What is known of a fault beside its message. */
interface FaultDetails {
  /** The status of the answer. */
  status?: number;
  /** For how long the endpoint asks to be left alone, in milliseconds. */
  pauseMs?: number | undefined;
  /** Whether it may be about this one question, such as a text that a filter refuses. */
  isOfQuestion?: boolean;
}

/** A fault of the endpoint. */
export class EndpointFault extends Error {
  readonly status: number | undefined;
  readonly pauseMs: number | undefined;
  readonly isOfQuestion: boolean;

  constructor(message: string, { status, pauseMs, isOfQuestion = false }: FaultDetails = {}) {
    super(message);
    this.name = 'EndpointFault';
    this.status = status;
    this.pauseMs = pauseMs;
    this.isOfQuestion = isOfQuestion;
  }
}

/** Statuses by which endpoints refuse what a request says: malformed, too large or unprocessable. */
const OF_QUESTION = [400, 413, 422];

/** How much of what a refusal says is kept, in characters. */
const MOST_SAID = 300;

/** What an endpoint is asked. */
interface EndpointQuestion {
  /** Below the base, such as `/embeddings`. */
  path: string;
  body: object;
  /** The largest answer that is read, in bytes. */
  mostBytes: number;
}

/** Posts JSON to a model's endpoint and returns the JSON of its answer. Throws {@link EndpointFault}. */
export async function askEndpoint(
  { url, key, timeoutMs }: EndpointSettings,
  { path, body, mostBytes }: EndpointQuestion,
  signal?: AbortSignal,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url.replace(/\/+$/u, '') + path, {
      method: 'POST',
      // A redirect would carry the key to another host.
      redirect: 'error',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      body: JSON.stringify(body),
    });
    const text = await readBounded(response, mostBytes);
    if (!response.ok) {
      const said = (key ? text.replaceAll(key, '…') : text).replace(/\s+/gu, ' ').trim().slice(0, MOST_SAID);
      const { status, headers } = response;
      throw new EndpointFault(`the endpoint answered ${status}${said && `: ${said}`}`, {
        status,
        pauseMs: pauseOf(headers),
        isOfQuestion: OF_QUESTION.includes(status),
      });
    }
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof EndpointFault) throw error;
    throw new EndpointFault(error instanceof Error ? error.message : String(error));
  }
}

async function readBounded(response: Response, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > mostBytes) throw new EndpointFault('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** `Retry-After` in milliseconds, where it is a number of seconds. */
function pauseOf(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 3600) * 1000 : undefined;
}
