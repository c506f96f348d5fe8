import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A site of the test's own. */
export interface PageServer {
  /** Its origin: the page is at `/`, the API of the gallery administration below `/api`. */
  origin: string;
  close: () => Promise<void>;
}

/**
 * Serves the pages, `/` with Uppy 6 and `/uppy5`, and the API on the same origin, like a reverse proxy; `api`
 * is the address of the service, once it runs.
 */
export async function servePage(api: () => string): Promise<PageServer> {
  const scripts = new Map([
    ['/page.js', await bundle('uppy-page.ts')],
    ['/uppy5.js', await bundle('uppy5/page.ts')],
  ]);
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    if (!url.startsWith('/api/')) {
      const script = scripts.get(url);
      const name = url === '/uppy5' ? '/uppy5.js' : '/page.js';
      const page = `<!doctype html><title>Gallery</title><script src="${name}"></script>`;
      outgoing.setHeader(
        'content-type',
        script === undefined ? 'text/html; charset=utf-8' : 'text/javascript',
      );
      return outgoing.end(script ?? page);
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

async function bundle(file: string): Promise<string> {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife' });
  return outputFiles[0]?.text ?? '';
}
