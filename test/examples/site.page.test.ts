import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { HookStore } from '@pressroom/content/hooks/store';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLACED_HEIC } from '../fixtures/stills.ts';
import { launchBrowser, skipWithout } from '../support/browser.ts';
import { ROOT, run } from '../support/command.ts';
import { type ContentFixture, contentFixture, queriesOf } from '../support/content.ts';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import type { JsonBody } from '../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';
import { until } from '../support/until.ts';

const KEY = randomBytes(32);

let browser: Browser | undefined;
let content: ContentFixture;
let news: NewsFeedFixture;
let gallery: GalleryFixture;
let folder: string;
let server: ChildProcess;
let site: string;
let gauge: string;
let boats: string;

/** The path of an article's page, by the pattern that the site is given. */
const pathOf = ({ id, slug }: JsonBody) => `/stories/${id}/${slug}.html`;

beforeAll(async () => {
  browser = await launchBrowser();
  if (browser === undefined) return;
  [content, news, gallery] = await Promise.all([
    contentFixture({
      CONTENT_SITE_URL: 'https://site.example',
      CONTENT_ARTICLE_PATH: '/stories/{id}/{slug}.html',
      CONTENT_CATEGORY_PATH: '/topics/{slug}',
      SITE_NAME: 'The Harbour Post',
      SITE_LOGO: 'https://site.example/logo.png',
      SITE_LANGUAGE: 'en-GB',
      CONTENT_HOOKS_KEY: KEY.toString('base64'),
      CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1',
    }),
    newsFeedFixture(),
    galleryFixture({ MEDIA_PUBLIC: 'public/' }),
  ]);
  const { client } = content;
  const { id: category_id } = await client.category({ name: 'Harbour' });
  const body = '<p>Pilots wait for the tide, which the <em>old gauge</em> at the mole foretells.</p>';
  const post = (title: string, picture: string) =>
    client.article({
      title,
      content: body,
      category_id,
      excerpt: `About ${title}`,
      is_published: true,
      featured_image: `${gallery.url}/media/public/${picture}`,
      alt_text: 'The pier',
    });
  gauge = pathOf(await post('The gauge at the mole', 'pier.jpg'));
  boats = pathOf(await post('Boats <b>& tides', 'gone.jpg'));
  await run(['services/news-feed/src/cli.ts', 'sample'], { env: { DATABASE_URL: news.database.url } });
  const image = await sharp({ create: { width: 1200, height: 800, channels: 3, background: '#468' } })
    .withExif({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' } })
    .jpeg()
    .toBuffer();
  const { bucket: Bucket } = gallery;
  for (const [Key, Body, ContentType] of [
    ['public/pier.jpg', image, 'image/jpeg'],
    ['public/phone.heic', PLACED_HEIC, 'image/heic'],
  ] as const) {
    await gallery.s3.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }));
  }
  folder = await install();
  const port = await findFreePort();
  site = `http://127.0.0.1:${port}`;
  const hook = { url: `${site}/hook`, events: ['article.*'], categoryId: null, drafts: false };
  const { secret } = await new HookStore(queriesOf(content.database)).add(hook, new SecretBox(KEY));
  server = start({ PORT: String(port), PRESSROOM_SECRET: secret });
  await until('the site is built', async () => {
    if (server.exitCode !== null) throw new Error(`it ended: ${output}`);
    return (await fetch(site).catch(() => undefined))?.status === 200;
  });
}, 600_000);

skipWithout(() => browser);

afterAll(async () => {
  await browser?.close();
  if (folder === undefined) return;
  const ended = once(server, 'exit');
  server.kill();
  await ended;
  await Promise.all([content.close(), news.close(), gallery.close(), rm(folder, { recursive: true })]);
});

/** Installs a copy of the site as its README says; returns the folder around it. */
async function install(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'pressroom site '));
  const place = join(copy, 'examples', 'site');
  const own = (path: string) => !/^(node_modules|dist.*|\.astro|\.secret)$/.test(basename(path));
  await cp(join(ROOT, 'examples/site'), place, { recursive: true, filter: own });
  await symlink(join(ROOT, 'packages'), join(copy, 'packages'));
  const env = { ...process.env, npm_config_verify_deps_before_run: 'false' };
  const pnpm = join(ROOT, 'node_modules/.bin/pnpm');
  await promisify(execFile)(pnpm, ['install', '--frozen-lockfile', '--prefer-offline'], { cwd: place, env });
  return copy;
}

