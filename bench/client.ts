import { Agent, request } from 'node:http';

/** What a request sends besides its path. */
export interface Sent {
  method?: string;
  headers?: Record<string, string>;
  json?: object;
}

/** How often a request is repeated that the service could not serve at once. */
const TRIES = 20;

/** A client with one connection that is kept. Answers that are not 2xx are errors. */
export class BenchClient {
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request, again while the answer is 503, and returns the text of its answer. */
  async ask(path: string, sent: Sent = {}): Promise<string> {
    for (let tries = 0; ; tries += 1) {
      const { status, text } = await this.#send(path, sent);
      if (status < 300) return text;
      if (status !== 503 || tries === TRIES) throw new Error(`${path}: ${status} ${text}`);
    }
  }

  /** Closes the connection. */
  close(): void {
    this.#agent.destroy();
  }

  #send(
    path: string,
    { method = 'GET', headers = {}, json }: Sent,
  ): Promise<{ status: number; text: string }> {
    const body = json && JSON.stringify(json);
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          path,
          method,
          agent: this.#agent,
          headers: {
            ...headers,
            ...(body !== undefined && {
              'content-type': 'application/json',
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
