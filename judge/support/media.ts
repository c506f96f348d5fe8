import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MediaHost, startMediaHost } from '../../test/support/media-host.ts';

/** A host of media that the gallery administration of a house may ask. */
export interface Media extends AsyncDisposable {
  /** It answers at `https://localhost`. */
  host: MediaHost;
  /** Settings of the service that let it ask the host. */
  settings: Record<string, string>;
}

/** Starts a host of media on a free port. */
export async function startMedia(): Promise<Media> {
  const host = await startMediaHost(['localhost']);
  const folder = await mkdtemp(join(tmpdir(), 'judge-media-'));
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
