import { answerPreflights, readableAnywhere } from '@pressroom/common/http/cors';
import { addRoutes, type Server } from '@pressroom/common/http/operation';
import { addressKey, limitRate } from '@pressroom/common/http/rate-limit';
import { redirectSharedAddresses } from '@pressroom/common/http/request-reading';
import type { BucketSource } from './buckets/bucket.ts';
import type { MediaConfig } from './config.ts';
import { mediaOperation, renditionQuery } from './media/media.ts';
import { Renditions } from './media/renditions.ts';
import { PROXY_LIMITS } from './proxy/media-fetcher.ts';
import type { GallerySettings } from './settings.ts';

/**
 * Several crops at each width, in two formats; with the renditions without a box, less than a page of a
 * listing.
 */
const KEPT = 400;

/** Headers that scripts of other sites need, for the parts of a file and for its permanent address. */
const EXPOSED = ['Content-Range', 'Content-Location', 'Accept-Ranges'];

export interface PublicMediaParts {
  config: Pick<MediaConfig, 'MEDIA_RATE_LIMIT' | 'REDIS_URL' | 'DATABASE_CONNECT_TIMEOUT_MS'>;
  settings: GallerySettings;
  buckets: BucketSource;
  renditions: Renditions;
}

/**
 * Renditions of public pictures: `places` pictures are decoded at a time, each when `turn` resolves, which is
 * when it delays no other work in this process.
 */
export function publicRenditions(places: number, turn: () => Promise<void>): Renditions {
  return new Renditions({ places, turn, maxBytes: PROXY_LIMITS.maxBytes, kept: KEPT });
}

/** Serves the public part of the active bucket to anybody, with a separate rate limit and queue. */
export async function servePublicMedia(
  app: Server,
  { config, settings, buckets, renditions }: PublicMediaParts,
): Promise<void> {
  const media = mediaOperation({
    buckets,
    published: async () => (await settings.current()).published,
    renditions,
  });
  await app.register(async (routes: Server) => {
    routes.addHook('onRequest', (_request, reply, done) => {
      reply.headers(readableAnywhere(EXPOSED));
      done();
    });
    answerPreflights(routes);
    await limitRate(routes, {
      service: 'media',
      config,
      allowance: (request) => ({ key: addressKey(request), max: config.MEDIA_RATE_LIMIT }),
    });
    // Sites and networks add more to the addresses of pictures than can be listed.
    redirectSharedAddresses(routes, (name) => !(name in renditionQuery.shape));
    addRoutes(routes, [['GET', '/media/*', media]]);
    // Without it, there would be no path for the preflight of a script that reads a range.
    routes.options('/media/*', { schema: { hide: true } }, (_request, reply) =>
      reply.code(204).header('allow', 'GET, HEAD, OPTIONS').send(),
    );
  });
}
