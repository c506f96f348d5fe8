import { openDatabase } from '@pressroom/common/database/database';
import { SilenceError } from '@pressroom/common/database/database-fault';
import { migrate } from '@pressroom/common/database/migrate';
import { identify, OperationStore } from '@pressroom/gallery-admin/operations/store';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../support/command.ts';
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
  const operations = new OperationStore(db, HOUR_MS);
  const asked = identify({ id: 'default', name: 'gallery' }, ['delete', 'file', 'a'], undefined);
  const work = async () => {
    await server.hang();
    throw new SilenceError(5500);
  };
  const answered = operations.answer(asked, work, new AbortController().signal);
  await expect(answered).rejects.toThrow('has not answered');
  await server.goOn();
  await db.destroy();
});
