import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Dialect, Kysely } from 'kysely';

/** Headers that a server adds itself. */
const OWN = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

/** A statement as sent to PostgreSQL. */
export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** Runs `work` with a query builder that records every statement it sends. */
export async function captureStatements<Tables>(
  dialect: Dialect,
  work: (db: Kysely<Tables>) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const db = new Kysely<Tables>({
    dialect,
    log: ({ query: { sql, parameters } }) => void statements.push({ sql, parameters }),
  });
  await work(db);
  return statements;
}

/**
 * Requests a path and writes the answer to a file for `servers/bytes.ts`. Returns the file and the entity
 * tag.
 */
export async function captureAnswer(url: string): Promise<{ file: string; etag: string }> {
  const response = await fetch(url);
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !OWN.has(name)));
  const file = temporaryFile({ headers, body: await response.text() });
  return { file, etag: response.headers.get('etag') ?? '' };
}

/** Writes a value as JSON to a new file and returns its path. */
export function temporaryFile(value: unknown): string {
  const file = join(mkdtempSync(join(tmpdir(), 'pressroom-bench-')), 'value.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}
