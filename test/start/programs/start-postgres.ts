/** Starts PostgreSQL (`dataDir port`), prints a line of JSON for each event, and stops it at SIGTERM. */
import { startPostgres } from '@pressroom/embedded-postgres/postgres';

const [dataDir = '', port = '0'] = process.argv.slice(2);
const print = (event: object) => console.log(JSON.stringify(event));
try {
  const log = (line: string) => print({ log: line });
  const postgres = await startPostgres({ dataDir, port: Number(port), log, settings: { fsync: 'off' } });
  process.once('SIGTERM', () => postgres.stop());
  print({ url: postgres.url, dataDir: postgres.dataDir, port: postgres.port });
  await postgres.exited;
} catch (error) {
  print({ error: error instanceof Error ? error.message : String(error) });
}
