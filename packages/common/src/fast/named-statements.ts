import { hash } from 'node:crypto';
import pg from 'pg';

/** How a statement begins that has a name. */
const NAMED = /^\/\*(pressroom_[0-9a-f]{16})\*\/ /;

/**
 * Gives a statement a name, which it begins with as a comment, so that PostgreSQL parses it once for each connection; it
 * may then keep a plan for it as well. The statements have to be few, because each connection keeps them all, and must
 * name their columns: of those that a migration changes the result of, PostgreSQL refuses the name.
 */
export function nameStatement(sql: string): string {
  return `/*pressroom_${hash('sha256', sql).slice(0, 16)}*/ ${sql}`;
}

/** The many ways to send a query have what to send first. */
type Send = (query: string | pg.QueryConfig, ...rest: unknown[]) => Promise<pg.QueryResult>;

/** A connection that sends the statements which have a name under it (`pg`, "Prepared statements"). */
export class NamingClient extends pg.Client {
  override query = ((query, ...rest) => {
    const send = super.query as Send;
    const name = typeof query === 'string' ? NAMED.exec(query)?.[1] : undefined;
    return send.call(this, name === undefined ? query : ({ name, text: query } as pg.QueryConfig), ...rest);
  }) as Send as pg.Client['query'];
}
