import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventLine } from '@pressroom/common/fast/event-line';
import { LineBatch } from '@pressroom/common/fast/line-batch';
import { createLogger } from '@pressroom/common/log/logging';
import { destination } from 'pino';
import type { Figure } from '../figures/figure.ts';
import { timed } from './ways.ts';

const EVENT = {
  requestId: 'b47d1e6a-2c0b-4a1c-9f14-0c3a4f3f6a10',
  method: 'GET',
  url: '/api/v1/items?mode=selected&limit=50',
  status: 304,
  ms: 0.123,
  address: '203.0.113.7',
};

/** The line of a request in the log: how it is made, and how it is written. */
export async function measureLines(times: number): Promise<Figure[]> {
  const log = createLogger({ service: 'bench', level: 'info', stream: { write: () => undefined } });
  const line = eventLine(log.lines, 'info', 'request_answered');
  const text = line(EVENT);
  const direct = destination({ fd: await readPipe(), sync: true });
  const batch = new LineBatch(await readPipe());
  return timed(
    {
      file: 'event-line.ts',
      instead: 'handing the event of a request to pino',
      trick: () => log.lines.stream.write(line(EVENT)),
      plain: () => log.info(EVENT, 'request_answered'),
      times,
    },
    {
      file: 'line-batch.ts',
      instead: 'a system call for each line of the log',
      trick: () => batch.write(text),
      finish: () => batch.flushSync(),
      plain: () => direct.write(text),
      times,
    },
  );
}

/** A pipe that another process reads, as the log of a container is; a file descriptor. */
async function readPipe(): Promise<number> {
  const pipe = join(mkdtempSync(join(tmpdir(), 'pressroom-bench-')), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = spawn('cat', [pipe], { stdio: 'ignore' });
  await once(reader, 'spawn');
  return openSync(pipe, 'w');
}
