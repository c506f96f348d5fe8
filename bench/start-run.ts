/**
 * `pnpm bench start [ROUNDS]`: measures how long it takes until a process that is started as in its image is
 * ready (7 rounds), and until `pnpm start` of a clone that was started before prints its addresses.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { startServer } from './child.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { openSiteParts, PROCESSES } from './site-parts.ts';

/** How soon a process is to be ready, in ms. */
const READY_MS = 1000;

/** How soon `pnpm start` is to print its addresses, in ms. */
const START_MS = 4000;

const rounds = Number(process.argv[2] ?? 7);

async function measureProcesses(): Promise<Figure[]> {
  const parts = await openSiteParts();
  const times = new Map(Object.keys(PROCESSES).map((name): [string, number[]] => [name, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, options] of Object.entries(PROCESSES)) {
        const server = await startServer({ ...options, env: parts.env });
        times.get(name)?.push(server.readyMs);
        await server.stop();
      }
    }
  } finally {
    await parts.close();
  }
  return [...times].map(([name, all]) => figuresOf(name)('ready', 'time', 'ms', all, READY_MS));
}

/** Starts everything, and ends it as soon as the addresses are printed. Returns the time to that, in ms. */
async function start(env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const child = spawn('node_modules/.bin/pnpm', ['start'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text;
    if (output.includes('Ctrl-C')) break;
  }
  const ms = performance.now() - began;
  child.kill('SIGTERM');
  await ended;
  if (!output.includes('Pressroom is running')) throw new Error(`pnpm start printed: ${output}`);
  return ms;
}

async function measureStart(): Promise<Figure> {
  const dataDir = await temporaryHome();
  const ports = [
    'DATABASE_PORT',
    'OBJECT_STORE_PORT',
    'CONTENT_PORT',
    'NEWS_FEED_PORT',
    'GALLERY_ADMIN_PORT',
    'NEWS_DESK_PORT',
  ];
  const env: NodeJS.ProcessEnv = { ...process.env, DATA_DIR: dataDir };
  for (const port of ports) env[port] = String(await findFreePort());
  const times: number[] = [];
  try {
    // The first one makes the database.
    await start(env);
    for (let round = 0; round < rounds; round += 1) times.push(await start(env));
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  return figuresOf('pnpm start')('addresses printed', 'time', 'ms', times, START_MS);
}

keepFigures('start', [...(await measureProcesses()), await measureStart()]);
