import { spawn, spawnSync } from 'node:child_process';
import { askForText } from '../ask.ts';
import { copyDatabase } from '../database.ts';
import type { Poller } from '../newsroom/polling.ts';
import { whenReady } from '../server.ts';

const ADMIN = { name: 'admin', password: 'the-password-of-the-bench' };

/** Miniflux on its default settings, with its first user; `program` is the path of its binary. */
export function miniflux(program: string): Poller {
  const version = spawnSync(program, ['-version'], { encoding: 'utf8' }).stdout.trim().replace(/^v/, '');
  return {
    name: `Miniflux ${version}`,
    open: async ({ url }) => {
      const own = new URL(await copyDatabase(url, 'miniflux'));
      own.searchParams.set('sslmode', 'disable');
      const start = (port: string) =>
        spawn(program, [], {
          env: {
            DATABASE_URL: own.href,
            RUN_MIGRATIONS: '1',
            CREATE_ADMIN: '1',
            ADMIN_USERNAME: ADMIN.name,
            ADMIN_PASSWORD: ADMIN.password,
            LISTEN_ADDR: `127.0.0.1:${port}`,
            // The feeds of the bench are on this machine.
            FETCHER_ALLOW_PRIVATE_NETWORKS: '1',
          },
          stdio: 'ignore',
        });
      return { url: own.href, process: await whenReady('/healthcheck', start) };
    },
    add: `
      insert into feeds (user_id, category_id, title, feed_url, site_url, checked_at)
      select 1, 1, 'Feed', url, url, to_timestamp(0) from unnest($1::text[]) as url`,
    repeat: "update feeds set next_check_at = now() - interval '1 second'",
    // Its own schedule polls a hundred feeds an hour.
    poll: async ({ port }) => {
      const authorization = `Basic ${Buffer.from(`${ADMIN.name}:${ADMIN.password}`).toString('base64')}`;
      const sent = { method: 'PUT', headers: { authorization } };
      await askForText(`http://127.0.0.1:${port}/v1/feeds/refresh`, sent);
    },
    state: `
      select (select count(*)::int from feeds where checked_at > $1) as polled, 0 as waiting,
             count(*)::int as entries, count(distinct feed_id)::int as read, count(distinct feed_id)::int as stored
      from entries`,
  };
}
