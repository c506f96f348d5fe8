import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type StartedServer, whenReady } from '../server.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The workspace of what Pressroom is compared with. */
const PEERS = join(ROOT, 'bench/peers');

/** The lockfile of what is installed, which pnpm writes at the end. */
const INSTALLED = join(PEERS, 'node_modules/.pnpm/lock.yaml');

/** Folder for the peers' logs and uploads. */
export const PEER_DATA = join(ROOT, '.data/bench/peers');

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
function installPeers(): void {
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
 * Starts a peer on a free port, given in `PORT`. Its output goes nowhere, as Pressroom's does while it is
 * measured, and what it says on its standard error to `.data/bench/peers`.
 */
export function startPeer({ peer, command, env, ready }: PeerOptions): Promise<StartedServer> {
  return whenReady(ready, (PORT) => spawnPeer(peer, command, { ...env, PORT }));
}

/** Runs a command of a peer to its end. Throws if it fails. */
export async function runPeer({ peer, command, env }: Omit<PeerOptions, 'ready'>): Promise<void> {
  const [code] = await once(spawnPeer(peer, command, env), 'exit');
  if (code !== 0) throw new Error(`${peer} ended with ${code}; its log is ${logOf(peer)}`);
}

function spawnPeer(peer: string, command: readonly string[], env: PeerOptions['env']): ChildProcess {
  installPeers();
  mkdirSync(PEER_DATA, { recursive: true });
  const { PATH = '', HOME = '' } = process.env;
  return spawn(process.execPath, command, {
    cwd: join(PEERS, peer),
    env: { PATH, HOME, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', openSync(logOf(peer), 'a')],
  });
}

function logOf(peer: string): string {
  return join(PEER_DATA, `${peer}.log`);
}
