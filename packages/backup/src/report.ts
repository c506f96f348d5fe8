import { statfs } from 'node:fs/promises';
import { openDatabase } from '@pressroom/common/database/database';
import { sql } from 'kysely';
import type { KeptBackup } from './backup-folder.ts';

export interface BackupReport {
  at: Date;
  /** The newest last. */
  kept: readonly KeptBackup[];
  verifiedAt: Date | undefined;
  dueAt: Date | undefined;
  failed: readonly string[];
  directory: string;
}

/** Tells the desk how the backups are: it cannot read their folder. */
export async function writeReport(url: string, report: BackupReport): Promise<void> {
  const { at, kept, verifiedAt = null, dueAt = null, failed, directory } = report;
  const { madeAt = null, bytes = null, encrypted = null } = kept.at(-1) ?? {};
  const disk = await statfs(directory).catch(() => undefined);
  const size = (blocks: number | undefined) =>
    blocks === undefined || disk === undefined ? null : blocks * disk.bsize;
  const since = JSON.stringify(Object.fromEntries(failed.map((step) => [step, at.toISOString()])));
  const db = openDatabase<unknown>({ DATABASE_URL: url }, 'pressroom backup');
  try {
    await sql`
      insert into gallery.backup_report as report
        (reported_at, kept, made_at, bytes, encrypted, verified_at, due_at, failing, disk_free, disk_size)
      values (${at}, ${kept.length}, ${madeAt}, ${bytes}, ${encrypted}, ${verifiedAt}, ${dueAt},
        ${since}::jsonb, ${size(disk?.bavail)}, ${size(disk?.blocks)})
      on conflict (is_only) do update set
        reported_at = excluded.reported_at, kept = excluded.kept, made_at = excluded.made_at,
        bytes = excluded.bytes, encrypted = excluded.encrypted, verified_at = excluded.verified_at,
        due_at = excluded.due_at, disk_free = excluded.disk_free, disk_size = excluded.disk_size,
        failing = (
          select coalesce(jsonb_object_agg(step, coalesce(report.failing->step, first)), '{}')
          from jsonb_each(excluded.failing) as failed (step, first)
        )
    `.execute(db);
  } finally {
    await db.destroy();
  }
}
