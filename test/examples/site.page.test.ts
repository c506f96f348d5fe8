import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { ROOT, run } from '../support/command.ts';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.webp': 'image/webp',
};

let browser: Browser | undefined;
let content: ContentFixture;
let news: NewsFeedFixture;
let gallery: GalleryFixture;
let folder: string;
let server: Server;
let site: string;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  [content, news, gallery] = await Promise.all([
    contentFixture({ CONTENT_SITE_URL: 'https://site.example' }),
    newsFeedFixture(),
    galleryFixture(),
  ]);
  const { client } = content;
  const { id: category_id } = await client.category({ name: 'Harbour' });
  const body = '<p>Pilots wait for the tide, which the <em>old gauge</em> at the mole foretells.</p>';
  const post = (title: string) =>
    client.article({ title, content: body, category_id, excerpt: `About ${title}`, is_published: true });
  await post('The gauge at the mole');
  await post('Boats <b>& tides');
  await run(['services/news-feed/src/cli.ts', 'sample'], { env: { DATABASE_URL: news.database.url } });
  const image = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#468' } })
    .jpeg()
    .toBuffer();
  await gallery.s3.send(
    new PutObjectCommand({
      Bucket: gallery.bucket,
      Key: 'site/pier.jpg',
      Body: image,
      ContentType: 'image/jpeg',
    }),
  );
  folder = await build();
  server = createServer((request, response) => void answer(request.url ?? '/', response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 600_000);

skipWithout(() => browser);

afterAll(async () => {
  await browser?.close();
  if (folder === undefined) return;
  server.close().closeAllConnections();
  await Promise.all([content.close(), news.close(), gallery.close(), rm(folder, { recursive: true })]);
});

/** Installs and builds a copy of the site as its README says; returns the folder around it. */
async function build(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'pressroom site '));
  const place = join(copy, 'examples', 'site');
  const own = (path: string) => !['node_modules', 'dist', '.astro'].includes(basename(path));
  await cp(join(ROOT, 'examples/site'), place, { recursive: true, filter: own });
  await symlink(join(ROOT, 'packages'), join(copy, 'packages'));
  const env = {
    CONTENT_URL: content.url,
    NEWS_URL: news.url,
    GALLERY_URL: gallery.url,
    GALLERY_USERNAME: ADMIN.username,
    GALLERY_PASSWORD: ADMIN.password,
  };
  await pnpm(place, ['install', '--frozen-lockfile', '--prefer-offline'], env);
  await pnpm(place, ['build'], env);
  return copy;
}

async function pnpm(cwd: string, args: string[], env: Record<string, string>): Promise<void> {
  const own = {
    ...process.env,
    ...env,
    ASTRO_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
  };
  const child = spawn('pnpm', args, { cwd, env: { ...own, npm_config_verify_deps_before_run: 'false' } });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`pnpm ${args.join(' ')} ended with ${code}: ${output.slice(-4000)}`);
}

/** Serves the built files, as any static host does. */
async function answer(url: string, response: import('node:http').ServerResponse): Promise<void> {
  const path = decodeURIComponent(new URL(url, 'http://x').pathname);
  const file = join(folder, 'examples/site/dist', path.endsWith('/') ? `${path}index.html` : path);
  const found = await stat(file).then(
    (one) => one.isFile(),
    () => false,
  );
  const shown = found ? file : join(folder, 'examples/site/dist/404.html');
  response.writeHead(found ? 200 : 404, {
    'content-type': TYPES[extname(shown)] ?? 'application/octet-stream',
  });
  response.end(await readFile(shown));
}

/** Opens a page of the site, and returns it with what it loaded of script, and what it complained about. */
async function open(path: string) {
  const page = (await browser?.newPage()) as Page;
  const loaded = { script: 0, complaints: [] as string[] };
  page.on('pageerror', (error) => loaded.complaints.push(error.message));
  page.on('response', async (answer) => {
    if (/javascript/.test(answer.headers()['content-type'] ?? ''))
      loaded.script += (await answer.body()).length;
  });
  await page.goto(site + path, { waitUntil: 'networkidle' });
  return { page, loaded };
}

