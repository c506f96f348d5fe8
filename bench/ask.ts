import { request } from 'undici';

/** A request, unless it is a plain GET. */
export interface Sent {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
}

/** Attempts of a request that the service could not serve at once. */
const TRIES = 20;

/** Sends a request, again while the answer is 503, and returns its text. Throws unless the answer is 2xx. */
export async function askForText(url: string, { method, headers, json }: Sent = {}): Promise<string> {
  const options =
    json === undefined
      ? { method: method ?? 'GET', headers }
      : {
          method: method ?? 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(json),
        };
  for (let tries = 1; ; tries += 1) {
    const { statusCode, body } = await request(url, options);
    const text = await body.text();
    if (statusCode < 300) return text;
    if (statusCode !== 503 || tries > TRIES)
      throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 500)}`);
  }
}

/** Sends a request and returns what the JSON of its answer says. */
export async function ask<Answer>(url: string, sent?: Sent): Promise<Answer> {
  return JSON.parse(await askForText(url, sent)) as Answer;
}
