import type { Pool } from 'pg';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { timed } from '../turns.ts';

/** What a table is called in the figures, and how a tenth of its rows is updated. */
export interface KeptTable {
  what: string;
  subject: string;
  table: string;
  update: string;
}

/** What a table takes on disk, and how long a vacuum takes after a tenth of its rows was updated. */
export async function keptBy(pool: Pool, { what, subject, table, update }: KeptTable): Promise<Figure[]> {
  const { rows } = await pool.query<{ rows: string; table: string; indices: string }>(
    `select count(*) as rows, pg_table_size($1::regclass) as table, pg_indexes_size($1::regclass) as indices from ${table}`,
    [table],
  );
  const count = Number(rows[0]?.rows);
  await pool.query(update);
  const vacuumMs = await timed(() => pool.query(`vacuum ${table}`));
  const figure = figuresOf(subject, { rows: count });
  return [
    figure(what, 'table, a row', 'bytes', Number(rows[0]?.table) / count),
    figure(what, 'indices, a row', 'bytes', Number(rows[0]?.indices) / count),
    figure(what, 'vacuum after 10 % of updates', 'ms', vacuumMs),
    figure(what, 'vacuum, 1,000 rows', 'ms', (vacuumMs / count) * 1000),
  ];
}
