import type { Socket } from 'node:net';
import type pg from 'pg';
import { SilenceError } from './database-fault.ts';

/** `pg` says so of each client; its types and its documentation do not. */
interface Readiness {
  /** False while a statement is not answered. */
  readonly readyForQuery?: boolean;
}

/**
 * Breaks a connection that owes an answer and on which nothing is heard for `limitMs`: its server hangs or is cut off,
 * and PostgreSQL's own time limit is of no help. What waits on it fails, and the pool makes another connection when it
 * can. A connection that is kept between two statements may be silent.
 */
export function giveUpSilentConnections(pool: Pick<pg.Pool, 'on'>, limitMs: number): void {
  pool.on('connect', (client) => {
    const socket = client.connection.stream as Socket;
    // Counts from the last byte that was sent or received.
    socket.setTimeout(limitMs);
    socket.on('timeout', () => {
      // Exactly false: if pg renamed it, no connection would be given up, instead of every idle one.
      if ((client as Readiness).readyForQuery === false) socket.destroy(new SilenceError(limitMs));
    });
  });
}
