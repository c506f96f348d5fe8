import { test as base } from 'vitest';
import { removeBucket } from './objects.ts';
import { clientOf, createBucket, namedServer, type Server, startEmbedded } from './servers.ts';

export { clientOf, createBucket, namedServer, type Server, startEmbedded };

/** Tests that get a server, a client of it and an empty bucket each. */
function testOn(findServer: () => Server | undefined) {
  return base
    .extend('named', { scope: 'file' }, findServer)
    .extend('server', { scope: 'file' }, async ({ named }, { onCleanup }): Promise<Server> => {
      if (named) return named;
      const embedded = await startEmbedded();
      onCleanup(() => embedded.close());
      return embedded;
    })
    .extend('s3', { scope: 'file' }, ({ server }) => clientOf(server))
    .extend('bucket', async ({ s3 }, { onCleanup }) => {
      const bucket = await createBucket(s3);
      onCleanup(() => removeBucket(s3, bucket));
      return bucket;
    });
}

/** Tests that hold on any S3 server: on the one that `S3_ENDPOINT` names, or else on the embedded one. */
export const test = testOn(() => namedServer(process.env));

/** Tests of the embedded store alone, whatever `S3_ENDPOINT` names. */
export const testEmbedded = testOn(() => undefined);
