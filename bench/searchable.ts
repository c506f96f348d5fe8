import { indexAll } from '@pressroom/content/articles/indexing';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';

/** Makes the articles of a database searchable, which the service would do while it is measured. */
export async function makeSearchable(pool: Pool): Promise<void> {
  const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) });
  const onLeftOut = (_: unknown, error: unknown) => {
    throw error;
  };
  await Promise.all([indexAll(db, { onLeftOut }), indexAll(db, { onLeftOut })]);
}
