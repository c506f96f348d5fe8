/** What {@link ask} sends besides a GET. */
export interface Sent {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
}

/** Sends a request and returns what the JSON of its answer says. Throws unless it succeeded. */
export async function ask<Answer = unknown>(
  url: string,
  { method, headers, json }: Sent = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: method ?? (json === undefined ? 'GET' : 'POST'),
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}
