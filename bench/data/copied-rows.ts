import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { from } from 'pg-copy-streams';

const ROWS_A_PIECE = 500;

/** Rows of one COPY statement, and so of one transaction. */
const ROWS_A_STATEMENT = 250_000;

/**
 * Copies the rows `begin` to `end`, the end not included, into a table and its columns. A row is its values,
 * without characters that COPY escapes.
 */
export async function copyRows(
  pool: Pool,
  table: string,
  [begin, end]: readonly [begin: number, end: number],
  row: (n: number) => readonly unknown[],
): Promise<void> {
  for (let first = begin; first < end; first += ROWS_A_STATEMENT) {
    const last = Math.min(end, first + ROWS_A_STATEMENT);
    const client = await pool.connect();
    try {
      await pipeline(Readable.from(pieces(first, last, row)), client.query(from(`copy ${table} from stdin`)));
    } finally {
      client.release();
    }
  }
}

function* pieces(begin: number, end: number, row: (n: number) => readonly unknown[]) {
  for (let first = begin; first < end; first += ROWS_A_PIECE) {
    const count = Math.min(ROWS_A_PIECE, end - first);
    yield Array.from({ length: count }, (_, index) => `${row(first + index).join('\t')}\n`).join('');
  }
}

/** Gives all changes in the ledger of a schema their numbers, and tells the planner how many there are. */
export async function numberChanges(pool: Pool, schema: string): Promise<void> {
  for (let taken = -1; taken !== 0; ) {
    const { rows } = await pool.query(`select ${schema}.settle_ledger(5000) as taken`);
    ({ taken } = rows[0]);
  }
  await pool.query('vacuum analyze');
}
