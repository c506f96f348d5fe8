import { spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { WebhookSender } from '@pressroom/common/webhooks/webhook-sender';
import { eventBody, eventId } from '@pressroom/content/hooks/store';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../support/command.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { until } from '../support/until.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const TAGS = ['articles', 'article:7', 'category:3'];
const ENDED = new AbortController();

let home: string;
let receiver: HookReceiver;
let sender: WebhookSender;
/** Copies of examples/hooks, where they find the client. */
let next: string;
let worker: string;
let astro: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pressroom recipes '));
  await mkdir(join(home, 'node_modules/@pressroom'), { recursive: true });
  await symlink(join(ROOT, 'packages/client'), join(home, 'node_modules/@pressroom/client'));
  const files = ['next', 'cdn', 'astro'].map((name) => join(home, `${name}.mjs`));
  for (const file of files) {
    await copyFile(join(ROOT, 'examples/hooks', `${basename(file, '.mjs')}.js`), file);
  }
  [next = '', worker = '', astro = ''] = files;
  receiver = await new HookReceiver().start();
  sender = new WebhookSender({
    userAgent: 'test',
    privateHosts: ['127.0.0.1'],
    privateHostsSetting: 'HOSTS',
  });
});
afterAll(async () => {
  await sender.close();
  await receiver.stop();
  await rm(home, { recursive: true });
});

/** Sends an event to an address as the service does. */
function deliver(url: string, secret = SECRET) {
  const event = { id: 1, type: 'article.updated', subject: 'article:7', happened_at: new Date() };
  const slugs = { slug_before: 'old', slug_after: 'new', cache_tags: TAGS, sync_cursor: null };
  const stored = { ...event, ...slugs };
  return sender.send(url, { id: eventId(stored), body: eventBody(stored) }, [secret], ENDED.signal);
}

/** The request of such a delivery. */
async function signed(): Promise<Request> {
  await deliver(receiver.url);
  const { headers, body } = receiver.received.pop() ?? {};
  return new Request('https://site.example/hook', {
    method: 'POST',
    headers: headers as never,
    body: body ?? '',
  });
}

test('Next.js revalidates the tags of an event that is signed', async () => {
  const folder = join(home, 'node_modules/next');
  await mkdir(folder);
  await writeFile(
    join(folder, 'package.json'),
    '{"name": "next", "type": "module", "exports": {"./cache": "./cache.js"}}',
  );
  await writeFile(
    join(folder, 'cache.js'),
    'export const made = []; export const revalidateTag = (...one) => made.push(one);',
  );
  process.env.PRESSROOM_SECRET = SECRET;
  const { POST } = await import(pathToFileURL(next).href);
  const { made } = await import(pathToFileURL(join(folder, 'cache.js')).href);
  expect((await POST(new Request('https://a.example', { method: 'POST', body: '{}' }))).status).toBe(401);
  expect([(await POST(await signed())).status, made]).toEqual([204, TAGS.map((tag) => [tag, { expire: 0 }])]);
});

test('a worker at the edge, without anything of Node, purges by tag', async () => {
  const bundled = await build({
    entryPoints: [worker],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'recipe',
    platform: 'neutral',
    mainFields: ['module', 'main'],
  });
  const asked: [string, RequestInit][] = [];
  let status = 200;
  const edge = createContext({
    ...{ Headers, Request, Response, TextEncoder, URL },
    fetch: async (url: string, init: RequestInit) => {
      asked.push([url, init]);
      return new Response(null, { status });
    },
  });
  const { default: recipe } = runInContext(`${bundled.outputFiles[0]?.text}; recipe`, edge);
  const env = { PRESSROOM_SECRET: SECRET, PURGE_URL: 'https://cdn.example/purge', PURGE_TOKEN: 'token' };
  const answer = async () => (await recipe.fetch(await signed(), env)).status;
  expect(await answer()).toBe(204);
  expect(asked).toEqual([
    ['https://cdn.example/purge', expect.objectContaining({ body: JSON.stringify({ tags: TAGS }) })],
  ]);
  status = 500;
  expect(await answer()).toBe(502);
  const forged = new Request(await signed(), { body: '{}' });
  expect((await recipe.fetch(forged, env)).status).toBe(401);
});

test('Astro builds once more, however many events come during a build', async () => {
  const [log, port] = [join(home, 'builds'), await findFreePort()];
  await writeFile(log, '');
  await mkdir(join(home, 'bin'));
  // Ends when the test says so.
  await writeFile(
    join(home, 'bin/npx'),
    `#!/bin/sh\necho "$*" >>"${log}"\nwhile [ ! -e "${log}-go" ]; do sleep 0.05; done\n`,
  );
  await chmod(join(home, 'bin/npx'), 0o755);
  const env = {
    ...process.env,
    PATH: `${join(home, 'bin')}:${process.env.PATH}`,
    PORT: String(port),
    PRESSROOM_SECRET: SECRET,
  };
  const program = spawn(process.execPath, [astro], { env, stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/hook`;
  const builds = async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1);
  try {
    await until(
      'it listens',
      async () => (await deliver(url, `whsec_${Buffer.alloc(32).toString('base64')}`)).status === 401,
    );
    expect(await builds()).toEqual([]);
    await deliver(url);
    await until('it builds', async () => (await builds()).length === 1);
    for (let count = 0; count < 5; count += 1) expect((await deliver(url)).status).toBe(204);
    await writeFile(`${log}-go`, '');
    await until('it has built again', async () => (await builds()).length === 2);
    expect(await builds()).toEqual(['astro build', 'astro build']);
  } finally {
    program.kill();
  }
});
