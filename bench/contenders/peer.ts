import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { answered, type ServerProcess, serverOf } from '../child.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The workspace of what Pressroom is compared with. */
const PEERS = join(ROOT, 'bench/peers');

/** The lockfile of what is installed, which pnpm writes at the end. */
const INSTALLED = join(PEERS, 'node_modules/.pnpm/lock.yaml');

/** Where peers write: logs and what they upload. */
export const PEER_DATA = join(ROOT, '.data/bench/peers');

/** How a peer is started. */
export interface PeerOptions {
  /** Its folder in `bench/peers`. */
  peer: string;
  /** Its program and parameters, from that folder. */
  command: readonly string[];
  env: Readonly<Record<string, string>>;
  /** A path that answers 200 once it is up. */
  ready: string;
}

/** Installs the peers as their lockfile says, if they are not installed like that yet. */
export function installPeers(): void {
  const lockfile = readFileSync(join(PEERS, 'pnpm-lock.yaml'), 'utf8');
  if (existsSync(INSTALLED) && readFileSync(INSTALLED, 'utf8') === lockfile) return;
  console.log('installing the peers (bench/peers), some minutes');
  const pnpm = join(ROOT, 'node_modules/.bin/pnpm');
  const { status } = spawnSync(pnpm, ['install', '--frozen-lockfile'], { cwd: PEERS, stdio: 'inherit' });
  if (status !== 0) throw new Error('the peers could not be installed; see above');
}

/** The version of a package that a peer has installed. */
export function versionOf(peer: string, name: string): string {
  return JSON.parse(readFileSync(join(PEERS, peer, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/**
 * Starts a peer on a free port, given in `PORT`. Its output goes to /dev/null, as Pressroom's does
 * while it is measured, and what it says on its standard error to `.data/bench/peers`.
 */
export async function startPeer({ peer, command, env, ready }: PeerOptions): Promise<ServerProcess> {
  const port = await findFreePort();
  const quiet = openSync('/dev/null', 'w');
  const child = spawnPeer(peer, command, { ...env, PORT: String(port) }, quiet);
  closeSync(quiet);
  await answered(child, `http://127.0.0.1:${port}${ready}`);
  return serverOf(child, port);
}

/** Runs a command of a peer to its end. Throws if it fails. */
export async function runPeer({ peer, command, env }: Omit<PeerOptions, 'ready'>): Promise<void> {
  const child = spawnPeer(peer, command, env);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${peer} ended with ${code}; its log is ${logOf(peer)}`);
}

function spawnPeer(
  peer: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  output?: number,
): ChildProcess {
  mkdirSync(PEER_DATA, { recursive: true });
  const log = openSync(logOf(peer), 'a');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, command, {
    cwd: join(PEERS, peer),
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', output ?? log, log],
  });
  closeSync(log);
  return child;
}

function logOf(peer: string): string {
  return join(PEER_DATA, `${peer}.log`);
}
