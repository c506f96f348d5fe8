import { openDatabase } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { BackupOptions } from './backup.ts';
import { restore } from './restore.ts';

/**
 * Restores the backup in `directory` into a separate database on the server of `url`, which compares the
 * number of rows of every table with the backup's, and drops that database. Throws a `Failure` if the backup
 * cannot be restored, or the database's error if the user of `url` may not create databases.
 */
export async function verifyBackup(url: string, directory: string, options: BackupOptions): Promise<void> {
  const scratch = new URL(url);
  const name = `${decodeURIComponent(scratch.pathname.slice(1))}_backup_verification`;
  scratch.pathname = encodeURIComponent(name);
  const db = openDatabase<unknown>({ DATABASE_URL: url }, 'pressroom backup');
  try {
    // Of a process that was killed. That of another one at work cannot be dropped, and fails this.
    await sql`drop database if exists ${sql.id(name)}`.execute(db);
    await sql`create database ${sql.id(name)} template template0`.execute(db);
    try {
      await restore(scratch.href, directory, options);
    } finally {
      await drop(db, name);
    }
  } finally {
    await db.destroy();
  }
}

/** Drops the database even while what was interrupted is still at work in it. */
async function drop(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`drop database if exists ${sql.id(name)} with (force)`.execute(db);
}
