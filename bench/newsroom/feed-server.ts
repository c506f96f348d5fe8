import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rss } from '../../test/support/feed-host.ts';
import { madeUpReport, seeded } from '../stories/made-up-report.ts';

export interface FeedServer extends AsyncDisposable {
  urls: readonly string[];
  /** The hosts that they are on: the worker sends at most two requests at once to each. */
  hosts: readonly string[];
}

/** Hosts of this machine; Linux answers at all of 127.0.0.0/8. */
const HOSTS = Array.from({ length: 250 }, (_, index) => `127.0.0.${index + 1}`);

/** Makes up feeds of `entries` entries each: reports of the last day, other ones in each feed. */
export function madeUpFeeds(feeds: number, entries: number): string[] {
  const now = Date.now();
  const random = seeded(2);
  return Array.from({ length: feeds }, (_, feed) =>
    rss(
      Array.from({ length: entries }, (_, index) => {
        const published = new Date(now - 86_400_000 * random());
        const { title, summary } = madeUpReport(feed * entries + index, published, random);
        const guid = `${feed}-${index}`;
        return { guid, title, description: summary ?? '', pubDate: published.toUTCString() };
      }),
      { title: `Feed ${feed}` },
    ),
  );
}

/** Serves feeds, which never change. */
export async function serveFeeds(feeds: readonly (string | Buffer)[]): Promise<FeedServer> {
  const answers = feeds.map((body, feed) => {
    const isJson = body.toString('latin1', 0, 100).trimStart().startsWith('{');
    const type = isJson ? 'application/feed+json' : 'application/xml';
    return { headers: { 'content-type': type, etag: `"${feed}"` }, body };
  });
  const server = createServer(({ url = '/', headers: asked }, response) => {
    const { headers, body } = answers[Number(url.slice(1))] ?? {};
    if (headers === undefined) response.writeHead(404).end();
    else if (asked['if-none-match'] === headers.etag) response.writeHead(304, headers).end();
    else response.writeHead(200, headers).end(body);
  });
  await once(server.listen(0, '0.0.0.0'), 'listening');
  const { port } = server.address() as AddressInfo;
  const urls = feeds.map((_, feed) => `http://${HOSTS[feed % HOSTS.length]}:${port}/${feed}`);
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { urls, hosts: HOSTS, [Symbol.asyncDispose]: stop };
}
