import { existsSync } from 'node:fs';
import path from 'node:path';
import { isPostgresStarted, startPostgres } from '@pressroom/embedded-postgres/postgres';
import { DatabaseNote } from './database-note.ts';
import { SampleNote } from './sample-note.ts';
import type { StartSettings } from './start-settings.ts';

export interface LaunchDatabase {
  /** Its address, with the password: a secret. */
  readonly url: string;
  /** Where its data is stored, for display. */
  readonly data: string;
  /** The samples that it has had; undefined for a server not started here. */
  readonly samples: SampleNote | undefined;
  /** Settled when it has ended, with a hint about the cause; never for a server not started here. */
  readonly ended: Promise<string>;
  /** Stops it if it was started here. */
  stop(): Promise<void>;
}

/**
 * The server of `DATABASE_URL`, or else an embedded one that commands in other terminals find by the note in
 * the data directory. Throws as `startPostgres` does.
 */
export async function openDatabase(
  { dataDir, databaseUrl, databasePort }: StartSettings,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<LaunchDatabase> {
  if (databaseUrl) {
    const never = new Promise<string>(() => undefined);
    return {
      url: databaseUrl,
      data: 'in the server of DATABASE_URL',
      samples: undefined,
      ended: never,
      stop: async () => undefined,
    };
  }
  const home = homeOf(dataDir);
  const postgres = await startPostgres({ dataDir: home, port: databasePort, log, signal });
  const note = new DatabaseNote(dataDir);
  note.write(postgres.url);
  return {
    url: postgres.url,
    data: postgres.dataDir.startsWith(dataDir) ? dataDir : `${dataDir} (PostgreSQL: ${postgres.dataDir})`,
    samples: new SampleNote(home),
    ended: postgres.exited.then(() => `its log: ${path.join(home, 'server.log')}`),
    stop: async () => {
      note.remove();
      await postgres.stop();
    },
  };
}

/** Whether the last start on a data directory was killed, so that its programs may still be stopping. */
export function wasKilled({ dataDir }: StartSettings): boolean {
  return new DatabaseNote(dataDir).exists() && !isPostgresStarted(homeOf(dataDir));
}

/** Whether an earlier start made an embedded database here, whose leftovers the next one waits for. */
export function hasDatabase({ dataDir }: StartSettings): boolean {
  return existsSync(homeOf(dataDir));
}

function homeOf(dataDir: string): string {
  return path.join(dataDir, 'postgres');
}
