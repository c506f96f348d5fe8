import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service whose answers live for seconds instead of minutes. */
export interface ShortLived {
  url: string;
  /** Number of requests that it has passed on. */
  passed: () => number;
  close: () => Promise<void>;
}

/**
 * Passes every request on to the service at `target`, and its answer back with the `s-maxage` of its
 * `Cache-Control` set to `seconds` and the `stale-while-revalidate` to `stale`, so that a test can outlive
 * them.
 */
export async function shortLived(target: string, seconds: number, stale = seconds): Promise<ShortLived> {
  let passed = 0;
  const server = createServer((incoming, outgoing) => {
    passed += 1;
    const { method, headers, url = '/' } = incoming;
    const onward = request(new URL(url, target), { method, headers }, (answer) => {
      const cacheControl = answer.headers['cache-control']
        ?.replace(/s-maxage=\d+/, `s-maxage=${seconds}`)
        .replace(/stale-while-revalidate=\d+/, `stale-while-revalidate=${stale}`);
      outgoing.writeHead(answer.statusCode ?? 502, {
        ...answer.headers,
        ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
      });
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: () => passed,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
