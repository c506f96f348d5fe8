import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
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
  keep(name: string, output: Readable): void {
    const file = createWriteStream(path.join(this.folder, `${name.replaceAll(' ', '-')}.log`), {
      flags: 'a',
    });
    let isKept = true;
    // A full disk ends the log, and not the programs.
    file.on('error', (error) => {
      isKept = false;
      this.#show(`the log of ${name} is not kept any longer: ${error.message}`);
    });
    createInterface({ input: output })
      .on('line', (line) => {
        if (isKept) file.write(`${line}\n`);
        if (!QUIET.test(line)) this.#show(line);
      })
      .on('close', () => file.end());
  }
}
