import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { PROCESSES, type ProcessName } from '../../test/support/site-processes.ts';
import { temporaryHome } from '../../test/support/temporary-home.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { measuredSection } from '../report/measured.ts';
import { startService } from '../services.ts';
import { openSiteParts } from '../site.ts';
import { inTurns } from '../turns.ts';

const READY_MS = 1000;

const START_MS = 4000;

async function measureProcesses(rounds: number): Promise<Figure[]> {
  await using parts = await openSiteParts();
  const names = Object.keys(PROCESSES) as ProcessName[];
  const times = await inTurns(names, rounds, async (name) => {
    await using service = await startService(name, parts.env);
    return service.readyMs;
  });
  return names.map((name, index) => figuresOf(name)('ready', 'time', 'ms', times[index] ?? [], READY_MS));
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

async function measureStart(rounds: number): Promise<Figure[]> {
  const dataDir = await temporaryHome();
  const env: NodeJS.ProcessEnv = { ...process.env, DATA_DIR: dataDir };
  for (const port of ['DATABASE', 'OBJECT_STORE', 'CONTENT', 'NEWS_FEED', 'GALLERY_ADMIN', 'NEWS_DESK'])
    env[`${port}_PORT`] = String(await findFreePort());
  try {
    // The first one makes the database.
    await start(env);
    const [times = []] = await inTurns([env], rounds, start);
    return [figuresOf('pnpm start')('addresses printed', 'time', 'ms', times, START_MS)];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/**
 * `pnpm bench start [ROUNDS]`: how long it takes until a process that is started as in its image is ready,
 * and until `pnpm start` of a clone that was started before prints its addresses.
 */
export const startBench: Bench = {
  parts: ([rounds = 7]) => [
    { name: 'processes', seconds: 60, run: () => measureProcesses(rounds) },
    { name: 'everything', seconds: 60, run: () => measureStart(rounds) },
  ],
  sections: { start: measuredSection('start', { subjects: true }) },
};
