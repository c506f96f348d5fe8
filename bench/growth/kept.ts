import type { Pool } from 'pg';

/** What a table takes, and what it costs to clean. */
export interface Kept {
  rows: number;
  /** Bytes of the table without its indices, and of the indices, for each row. */
  tableBytesPerRow: number;
  indexBytesPerRow: number;
  /** How long VACUUM takes after a tenth of the rows was updated, in ms, in all and for 1,000 rows. */
  vacuumMs: number;
  vacuumMsPer1000: number;
}

/** Measures a table, updates a tenth of its rows with `update`, and cleans it. */
export async function keptBy(pool: Pool, table: string, update: string): Promise<Kept> {
  const { rows } = await pool.query<{ rows: string; table: string; indices: string }>(
    `select count(*) as rows, pg_table_size($1::regclass) as table, pg_indexes_size($1::regclass) as indices from ${table}`,
    [table],
  );
  const count = Number(rows[0]?.rows);
  await pool.query(update);
  const begin = performance.now();
  await pool.query(`vacuum ${table}`);
  const vacuumMs = performance.now() - begin;
  return {
    rows: count,
    tableBytesPerRow: Number(rows[0]?.table) / count,
    indexBytesPerRow: Number(rows[0]?.indices) / count,
    vacuumMs,
    vacuumMsPer1000: (vacuumMs / count) * 1000,
  };
}
