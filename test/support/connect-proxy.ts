import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy on 127.0.0.1 that opens tunnels (HTTP CONNECT) for a login. */
export class ConnectProxy {
  /** What it was asked to connect to, such as `127.0.0.1:80`, with the login that it was sent. */
  readonly asked: { to: string; login: string }[] = [];
  /** The status that it answers instead of opening a tunnel. */
  refuses: number | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((_request, response) => response.writeHead(405).end());

  static async start(): Promise<ConnectProxy> {
    const proxy = new ConnectProxy();
    proxy.#server.on('connect', ({ url = '', headers }, client: Socket) => {
      const [, code = ''] = (headers['proxy-authorization'] ?? '').split(' ');
      proxy.asked.push({ to: url, login: Buffer.from(code, 'base64').toString() });
      if (proxy.refuses !== undefined) {
        client.end(`HTTP/1.1 ${proxy.refuses} No\r\n\r\n`);
        return;
      }
      const { hostname, port } = new URL(`http://${url}`);
      const target = connect(Number(port || 80), hostname, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        target.pipe(client).pipe(target);
      });
      for (const socket of [client, target]) {
        proxy.#sockets.add(socket);
        socket.on('error', () => undefined);
      }
    });
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** Its address with a login, of characters that need no encoding. */
  address(login: string): string {
    return `http://${login}@127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
