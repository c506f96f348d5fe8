/**
 * `pnpm bench idle [SECONDS]`: measures what the services and the newsroom's worker cost at rest, with the
 * probe of the containers every 10 s and nothing else. For Linux, whose /proc says how long each process has
 * run.
 */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { migrate } from '@pressroom/common/database/migrate';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import pg from 'pg';
import { postmasterOf } from '../test/support/processes.ts';
import { clientOf, createBucket, startEmbedded } from '../test/support/s3/servers.ts';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { type ServerProcess, startServer } from './child.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { usageOf } from './process-usage.ts';
import { printFigures } from './report.ts';

const PROBE = fileURLToPath(new URL('../deploy/probe', import.meta.url));

/** As in `docker-compose.yml`, in s. */
const PROBE_EVERY_S = 10;

/** How long the services may finish what their start has begun, in s: content keeps a thread for a minute. */
const SETTLE_S = 75;

/** The kernel's unit of time in /proc, in ms. */
const TICK_MS = 10;

/** The CPU time of a process so far, in ms: that of all its threads, also of those that have ended. */
async function cpuMs({ pid }: ServerProcess): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may contain anything: `utime` and `stime` of proc_pid_stat(5).
  const values = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(values[11]) + Number(values[12])) * TICK_MS;
}

/** The CPU time of one probe, in ms: an average of 50. */
async function probeMs(port: number): Promise<number> {
  const loop = `for i in {1..50}; do "$0" "$1" || exit 1; done; times`;
  const { stdout } = await promisify(execFile)('bash', ['-c', loop, PROBE, String(port)]);
  const [children = ''] = stdout.trim().split('\n').slice(-1);
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return (times.reduce((sum, time) => sum + time, 0) * 1000) / 50;
}

/** How many statements the database has run for the services. */
async function statements(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select xact_commit::int as count from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}

async function probeAll(services: readonly ServerProcess[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    await Promise.all(services.map(({ port }) => promisify(execFile)(PROBE, [String(port)])));
    if (performance.now() + PROBE_EVERY_S * 1000 > end) break;
    await delay(PROBE_EVERY_S * 1000);
  }
  await delay(Math.max(0, end - performance.now()));
}

const seconds = Number(process.argv[2] ?? 45);
const dataDir = await temporaryHome();
const postgres = await startPostgres({ dataDir, port: 0 });
const store = await startEmbedded();
const pool = new pg.Pool({ connectionString: postgres.url });
const running = new Map<string, ServerProcess>();
try {
  await migrate(postgres.url);
  const s3 = clientOf(store);
  const env = {
    DATABASE_URL: postgres.url,
    // Any free one, for what monitoring costs a process that nobody asks for it.
    METRICS_PORT: '0',
    SETTINGS_KEY: randomBytes(32).toString('base64'),
    S3_ENDPOINT: store.endpoint,
    S3_BUCKET: await createBucket(s3),
    S3_ACCESS_KEY_ID: store.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.secretAccessKey,
  };
  s3.destroy();
  for (const [name, port] of [
    ['content', 'CONTENT_PORT'],
    ['news-feed', 'NEWS_FEED_PORT'],
    ['gallery-admin', 'GALLERY_ADMIN_PORT'],
  ] as const) {
    const program = `services/${name}/src/main.ts`;
    running.set(name, await startServer({ program, env, port, ready: '/readyz' }));
  }
  const worker = { program: 'services/news-feed/src/cli.ts', args: ['work'], port: 'METRICS_PORT' };
  running.set('newsroom', await startServer({ ...worker, env, ready: '/readyz' }));
  const services = [...running.values()];
  await probeAll(services, SETTLE_S);
  const before = await Promise.all(services.map(cpuMs));
  const asked = await statements(pool);
  const postmaster = postmasterOf(postgres.dataDir);
  const databaseBefore = usageOf(postmaster).cpuSeconds;
  await probeAll(services, seconds);
  const after = await Promise.all(services.map(cpuMs));
  const databaseCpu = usageOf(postmaster).cpuSeconds - databaseBefore;
  const perSecond = ((await statements(pool)) - asked) / seconds;
  const probe = await probeMs(services[0]?.port ?? 0);
  const cpu = [...running.keys()].map((subject, index): Figure => {
    const ms = ((after[index] ?? 0) - (before[index] ?? 0)) / seconds + probe / PROBE_EVERY_S;
    const label = { what: 'at rest, with its probes', metric: 'cpu', unit: '% of a core', at: {} };
    return figureOf({ ...label, subject }, [ms / 10]);
  });
  const of = (what: string, subject: string, metric: string, unit: string, value: number) =>
    figureOf({ what, subject, metric, unit, at: {} }, [value]);
  const figures = [
    ...cpu,
    of('a probe', 'deploy/probe', 'cpu', 'ms', probe),
    of('at rest', 'PostgreSQL', 'cpu', '% of a core', (databaseCpu * 100) / seconds),
    of('at rest', 'all services', 'transactions', '/s', perSecond),
  ];
  printFigures(figures);
  keepFigures('idle', figures);
} finally {
  await Promise.all([...running.values()].map((service) => service.stop()));
  await pool.end();
  await store.close();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
