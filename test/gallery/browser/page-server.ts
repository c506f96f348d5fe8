import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PAGE = fileURLToPath(new URL('uppy-page.ts', import.meta.url));

/** A site of the test's own. */
export interface PageServer {
  /** Its origin: the page is at `/`, the API of the gallery administration below `/api`. */
  origin: string;
  close: () => Promise<void>;
}

/** Serves the page, and the API beside it as a reverse proxy does; `api` says where the service is, once it runs. */
export async function servePage(api: () => string): Promise<PageServer> {
  const { outputFiles } = await build({ entryPoints: [PAGE], bundle: true, write: false, format: 'iife' });
  const script = outputFiles[0]?.text ?? '';
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    if (!url.startsWith('/api/')) {
      const isScript = url === '/page.js';
      outgoing.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
      return outgoing.end(
        isScript ? script : '<!doctype html><title>Gallery</title><script src="/page.js"></script>',
      );
    }
    const forwarded = httpRequest(`${api()}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    return incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${port}`, close };
}
