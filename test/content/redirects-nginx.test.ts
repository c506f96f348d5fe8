import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { needsNginx } from '../support/needs-nginx.ts';
import { sendLines } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

needsNginx();

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture();
});
afterAll(() => content.close());

/** Starts an nginx that includes this file, as docs/content.md says, and returns its address. */
async function serve(redirects: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-redirects-'));
  const port = await findFreePort();
  await writeFile(join(folder, 'redirects.conf'), redirects);
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr; events {}
    http {
      access_log off;
      map_hash_bucket_size 4096;
      map_hash_max_size 65536;
      include ${folder}/redirects.conf;
      server {
        listen 127.0.0.1:${port};
        absolute_redirect off;
        if ($pressroom_gone) { return 410; }
        if ($pressroom_moved) { return 301 $pressroom_moved; }
        if ($pressroom_found) { return 302 $pressroom_found; }
        location / { return 200 page; }
      }
    }`,
  );
  const PATH = `${process.env.PATH}:/usr/sbin`;
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    env: { PATH },
  });
  const said: string[] = [];
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  onTestFinished(async () => {
    if (nginx.exitCode === null) {
      const gone = once(nginx, 'exit');
      nginx.kill();
      await gone;
    }
    await rm(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until('nginx answers', () => {
    if (nginx.exitCode !== null) throw new Error(`nginx did not start: ${said.join('')}`);
    return ask(url, '/').catch(() => undefined);
  });
  return url;
}

async function ask(url: string, target: string): Promise<string> {
  const { status, headers } = await sendLines(url, [
    `GET ${target} HTTP/1.1`,
    'Host: site',
    'Connection: close',
    '',
  ]);
  return `${status} ${headers.location ?? ''}`.trim();
}

test('nginx answers as a site does, whatever stands in the addresses', async () => {
  const redirects: [from: string, to: string | null, status?: number][] = [
    ['/old', '/new'],
    ['/for-now', 'https://shop.example/?a=b&c', 302],
    ['/gone', null, 410],
    ['/chain', '/old?x=1'],
    ['/?p=5', '/five'],
    ['/old?p=6', '/six'],
    ['/café', '/kaffee'],
    ['/Case', '/upper'],
    ['/case', '/lower'],
    ['/CASE(.*)', '/pattern'],
    ['/case(.*)', '/other-pattern'],
    ['/price-$10', '/$request_uri'],
    ['/"; return 200 "broken', '/a"; } server { listen 1; } map $a $b { "'],
    ['/back\\slash', '/b\\c'],
    ['/{$request_uri}', '/$host'],
    ["/it's;#", '/it;s'],
    ['/~^/.*', '/tilde'],
    [`/${'long'.repeat(450)}`, '/short'],
    // Alike but for their case they need patterns, which are longer than nginx takes.
    [`/a${'.'.repeat(1900)}`, '/dots'],
    [`/A${'.'.repeat(1900)}`, '/more-dots'],
  ];
  for (const [from, to, status] of redirects) {
    const made = await content.client.post('/api/redirects', { from, to, ...(status && { status }) });
    expect([from, made.status, made.text]).toEqual([from, 201, made.text]);
  }
  const { status, text, headers } = await content.client.anonymously('/api/redirects/exports/nginx.conf');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
  const url = await serve(text);
  for (const [target, answer] of [
    ['/old', '301 /new'],
    ['/old/', '301 /new'],
    ['/old/?utm_source=x', '301 /new'],
    ['/older', '200'],
    ['/for-now', '302 https://shop.example/?a=b&c'],
    ['/gone', '410'],
    ['/chain', '301 /new'],
    ['/?p=5', '301 /five'],
    ['/?p=55', '200'],
    ['/old?p=6', '301 /six'],
    ['/caf%C3%A9', '301 /kaffee'],
    ['/caf%c3%a9', '301 /kaffee'],
    ['/Case', '301 /upper'],
    ['/case/', '301 /lower'],
    ['/CASE(.*)', '301 /pattern'],
    ['/CASExyz', '200'],
    ['/price-$10', '301 /%24request_uri'],
    [
      '/%22;%20return%20200%20%22broken',
      '301 /a%22;%20%7D%20server%20%7B%20listen%201;%20%7D%20map%20%24a%20%24b%20%7B%20%22',
    ],
    ['/back/slash', '301 /b/c'],
    ['/%7B$request_uri%7D', '301 /%24host'],
    ["/it's;", '301 /it;s'],
    ['/~%5E/.*', '301 /tilde'],
    [`/${'long'.repeat(450)}`, '301 /short'],
  ] as const)
    expect([target, await ask(url, target)]).toEqual([target, answer]);
});

test('without redirects, nginx takes the file too', async () => {
  await content.database.pool.query('delete from content.redirect');
  // The service hears of it a moment later.
  const text = await until('the file is empty', async () => {
    const answer = await content.client.anonymously('/api/redirects/exports/nginx.conf');
    return answer.text.includes('/old') ? undefined : answer.text;
  });
  expect(await ask(await serve(text), '/old')).toBe('200');
});
