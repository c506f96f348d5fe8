import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryHome } from '../support/temporary-home.ts';

const CHUNK = Buffer.alloc(1024 * 1024);

/** Said of tests that are left out. */
export const NOT_ROOT = 'needs root, to mount the small disk that it fills';

/** True if this process may mount a {@link SmallDisk}. */
export function canMount(): boolean {
  return process.platform === 'linux' && process.getuid?.() === 0;
}

/** A disk of a test's own that can be filled up: a tmpfs, or a plain directory where none can be mounted. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Mounts an empty disk of so many MiB. */
  static async mount(mebibytes: number): Promise<SmallDisk> {
    const path = await temporaryHome();
    if (canMount()) {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', path]);
    }
    const disk = new SmallDisk(path);
    process.once('exit', disk.unmount);
    return disk;
  }

  /** Makes a directory on it that every account can enter. */
  directory(name: string): string {
    const path = join(this.path, name);
    mkdirSync(path, { mode: 0o755 });
    return path;
  }

  /** Leaves no byte free. Throws where the disk is not a small one. */
  fill(): void {
    if (!canMount()) throw new Error(NOT_ROOT);
    const file = openSync(join(this.path, 'ballast'), 'a');
    try {
      for (;;) writeSync(file, CHUNK);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Gives back what {@link fill} has taken. */
  free(): void {
    rmSync(join(this.path, 'ballast'), { force: true });
  }

  /** Unmounts it; what was on it is gone. */
  readonly unmount = (): void => {
    process.off('exit', this.unmount);
    if (canMount()) execFileSync('umount', ['-l', this.path]);
    rmSync(this.path, { recursive: true, force: true });
  };
}
