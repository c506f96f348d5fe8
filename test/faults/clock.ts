import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryHome } from '../support/temporary-home.ts';

/** Said of tests that are left out. */
export const NO_FAKETIME = 'needs libfaketime: apt-get install libfaketime';

/** Debian's libraries, in one folder for each architecture. */
const LIBRARIES = '/usr/lib';

/** The library that tells processes a time of the test's choice; undefined where it is not installed. */
export function faketimeLibrary(): string | undefined {
  if (!existsSync(LIBRARIES)) return undefined;
  return readdirSync(LIBRARIES)
    .map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketime.so.1'))
    .find((file) => existsSync(file));
}

/** The time that processes see: the machine's own clock, moved by so many seconds. */
export class FakeClock {
  readonly #file: string;
  readonly #library: string;

  private constructor(file: string, library: string) {
    this.#file = file;
    this.#library = library;
  }

  /** A clock that is right. Throws where the library is not installed. */
  static async create(): Promise<FakeClock> {
    const library = faketimeLibrary();
    if (library === undefined) throw new Error(NO_FAKETIME);
    const clock = new FakeClock(join(await temporaryHome(), 'offset'), library);
    clock.step(0);
    return clock;
  }

  /** The variables of a process that goes by this clock. The time that passes it measures rightly. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Moves the clock to `seconds` after the right time; processes notice within a second. */
  step(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  /** Forgets the clock. */
  remove(): void {
    rmSync(join(this.#file, '..'), { recursive: true, force: true });
  }
}
