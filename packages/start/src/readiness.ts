import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { LOOPBACK } from '@pressroom/embedded-postgres/ports';
import { StartError } from '@pressroom/embedded-postgres/start-error';
import type { Program } from './program.ts';

/** How often a service is asked, in ms. */
const POLL_MS = 50;

/** How long one answer may take, in ms. */
const ANSWER_MS = 2000;

/**
 * How long a service may take to be ready, in ms: far longer than on the busiest machine. Ctrl-C ends the
 * wait.
 */
const LIMIT_MS = 300_000;

/**
 * Returns when a service answers `/readyz` with a status accepted by `accept`, 200 by default. Throws a
 * {@link StartError} if it ends before that or takes longer than 5 minutes, and the signal's reason if that
 * comes first.
 */
export async function untilReady(
  service: Program,
  port: number,
  signal: AbortSignal,
  accept: (status: number | undefined) => boolean = (status) => status === 200,
): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  let ended: string | undefined;
  service.ended.then((how) => {
    ended = how;
  });
  while (!(await isReady(port, accept))) {
    signal.throwIfAborted();
    if (ended !== undefined)
      throw new StartError(`${service.name} ended (${ended}); its message above says why`);
    if (Date.now() > deadline) {
      throw new StartError(`${service.name} is not ready after ${LIMIT_MS / 1000} s; its log above says why`);
    }
    await wait(POLL_MS);
  }
}

function isReady(port: number, accept: (status: number | undefined) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    // A separate connection, so that none stays open and delays the service's end.
    const request = get({ host: LOOPBACK, port, path: '/readyz', agent: false, timeout: ANSWER_MS });
    request.on('response', (response) => {
      response.resume();
      resolve(accept(response.statusCode));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
