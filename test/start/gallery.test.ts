import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import pg from 'pg';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { login } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { isOpen, untilUnused } from '../support/processes.ts';
import { clientOf, startEmbedded } from '../support/s3/fixtures.ts';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';

const START = fileURLToPath(new URL('programs/start-gallery.ts', import.meta.url));

let dataDir: string;
let secretsFile: string;
let ports: { gallery: number; database: number; store: number };
let launched: ChildProcess[];

beforeEach(async () => {
  dataDir = await temporaryHome();
  secretsFile = path.join(dataDir, 'gallery.json');
  ports = { gallery: await findFreePort(), database: await findFreePort(), store: await findFreePort() };
  launched = [];
});

afterEach(async () => {
  for (const process of launched) await stop(process);
  await untilUnused(path.join(dataDir, 'postgres'));
  rmSync(dataDir, { recursive: true });
});

async function stop(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const closed = once(process, 'close');
  process.kill('SIGTERM');
  await closed;
}

/** Starts and waits until everything runs, or the start has ended. */
async function start(
  env: NodeJS.ProcessEnv = {},
  ...args: string[]
): Promise<{ process: ChildProcess; output: string }> {
  const child = spawn(process.execPath, [START, ...args], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      DATABASE_PORT: String(ports.database),
      GALLERY_ADMIN_PORT: String(ports.gallery),
      OBJECT_STORE_PORT: String(ports.store),
      ...env,
    },
  });
  launched.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  await until('it runs', () => output.includes('Ctrl-C') || child.exitCode !== null);
  return { process: child, output };
}

const secrets = () => JSON.parse(readFileSync(secretsFile, 'utf8')) as Record<string, string>;
const url = () => `http://127.0.0.1:${ports.gallery}`;

function storeClient() {
  const { accessKeyId = '', secretAccessKey = '' } = secrets();
  return clientOf({
    endpoint: `http://127.0.0.1:${ports.store}`,
    region: 'us-east-1',
    accessKeyId,
    secretAccessKey,
  });
}

test('the first start shows a password once, stores it for its owner only, and creates images', async () => {
  const first = await start();
  const { adminPassword = '', settingsKey, secretAccessKey } = secrets();
  expect(statSync(secretsFile).mode & 0o777).toBe(0o600);
  expect(first.output.split(adminPassword).length).toBe(2);
  expect(first.output).toContain(`admin / ${adminPassword}`);
  expect(first.output).toMatch(/never for production/);
  for (const secret of [settingsKey, secretAccessKey]) expect(first.output).not.toContain(secret);

  const cookie = await login(url(), { username: 'admin', password: adminPassword });
  const json = { filename: 'mine.txt', path: '', contentType: 'text/plain' };
  const { body } = await send(`${url()}/api/upload`, { method: 'POST', json, headers: { cookie } });
  const headers = { 'content-type': 'text/plain', origin: 'http://page.example' };
  const put = await send(body.url, { method: 'PUT', raw: 'mine', headers });
  expect(put.status).toBe(200);
  expect(put.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('etag');

  const s3 = storeClient();
  const keys = async () =>
    ((await s3.send(new ListObjectsV2Command({ Bucket: 'gallery' }))).Contents ?? []).map(({ Key }) => Key);
  const samples = (await keys()).filter((key) => key !== 'mine.txt');
  expect(samples.length).toBeGreaterThan(3);
  for (const Key of samples) {
    const { Body, ContentType } = await s3.send(new GetObjectCommand({ Bucket: 'gallery', Key }));
    const { format, width } = await sharp(await Body?.transformToByteArray()).metadata();
    expect({ type: ContentType, width }).toEqual({ type: `image/${format}`, width: 1600 });
  }
  await s3.send(new DeleteObjectCommand({ Bucket: 'gallery', Key: samples[0] }));
  await stop(first.process);
  expect(await isOpen(ports.store)).toBe(false);

  const second = await start();
  expect(second.output).not.toContain(adminPassword);
  expect(second.output).toContain(secretsFile);
  await login(url(), { username: 'admin', password: adminPassword });
  expect((await keys()).sort()).toEqual(['mine.txt', ...samples.slice(1)].sort());
  s3.destroy();
});

test('the samples are a site to look at, with pictures that readers see', async () => {
  const CONTENT_PORT = String(await findFreePort());
  await start({ STARTED: 'content,gallery-admin', CONTENT_PORT });
  const ask = async (path: string) => (await send(`http://127.0.0.1:${CONTENT_PORT}${path}`)).body.data;

  const articles = await Promise.all(
    (await ask('/api/articles')).map(({ id }: { id: number }) => ask(`/api/articles/${id}`)),
  );
  const featured = articles.flatMap(({ featured_image }) => featured_image ?? []);
  const inText = articles.flatMap(({ content }) => /<img src="([^"]+)"/.exec(content)?.[1] ?? []);
  expect([featured.length, inText.length]).toEqual([2, 1]);
  for (const picture of [...featured, ...inText]) {
    const { width } = await sharp(await (await fetch(picture)).bytes()).metadata();
    expect(width).toBe(1600);
  }
  for (const terms of ['categories', 'tags', 'authors']) {
    const counts = (await ask(`/api/${terms}`)).map((term: { article_count: number }) => term.article_count);
    expect(counts.filter((count: number) => count > 0).length, terms).toBeGreaterThan(1);
  }

  const db = new pg.Client(readFileSync(path.join(dataDir, 'database-url'), 'utf8').trim());
  await db.connect();
  const { rows } = await db.query(
    'select count(*) filter (where publish_at > now()) as scheduled, count(*) filter (where publish_at is null) as drafts from content.article where not is_published',
  );
  expect(rows).toEqual([{ scheduled: '1', drafts: '1' }]);
  await db.end();
});

test('puts no pictures into the bucket with --no-sample', async () => {
  const { output } = await start({}, '--no-sample');
  expect(output).toContain('Pressroom is running');
  const s3 = storeClient();
  expect((await s3.send(new ListObjectsV2Command({ Bucket: 'gallery' }))).KeyCount).toBe(0);
  s3.destroy();
});

test('embeds no store when S3_ENDPOINT names one, and takes the account of the environment', async () => {
  const store = await startEmbedded();
  const { output } = await start({
    S3_ENDPOINT: store.endpoint,
    S3_BUCKET: 'somewhere',
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
    ADMIN_USERNAME: 'me',
    ADMIN_PASSWORD: 'my own password',
  });
  expect(output).toContain('Pressroom is running');
  expect(output).not.toContain('my own password');
  expect(output).not.toContain(secrets().adminPassword);
  expect(await isOpen(ports.store)).toBe(false);
  const cookie = await login(url(), { username: 'me', password: 'my own password' });
  const { body } = await send(`${url()}/api/settings/buckets`, { headers: { cookie } });
  expect(body.data.buckets).toMatchObject([{ id: 'default', endpoint: store.endpoint, name: 'somewhere' }]);
  await store.close();
});

test('secrets that cannot be read are one line that names the file', async () => {
  writeFileSync(secretsFile, '{"adminPassword": "x"}');
  const { process, output } = await start();
  await until('it has ended', () => process.exitCode !== null);
  expect(process.exitCode).toBe(1);
  expect(output.trim().split('\n').at(-1)).toContain(`${secretsFile} cannot be used`);
});
