import { reasonOf } from '../start/reason.ts';
import { databaseUrl } from './database-url.ts';
import { migrate } from './migrate.ts';

try {
  const ran = await migrate(databaseUrl(process.env));
  console.log(ran.length === 0 ? 'The database is up to date.' : `Migrated: ${ran.join(', ')}`);
} catch (error) {
  console.error(`Cannot migrate: ${reasonOf(error)}`);
  process.exitCode = 1;
}
