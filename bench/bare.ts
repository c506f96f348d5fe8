import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { type Contender, compareWithBare } from './compare.ts';
import type { BenchDatabase } from './database.ts';
import type { Figure } from './figures/figure.ts';
import { startServer } from './server.ts';

/** The smallest acceptable ratios: cached answers against bare bytes, uncached ones against the same SQL. */
const HOT_AIM = 0.75;
const COLD_AIM = 0.9;

export const CONNECTIONS = 32;

const OWN = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** Runs `work` with a query builder that records every statement it sends. */
export async function captureStatements<Tables>(
  { pool }: BenchDatabase,
  work: (db: Kysely<Tables>) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query: { sql, parameters } }) => void statements.push({ sql, parameters }),
  });
  await work(db);
  return statements;
}

/** Writes a value as JSON to a new file and returns its path. */
function temporaryFile(value: unknown): string {
  const file = join(mkdtempSync(join(tmpdir(), 'pressroom-bench-')), 'value.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

/** A cached answer: its name in the figures, its path, and how many rows there are. */
export interface HotAnswer {
  name: string;
  path: string;
  rows: number;
}

/**
 * Compares a service's cached answer, whole and unchanged, with a bare server that sends the same bytes, and
 * if that is asked for, Fastify alone as well.
 */
export async function compareHot(
  own: Contender,
  { name, path, rows }: HotAnswer,
  withFastify = false,
): Promise<Figure[]> {
  const response = await fetch(`http://127.0.0.1:${own.process.port}${path}`);
  const headers = Object.fromEntries([...response.headers].filter(([header]) => !OWN.has(header)));
  const env = { ANSWER: temporaryFile({ headers, body: await response.text() }) };
  const bare = { name: 'node:http', program: 'bench/servers/bytes.ts', env };
  const beside = (contender: Contender, what: string, aim?: number) => {
    const compared = [200, 304].map((status) => {
      const unchanged = status === 304 && { 'if-none-match': headers.etag ?? '' };
      const request = { requests: [{ path, headers: { ...unchanged } }], connections: CONNECTIONS, status };
      return { ...request, what: `${what}, ${status}`, at: { rows }, aim };
    });
    return compareWithBare(contender, bare, compared);
  };
  const figures = await beside(own, `hot ${name}`, HOT_AIM);
  if (!withFastify) return figures;
  await using process = await startServer({ program: 'bench/servers/fastify.ts', env });
  return [...figures, ...(await beside({ name: 'Fastify', process }, `${name} by Fastify alone`))];
}

/** Answers that are read from a database. */
export interface ColdAnswers {
  database: BenchDatabase;
  statements: Readonly<Record<string, Statement[]>>;
  /** Things to compare, each with its paths. */
  paths: Readonly<Record<string, readonly string[]>>;
  rows: number;
}

/** Compares a service without a cache with a bare server that runs the same statements. */
export function compareCold(own: Contender, answers: ColdAnswers): Promise<Figure[]> {
  const { database, statements, paths, rows } = answers;
  const env = { DATABASE_URL: database.url, STATEMENTS: temporaryFile({ ...statements, '/': [] }) };
  return compareWithBare(
    { ...own, database: database.pid },
    { name: 'node:http + pg', program: 'bench/servers/sql.ts', env },
    Object.entries(paths).map(([what, those]) => {
      const request = { requests: those.map((path) => ({ path })), connections: CONNECTIONS, status: 200 };
      return { ...request, what, at: { rows }, aim: COLD_AIM };
    }),
  );
}