let output = '';

/** Starts the server of the copy, which builds the site first. */
function start(env: Record<string, string>): ChildProcess {
  const cwd = join(folder, 'examples/site');
  const child = spawn(process.execPath, ['server.js'], {
    cwd,
    env: {
      ...process.env,
      ...env,
      CONTENT_URL: content.url,
      NEWS_URL: news.url,
      GALLERY_URL: gallery.url,
      GALLERY_USERNAME: ADMIN.username,
      GALLERY_PASSWORD: ADMIN.password,
      ASTRO_TELEMETRY_DISABLED: '1',
      NODE_ENV: 'production',
      PATH: `${join(cwd, 'node_modules/.bin')}:${process.env.PATH}`,
    },
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4000);
    });
  }
  return child;
}

/** Opens a page of the site, and returns it with what it loaded of script, and what it complained about. */
async function open(path: string, options?: BrowserContextOptions) {
  const page = (await browser?.newPage(options)) as Page;
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
  expect(await text(page, '.cards h2')).toEqual(['Boats <b>& tides', 'The gauge at the mole']);
  expect((await text(page, 'section li a'))[0]).toBe('Lantern 2 is out, and fits on a library computer');
  expect(loaded).toEqual({ script: 0, complaints: [] });
  expect(await page.locator('.name img').getAttribute('src')).toBe('https://site.example/logo.png');
  expect(await text(page, '.name, title')).toEqual(['The Harbour Post', 'The Harbour Post']);
  expect(await page.getAttribute('html', 'lang')).toBe('en-GB');
  await page.getByRole('link', { name: 'The gauge at the mole' }).click();
  await page.getByRole('heading', { name: 'Related' }).waitFor();
  expect(await text(page, '.body em')).toEqual(['old gauge']);
  expect(await text(page, 'section a')).toEqual(['Boats <b>& tides']);
  await page.getByRole('link', { name: 'Harbour', exact: true }).first().click();
  await page.getByText('2 articles').waitFor();
  await page.close();
});

/** The width in pixels of what the browser has loaded for a picture, once it has. */
const widthOf = (picture: Locator) => picture.evaluate((one: HTMLImageElement) => one.naturalWidth);

test('pictures of the gallery are shown in the sizes that the page needs, without the places where they were made', async () => {
  for (const [width, deviceScaleFactor, wanted] of [
    [380, 1, 384],
    [600, 1, 640],
    [400, 2, 828],
  ] as const) {
    const { page } = await open('/pictures/', { viewport: { width, height: 700 }, deviceScaleFactor });
    for (const [name, own] of [
      ['pier.jpg', '1200'],
      ['phone.heic', '120'],
    ] as const) {
      const picture = page.locator(`.cards img[src*="${name}"]`);
      await expect.poll(() => widthOf(picture)).toBeGreaterThan(0);
      expect(await picture.getAttribute('width')).toBe(own);
      const shown = new URL(await picture.evaluate((one: HTMLImageElement) => one.currentSrc));
      expect(shown.pathname + shown.search).toMatch(
        new RegExp(`^/media/v[0-9a-f]{12}/public/${name}\\?w=${wanted}$`),
      );
      const { exif, format } = await sharp(await (await fetch(shown)).arrayBuffer()).metadata();
      expect([shown.href, exif, format]).toEqual([shown.href, undefined, 'jpeg']);
    }
    await page.close();
  }
});

test('a picture of an article is drawn by the gallery; one that is gone leaves its text', async () => {
  const { page } = await open(gauge);
  const picture = page.getByRole('img', { name: 'The pier' });
  await expect.poll(() => widthOf(picture)).toBeGreaterThan(0);
  expect(await picture.getAttribute('srcset')).toContain(`${gallery.url}/media/public/pier.jpg?w=640 640w`);
  await page.goto(site + boats);
  expect(await picture.getAttribute('srcset')).toBeNull();
  await page.close();
});

