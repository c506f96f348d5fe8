import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rss } from '../../test/support/feed-host.ts';
import { madeUpReport, seeded } from '../stories/made-up-report.ts';

/** Feeds on this machine. */
export interface FeedServer extends AsyncDisposable {
  urls: readonly string[];
  /** The hosts that they are on: the worker sends at most two requests at once to each. */
  hosts: readonly string[];
}

/** Hosts of this machine; Linux answers at all of 127.0.0.0/8. */
const HOSTS = Array.from({ length: 250 }, (_, index) => `127.0.0.${index + 1}`);

/** Serves feeds of `entries` entries each: made-up reports of the last day, other ones in each feed. */
export async function serveFeeds(feeds: number, entries: number): Promise<FeedServer> {
  const now = Date.now();
  const random = seeded(2);
  // Made beforehand, so that the measured time does not contain it.
  const bodies = Array.from({ length: feeds }, (_, feed) =>
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
  const server = createServer(({ url = '/' }, response) => {
    response
      .writeHead(200, { 'content-type': 'application/rss+xml' })
      .end(bodies[Number(url.slice(1))] ?? '');
  });
  await once(server.listen(0, '0.0.0.0'), 'listening');
  const { port } = server.address() as AddressInfo;
  const urls = bodies.map((_, feed) => `http://${HOSTS[feed % HOSTS.length]}:${port}/${feed}`);
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { urls, hosts: HOSTS, [Symbol.asyncDispose]: stop };
}
