import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryHome } from '../temporary-home.ts';
import { startRedis } from './redis-server.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Returns the answer of the server on `port` to PING. */
async function ping(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write('PING\r\n');
  const [answer] = await once(socket, 'data');
  return String(answer).trim();
}

test('it answers once started, is gone once stopped, and comes back on its port', async () => {
  const first = await startRedis();
  onTestFinished(first.stop);
  expect(first.url).toBe(`redis://127.0.0.1:${first.port}`);
  expect(await ping(first.port)).toBe('+PONG');

  await first.stop();
  await first.stop();
  await expect(ping(first.port)).rejects.toThrow('ECONNREFUSED');

  const second = await startRedis({ port: first.port });
  onTestFinished(second.stop);
  expect(await ping(first.port)).toBe('+PONG');
});

test('two run side by side', async () => {
  const servers = await Promise.all([startRedis(), startRedis()]);
  for (const server of servers) onTestFinished(server.stop);
  expect(servers[0].port).not.toBe(servers[1].port);
});

test('a taken port is reported in the words of the server', async () => {
  const server = await startRedis();
  onTestFinished(server.stop);
  await expect(startRedis({ port: server.port })).rejects.toThrow(/Address already in use|EADDRINUSE/);
});

test.each([
  ['empty', async () => ''],
  ['full of what may not be run', pathOfNoProgram],
])('without redis-server on a PATH that is %s a stand-in counts in its place', async (_what, makePath) => {
  vi.stubEnv('PATH', await makePath());
  vi.spyOn(console, 'warn').mockReturnValue();
  const server = await startRedis();
  onTestFinished(server.stop);
  expect(await ping(server.port)).toBe('+PONG');
  const redis = new Redis(server.url);
  onTestFinished(() => redis.disconnect());
  const tally = (key: string) => redis.call('eval', '', '1', key, '60000');
  expect(await tally('a')).toEqual([1, 60000]);
  expect(await tally('a')).toEqual([2, expect.any(Number)]);
  expect(await tally('b')).toEqual([1, 60000]);
});

async function pathOfNoProgram(): Promise<string> {
  const folder = await temporaryHome();
  await writeFile(join(folder, 'redis-server'), '');
  return folder;
}
