import { setImmediate as nextTurn } from 'node:timers/promises';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { refuseUnderPressure } from './pressure.ts';
import type { Server } from './server.ts';

/** Longer than the second in which the delay is measured. */
const BLOCKED_MS = 1500;

async function block(): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
  await nextTurn();
  await nextTurn();
}

/** The statuses of requests before and after each of two times in which the process has not run. */
async function statusesAroundBlocks(maxDelayMs: number): Promise<number[]> {
  const app = fastify() as unknown as Server;
  await refuseUnderPressure(app, maxDelayMs);
  app.get('/', async () => 'ok');
  await app.ready();
  const statuses = [(await app.inject('/')).statusCode];
  await block();
  statuses.push((await app.inject('/')).statusCode);
  await block();
  statuses.push((await app.inject('/')).statusCode);
  await app.close();
  return statuses;
}

test('a process that lags answers 503', async () => {
  expect(await statusesAroundBlocks(50)).toEqual([200, 503, 503]);
});

test('a process that lags goes on being watched while it is too late to see its requests', async () => {
  const app = fastify() as unknown as Server;
  await refuseUnderPressure(app, 50);
  app.get('/', async () => 'ok');
  await app.ready();
  await app.inject('/');
  await block();
  await block();
  expect((await app.inject('/')).statusCode).toBe(503);
  await app.close();
});

test('a process that no longer lags answers again', async () => {
  const app = fastify() as unknown as Server;
  await refuseUnderPressure(app, 50);
  app.get('/', async () => 'ok');
  await app.ready();
  await app.inject('/');
  await block();
  expect((await app.inject('/')).statusCode).toBe(503);
  await expect.poll(async () => (await app.inject('/')).statusCode, { timeout: 5000 }).toBe(200);
  await app.close();
});

test('a limit of 0 is none, however much a process lags', async () => {
  expect(await statusesAroundBlocks(0)).toEqual([200, 200, 200]);
});
