import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LineBatch } from './logging.ts';

test('every line is written soon, even if nothing follows it and the process was busy when it came', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-'));
  const path = join(folder, 'log');
  const file = await open(path, 'w');
  const batch = new LineBatch(file.fd);
  const burst = `${'x'.repeat(70_000)}\n`;
  batch.write(burst);
  batch.write('last\n');
  // Longer than lines wait, so the timer fires before the burst is reported as written.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await vi.waitFor(async () => expect(await readFile(path, 'utf8')).toBe(`${burst}last\n`), 5000);
  await file.close();
  await rm(folder, { recursive: true });
});

test('a process that logs nothing is not woken by its log', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-'));
  const path = join(folder, 'log');
  const file = await open(path, 'w');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const batch = new LineBatch(file.fd);
  expect(vi.getTimerCount()).toBe(0);
  batch.write('one\n');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1000);
  // A line that came during the write would be written after it.
  while (vi.getTimerCount() === 0) await turn();
  vi.advanceTimersByTime(1000);
  await file.sync();
  await turn();
  expect(vi.getTimerCount()).toBe(0);
  expect(await readFile(path, 'utf8')).toBe('one\n');
  await file.close();
  await rm(folder, { recursive: true });
});