test('the search marks what it finds', async () => {
  const { page, loaded } = await open('/search/');
  await page.getByRole('combobox').fill('GAUGE mole');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('2 articles').waitFor();
  expect((await text(page, 'article:first-child mark')).map((word) => word.toLowerCase())).toContain('gauge');
  expect(loaded.script).toBeLessThan(60_000);
  await page.close();
});

test('a preview shows a draft to whoever has its link, until it is revoked', async () => {
  const { client } = content;
  const { id, slug } = await client.article({
    title: 'Not yet',
    content: `<p>${'Only a draft for now. '.repeat(5)}</p>`,
  });
  const { data } = (await client.post(`/api/articles/${id}/previews`, {})).body;
  // The address that the desk opens.
  const path = `${pathOf({ id, slug })}?preview=${data.token}`;
  const { page } = await open(path);
  await page.getByRole('heading', { name: 'Not yet' }).waitFor();
  expect(await text(page, '.body')).toEqual([expect.stringContaining('Only a draft')]);
  await client.delete(`/api/articles/${id}/previews/${data.id}`);
  await page.goto(site + path);
  await page.getByText('This preview has ended.').waitFor();
  await page.close();
});

const answerOf = async (path: string) => {
  const { status, headers } = await fetch(site + path, { redirect: 'manual' });
  return [status, headers.get('location')];
};

test('an old address leads where Pressroom says, and what is gone is gone', async () => {
  const { client } = content;
  for (const body of [
    { from: '/2016/gauge.php?p=5', to: gauge },
    { from: '/campaign', to: 'https://shop.example/?a=b', status: 302 },
    { from: '/withdrawn', status: 410 },
    { from: '/search', to: '/elsewhere' },
  ])
    expect((await client.post('/api/redirects', body)).status).toBe(201);
  expect(await answerOf('/2016/gauge.php?p=5')).toEqual([301, gauge]);
  expect(await answerOf('/2016/gauge.php?p=6')).toEqual([404, null]);
  expect(await answerOf('/campaign/?utm_source=x')).toEqual([302, 'https://shop.example/?a=b']);
  expect(await answerOf('/withdrawn')).toEqual([410, null]);
  for (const path of ['/search/', '/search', gauge])
    expect([path, await answerOf(path)]).toEqual([path, [200, null]]);
  const { page } = await open('/withdrawn');
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await page.close();
});

test('an article that moved after the build is found by its old address', async () => {
  const { client } = content;
  const { id, slug } = await client.article({ title: 'Moving', is_published: true });
  await client.patch(`/api/articles/${id}`, { slug: 'the-gauge-moved' });
  expect(await answerOf(pathOf({ id, slug }))).toEqual([301, pathOf({ id, slug: 'the-gauge-moved' })]);
});

test.each(['/', 'an article', '/topics/harbour/', '/pictures/', '/search/?q=gauge', '/404.html'])(
  'axe finds nothing on %s, light and dark, wide and narrow',
  async (path) => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const { page } = await open(path === 'an article' ? gauge : path);
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
  },
);

test('names the feeds and the sitemap that content serves', async () => {
  const { page } = await open('/');
  const feeds = await page
    .locator('link[rel=alternate]')
    .evaluateAll((links) => links.map((link) => (link as HTMLLinkElement).href));
  expect(feeds).toHaveLength(3);
  for (const url of [...feeds, `${content.url}/sitemap.xml`]) expect((await fetch(url)).status).toBe(200);
  await page.close();
});

test('the site is built again when an article is published, and not for what Pressroom has not signed', async () => {
  const forged = { method: 'POST', body: '{"data": {"cache_tags": ["articles"]}}' };
  expect((await fetch(`${site}/hook`, forged)).status).toBe(401);
  expect((await fetch(`${site}/..%2f..%2fpackage.json`)).status).toBe(404);
  await content.client.article({ title: 'Written a moment ago', is_published: true });
  const { page } = await open('/');
  await until('the front page shows it', async () => {
    await page.reload();
    return (await text(page, '.cards h2'))[0] === 'Written a moment ago';
  });
  await page.close();
});
