import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** Destination of a proxy's connections. */
export interface Target {
  host: string;
  port: number;
}

/** A TCP proxy on loopback that can be as bad as a network can. */
export class TcpProxy {
  readonly #server: Server;
  #target: Target;
  readonly #links = new Set<Link>();
  #paused = false;
  #delayMs = 0;
  #port = 0;

  /** Asked for each new connection: what it returns sees all bytes that its client sends. */
  onRequest: (() => (chunk: Buffer) => void) | undefined;

  private constructor(target: Target) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
  }

  /** Starts a proxy before `target` on a free port. */
  static async start(target: Target): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.accept();
    return proxy;
  }

  /** The port on 127.0.0.1 that clients connect to. */
  get port(): number {
    return this.#port;
  }

  /** Number of connections that lead through the proxy. */
  get connections(): number {
    return this.#links.size;
  }

  /**
   * Forwards nothing any more, no end of a connection either: for both sides the other one has fallen silent.
   */
  pause(): void {
    this.#paused = true;
    for (const link of this.#links) link.pause();
  }

  /** Forwards again, what was held back first. */
  resume(): void {
    this.#paused = false;
    for (const link of this.#links) link.resume();
  }

  /**
   * Forwards new connections, and leaves the paused ones silent for good, as a firewall does that forgot
   * them.
   */
  forget(): void {
    this.#paused = false;
  }

  /** Holds back everything that is forwarded from now on for `ms`. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Breaks every connection; new ones lead to `target`, as when an address moves to another server. */
  moveTo(target: Target): void {
    this.#target = target;
    this.cut();
  }

  /** Breaks every connection. */
  cut(): void {
    for (const link of this.#links) link.destroy();
  }

  /** Breaks every connection and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  /** Takes connections, on the same port as before. */
  async accept(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address !== 'string') this.#port = address.port;
  }

  /** Breaks every connection and ends the proxy. */
  async close(): Promise<void> {
    if (this.#server.listening) await this.refuse();
    this.cut();
  }

  #accept(client: Socket): void {
    const server = connect({ ...this.#target, allowHalfOpen: true });
    const link = new Link([client, server], () => this.#delayMs, this.onRequest?.());
    this.#links.add(link);
    link.onEnd = () => this.#links.delete(link);
    if (this.#paused) link.pause();
  }
}

/** A connection of a client with the one that it is forwarded to. */
class Link {
  onEnd: () => void = () => undefined;
  readonly #sockets: [Socket, Socket];
  readonly #delayMs: () => number;
  #open = Promise.withResolvers<void>();

  constructor([client, server]: [Socket, Socket], delayMs: () => number, see?: (chunk: Buffer) => void) {
    this.#sockets = [client, server];
    this.#delayMs = delayMs;
    this.#open.resolve();
    void this.#forward(client, server, see);
    void this.#forward(server, client);
  }

  pause(): void {
    this.#open = Promise.withResolvers();
  }

  resume(): void {
    this.#open.resolve();
  }

  destroy(): void {
    this.#open.resolve();
    for (const socket of this.#sockets) socket.destroy();
    this.onEnd();
  }

  async #forward(from: Socket, to: Socket, see?: (chunk: Buffer) => void): Promise<void> {
    to.on('error', () => undefined);
    try {
      for await (const chunk of from) {
        see?.(chunk);
        await this.#passage();
        to.write(chunk);
      }
      await this.#passage();
      to.end();
    } catch {
      await this.#passage();
      this.destroy();
    }
    if (this.#sockets.every((socket) => socket.readableEnded)) this.onEnd();
  }

  async #passage(): Promise<void> {
    const ms = this.#delayMs();
    if (ms > 0) await wait(ms);
    await this.#open.promise;
  }
}
