import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { ProgramLogs } from './program-log.ts';

let folder: string;
let shown: string[];
let logs: ProgramLogs;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'pressroom-logs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  shown = [];
  logs = new ProgramLogs(folder, (line) => shown.push(line));
});

test('a log that cannot be kept is told of once, and what matters is shown all the same', async () => {
  await rm(logs.folder, { recursive: true });
  const output = new PassThrough();
  logs.keep('content', [output]);
  output.end('{"level":"info","msg":"quiet"}\nsomething broke\nagain\n');
  await expect.poll(() => shown).toHaveLength(3);
  expect(shown).toEqual([
    expect.stringMatching(/^the log of content is not kept any longer: ENOENT/),
    'something broke',
    'again',
  ]);
});

test('a log has two files of 16 MiB at most, however much a program prints and however often it starts', async () => {
  for (const start of [1, 2, 3, 4, 5]) {
    const line = `{"level":"info","start":${start},"msg":"${'a'.repeat(2 ** 20)}"}\n`;
    const [output, faults] = [new PassThrough(), new PassThrough()];
    logs.keep('content', [output, faults]);
    await pipeline(
      Array.from({ length: 10 }, () => line),
      output,
    );
    faults.end(`ended ${start}\n`);
    await expect.poll(() => shown).toContain(`ended ${start}`);
  }
  const files = (await readdir(logs.folder)).toSorted();
  expect(files).toEqual(['content.log', 'content.log.former']);
  const [log = '', former = ''] = await Promise.all(
    files.map((file) => readFile(path.join(logs.folder, file), 'utf8')),
  );
  expect(former).toContain('"start":4');
  expect(log).toContain('"start":5');
  expect(log).toContain('ended 5');
  for (const { length } of [log, former]) expect(length).toBeLessThan(18 * 2 ** 20);
});
