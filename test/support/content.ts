import { ApiKeyStore } from '@pressroom/content/api-keys';
import { readContentConfig } from '@pressroom/content/config';
import type { Embeds } from '@pressroom/content/embeds/embeds';
import { openContent } from '@pressroom/content/open';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { ContentClient } from './content-client.ts';
import { createTestDatabase, PATIENT, type TestDatabase } from './database.ts';
import { memoryLog, type TestLog } from './log.ts';

/** A content service on its own port. */
export interface RunningContent {
  /** Its address, without a path. */
  url: string;
  log: TestLog;
  close: () => Promise<void>;
}

/** Limits that no test reaches unless it means to. */
const GENEROUS = { CONTENT_RATE_LIMIT: '1000000', CONTENT_KEY_RATE_LIMIT: '1000000', ...PATIENT };

/** Starts the content service on a free port. */
export async function startContent(
  databaseUrl: string,
  settings: Record<string, string> = {},
  embeds?: Embeds,
): Promise<RunningContent> {
  const log = memoryLog('content');
  const config = readContentConfig({
    ...GENEROUS,
    DATABASE_URL: databaseUrl,
    CONTENT_PORT: '0',
    ...settings,
  });
  const { app, release } = await openContent(config, log.log, undefined, embeds);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    await app.close();
    await release();
  };
  return { url, log, close };
}

/** The content service with a database and a key of a test file's own. */
export interface ContentFixture extends RunningContent {
  database: TestDatabase;
  /** A key of the owner `Test`. */
  key: string;
  /** Sends requests to the service, with that key where one is needed. */
  client: ContentClient;
}

/** The query builder of the service on a test's database. */
export function queriesOf({ pool }: Pick<TestDatabase, 'pool'>): Kysely<ContentTables> {
  return new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) });
}

/** Creates an API key of an owner, and returns it. */
export async function createKey(database: Pick<TestDatabase, 'pool'>, owner: string): Promise<string> {
  return (await new ApiKeyStore(queriesOf(database)).create({ name: owner })).key;
}

/** Starts the content service on its own database, with a key. */
export async function contentFixture(
  settings: Record<string, string> = {},
  embeds?: Embeds,
): Promise<ContentFixture> {
  const database = await createTestDatabase();
  const key = await createKey(database, 'Test');
  const service = await startContent(database.url, settings, embeds);
  const close = async () => {
    await service.close();
    await database.drop();
  };
  return { ...service, database, key, client: new ContentClient(service.url, key), close };
}
