import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isPostgresStarted, startPostgres } from '@pressroom/embedded-postgres/postgres';
import type { StartSettings } from './start-settings.ts';

export interface LaunchDatabase {
  /** Its address, with the password: a secret. */
  readonly url: string;
  /** Place of its data, for display. */
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

/** True if the last start on a data directory was killed, so that its programs may still be stopping. */
export function wasKilled({ dataDir }: StartSettings): boolean {
  return new DatabaseNote(dataDir).exists() && !isPostgresStarted(homeOf(dataDir));
}

/** True if an earlier start made an embedded database here; the next one waits for its leftovers. */
export function hasDatabase({ dataDir }: StartSettings): boolean {
  return existsSync(homeOf(dataDir));
}

function homeOf(dataDir: string): string {
  return path.join(dataDir, 'postgres');
}

/**
 * The file with the embedded database's address for commands in other terminals. It contains the password, so
 * only its owner can read it, and it exists only while the database runs.
 */
class DatabaseNote {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, 'database-url');
  }

  /** True while the note exists: a start is running or was killed. */
  exists(): boolean {
    return existsSync(this.#file);
  }

  write(url: string): void {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    const partial = `${this.#file}.new`;
    rmSync(partial, { force: true });
    writeFileSync(partial, `${url}\n`, { mode: 0o600 });
    renameSync(partial, this.#file);
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

/**
 * The names of the services whose samples the embedded database has had, so that a later start need not ask
 * it. The note lies next to the database and goes with it.
 */
class SampleNote {
  readonly #file: string;

  /** @param home where the embedded database is */
  constructor(home: string) {
    this.#file = path.join(home, 'samples');
  }

  has(service: string): boolean {
    try {
      return readFileSync(this.#file, 'utf8').split('\n').includes(service);
    } catch {
      return false;
    }
  }

  add(service: string): void {
    appendFileSync(this.#file, `${service}\n`);
  }
}
