import type { Pool } from 'pg';

/** Holds back the records of the ends of a gallery's operations. */
export interface HeldRecords {
  /** Resolves to true if an outcome is about to be recorded. */
  recording: () => Promise<boolean>;
  /** Breaks the connection of what is being recorded, and lets what follows go. */
  forget: () => Promise<void>;
}

/** Holds back the outcomes of the operations that have begun. */
export async function holdRecords(pool: Pool): Promise<HeldRecords> {
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from gallery.batch for update');
  const blocked = `from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query ~ 'update "gallery"."batch" set "changed_at" = .*"outcome"'`;
  const recording = async () => (await pool.query(`select 1 ${blocked}`)).rowCount === 1;
  const forget = async () => {
    await pool.query(`select pg_terminate_backend(pid, 60000) ${blocked}`);
    await holder.query('commit');
    holder.release();
  };
  return { recording, forget };
}
