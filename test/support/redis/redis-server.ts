import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { startRedisStandIn } from './redis-stand-in.ts';

/** A Redis server of a test's own, on loopback, that keeps nothing. */
export interface RedisServer {
  /** In the form of `REDIS_URL`. */
  readonly url: string;
  readonly port: number;
  /** Ends the server; resolves once it is gone and its connections are closed. */
  stop(): Promise<void>;
}

/**
 * Starts the `redis-server` on the PATH on a free port of 127.0.0.1, or on `port` (to bring a stopped one
 * back), and resolves when it accepts connections; where there is none, a stand-in for it, so that the tests
 * need nothing but Node. Throws with the server's own words when it does not start.
 */
export async function startRedis(options: { port?: number } = {}): Promise<RedisServer> {
  if (options.port !== undefined) return startOn(options.port);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(await findFreePort());
    } catch (error) {
      // Another program can take a free port before Redis does.
      if (attempt === 3 || !/Address already in use|EADDRINUSE/.test(String(error))) throw error;
    }
  }
}

async function startOn(port: number): Promise<RedisServer> {
  const server = spawn('redis-server', [
    ...['--bind', '127.0.0.1', '--port', String(port)],
    ...['--save', '', '--appendonly', 'no', '--dir', tmpdir()],
  ]);
  try {
    await Promise.race([started(server), notFound(server)]);
  } catch (error) {
    if (!(error instanceof NoRedis)) throw error;
    console.warn('There is no redis-server on the PATH: a stand-in of the tests counts instead.');
    const { stop } = await startRedisStandIn(port);
    return { url: `redis://127.0.0.1:${port}`, port, stop };
  }

  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: async () => {
      process.off('exit', kill);
      if (server.exitCode !== null || server.signalCode !== null) return;
      const gone = once(server, 'exit');
      server.kill('SIGTERM');
      await gone;
    },
  };
}

async function started(server: ChildProcess): Promise<void> {
  if (!server.stdout) throw new Error('redis-server has no standard output');
  const log: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    log.push(line);
    if (!line.includes('Ready to accept connections')) continue;
    // Read on: a full pipe would stop the server.
    server.stdout.resume();
    return;
  }
  throw new Error(`redis-server did not start:\n${log.join('\n')}`);
}

async function notFound(server: ChildProcess): Promise<never> {
  const [error] = await once(server, 'error');
  // EACCES: the PATH names a folder that this account may not search, or a file that it may not run.
  if (!['ENOENT', 'EACCES'].includes(error.code)) throw error;
  throw new NoRedis();
}

/** There is no `redis-server` on the PATH. */
class NoRedis extends Error {}
