import type { Socket } from 'node:net';
import type pg from 'pg';
import { SilenceError } from './database-fault.ts';

/** A member of every `pg` client, missing in its types and documentation. */
interface Readiness {
  /** False while a statement is unanswered. */
  readonly readyForQuery?: boolean;
}

/**
 * Breaks a connection that owes an answer and has been silent for `limitMs`: its server hangs or is cut off,
 * and PostgreSQL's own time limit does not help. Pending queries fail, and the pool opens another connection
 * when it can. Connections that are idle between two statements may be silent.
 */
export function giveUpSilentConnections(pool: Pick<pg.Pool, 'on'>, limitMs: number): void {
  pool.on('connect', (client) => {
    const socket = client.connection.stream as Socket;
    // Counts from the last byte that was sent or received.
    socket.setTimeout(limitMs);
    socket.on('timeout', () => {
      // Compared with `false`: if pg renamed it, no connection would be dropped, instead of every idle one.
      if ((client as Readiness).readyForQuery === false) socket.destroy(new SilenceError(limitMs));
    });
  });
}
