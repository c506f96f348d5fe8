import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { ProgramLogs } from './program-log.ts';

test('a log that cannot be kept is told of once, and what matters is shown all the same', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pressroom-logs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const shown: string[] = [];
  const output = new PassThrough();
  let told = () => {};
  const line = new Promise<void>((resolve) => {
    told = resolve;
  });
  const logs = new ProgramLogs(folder, (text) => {
    shown.push(text);
    told();
  });
  await rm(logs.folder, { recursive: true });
  logs.keep('content', output);
  await line;
  output.end('{"level":"info","msg":"quiet"}\nsomething broke\nagain\n');
  await new Promise((resolve) => output.once('close', resolve));
  await expect.poll(() => shown).toHaveLength(3);
  expect(shown).toEqual([
    expect.stringMatching(/^the log of content is not kept any longer: ENOENT/),
    'something broke',
    'again',
  ]);
});
