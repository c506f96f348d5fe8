import { formatPasswordHash, hashPassword } from '@pressroom/gallery-admin/session/password';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type GalleryProcess, kill, startGalleryProcess } from '../support/gallery-process.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

/** Costs of a hash that takes until a process is killed. */
const COSTLY = { memory: 64 * 1024, passes: 60, parallelism: 1 };

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture();
});
afterAll(() => gallery?.close());

/** Counted attempts, and those whose transaction waits for the check of a password. */
const COUNTED = `select coalesce((select sum(failures)::int from gallery.login_failure), 0)
  + (select count(*)::int from pg_stat_activity where datname = current_database()
     and state = 'idle in transaction' and query ~ 'login_failure'
     and state_change < clock_timestamp() - interval '200 ms') as n`;

const logIn = (url: string, cookie: string) =>
  send(`${url}/api/login`, { method: 'POST', json: ADMIN, headers: { cookie } });

test.each(['a new browser', 'a browser that has logged in before'])(
  'logins of %s that a crash cuts off do not count',
  async (browser) => {
    const { pool } = gallery.database;
    const first = await logIn(gallery.url, '');
    const device = first.headers.getSetCookie()[1]?.split(';')[0] ?? '';
    const cookie = browser === 'a new browser' ? '' : device;
    const hash = formatPasswordHash(await hashPassword(ADMIN.password, COSTLY));
    const counted = async (): Promise<number> => (await pool.query(COUNTED)).rows[0].n;
    const start = (): Promise<GalleryProcess> =>
      startGalleryProcess({ ...gallery.settings, ADMIN_PASSWORD_HASH: hash });
    for (let crash = 0; crash < 5; crash += 1) {
      const before = await counted();
      const { child, url } = await start();
      const lost = expect(logIn(url, cookie)).rejects.toThrow();
      await until('the password is being checked', async () => (await counted()) > before);
      await kill(child);
      await lost;
    }
    expect((await logIn(gallery.url, cookie)).status).toBe(200);
  },
);
