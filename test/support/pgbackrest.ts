import { type ExecFileException, execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The first pgBackRest that knows PostgreSQL 18. */
const NEEDED: readonly [number, number] = [2, 57];

/** Note of the test of going back in time, if it is left out. */
export const NO_PGBACKREST = `needs pgBackRest ${NEEDED.join('.')} or later on the PATH, for PostgreSQL 18: install pgbackrest`;

/** True if there is a `pgbackrest` on the PATH that can back up PostgreSQL 18. */
export async function hasPgBackRest(): Promise<boolean> {
  const { stdout } = await promisify(execFile)('pgbackrest', ['version']).catch(() => ({ stdout: '' }));
  const [, major = '0', minor = '0'] = /pgBackRest (\d+)\.(\d+)/.exec(stdout) ?? [];
  return Number(major) > NEEDED[0] || (Number(major) === NEEDED[0] && Number(minor) >= NEEDED[1]);
}

/** The account that commands run as, and their environment. */
export interface Runner {
  uid?: number | undefined;
  gid?: number | undefined;
  env: NodeJS.ProcessEnv;
}

/** The exit code and the output of a command. */
export interface ShellResult {
  code: number;
  /** Its output, errors included. */
  text: string;
}

/** Runs a line as a shell does. */
export async function shell(line: string, { uid, gid, env }: Runner): Promise<ShellResult> {
  const account = uid === undefined || gid === undefined ? {} : { uid, gid };
  const options = { ...account, env, cwd: '/', maxBuffer: 2 ** 26 };
  try {
    const { stdout, stderr } = await promisify(execFile)('/bin/sh', ['-c', line], options);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as ExecFileException;
    return { code: typeof code === 'number' ? code : 1, text: `${stdout ?? ''}${stderr ?? ''}` };
  }
}
