import { pingDatabase } from '@pressroom/common/database';
import { createServer, type Server } from '@pressroom/common/server';
import type { FastifyBaseLogger } from 'fastify';
import type { Kysely } from 'kysely';
import type { BucketSource } from './buckets/bucket.ts';
import { explainStoreFault } from './buckets/store-fault.ts';
import type { GalleryConfig } from './config.ts';
import type { GalleryTables } from './tables.ts';

/** What the service is built from. */
export interface GalleryParts {
  config: GalleryConfig;
  db: Kysely<GalleryTables>;
  buckets: BucketSource;
  log: FastifyBaseLogger;
}

const DESCRIPTION = {
  title: 'Pressroom gallery administration',
  version: '1.0.0',
  description: 'The media of a site in an object store: uploads, folders, files and buckets, behind a login.',
  securitySchemes: {
    session: { type: 'apiKey', name: 'gallery_session', in: 'cookie' },
  },
} as const;

/** Builds the gallery administration, ready to listen. */
export async function buildApp({ config, db, buckets, log }: GalleryParts): Promise<Server> {
  const app = await createServer({
    config,
    description: DESCRIPTION,
    log,
    bodyLimit: config.GALLERY_BODY_LIMIT,
    readiness: { database: () => pingDatabase(db) },
    problems: {
      extend: ({ detail }) => ({ success: false, message: detail }),
      explain: explainStoreFault,
      invalidBody: 400,
    },
  });
  // Behind the login session: what is added to `guarded`.
  await app.register(async (guarded: Server) => {
    void guarded;
    void buckets;
  });
  return app;
}
