import { spawn, spawnSync } from 'node:child_process';
import { type StartedServer, whenReady } from '../server.ts';

/**
 * imgproxy on its default settings, for images on this machine over TLS that `caFile` lets it trust;
 * `program` is the path of its binary.
 */
export async function startImgproxy(
  program: string,
  caFile: string,
): Promise<{ name: string; process: StartedServer }> {
  const version = spawnSync(program, ['version'], { encoding: 'utf8' }).stdout.trim();
  const start = (port: string) =>
    spawn(program, [], {
      env: {
        IMGPROXY_BIND: `127.0.0.1:${port}`,
        IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES: 'true',
        SSL_CERT_FILE: caFile,
        // The value in its image.
        MALLOC_ARENA_MAX: '2',
      },
      stdio: 'ignore',
    });
  return { name: `imgproxy ${version}`, process: await whenReady('/health', start) };
}
