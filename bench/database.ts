import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrate';
import pg from 'pg';

/** Creates a database with Pressroom's tables on a server and returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const url = await createEmptyDatabase(serverUrl, name);
  await migrate(url, fileURLToPath(new URL('../migrations', import.meta.url)));
  return url;
}

/** Creates a database without tables on a server and returns its URL. */
export function createEmptyDatabase(serverUrl: string, name: string): Promise<string> {
  return copyDatabase(serverUrl, name, 'template1');
}

/** Creates a database as a copy of another one, which nobody uses now, and returns its URL. */
export async function copyDatabase(serverUrl: string, name: string, from: string): Promise<string> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`create database ${name} template ${from}`);
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
