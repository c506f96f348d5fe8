import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that serves a service below its own path, and takes the path off. */
export interface PrefixProxy {
  /** Without a path. */
  url: string;
  close: () => Promise<void>;
}

/** Starts a proxy before `target`; `prefix` begins and ends with `/`. Anything outside of it is 404. */
export async function startPrefixProxy(prefix: string, target: string): Promise<PrefixProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, reply) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(prefix)) {
      reply.writeHead(404).end();
      return;
    }
    const path = `/${url.slice(prefix.length)}`;
    const passed = request({ hostname, port, method, path, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    passed.on('error', () => reply.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
