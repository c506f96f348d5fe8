import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { prettyFactory } from 'pino-pretty';

/** A line of a log that says nothing to act on. */
const QUIET = /^\{"level":"(trace|debug|info)"/;

/** The folder of the programs' logs; those of the last start are beside it. */
export class ProgramLogs {
  readonly folder: string;
  readonly #show: (line: string) => void;
  readonly #logs = new Map<string, LogFile>();

  /** @param show prints a line on the terminal */
  constructor(dataDir: string, show: (line: string) => void) {
    this.folder = path.join(dataDir, 'logs');
    const former = `${this.folder}.former`;
    rmSync(former, { recursive: true, force: true });
    if (existsSync(this.folder)) renameSync(this.folder, former);
    mkdirSync(this.folder, { mode: 0o700 });
    const pretty = process.stdout.isTTY
      ? prettyFactory({ colorize: true, ignore: 'pid,hostname' })
      : undefined;
    this.#show = (line) => show(pretty && line.startsWith('{') ? pretty(line).trimEnd() : line);
  }

  /** Keeps all that a program prints, and shows warnings and worse. */
  keep(name: string, outputs: readonly Readable[]): void {
    const log =
      this.#logs.get(name) ?? new LogFile(path.join(this.folder, `${name.replaceAll(' ', '-')}.log`));
    this.#logs.set(name, log);
    for (const output of outputs) {
      createInterface({ input: output }).on('line', (line) => {
        const fault = log.write(line);
        if (fault !== undefined) this.#show(`the log of ${name} is not kept any longer: ${fault}`);
        if (!QUIET.test(line)) this.#show(line);
      });
    }
  }
}

/** A log of this size, in bytes, begins anew; the one before it is kept beside it. */
const MOST_BYTES = 16 * 2 ** 20;

class LogFile {
  readonly #file: string;
  #descriptor: number | undefined;
  #bytes = 0;
  #isKept = true;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns why this and later lines are not kept: a full disk ends the log, and not the programs. */
  write(line: string): string | undefined {
    if (!this.#isKept) return undefined;
    try {
      if (this.#bytes >= MOST_BYTES) this.#beginAnew();
      this.#descriptor ??= openSync(this.#file, 'a');
      this.#bytes += writeSync(this.#descriptor, `${line}\n`);
      return undefined;
    } catch (error) {
      this.#isKept = false;
      return error instanceof Error ? error.message : String(error);
    }
  }

  #beginAnew(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    renameSync(this.#file, `${this.#file}.former`);
    this.#bytes = 0;
  }
}
