import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, onTestFinished, test } from 'vitest';
import { contentFixture } from '../support/content.ts';
import { contentCli } from '../support/content-import.ts';
import { clientOf, createBucket, startEmbedded } from '../support/s3/servers.ts';

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
