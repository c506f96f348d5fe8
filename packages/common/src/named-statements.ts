import { hash } from 'node:crypto';
import pg from 'pg';

/** Names of statements by their SQL. */
const names = new Map<string, string>();

/**
 * Has a statement sent under a name from now on, so that PostgreSQL parses it once for each connection; it may then keep a
 * plan for it as well. The statements have to be few, because each connection keeps them all, and must name their
 * columns: of those that a migration changes the result of, PostgreSQL refuses the name.
 */
export function nameStatement(sql: string): void {
  names.set(sql, `pressroom_${hash('sha256', sql).slice(0, 16)}`);
}

/** What of the many ways to send a query Kysely uses. */
type Send = (query: string | pg.QueryConfig, values: unknown[]) => Promise<pg.QueryResult>;

/** A connection that sends the statements which have a name under it (`pg`, "Prepared statements"). */
export class NamingClient extends pg.Client {
  override query = ((query, values) => {
    const send = super.query as Send;
    const name = typeof query === 'string' ? names.get(query) : undefined;
    return send.call(this, name === undefined ? query : ({ name, text: query } as pg.QueryConfig), values);
  }) as Send as pg.Client['query'];
}
