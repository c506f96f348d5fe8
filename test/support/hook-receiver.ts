import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ContentEvent } from '@pressroom/client/hooks';

/** A delivery as it came. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  event: ContentEvent;
}

/** A program that events are posted to, on its own port; it answers 204 unless a test says otherwise. */
export class HookReceiver {
  readonly received: Received[] = [];
  /** Answers a delivery; one that does nothing leaves it open. */
  answer: (response: ServerResponse, one: Received) => void = (response) => response.writeHead(204).end();
  #server: Server | undefined;
  #port = 0;

  /** Begins to listen, on the same port as before. */
  async start(): Promise<this> {
    const server = createServer(async (request, response) => {
      const body = await text(request).catch(() => undefined);
      // Its sender is gone.
      if (body === undefined) return;
      const one = { headers: request.headers, body, event: JSON.parse(body) };
      this.received.push(one);
      this.answer(response, one);
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`;
  }

  /** The types of what came about a subject, in order. */
  typesOf(id: number): string[] {
    return this.received.filter(({ event }) => event.data.id === id).map(({ event }) => event.type);
  }

  /** Ends it, with its connections. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}