const text = (page: Page, selector: string) => page.locator(selector).allInnerTexts();

test('the front page has the articles and what the news is about', async () => {
  const { page, loaded } = await open('/');
  expect(await text(page, '.card h2')).toEqual(['Boats <b>& tides', 'The gauge at the mole']);
  expect((await text(page, '.topics li a'))[0]).toBe('Lantern 2 is out, and fits on a library computer');
  expect(loaded).toEqual({ script: 0, complaints: [] });
  await page.getByRole('link', { name: 'The gauge at the mole' }).click();
  await page.getByRole('heading', { name: 'Related' }).waitFor();
  expect(await text(page, '.body em')).toEqual(['old gauge']);
  expect(await text(page, '.related a')).toEqual(['Boats <b>& tides']);
  await page.getByRole('link', { name: 'Harbour' }).first().click();
  await page.getByText('2 articles').waitFor();
  await page.close();
});

test('pictures of the gallery are part of the site, at several sizes', async () => {
  const { page } = await open('/pictures/');
  const image = page.locator('.pictures img');
  await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0);
  expect((await image.getAttribute('srcset'))?.split(',')).toHaveLength(3);
  expect(await image.getAttribute('src')).toMatch(/^\/_astro\/.*\.webp$/);
  await page.close();
});

test('the search marks what it finds', async () => {
  const { page, loaded } = await open('/search/');
  await page.getByRole('searchbox').fill('GAUGE mole');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('2 articles').waitFor();
  expect((await text(page, 'article:first-child mark')).map((word) => word.toLowerCase())).toContain('gauge');
  expect(loaded.script).toBeLessThan(60_000);
  await page.close();
});

test('a preview shows a draft to whoever has its link, until it is revoked', async () => {
  const { client } = content;
  const { id } = await client.article({
    title: 'Not yet',
    content: `<p>${'Only a draft for now. '.repeat(5)}</p>`,
  });
  const { data } = (await client.post(`/api/articles/${id}/previews`, {})).body;
  const path = `/preview/?id=${id}&token=${data.token}`;
  const { page } = await open(path);
  await page.getByRole('heading', { name: 'Not yet' }).waitFor();
  expect(await text(page, '.body')).toEqual([expect.stringContaining('Only a draft')]);
  await client.delete(`/api/articles/${id}/previews/${data.id}`);
  await page.goto(site + path);
  await page.getByText('This preview has ended.').waitFor();
  await page.close();
});

test('an article that moved after the build is found by its old address', async () => {
  const { client } = content;
  const { id, slug } = await client.article({ title: 'Moving', is_published: true });
  await client.patch(`/api/articles/${id}`, { slug: 'the-gauge-moved' });
  const page = (await browser?.newPage()) as Page;
  await page.goto(`${site}/articles/${slug}/`, { waitUntil: 'commit' });
  await page.waitForURL('**/articles/the-gauge-moved/');
  await page.close();
});

test.each([
  '/',
  '/articles/the-gauge-at-the-mole/',
  '/categories/harbour/',
  '/pictures/',
  '/search/?q=gauge',
  '/404.html',
])('axe finds nothing on %s, light and dark, wide and narrow', async (path) => {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const { page } = await open(path);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate(axe);
      const faults = await page.evaluate(
        `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
      );
      expect([colorScheme, width, faults]).toEqual([colorScheme, width, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  }
  await page.close();
});

test('names the feeds and the sitemap that content serves', async () => {
  const { page } = await open('/');
  const feeds = await page
    .locator('link[rel=alternate]')
    .evaluateAll((links) => links.map((link) => (link as HTMLLinkElement).href));
  expect(feeds).toHaveLength(3);
  for (const url of [...feeds, `${content.url}/sitemap.xml`]) expect((await fetch(url)).status).toBe(200);
  await page.close();
});
