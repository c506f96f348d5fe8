/**
 * The bare server with a database: `node:http` that runs the statements of one request over `pg`, one after
 * the other, each prepared as the service's are, and sends their rows with `JSON.stringify`. `STATEMENTS`
 * names a JSON file of them, by path.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';

/** A statement that was captured from the service. */
interface Statement {
  sql: string;
  parameters: unknown[];
}

const statements: Record<string, Statement[]> = JSON.parse(
  readFileSync(process.env.STATEMENTS ?? '', 'utf8'),
);
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });

const names = new Map<string, string>();

/** The name under which a connection prepares a statement, which PostgreSQL cuts after 63 bytes. */
function nameOf(sql: string): string {
  const name = names.get(sql) ?? hash('sha1', sql);
  names.set(sql, name);
  return name;
}

const server = createServer(async (request, response) => {
  const rows = [];
  for (const { sql, parameters } of statements[request.url ?? ''] ?? []) {
    rows.push((await pool.query({ name: nameOf(sql), text: sql, values: parameters })).rows);
  }
  const body = JSON.stringify(rows);
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body);
});
server.listen(Number(process.env.PORT), '127.0.0.1');
