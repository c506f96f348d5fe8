import type { Pool } from 'pg';

/** Gives all changes in the ledger of a schema their numbers, and tells the planner how many there are. */
export async function numberChanges(pool: Pool, schema: string): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(`select ${schema}.settle_ledger(5000) as taken`);
    if (rows[0].taken === 0) break;
  }
  await pool.query('vacuum analyze');
}
