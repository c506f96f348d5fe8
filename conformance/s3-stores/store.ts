import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { until } from '../../test/support/until.ts';
import { killAtExit } from '../support/ending.ts';
import { CACHE, mustRun } from '../support/programs.ts';

/** An object store built from its Go module. */
export interface StoreKind {
  name: 'minio' | 'versitygw';
  /** The package of its program; the version is in the `go.mod` of the folder with its name. */
  program: string;
  arguments(port: number, folder: string): string[];
  /** The variables that hold its root account. */
  account: readonly [name: string, secret: string];
}

/** The stores of the check; Ceph is the third, which `.ci/run` starts itself. */
export const STORE_KINDS: readonly StoreKind[] = [
  {
    name: 'minio',
    program: 'github.com/minio/minio',
    arguments: (port, folder) => ['server', '--quiet', '--address', `127.0.0.1:${port}`, folder],
    account: ['MINIO_ROOT_USER', 'MINIO_ROOT_PASSWORD'],
  },
  {
    name: 'versitygw',
    program: 'github.com/versity/versitygw/cmd/versitygw',
    // Metadata in separate files, because not every file system for /tmp has extended attributes.
    arguments: (port, folder) => [
      ...['--port', `127.0.0.1:${port}`, '--keep-alive', '--quiet'],
      ...['posix', '--sidecar', join(folder, 'metadata'), join(folder, 'buckets')],
    ],
    account: ['ROOT_ACCESS_KEY', 'ROOT_SECRET_KEY'],
  },
];

/** The time limit for a build with an empty Go cache, in ms. */
const BUILD_MS = 900_000;

/** Builds a store if necessary, and returns the program's path. Throws if it cannot be built. */
export async function buildStore({ name, program }: StoreKind): Promise<string> {
  const module = join(import.meta.dirname, name);
  const sum = createHash('sha256')
    .update(await readFile(join(module, 'go.sum')))
    .digest('hex');
  const built = join(CACHE, `${name}-${sum.slice(0, 16)}`);
  if (existsSync(built)) return built;
  await mkdir(CACHE, { recursive: true });
  const unfinished = `${built}.${process.pid}`;
  const flags = ['-mod=readonly', '-trimpath', '-ldflags', '-s -w', '-o', unfinished];
  const env = { GOFLAGS: '' };
  await mustRun('go', ['build', ...flags, program], { cwd: module, env, timeoutMs: BUILD_MS });
  await rename(unfinished, built);
  return built;
}

export interface RunningStore extends AsyncDisposable {
  /** The variables by which tests find it. */
  env: Record<string, string>;
}

/**
 * Starts a built store on a free port of the loopback interface, with its data in a folder that is removed
 * with it.
 */
export async function startStore(kind: StoreKind, program: string): Promise<RunningStore> {
  const folder = await mkdtemp(join(tmpdir(), `conformance-${kind.name}-`));
  for (const name of ['metadata', 'buckets']) await mkdir(join(folder, name));
  const port = await findFreePort();
  const account = { name: 'conformance-access', secret: randomBytes(16).toString('hex') };
  const [nameVariable, secretVariable] = kind.account;
  const child = spawn(program, kind.arguments(port, folder), {
    env: { ...process.env, [nameVariable]: account.name, [secretVariable]: account.secret },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const forget = killAtExit(() => child.kill('SIGKILL'));
  const endpoint = `http://127.0.0.1:${port}`;
  await until(`${kind.name} answers`, async () => {
    if (child.exitCode !== null) throw new Error(`${kind.name} ended with ${child.exitCode}`);
    return fetch(endpoint).then(
      () => true,
      () => false,
    );
  });
  const dispose = async () => {
    child.kill('SIGTERM');
    await exited;
    forget();
    await rm(folder, { recursive: true, force: true });
  };
  const env = {
    S3_ENDPOINT: endpoint,
    S3_REGION: 'us-east-1',
    S3_ACCESS_KEY_ID: account.name,
    S3_SECRET_ACCESS_KEY: account.secret,
  };
  return { env, [Symbol.asyncDispose]: dispose };
}
