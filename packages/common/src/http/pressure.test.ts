import { setImmediate as nextTurn } from 'node:timers/promises';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { refuseUnderPressure } from './create-server.ts';
import type { Server } from './operation.ts';

/** Longer than the second over which the delay is averaged, in ms. */
const BLOCKED_MS = 1500;

/** Stands still as often as it takes to be an overload. */
async function lag(): Promise<void> {
  await block();
  await block();
}

/** Stands still once. */
async function block(): Promise<void> {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
  await nextTurn();
  await nextTurn();
}

async function start(maxDelayMs: number): Promise<Server> {
  const app = fastify() as unknown as Server;
  refuseUnderPressure(app, maxDelayMs);
  app.get('/', async () => 'ok');
  await app.ready();
  return app;
}

/** The status of a request after another, with something between them. */
async function statusAfter(maxDelayMs: number, ...happenings: (() => Promise<void>)[]): Promise<number> {
  const app = await start(maxDelayMs);
  expect(await statusOf(app)).toBe(200);
  for (const happen of happenings) await happen();
  const status = await statusOf(app);
  await app.close();
  return status;
}

const statusOf = async (app: Server) => (await app.inject('/')).statusCode;

test('a process that lags answers 503', async () => {
  expect(await statusAfter(50, lag)).toBe(503);
});

test('a process that stands still once goes on answering', async () => {
  expect(await statusAfter(BLOCKED_MS / 2, block)).toBe(200);
});

test('a process that lags goes on being watched while it is too late to see its requests', async () => {
  expect(await statusAfter(50, lag, lag)).toBe(503);
});

test('a process that no longer lags answers again', async () => {
  const app = await start(50);
  await statusOf(app);
  await lag();
  expect(await statusOf(app)).toBe(503);
  await expect.poll(() => statusOf(app), { timeout: 5000 }).toBe(200);
  await app.close();
});

test('a limit of 0 is none, however much a process lags', async () => {
  expect(await statusAfter(0, lag)).toBe(200);
});
