import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBackupBucket } from '@pressroom/backup/stores';
import { backupSettings } from '@pressroom/common/start/backup-settings';
import { readConfig } from '@pressroom/common/start/config';
import { PictureStore } from '@pressroom/moving/media';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

const PAGE = '<!doctype html><html><body>Welcome</body></html>';

/** Answers every request with a page, as a captive portal or a web server in the place of a store does. */
const portal = createServer((_, response) => {
  response
    .writeHead(200, { 'content-type': 'text/html', 'content-length': PAGE.length, ...validators })
    .end(PAGE);
});
let validators: Record<string, string> = {};
let settings: Record<string, string>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pressroom-portal-'));
  await writeFile(join(folder, 'manifest.json'), '{}');
  await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve));
  settings = {
    ENDPOINT: `http://127.0.0.1:${(portal.address() as AddressInfo).port}`,
    ACCESS_KEY_ID: 'a',
    SECRET_ACCESS_KEY: 'b',
  };
});
beforeEach(() => {
  validators = {};
});
afterAll(() => {
  vi.unstubAllEnvs();
  portal.close();
});

/** With what a static file has as well. */
const FILE = { etag: '"5f1-60c"', 'last-modified': 'Mon, 02 Nov 2026 08:00:00 GMT' };

test.each([{}, FILE])('a page with %j is never taken for what a picture store answers', async (headers) => {
  validators = headers;
  for (const [name, value] of Object.entries({ ...settings, BUCKET: 'media' }))
    vi.stubEnv(`S3_${name}`, value);
  const store = new PictureStore('https://media.example');
  await expect(store.has('a.jpg')).rejects.toThrow('is not an object store');
  await expect(store.save('a.jpg', folder)).rejects.toThrow('is not an object store');
  const picture = { bytes: Buffer.from('x'), type: 'image/jpeg' };
  await expect(store.put('a.jpg', picture)).rejects.toThrow('is not an object store');
  expect(await readdir(folder)).toEqual(['manifest.json']);
  store.close();
});

test.each([{}, FILE])(
  'a page with %j is no bucket of backups, and nothing is copied to it',
  async (headers) => {
    validators = headers;
    const given = Object.entries({ ...settings, FORCE_PATH_STYLE: 'true' }).map(([name, value]) => [
      `BACKUP_S3_${name}`,
      value,
    ]);
    const bucket = openBackupBucket(
      readConfig(backupSettings, {
        ...Object.fromEntries(given),
        BACKUP_BUCKET: 'backups',
        DATABASE_URL: 'postgres://none/none',
      }),
    );
    const asked = [
      bucket?.list(),
      bucket?.claim('me'),
      bucket?.upload('one', folder, new AbortController().signal),
      bucket?.download('one', folder),
      bucket?.remove('one'),
    ];
    for (const { reason } of (await Promise.allSettled(asked)) as { reason?: Error }[])
      expect(reason?.message).toContain('is not an object store');
  },
);
