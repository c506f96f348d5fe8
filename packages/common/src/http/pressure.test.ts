import { setImmediate as nextTurn } from 'node:timers/promises';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { refuseUnderPressure } from './pressure.ts';
import type { Server } from './server.ts';

/** Longer than the second in which the delay is measured. */
const BLOCKED_MS = 1500;

/** The status of a request to a process that has not run for a while. */
async function statusAfterBlock(maxDelayMs: number): Promise<number> {
  const app = fastify() as unknown as Server;
  await refuseUnderPressure(app, maxDelayMs);
  app.get('/', async () => 'ok');
  await app.ready();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
  await nextTurn();
  await nextTurn();
  const { statusCode } = await app.inject('/');
  await app.close();
  return statusCode;
}

test('a process that lags answers 503', async () => {
  expect(await statusAfterBlock(50)).toBe(503);
});

test('a limit of 0 is none, however much a process lags', async () => {
  expect(await statusAfterBlock(0)).toBe(200);
});
