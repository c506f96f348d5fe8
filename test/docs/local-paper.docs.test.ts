import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryHome } from '../support/temporary-home.ts';
import { until } from '../support/until.ts';
import { copyTracked } from './copy-tracked.ts';
import { commandsOf } from './printed-commands.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const run = promisify(execFile);

const DAY_MS = 24 * 60 * 60 * 1000;

/** The entries of the paper's source from the last days: feeds seldom have more. */
const NEWS = [
  ['Elétricos parados na Carris', 'Trânsito cortado na Baixa durante toda a manhã.'],
  ['Câmara Municipal aprova orçamento', 'Vereadores votaram a favor das obras no jardim.'],
  ['Benfica vence com dois golos', 'O treinador elogiou os jogadores depois do jogo.'],
] as const;

let clone: string;
let env: NodeJS.ProcessEnv;
let feed: string;
const close: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  clone = path.join(await temporaryHome(), 'a paper');
  await copyTracked(ROOT, clone);
  const free = async () => String(await findFreePort());
  env = {
    ...process.env,
    NEWS_FEED_PORT: await free(),
    NEWS_RATE_LIMIT: '10000',
    GALLERY_ADMIN_PORT: await free(),
    CONTENT_PORT: await free(),
    NEWS_DESK_PORT: await free(),
    DATABASE_PORT: await free(),
    OBJECT_STORE_PORT: await free(),
    npm_config_loglevel: 'error',
    pnpm_config_prefer_offline: 'true',
  };
  delete env.NODE_ENV;
  const server = createServer((_request, response) => response.end(feedOf(Date.now())));
  feed = `http://127.0.0.1:${await findFreePort()}/feed.xml`;
  server.listen(Number(new URL(feed).port), '127.0.0.1');
  close.push(async () => server.close());
});
afterAll(async () => {
  for (const one of close.toReversed()) await one();
});

/** Every story on every day of the last fortnight, so that the week that has ended has some. */
function feedOf(now: number): string {
  const items = Array.from({ length: 14 }, (_, day) =>
    NEWS.map(
      ([title, text]) => `<item><title>${title} (${day})</title><description>${text}</description>
        <link>https://paper.example/${encodeURIComponent(title)}/${day}</link>
        <pubDate>${new Date(now - day * DAY_MS).toUTCString()}</pubDate></item>`,
    ),
  );
  return `<rss version="2.0"><channel><title>O Exemplo</title><language>pt</language>${items.flat().join('')}</channel></rss>`;
}

/** The commands of the walk-through: what the first terminal runs, and the second. */
async function printed(): Promise<{ first: string; second: string[] }> {
  const page = await readFile(path.join(ROOT, 'docs/newsroom.md'), 'utf8');
  const section = /^## A local paper in Lisbon\n(.*?)^## /ms.exec(page)?.[1] ?? '';
  const [first = '', ...blocks] = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  return { first, second: blocks.flatMap((block) => commandsOf(block ?? '')) };
}

/** Runs a command as printed, but for the ports and the source of the paper. */
async function type(command: string): Promise<string> {
  const here = command
    .replace('https://lisboa.example/feed.xml', feed)
    .replace('127.0.0.1:4001', `127.0.0.1:${env.NEWS_FEED_PORT}`);
  const { stdout } = await run(
    'bash',
    ['-c', `set -e; ${here.replace(/^curl /, 'curl --fail-with-body -sS ')}`],
    {
      cwd: clone,
      env,
    },
  );
  return stdout;
}

test('an editor in Lisbon gets the first report by what the page prints', async () => {
  const { first, second } = await printed();
  const started = spawn('bash', ['-c', first], { cwd: clone, env, detached: true });
  close.push(async () => {
    process.kill(-Number(started.pid), 'SIGINT');
    if (started.exitCode === null) await once(started, 'close');
  });
  let output = '';
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  await until('it runs', () => output.includes('Ctrl-C') || started.exitCode !== null);
  expect(output).toContain('Pressroom is running');

  const [add = '', list = '', preview = '', weekly = '', read = ''] = second;
  await type(add);
  const api = `http://127.0.0.1:${env.NEWS_FEED_PORT}/api/v1`;
  await until('the feed is read', async () => {
    // The worker gives way to whoever asks.
    await delay(300);
    const { items } = await (await fetch(`${api}/archive?limit=100`)).json();
    return items.length === 14 * NEWS.length;
  });
  expect(await type(list)).toContain('O Exemplo');
  expect(await type(preview)).toContain('Transportes');
  expect(await type(weekly)).toContain('published');
  const xml = await type(read);
  expect(xml).toContain('<title>Folha de Lisboa: Resumo semanal</title>');
  expect(xml).toContain('<language>pt-PT</language>');
  expect(xml).toMatch(/<title>Resumo semanal de \d+ de \p{Ll}+ de \d{4}: /u);

  const { report } = await (await fetch(`${api}/weeklies/latest`)).json();
  expect(report.sections.map(({ label }: { label: string }) => label)).toEqual([
    'Autarquia',
    'Transportes',
    'Desporto',
  ]);
  // Six in the morning of Lisbon, in winter and in summer.
  expect(report.windowEnd).toMatch(/T06:00:00\.000(Z|\+0[01]:00)$/);
});
