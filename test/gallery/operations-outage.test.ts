import { openDatabase, SilenceError } from '@pressroom/common/database/database';
import { migrate } from '@pressroom/common/database/migrations';
import { Batches } from '@pressroom/gallery-admin/batches/batches';
import { BatchStore } from '@pressroom/gallery-admin/batches/batches-store';
import { S3_COPY_LIMITS } from '@pressroom/gallery-admin/batches/objects';
import type { Bucket } from '@pressroom/gallery-admin/buckets/bucket';
import { OriginalDates } from '@pressroom/gallery-admin/objects/object-page';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../support/command.ts';
import { memoryLog } from '../support/log.ts';
import { OwnPostgres } from '../support/own-postgres.ts';

const HOUR_MS = 3_600_000;

let server: OwnPostgres;

beforeEach(async () => {
  server = await OwnPostgres.create();
  await migrate(server.url, `${ROOT}/migrations`);
});

afterEach(async () => {
  await server.goOn();
  await server.destroy();
});

test('what fails because the database hangs is answered without waiting for its record', async () => {
  const db = openDatabase<GalleryTables>({ DATABASE_URL: server.url, DATABASE_POOL_SIZE: 2 }, 'test');
  const batches = new Batches({
    store: new BatchStore(db),
    direct: db,
    limits: S3_COPY_LIMITS,
    dates: new OriginalDates(db),
    discard: async () => undefined,
    log: memoryLog('test').log,
    recordMs: HOUR_MS,
  });
  const asked = {
    request: { action: 'delete' as const, paths: ['a'], dest: '' },
    key: undefined,
    background: false,
  };
  const send = async () => {
    await server.hang();
    throw new SilenceError(5500);
  };
  const bucket = { id: 'default', name: 'gallery', s3: { send } } as unknown as Bucket;
  const answered = batches.perform(bucket, asked, new AbortController().signal);
  await expect(answered).rejects.toThrow('has not answered');
  await server.goOn();
  await db.destroy();
});
