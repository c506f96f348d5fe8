import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { contentFixture } from '../support/content.ts';
import type { ContentClient } from '../support/content-client.ts';
import { contentCli } from '../support/content-import.ts';
import { galleryFixture, type RunningGallery, startGallery } from '../support/gallery.ts';
import { type JsonBody, send } from '../support/http.ts';
import { clientOf, createBucket, startEmbedded } from '../support/s3/servers.ts';
import { until } from '../support/until.ts';

const TEXT = 'Words that make up an article, one after the other, for long enough.';
const BASE = 'https://media.example/files';

test('pictures come along into the bucket, once, and go out with an export', async () => {
  const [content, store] = await Promise.all([contentFixture(), startEmbedded()]);
  const asked: string[] = [];
  const site = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/moved.png')
      return void response.writeHead(302, { location: '/a%20b.png?v=2' }).end();
    if (request.url === '/inside.png')
      return void response.writeHead(302, { location: 'http://localhost:1/' }).end();
    const type = request.url === '/page.png' ? 'text/html' : 'image/png';
    response.writeHead(request.url === '/gone.png' ? 404 : 200, { 'content-type': type }).end(request.url);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const s3 = clientOf(store);
  onTestFinished(async () => {
    site.close();
    s3.destroy();
    await Promise.all([content.close(), store.close()]);
  });
  const bucket = await createBucket(s3);
  const { port } = site.address() as AddressInfo;
  const old = `http://127.0.0.1:${port}`;
  const env = {
    S3_ENDPOINT: store.endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
  const moving = (title: string, html: string) =>
    contentCli(
      content,
      ['import', '-', '--author', 'A', '--media', '--media-base', BASE, '--media-private', '127.0.0.1'],
      {
        env,
        input: JSON.stringify({
          title,
          html,
          featured_image: `${old}/x/a.png`,
          published_at: '2020-01-01T00:00:00Z',
        }),
      },
    );
  const html = `<p>${TEXT}</p><img alt='1' SRC='${old}/x/a.png'><img srcset="${old}/x/a.png 1x,${old}/b.png?w=1&amp;h=2 2x">
<a href="${old}/moved.png">full</a> <a href="${old}/page">page</a> <img src="/local.png"><img src="${old}/gone.png"><img src="${old}/page.png"><img src="http://localhost:${port}/y.png"><img src="${old}/inside.png">`;
  const { stdout } = await moving('First', html);
  expect(stdout.trim().split('\n')).toEqual([
    `line 1: picture ${old}/gone.png: it answers 404; it stays where it is`,
    `line 1: picture ${old}/page.png: text/html is not a type of picture that is taken; it stays where it is`,
    `line 1: picture http://localhost:${port}/y.png: the address of localhost is not public; it stays where it is`,
    `line 1: picture ${old}/inside.png: the address of localhost is not public; it stays where it is`,
    '1 created, 0 already there, 0 refused',
  ]);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
  const keys = Contents.map(({ Key }) => Key ?? '');
  expect(keys).toEqual([
    expect.stringMatching(/^imported\/127\.0\.0\.1\/b-[\da-f]{12}\.png$/),
    'imported/127.0.0.1/moved.png',
    'imported/127.0.0.1/x/a.png',
  ]);
  const article = (await content.client.send('/api/articles/by-slug/first')).body.data;
  const [b, moved, a] = keys.map((key) => `${BASE}/${key}`);
  expect(article.featured_image).toBe(a);
  expect(article.content).toBe(
    html
      .replace(`SRC='${old}/x/a.png'`, `src="${a}"`)
      .replace(`${old}/x/a.png 1x,${old}/b.png?w=1&amp;h=2 2x`, `${a} 1x,${b} 2x`)
      .replace(`${old}/moved.png`, moved ?? ''),
  );

  const before = asked.length;
  await moving('Second', `<p>${TEXT}</p><img src="${old}/x/a.png">`);
  expect(asked.slice(before)).toEqual([]);

  const folder = await mkdtemp(join(tmpdir(), 'pressroom-media-'));
  const out = await contentCli(content, ['export', '--media', folder, '--media-base', BASE], { env });
  expect([out.code, out.stderr]).toEqual([0, '2 lines, 3 pictures\n']);
  expect(await readFile(join(folder, 'imported/127.0.0.1/moved.png'), 'utf8')).toBe('/a%20b.png?v=2');
  const baseless = await contentCli(content, ['import', '-', '--media'], { env });
  expect(baseless.stderr).toContain('--media needs --media-base');
});

test('at the desk the gallery takes pictures in, each once, and an undo removes those that nothing shows', async () => {
  const asked: string[] = [];
  const answers: Record<string, (response: ServerResponse) => unknown> = {
    '/gone.png': (response) => response.writeHead(404).end(),
    '/page.png': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(),
  };
  const site = createServer((request, response) => {
    const { url = '' } = request;
    asked.push(url);
    // The first one that asks for it gets no answer.
    if (url === '/c.png' && asked.filter((one) => one === url).length === 1) return;
    if (answers[url]) answers[url](response);
    else response.writeHead(200, { 'content-type': 'image/png' }).end(url);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';
  const content = await contentFixture({ DESK_KEY });
  const gallery = await galleryFixture({
    ...{ CONTENT_URL: content.url, DESK_KEY },
    ...{ MEDIA_PUBLIC: 'public/', PROXY_PRIVATE_HOSTS: `127.0.0.1:${port}` },
  });
  const first = await startGallery(gallery.settings);
  onTestFinished(async () => {
    site.close();
    await gallery.close();
    await content.close();
  });
  const { client, database } = content;
  const old = `http://127.0.0.1:${port}`;
  const line = (title: string, ...urls: string[]) =>
    JSON.stringify({
      title,
      html: `<p>${TEXT}</p>${urls.map((url) => `<img src="${url}">`).join('')}`,
      featured_image: urls[0],
      byline: 'A',
      published_at: '2020-01-01T00:00:00Z',
    });
  const inside = `http://localhost:${port}/inside.png`;
  const lines = [
    line('One', `${old}/a.png`, inside, `${old}/gone.png`, `${old}/b.png`),
    line('Two', `${old}/a.png`, `${old}/page.png`, `${old}/c.png`),
  ];
  const data = Buffer.from(lines.join('\n'));
  const made = await client.post('/api/imports', { name: 'file', format: 'jsonl', size: data.length });
  const path = `/api/imports/${made.body.data.id}`;
  await client.put(`${path}/parts/1`, { data: data.toString('base64') });
  const desk = (work: string, { url }: RunningGallery = gallery, json?: JsonBody) =>
    send(`${url}/api/desk/content${path.slice(4)}/${work}`, {
      ...{ method: 'POST', headers: { cookie: gallery.cookie } },
      ...(json && { json }),
    });
  const ended = (work: string) =>
    until(work, async () => {
      const { data } = (await client.send(path)).body;
      return !data.state.endsWith('ing') && data;
    });
  const keys = async () => {
    const { Contents = [] } = await gallery.s3.send(new ListObjectsV2Command({ Bucket: gallery.bucket }));
    return Contents.map(({ Key = '' }) => Key);
  };
  const folder = 'public/imported/127.0.0.1';
  const pictures = gallery.url;

  expect((await desk('check', gallery, { pictures })).status).toBe(202);
  expect(await ended('check')).toMatchObject({ options: { pictures }, counts: { created: 2, pictures: 6 } });
  expect([asked, await keys()]).toEqual([[], []]);

  // The gallery that has one in hand ends: another goes on, and fetches nothing again that is there.
  expect((await desk('run', first)).status).toBe(202);
  await until('one that hangs', async () => asked.includes('/c.png') && (await keys()).length === 2);
  await first.close();
  await database.pool.query('update content.imported_picture set lease_until = null');
  expect((await desk('run')).status).toBe(202);
  expect(await ended('run')).toMatchObject({
    state: 'done',
    counts: { adapted: 2, pictures: 3, pictures_failed: 3 },
  });
  expect(await keys()).toEqual(['a.png', 'b.png', 'c.png'].map((name) => `${folder}/${name}`));
  const taken = asked.filter((url) => /^\/[abc]/.test(url));
  expect(taken.toSorted()).toEqual(['/a.png', '/b.png', '/c.png', '/c.png']);
  const { body: one } = await client.send('/api/articles/by-slug/one');
  expect(one.data.content).toMatch(/<img src="[^"]*\/media\/v\w{12}\/public\/imported\/127.0.0.1\/b.png">/);
  const shown = await fetch(one.data.featured_image);
  expect([shown.status, await shown.text()]).toEqual([200, '/a.png']);
  const reasons = (await client.send(`${path}/entries`)).body.data.map((entry: JsonBody) =>
    entry.reasons.map(({ code, about }: JsonBody) => [code, about]),
  );
  expect(reasons).toEqual([
    [
      ['picture_gone', inside],
      ['picture_gone', `${old}/gone.png`],
    ],
    [['picture_unfit', `${old}/page.png`]],
  ]);

  // An article of somebody's has come to show one of them, and somebody has replaced another.
  const shows = await client.article({
    content: `<p>${TEXT}</p><img src="/media/v0123456789ab/${folder}/c.png">`,
  });
  const own = { Bucket: gallery.bucket, Key: `${folder}/b.png`, Body: 'own' };
  await gallery.s3.send(new PutObjectCommand(own));
  await desk('undo');
  expect(await ended('undo')).toMatchObject({ undone: { removed: 2 } });
  /** Has the gallery look for pictures that nothing names, until there are so many that it may remove. */
  const looked = async (left: number) => {
    await database.pool.query('update content.imported_picture set looked_at = null');
    await desk('undo');
    return until('the look', async () => {
      const { rows } = await database.pool.query('select looked_at from content.imported_picture');
      return rows.length === left && rows.every(({ looked_at }) => looked_at !== null);
    });
  };
  // The trash still has the articles.
  await looked(3);
  expect(await keys()).toHaveLength(3);
  await client.delete('/api/trash');
  await looked(1);
  expect(await keys()).toEqual([`${folder}/b.png`, `${folder}/c.png`]);
  await client.delete(`/api/articles/${shows.id}`);
  await client.delete('/api/trash');
  await looked(0);
  expect(await keys()).toEqual([`${folder}/b.png`]);
});

test('pictures take a gallery, which hears of each once, until 20 GiB have come', async () => {
  const [content, alone] = await Promise.all([
    contentFixture({ DESK_KEY: 'a-key-of-the-desk-that-nobody-guesses' }),
    contentFixture(),
  ]);
  onTestFinished(async () => void (await Promise.all([content.close(), alone.close()])));
  const { client } = content;
  const names = [...'abcdefghijklmnopq'].map((name) => `old.example/${name}.png`);
  const last = names.at(-1);
  const html = `<p>${TEXT}</p>${names.map((name) => `<img src="https://${name}">`).join('')}`;
  const data = Buffer.from(JSON.stringify({ title: 'One', html, byline: 'A' }));
  const uploaded = async (at: ContentClient) => {
    const made = await at.post('/api/imports', { name: 'file', format: 'jsonl', size: data.length });
    const path = `/api/imports/${made.body.data.id}`;
    await at.put(`${path}/parts/1`, { data: data.toString('base64') });
    return path;
  };
  const pictures = 'https://desk.example';
  const refused = await alone.client.post(`${await uploaded(alone.client)}/check`, { pictures });
  expect([refused.status, refused.body.code]).toEqual([409, 'not_configured']);

  const path = await uploaded(client);
  const state = async (state: string) => (await client.send(path)).body.data.state === state;
  await client.post(`${path}/check`, { pictures });
  await until('the check', () => state('checked'));
  await client.send(`${path}/run`, { method: 'POST' });
  const work = async (results: object[]) =>
    (await client.post('/api/imports/pictures', { folder: 'public/', results })).body.data;
  const wanted = await until('pictures that are wanted', async () => {
    const { wanted } = await work([]);
    return wanted.length > 0 && wanted;
  });
  const keyOf = (name?: string) => `imported/${name}`;
  expect(wanted.map(({ key }: JsonBody) => key).toSorted()).toEqual(names.slice(0, -1).map(keyOf));
  const results = [
    { key: keyOf(names[0]), path: '/media/public/a.png', bytes: 20 * 2 ** 30 },
    ...names.slice(1, -1).map((name) => ({ key: keyOf(name), reason: 'picture_unfit' })),
  ];
  for (const said of [results, results, [{ key: keyOf(names[0]), reason: 'picture_gone' }]])
    expect((await work(said)).wanted).toEqual([]);
  await until('the run', () => state('done'));
  const { reasons } = (await client.send(`${path}/entries`)).body.data[0];
  const about = reasons.map((reason: JsonBody) => [reason.code, reason.about]);
  expect(about.slice(1)).toEqual([
    ...names.slice(1, -1).map((name) => ['picture_unfit', `https://${name}`]),
    ['pictures_full', `https://${last}`],
  ]);
  expect((await client.send(path)).body.data.counts.pictures).toBe(1);
});
