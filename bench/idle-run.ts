/**
 * `pnpm bench idle [SLICES]`: measures what the services and the newsroom's worker cost at rest, with the
 * probe of the containers every 10 s and nothing else: in slices of 10 s, of which those in which the
 * hypervisor took time are left out. For Linux, whose /proc says how long each thread has run.
 */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { postmasterOf } from '../test/support/processes.ts';
import { type ServerProcess, startServer } from './child.ts';
import { stolenTime } from './cpu-time.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { usageOf } from './process-usage.ts';
import { openSiteParts, PROCESSES } from './site-parts.ts';

const PROBE = fileURLToPath(new URL('../deploy/probe', import.meta.url));

/** As in `docker-compose.yml`, in s. */
const PROBE_EVERY_S = 10;

/**
 * How long the services may finish what their start has begun, in s: content keeps a thread for ten seconds,
 * and V8 tidies up once, about two minutes after it.
 */
const SETTLE_S = 180;

/** The time that may be stolen from a slice, in µs: a hundredth of a core. */
const STOLEN_US = PROBE_EVERY_S * 10_000;

/** The share of a core that each process may take, in %, and its resident memory, in MiB. */
const CPU_AIM = 0.3;
const MEMORY_AIM = 130;

/** The CPU time of each thread of a process so far, in ns. */
function threadTimes({ pid }: ServerProcess): Map<string, number> {
  const threads = readdirSync(`/proc/${pid}/task`);
  return new Map(threads.map((thread) => [thread, runTime(`/proc/${pid}/task/${thread}/schedstat`)]));
}

function runTime(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0]);
  } catch {
    return 0; // The thread has ended.
  }
}

/** How long a process has run between two looks, in ms. */
function ranMs(before: Map<string, number>, after: Map<string, number>): number {
  const times = [...after].map(([thread, time]) => Math.max(0, time - (before.get(thread) ?? 0)));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
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

/** Asks each service once, and waits until it is time to ask again. */
async function probeAll(services: readonly ServerProcess[]): Promise<void> {
  const end = performance.now() + PROBE_EVERY_S * 1000;
  await Promise.all(services.map(({ port }) => promisify(execFile)(PROBE, [String(port)])));
  await delay(Math.max(0, end - performance.now()));
}

const slices = Number(process.argv[2] ?? 12);
const seconds = slices * PROBE_EVERY_S;
const { postgres, env, close } = await openSiteParts();
const pool = new pg.Pool({ connectionString: postgres.url });
const running = new Map<string, ServerProcess>();
try {
  for (const [name, options] of Object.entries(PROCESSES)) {
    running.set(name, await startServer({ ...options, env }));
  }
  const services = [...running.values()];
  for (let slice = 0; slice < SETTLE_S / PROBE_EVERY_S; slice += 1) await probeAll(services);
  const asked = await statements(pool);
  const postmaster = postmasterOf(postgres.dataDir);
  const databaseBefore = usageOf(postmaster).cpuSeconds;
  const rounds: number[][] = [];
  const disturbed: number[][] = [];
  for (let slice = 0; slice < slices; slice += 1) {
    const [stolen, before] = [stolenTime(), services.map(threadTimes)];
    await probeAll(services);
    const ran = services.map((service, index) => ranMs(before[index] ?? new Map(), threadTimes(service)));
    (stolenTime() - stolen > STOLEN_US ? disturbed : rounds).push(ran);
  }
  const databaseCpu = usageOf(postmaster).cpuSeconds - databaseBefore;
  const perSecond = ((await statements(pool)) - asked) / seconds;
  const probe = await probeMs(services[0]?.port ?? 0);
  const own = [...running].flatMap(([subject, service], index): Figure[] => {
    const percent = (rounds.length > 0 ? rounds : disturbed).map(
      (round) => ((round[index] ?? 0) + probe) / PROBE_EVERY_S / 10,
    );
    const figure = figuresOf(subject);
    const what = 'at rest, with its probes';
    return [
      figure(what, 'cpu', '% of a core', percent, CPU_AIM),
      figure(what, 'memory', 'MiB', service.residentMemory(), MEMORY_AIM),
    ];
  });
  keepFigures('idle', [
    ...own,
    figuresOf('deploy/probe')('a probe', 'cpu', 'ms', probe),
    figuresOf('PostgreSQL')('at rest', 'cpu', '% of a core', (databaseCpu * 100) / seconds),
    figuresOf('all services')('at rest', 'transactions', '/s', perSecond),
  ]);
} finally {
  await Promise.all([...running.values()].map((service) => service.stop()));
  await pool.end();
  await close();
}
