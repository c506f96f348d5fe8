import { hash } from 'node:crypto';
import pg from 'pg';

/** The beginning of a named statement. */
const NAMED = /^\/\*(pressroom_[0-9a-f]{16})\*\/ /;

/**
 * Gives a statement a name, in a comment at its beginning, so that PostgreSQL parses it only once per
 * connection; it may then also cache a plan. There must be few such statements, because each connection keeps
 * them all. They must name their columns: after a migration changes a statement's columns, PostgreSQL rejects
 * the prepared one.
 */
export function nameStatement(sql: string): string {
  return `/*pressroom_${hash('sha256', sql).slice(0, 16)}*/ ${sql}`;
}

/** Every overload of `query` takes the statement as its first argument. */
type Send = (query: string | pg.QueryConfig, ...rest: unknown[]) => Promise<pg.QueryResult>;

/** A connection that sends named statements as prepared ones (`pg`, "Prepared statements"). */
export class NamingClient extends pg.Client {
  override query = ((query, ...rest) => {
    const send = super.query as Send;
    const name = typeof query === 'string' ? NAMED.exec(query)?.[1] : undefined;
    return send.call(this, name === undefined ? query : ({ name, text: query } as pg.QueryConfig), ...rest);
  }) as Send as pg.Client['query'];
}
