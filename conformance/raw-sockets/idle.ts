import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '../../test/support/until.ts';
import { PATIENCE_MS } from './try-all.ts';

/** Connections that {@link idle} opens. */
export const IDLE_CONNECTIONS = 2000;

/** Opens many connections that send `head` and no more; others must still be answered at `url`. */
export async function idle(url: string, head = ''): Promise<string | undefined> {
  const port = Number(new URL(url).port);
  const sockets: Socket[] = [];
  try {
    while (sockets.length < IDLE_CONNECTIONS) {
      const batch = Array.from({ length: 100 }, () =>
        connect(port, '127.0.0.1').on('error', () => undefined),
      );
      sockets.push(...batch);
      await Promise.all(batch.map((socket) => once(socket, 'connect')));
      for (const socket of batch) socket.write(head);
    }
    return await alive(url);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/**
 * Undefined once `url` is answered with success. On a busy machine so many connections keep a service's event
 * loop from turning, and its guard against overload answers 503 until the loop has caught up.
 */
export async function alive(url: string): Promise<string | undefined> {
  let last = '';
  const isReady = async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(String);
    if (typeof response === 'string') throw new Error(`${url} is not answered: ${response}`);
    last = `${response.status} ${await response.text()}`;
    return response.ok;
  };
  return until(`${url} is 200`, isReady).then(
    () => undefined,
    (error: unknown) => `${error}; the last answer was ${last}`,
  );
}
