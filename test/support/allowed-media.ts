import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MediaHost, startMediaHost } from './media-host.ts';

/** A media host that the gallery administration may request. */
export interface Media extends AsyncDisposable {
  /** The host, reachable at `https://localhost`. */
  host: MediaHost;
  /** Settings that allow the service to request the host. */
  settings: { PROXY_ALLOWED_HOSTS: string; PROXY_PRIVATE_HOSTS: string; NODE_EXTRA_CA_CERTS: string };
}

/** Starts a media host on a free port. */
export async function startMedia(): Promise<Media> {
  const host = await startMediaHost(['localhost']);
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-media-'));
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, host.ca);
  const settings = {
    PROXY_ALLOWED_HOSTS: `localhost:${host.port}`,
    PROXY_PRIVATE_HOSTS: `localhost:${host.port}`,
    NODE_EXTRA_CA_CERTS: ca,
  };
  const dispose = async () => {
    await host.close();
    await rm(folder, { recursive: true });
  };
  return { host, settings, [Symbol.asyncDispose]: dispose };
}
