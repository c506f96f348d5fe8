/** An answer, read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The body as text. */
  text: string;
  /** The body as JSON, empty where it is none; a test looks at whatever it expects. */
  body: JsonBody;
}

/** The members of a body. */
export type JsonBody = Record<string, JsonValue>;

/** A value in a body: untyped, because tests are what finds out. */
export type JsonValue = ReturnType<typeof JSON.parse>;

/** The parts of a request besides its URL. */
export interface Sending {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is. */
  raw?: string | Uint8Array<ArrayBuffer>;
}

/** Sends a request over a real socket and reads the answer to its end; redirects are not followed. */
export async function send(url: string, { method, headers, json, raw }: Sending = {}): Promise<Answer> {
  const body = json === undefined ? raw : JSON.stringify(json);
  const response = await fetch(url, {
    method: method ?? 'GET',
    redirect: 'manual',
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text ? JSON.parse(text) : {},
  };
}
