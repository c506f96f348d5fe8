import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { send } from './http.ts';
import { until } from './until.ts';

/** The programs of the proxy's container. */
export const PROXY_FOLDER = join(import.meta.dirname, '../../deploy/proxy');

/** The proxy of `deploy/proxy`, run by the nginx of this machine. */
export interface RunningProxy {
  /** Its nginx. */
  pid: number;
  /** The one address, without a path. */
  url: string;
  /** Address of the object store without a name. */
  storeUrl: string;
  /** Folder of its certificate and of the proofs for an authority, with `DOMAIN`. */
  tls: string;
  /** The line of its access log about the request of this id. */
  logged: (id: string) => Promise<string>;
  /** Sends new requests for a service to these addresses only, or to all of its name. Needs `routed`. */
  route: (service: string, ...addresses: string[]) => void;
  close: () => Promise<void>;
}

/** Debian keeps nginx where only root's PATH leads. */
const PATH = `${process.env.PATH}:/usr/sbin`;

/** True if this machine has nginx. */
export const hasNginx = spawnSync('nginx', ['-v'], { env: { PATH } }).error === undefined;

/**
 * Starts the proxy as its container does, on free ports, with these settings: `CONTENT_UPSTREAM` and the
 * like name the services, as `host:port`. With `routed` it has its own resolver, which needs dnsmasq;
 * `folder` has a changed copy of its programs. Undefined where there is no nginx.
 */
export async function startProxy(
  settings: Record<string, string>,
  { routed = false, folder: programs = PROXY_FOLDER } = {},
): Promise<RunningProxy | undefined> {
  if (!hasNginx) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-proxy-'));
  const [port, storePort] = [await findFreePort(), await findFreePort()];
  const nobody = '127.0.0.1:1';
  const [state, accessLog] = [join(folder, 'state'), join(folder, 'access.log')];
  const nginx = spawn(join(programs, 'start'), {
    detached: true,
    env: {
      PATH,
      PROXY_STATE: state,
      PROXY_CACHE: join(folder, 'cache'),
      PROXY_TLS: join(folder, 'tls'),
      PROXY_LISTEN: `127.0.0.1:${port}`,
      STORE_LISTEN: `127.0.0.1:${storePort}`,
      ACCESS_LOG: accessLog,
      CONTENT_UPSTREAM: nobody,
      NEWS_FEED_UPSTREAM: nobody,
      GALLERY_ADMIN_UPSTREAM: nobody,
      MEDIA_UPSTREAM: nobody,
      NEWSROOM_UPSTREAM: nobody,
      STORE_UPSTREAM: nobody,
      ...(routed ? { RESOLVER_PORT: String(await findFreePort()) } : {}),
      ...settings,
    },
  });
  const said: string[] = [];
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  nginx.stdout.resume();
  const url = `http://127.0.0.1:${port}`;
  await until('the proxy answers', () => {
    if (nginx.exitCode !== null) throw new Error(`nginx did not start: ${said.join('')}`);
    // Not whether the port is open: it is for a moment while nginx checks its configuration.
    return send(`${url}/healthz`).catch(() => undefined);
  });
  return {
    pid: nginx.pid ?? 0,
    url,
    storeUrl: `http://127.0.0.1:${storePort}`,
    tls: join(folder, 'tls'),
    logged: (id) =>
      until(`the request ${id} is logged`, async () => {
        const lines = (await readFile(accessLog, 'utf8')).split('\n');
        return lines.find((line) => line.includes(id));
      }),
    route: (service, ...addresses) => {
      execFileSync(join(PROXY_FOLDER, 'route'), [service, ...addresses], {
        env: { PATH, PROXY_STATE: state },
      });
    },
    close: async () => {
      await end(nginx);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function end(nginx: ChildProcess): Promise<void> {
  if (nginx.exitCode !== null || nginx.signalCode !== null) return;
  const gone = once(nginx, 'exit');
  // With what its start left running next to it, which in the container ends with nginx.
  process.kill(-(nginx.pid ?? 0), 'SIGTERM');
  await gone;
}

/** `host:port` of a URL, as the proxy's settings take it. */
export function upstreamOf(url: string): string {
  return new URL(url).host;
}
