import { formatPasswordHash, hashPassword } from '@pressroom/gallery-admin/session/password';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { kill, startGalleryProcess } from '../support/gallery-process.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

/** The failures that one client, or one browser, may have. */
const KILLS = 5;

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture({ TRUST_PROXY: '1' });
});
afterAll(() => gallery?.close());

function logIn(url: string, cookie?: string) {
  const headers = { 'x-forwarded-for': '198.51.100.1', ...(cookie && { cookie }) };
  return send(`${url}/api/login`, { method: 'POST', json: ADMIN, headers });
}

/** Counts the passwords being checked, and the failures that are recorded for good. */
async function counts(): Promise<{ open: number; failures: number }> {
  const { rows } = await gallery.database.pool.query(`
    select (select coalesce(sum(failures), 0) from gallery.login_failure)::int as failures,
      (select count(*) from pg_stat_activity where datname = current_database()
        and state = 'idle in transaction' and state_change < clock_timestamp() - interval '200 ms'
        and query ~ 'insert into gallery.login_failure')::int as open`);
  return rows[0];
}

test('logins that are cut off as their password is checked keep nobody out, nor a known browser', async () => {
  const first = await logIn(gallery.url);
  const [device = ''] = first.headers.getSetCookie()[1]?.split(';') ?? [];
  // The check lasts until the process is killed.
  const other = await hashPassword('another one', { memory: 64, passes: 1, parallelism: 1 });
  const endless = formatPasswordHash({ ...other, memory: 2 ** 18, passes: 9999 });
  const settings = { ...gallery.settings, ADMIN_PASSWORD_HASH: endless };
  for (let times = 0; times < KILLS; times += 1) {
    const { child, url } = await startGalleryProcess(settings);
    const lost: Promise<unknown>[] = [];
    for (const cookie of [undefined, device]) {
      const before = await counts();
      lost.push(expect(logIn(url, cookie)).rejects.toThrow());
      await until('the attempt is counted', async () => {
        const { open, failures } = await counts();
        return open > before.open || failures > before.failures;
      });
    }
    await kill(child);
    await Promise.all(lost);
    await until('the database has noticed', async () => (await counts()).open === 0);
  }
  expect([(await logIn(gallery.url)).status, (await logIn(gallery.url, device)).status]).toEqual([200, 200]);
});
