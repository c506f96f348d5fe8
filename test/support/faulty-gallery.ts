import type { OpenOptions } from '@pressroom/gallery-admin/open';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { type GalleryFixture, galleryFixture, login, type RunningGallery, startGallery } from './gallery.ts';
import { type Answer, type Sending, send } from './http.ts';

/** A gallery whose store fails when a test wants it to, next to a replica whose store does not. */
export interface FaultyGallery extends RunningGallery {
  /** The replica, with the same database and bucket. */
  direct: GalleryFixture;
  /** Between the gallery and its store. */
  proxy: FaultyProxy;
  /** The `Cookie` header of the one who is logged in. */
  cookie: string;
  /** Sends a request to the gallery with the session. */
  ask: (path: string, sending?: Sending) => Promise<Answer>;
}

/** Starts both on their own database and bucket. */
export async function faultyGallery(surroundings: OpenOptions = {}): Promise<FaultyGallery> {
  const direct = await galleryFixture();
  const proxy = await startFaultyProxy(direct.store.endpoint);
  const service = await startGallery({ ...direct.settings, S3_ENDPOINT: proxy.url }, surroundings);
  const cookie = await login(service.url);
  const ask = (path: string, { headers, ...sending }: Sending = {}) =>
    send(`${service.url}${path}`, { ...sending, headers: { cookie, ...headers } });
  const close = async () => {
    await service.close();
    await proxy.close();
    await direct.close();
  };
  return { ...service, direct, proxy, cookie, ask, close };
}
