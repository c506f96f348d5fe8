import { availableParallelism } from 'node:os';
import { checkSchema } from '@pressroom/common/database/migrations';
import { createServer } from '@pressroom/common/http/create-server';
import type { Server } from '@pressroom/common/http/operation';
import type { GalleryParts } from './app.ts';
import { StorePing, storeFailure } from './buckets/store-errors.ts';
import type { MediaConfig } from './config.ts';
import { galleryMediaType, galleryMembers } from './problems.ts';
import { publicRenditions, servePublicMedia } from './public-media.ts';

/**
 * Pictures decoded at a time: one more than there are cores, which no single client has. Of libuv's four
 * threads, one is left for files and DNS.
 */
const PLACES = Math.min(3, availableParallelism() + 1);

type MediaAppParts = Pick<GalleryParts, 'active' | 'db' | 'log' | 'meters' | 'settings' | 'tracing'> & {
  config: MediaConfig;
};

const DESCRIPTION = {
  title: 'Pressroom media',
  version: '1.0.0',
  description: 'The media of a site that anybody may read.',
};

/** Builds the server of public media alone, ready to listen: no login, and no other work waits for it. */
export async function buildMediaApp(parts: MediaAppParts): Promise<Server> {
  const { config, active, db, log, meters, settings, tracing } = parts;
  const storePing = new StorePing();
  const app = await createServer({
    config,
    description: DESCRIPTION,
    log,
    meters,
    tracing,
    readiness: { database: await checkSchema(db) },
    degrading: { 'object store': () => storePing.ping(active.probed()) },
    problems: {
      extend: galleryMembers,
      mediaType: galleryMediaType,
      explain: storeFailure,
      invalidBody: 400,
    },
  });
  const renditions = publicRenditions(PLACES, async () => undefined);
  await servePublicMedia(app, { config, settings, buckets: active, renditions });
  return app;
}
