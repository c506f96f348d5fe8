import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathWithCurl } from '../support/curl/path-with-curl.ts';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { temporaryHome } from '../support/temporary-home.ts';

const PAGE = new URL('../../README.md', import.meta.url);

let gallery: GalleryFixture;
/** With the account of a first start. */
let service: RunningGallery;
let directory: string;
beforeAll(async () => {
  gallery = await galleryFixture();
  const account = {
    ADMIN_USERNAME: 'admin',
    ADMIN_PASSWORD_HASH: '',
    ADMIN_PASSWORD: 'made-up for the docs',
  };
  service = await startGallery({ ...gallery.settings, ...account });
  directory = await temporaryHome();
});
afterAll(async () => {
  await service.close();
  await gallery.close();
  await rm(directory, { recursive: true });
});

test('the commands of the README\'s "Upload media" run as printed', async () => {
  const page = await readFile(PAGE, 'utf8');
  const [, section = ''] = /^## Upload media\n(.*?)^## /ms.exec(page) ?? [];
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
  expect(blocks.length).toBe(3);
  const printed = blocks.join('\n');
  const base = 'BASE=http://127.0.0.1:4002\n';
  expect(printed.startsWith(base)).toBe(true);
  await mkdir(join(directory, '.data'));
  await writeFile(
    join(directory, '.data', 'gallery.json'),
    JSON.stringify({ adminPassword: 'made-up for the docs' }, undefined, 2),
  );

  const script = printed.replace(base, `BASE=${service.url}\n`);
  const env = { ...process.env, PATH: await pathWithCurl(directory) };
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { cwd: directory, env });
  const listing = JSON.parse(stdout.slice(stdout.lastIndexOf('{"success":true,"mode"')));
  expect(listing).toMatchObject({
    success: true,
    mode: 'json',
    data: { files: [{ name: 'hello.txt', path: 'notes/hello.txt', size: 15, contentType: 'text/plain' }] },
  });
});
